import DequeModule
import HeybotSupport

/// The messages that wait to be sent, and the rate limit.
///
/// Commands that maintain the session (`JOIN`, `MODE`) go first. What users cause takes turns by user; those with few
/// lines go first. The lines of a short message stay together, unless somebody waits for as few lines as are left of it.
/// Urgent messages bypass the queue and are only counted.
struct SendQueue: Sendable {
    typealias Flow = FairQueue<Item>.Flow

    /// A queued item.
    ///
    /// Its cases are `indirect`, so that it is small and cheap to pass on.
    indirect enum Item: Sendable {
        case command(IRCMessage)
        /// A message to a user or channel. One line is sent at a time; the rest goes back into the queue.
        case message(SplitMessage)
        /// A `WHO` query for the account of a user, or of all members of a channel.
        case who(String)
        /// A `WHOIS` query for a user's certificate.
        case whois(String)
        /// A request to report what a user does.
        case monitor(String)
        /// A command on a user's behalf: setting a topic, accepting an invitation.
        case onBehalf(IRCMessage)
        /// A request for messages that were missed.
        case history(IRCMessage)

        /// The number of lines to send.
        var cost: Int { if case .message(let pieces) = self { pieces.count } else { 1 } }
    }

    /// A message, split into lines once for the current length limit.
    struct SplitMessage: Sendable {
        var message: OutgoingMessage
        var lines: ArraySlice<String> = []
        /// The length limit in bytes that the lines were split for; nil before that.
        var limit: Int?
        /// The number of lines when it was split first; nil before that.
        var total: Int?

        /// The part of the message that isn't sent yet.
        var rest: OutgoingMessage {
            var rest = message
            rest.text = restOfText
            return rest
        }

        /// The part of the text that isn't sent yet.
        var restOfText: String { limit == nil ? message.text : lines.joined(separator: "\n") }

        /// The number of lines left; an estimate before the text is split.
        var count: Int {
            if limit != nil { return lines.count }
            return message.text.utf8.count { $0 == .lineFeed } + 1 + message.text.utf8.count / 450
        }
    }

    private(set) var bucket: TokenBucket
    private static let maxCommands = 1_000
    /// An answer that has waited this long while the queue was open is dropped.
    private static let maxWait: Duration = .seconds(60)
    /// The maximum number of lines of a message whose lines stay together.
    private static let mostTogether = 5
    private var commands = Deque<IRCMessage>()
    private var items: FairQueue<Item>
    /// The number of messages and commands dropped since the last report.
    private(set) var dropped = 0
    private var dropReported: Duration?
    /// The number of stale answers dropped since the last report.
    private(set) var stale = 0
    private var staleReported: Duration?
    /// When the queue was opened, after the channels were joined; nil before that.
    private var opened: Duration?

    init(_ rateLimit: RateLimit, limit: Int, waiting: [(OutgoingMessage, Flow)]) {
        bucket = TokenBucket(rateLimit)
        items = FairQueue(limit: limit)
        for (message, flow) in waiting { put(message, in: flow) }
    }

    /// Whether neither commands nor messages wait.
    var isEmpty: Bool {
        // Not with `&&`, whose right side would get a copy of the items.
        guard commands.isEmpty else { return false }
        return items.isEmpty
    }

    /// The messages, or parts of them, that aren't sent yet.
    var unsent: [OutgoingMessage] {
        items.elements.compactMap { if case .message(let pieces) = $0 { pieces.rest } else { nil } }
    }

    /// The number of items that wait for a flow.
    func count(of flow: Flow) -> Int { items.count(of: flow) }

    /// The number of lines that wait for a user.
    func lines(requestedBy requester: String) -> Int { items.cost(requestedBy: requester) }

    mutating func open(at now: Duration) { opened = opened ?? now }

    /// Queues a command; if too many are queued, it is dropped and counted.
    mutating func put(_ command: IRCMessage) {
        if commands.count < Self.maxCommands { commands.append(command) } else { dropped += 1 }
    }

    /// Queues a command before all other items.
    mutating func putFirst(_ command: IRCMessage) {
        if commands.count < Self.maxCommands { commands.prepend(command) } else { dropped += 1 }
    }

    /// Queues a message; if the queue is full, the newest message of the flow with the most messages is dropped and counted.
    mutating func put(_ message: OutgoingMessage, in flow: Flow) {
        put(.message(SplitMessage(message: message)), in: flow)
    }

    /// Queues an item, with the same limit.
    mutating func put(_ item: Item, in flow: Flow) {
        if case .message? = items.append(item, cost: item.cost, in: flow) { dropped += 1 }
    }

    /// Returns the number of dropped messages, at most once in ten seconds; nil if there is nothing to report.
    mutating func takeDropped(at now: Duration) -> Int? {
        guard dropped > 0, dropReported.map({ now - $0 >= .seconds(10) }) ?? true else { return nil }
        defer { dropped = 0 }
        dropReported = now
        return dropped
    }

    /// Returns the number of stale answers, in the same way.
    mutating func takeStale(at now: Duration) -> Int? {
        guard stale > 0, staleReported.map({ now - $0 >= .seconds(10) }) ?? true else { return nil }
        defer { stale = 0 }
        staleReported = now
        return stale
    }

    /// Drops answers that have waited for too long.
    mutating func expire(at now: Duration) {
        guard let opened, now - opened >= Self.maxWait, !items.isEmpty else { return }
        stale += items.removeAll { item in
            guard case .message(let pieces) = item, pieces.message.requester != nil else { return false }
            return now - max(pieces.message.since, opened) >= Self.maxWait
        }
    }

    /// Counts a sent line against the rate limit.
    mutating func count(at now: Duration) { bucket.consume(at: now) }

    /// Resets the rate limit: messages sent during registration don't count.
    mutating func restart() { bucket = TokenBucket(bucket.limit) }

    /// Removes and returns the item to send next; nil if there is none, or the rate limit doesn't allow one.
    mutating func next(at now: Duration, where canBeSent: (OutgoingMessage) -> Bool) -> Item? {
        guard bucket.isAvailable(at: now) else { return nil }
        if let command = commands.popFirst() { return .command(command) }
        return opened == nil ? nil : items.popFirst { Self.fits($0, canBeSent) }
    }

    private static func fits(_ item: Item, _ canBeSent: (OutgoingMessage) -> Bool) -> Bool {
        if case .message(let pieces) = item { canBeSent(pieces.message) } else { true }
    }

    /// Puts back the unsent lines of a message.
    mutating func putBack(_ rest: SplitMessage, in flow: Flow) {
        let isShort = rest.total.map { $0 <= Self.mostTogether } ?? false
        items.putBack(.message(rest), cost: rest.count, in: flow, staysTogether: isShort)
    }

    /// When the next line may be sent; nil if nothing that can be sent is queued.
    func due(where canBeSent: (OutgoingMessage) -> Bool) -> Duration? {
        guard !commands.isEmpty || opened != nil && items.hasFirst(where: { Self.fits($0, canBeSent) }) else {
            return nil
        }
        return bucket.nextAvailable ?? .zero
    }
}
