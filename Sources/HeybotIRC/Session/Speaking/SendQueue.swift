import DequeModule
import HeybotSupport

/// The person to whom a request is accounted.
package struct Asker: Hashable, Sendable {
    /// What limits and turns go by.
    package let id: String
    let source: Source?
    let account: String?

    /// - Parameters:
    ///   - source: Where they asked from; nil if it isn't known.
    ///   - account: The account that they were logged in to.
    package init(_ id: String, source: Source? = nil, account: String? = nil) {
        (self.id, self.source, self.account) = (id, source, account)
    }

    /// Whether that is the same person as far as is known: somebody keeps the connection when they log in.
    package func mayBe(_ other: Asker) -> Bool {
        id == other.id || source?.origin != nil && source?.origin == other.source?.origin
    }

    /// Whether a member of a channel with their nick is somebody else, as far as is known.
    func isOther(than member: Roster.Member) -> Bool {
        guard let source else { return false }
        let isSameAccount = account != nil && account == member.account
        return !isSameAccount && !member.isAt(source.user, source.host)
    }
}

/// Something to be said to somebody or in a channel.
package struct Chat: Hashable, Sendable {
    /// A nick or a channel.
    package var target: String
    package var text: String
    /// Whether it is done and not said: CTCP ACTION, `/me`.
    package var isAction: Bool
    /// The person whose message it answers; nil if it answers nobody.
    ///
    /// Nobody else who is seen to have the nick gets it.
    package var asker: Asker?
    /// When it was wanted, or when a line of it was sent last, on the session's clock.
    package var since: Duration

    /// Makes it of its parts; the text may have any length and any number of lines.
    package init(
        to target: String, _ text: String, isAction: Bool = false, asker: Asker? = nil, since: Duration = .zero
    ) {
        self.target = target
        self.text = text
        self.isAction = isAction
        self.asker = asker
        self.since = since
    }
}

/// What waits to be sent, and when it may be.
///
/// What keeps us there (joining, modes) goes before what we say. What others make us say or do takes turns, by target and by
/// person. What can't wait at all isn't put in, only counted.
struct SendQueue: Sendable {
    typealias Sender = FairQueue<Item>.Sender

    /// What is to be sent.
    enum Item: Sendable {
        case errand(IRCMessage)
        /// Its first line; the others are put back.
        case chat(Pieces)
        /// A question about the account of somebody, or of all in a channel.
        case inquiry(String)
        /// A question about the certificate of whoever has that nick.
        case whois(String)
        /// Something that a script or somebody else makes us do: a topic, following an invitation.
        case deed(IRCMessage)
    }

    /// A chat, cut into lines once for the limit that holds.
    struct Pieces: Sendable {
        var chat: Chat
        var lines: ArraySlice<String> = []
        /// The bytes that a line might have when it was cut; nil before that.
        var limit: Int?

        /// What isn't said of it yet.
        var rest: Chat {
            guard limit != nil else { return chat }
            var rest = chat
            rest.text = lines.joined(separator: "\n")
            return rest
        }

        /// How many lines are left, as far as it is known.
        var count: Int {
            if limit != nil { return lines.count }
            return chat.text.utf8.count { $0 == .lineFeed } + 1 + chat.text.utf8.count / 450
        }
    }

    private(set) var meter: PaceMeter
    private static let mostErrands = 1_000
    /// An answer that has waited for so long, while it could have been said, is of no use to anybody.
    private static let patience: Duration = .seconds(60)
    private var errands = Deque<IRCMessage>()
    private var items: FairQueue<Item>
    /// How many chats and errands found no room since that was told last.
    private(set) var lost = 0
    private var lossTold: Duration?
    /// How many waited for too long since that was told last.
    private(set) var stale = 0
    private var staleTold: Duration?
    /// Since when chats may go out; until our channels are joined they wait.
    private var opened: Duration?

    init(_ pace: Pace, limit: Int, waiting: [(Chat, Sender)]) {
        meter = PaceMeter(pace)
        items = FairQueue(limit: limit)
        for (chat, sender) in waiting { put(chat, from: sender) }
    }

    /// What is not sent yet of what we wanted to say.
    var unsent: [Chat] {
        items.elements.compactMap { if case .chat(let pieces) = $0 { pieces.rest } else { nil } }
    }

    /// The number of items that a sender has waiting.
    func count(of sender: Sender) -> Int { items.count(of: sender) }

    /// The number of lines that wait to be said to somebody who asked for them.
    func lines(askedBy asker: String) -> Int {
        guard items.count(askedBy: asker) > 0 else { return 0 }
        return items.elements.reduce(0) { sum, item in
            if case .chat(let pieces) = item, pieces.chat.asker?.id == asker { sum + pieces.count } else { sum }
        }
    }

    mutating func open(at now: Duration) { opened = opened ?? now }

    /// Takes it in; if too many wait already, it is lost, and counted.
    mutating func put(_ errand: IRCMessage) {
        if errands.count < Self.mostErrands { errands.append(errand) } else { lost += 1 }
    }

    /// Takes it in likewise, to be sent before all else.
    mutating func putFirst(_ errand: IRCMessage) {
        if errands.count < Self.mostErrands { errands.prepend(errand) } else { lost += 1 }
    }

    /// Takes it in; if too much is waiting already, the newest of whoever has most is lost, and counted.
    mutating func put(_ chat: Chat, from sender: Sender) { put(.chat(Pieces(chat: chat)), from: sender) }

    /// Takes it in likewise.
    mutating func put(_ item: Item, from sender: Sender) {
        if case .chat? = items.append(item, from: sender) { lost += 1 }
    }

    /// How many were lost, to be told at once and then every ten seconds at the most.
    mutating func takeLoss(at now: Duration) -> Int? {
        guard lost > 0, lossTold.map({ now - $0 >= .seconds(10) }) ?? true else { return nil }
        defer { lost = 0 }
        lossTold = now
        return lost
    }

    /// How many waited for too long, told likewise.
    mutating func takeStale(at now: Duration) -> Int? {
        guard stale > 0, staleTold.map({ now - $0 >= .seconds(10) }) ?? true else { return nil }
        defer { stale = 0 }
        staleTold = now
        return stale
    }

    /// Drops the answers that nobody can want any more.
    mutating func expire(at now: Duration) {
        guard let opened, now - opened >= Self.patience, !items.isEmpty else { return }
        stale += items.removeAll { item in
            guard case .chat(let pieces) = item, pieces.chat.asker != nil else { return false }
            return now - max(pieces.chat.since, opened) >= Self.patience
        }
    }

    /// Counts a line that is sent now.
    mutating func count(at now: Duration) { meter.count(at: now) }

    /// Starts counting again: what came before we were welcomed costs nothing.
    mutating func restart() { meter = PaceMeter(meter.pace) }

    /// Takes out what is to be sent next, if something may be now.
    mutating func next(at now: Duration) -> Item? {
        guard meter.isReady(at: now) else { return nil }
        if let errand = errands.popFirst() { return .errand(errand) }
        return opened == nil ? nil : items.popFirst()
    }

    /// Puts back what is left of a chat.
    mutating func putBack(_ rest: Pieces, from sender: Sender) { items.putBack(.chat(rest), from: sender) }

    /// When the next line may be sent; nil if there is none.
    var due: Duration? {
        guard !errands.isEmpty || opened != nil && !items.isEmpty else { return nil }
        return meter.ready ?? .zero
    }
}
