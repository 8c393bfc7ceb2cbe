import DequeModule
import HeybotSupport

/// What waits to be said, and when it may be: rooms, people and those who asked take turns, so that nobody can delay
/// everybody else.
struct SendQueue: Sendable {
    /// Whoever has been silent for longer than that has no interest in an answer any more.
    private static let patience: Duration = .seconds(300)
    /// The same for an answer that could have been said all that time, but for others that came first.
    private static let answerPatience: Duration = .seconds(60)
    /// More urgent ones wait their turn like the others.
    private static let mostUrgent = 20

    private var meter: PaceMeter
    private let limit: Int
    /// The domain of our own account.
    private let domain: String
    private var urgent = Deque<Chat>()
    private var chats: FairQueue<Chat>
    /// How many chats found no room since that was told last.
    private(set) var lost = 0
    private var lossTold: Duration?
    /// Since when something may go out: until we are in our rooms it waits.
    private(set) var opened: Duration?
    /// When something may have waited for too long.
    private var looksAt: Duration?

    /// - Parameter domain: The domain of our own account.
    init(_ pace: Pace, limit: Int, domain: String) {
        meter = PaceMeter(pace)
        self.domain = domain
        self.limit = max(limit, 1)
        chats = FairQueue(limit: self.limit)
    }

    /// In the order of those who take turns; what one of them has waiting, in order.
    var unsent: [Chat] { urgent + chats.elements }
    var count: Int { urgent.count + chats.count }

    mutating func open(at now: Duration) {
        opened = opened ?? now
        looksAt = now
    }

    /// Takes it in.
    ///
    /// If too much is waiting already, the newest of whoever has most is counted as lost.
    ///
    /// - Parameters:
    ///   - isPrivate: Whether its target is a person rather than a room.
    ///   - isOccupant: Whether that is somebody in a room of a service that we know.
    mutating func put(_ chat: Chat, isPrivate: Bool, isOccupant: Bool = false) {
        looksAt = min(looksAt ?? .seconds(Int.max), Self.deadline(chat, opened))
        if chat.isUrgent, urgent.count < Self.mostUrgent, count < limit { return urgent.append(chat) }
        let sender = FairQueue<Chat>.Sender(
            isPrivate: isPrivate, target: chat.target.description,
            asker: asker(of: chat, isStranger: isPrivate && !isOccupant))
        if chats.append(chat, from: sender) != nil { lost += 1 }
    }

    /// To whom a chat is accounted.
    ///
    /// In private, people of another domain count as one: anybody can have a domain, and as many addresses there as they
    /// like.
    private func asker(of chat: Chat, isStranger: Bool) -> String? {
        guard chat.asker != nil, isStranger, chat.target.domain != domain else { return chat.asker?.turn }
        return "@\(chat.target.domain)"
    }

    /// How many were lost, to be told at once and then every ten seconds at the most.
    mutating func takeLoss(at now: Duration) -> Int? {
        guard let lossDue, lossDue <= now else { return nil }
        defer { lost = 0 }
        lossTold = now
        return lost
    }

    /// When that is to be told; nil if there is nothing to tell.
    var lossDue: Duration? { lost > 0 ? lossTold.map { $0 + .seconds(10) } ?? .zero : nil }

    /// Takes out the one whose turn it is of those that can be said, if something may be now.
    mutating func next(at now: Duration, where canBeSaid: (Chat) -> Bool) -> Chat? {
        guard opened != nil, meter.isReady(at: now) else { return nil }
        if let index = urgent.firstIndex(where: canBeSaid) { return urgent.remove(at: index) }
        return chats.popFirst(where: canBeSaid)
    }

    /// Counts one that was said.
    mutating func count(at now: Duration) { meter.count(at: now) }

    /// When something may have waited for too long.
    var expiry: Duration? { count > 0 ? looksAt : nil }

    /// Throws away what has waited for too long to be worth saying; tells how many that were.
    mutating func expire(at now: Duration, where canBeSaid: (Chat) -> Bool) -> Int {
        guard let expiry, expiry <= now else { return 0 }
        var next: Duration = .seconds(Int.max)
        let opened = opened
        func isOver(_ chat: Chat) -> Bool {
            // If a room is away, that isn't the others' doing.
            let isWaitingForRoom = !canBeSaid(chat)
            let deadline = isWaitingForRoom ? chat.since + Self.patience : Self.deadline(chat, opened)
            guard deadline > now else { return true }
            next = min(next, isWaitingForRoom ? min(deadline, now + Self.answerPatience) : deadline)
            return false
        }
        let before = count
        urgent.removeAll(where: isOver)
        _ = chats.removeAll(where: isOver)
        looksAt = next
        return before - count
    }

    private static func deadline(_ chat: Chat, _ opened: Duration?) -> Duration {
        let whole = chat.since + patience
        guard chat.asker != nil || chat.isUrgent, let opened else { return whole }
        return min(whole, max(chat.since, opened) + answerPatience)
    }

    /// When the next may be said; nil if there is none that can be.
    func due(where canBeSaid: (Chat) -> Bool) -> Duration? {
        guard opened != nil, urgent.contains(where: canBeSaid) || chats.hasFirst(where: canBeSaid) else { return nil }
        return meter.ready ?? .zero
    }
}

/// Something to be said in a room or to somebody.
package struct Chat: Hashable, Sendable {
    /// A room, somebody in one, or somebody's own address.
    package var target: JID
    package var text: String
    /// When it was wanted, on the session's clock.
    package var since: Duration
    /// The person whose message it answers; nil if it answers nobody.
    ///
    /// What is said to an occupant of a room alone goes to that person only, whatever their nick is by then.
    package var asker: Asker?
    /// Whether it goes before all others: a warning that comes late is of no use.
    package var isUrgent: Bool

    /// Makes it of its parts; the text may have any length.
    package init(
        to target: JID, _ text: String, since: Duration = .zero, asker: Asker? = nil, isUrgent: Bool = false
    ) {
        self.target = target
        self.text = text
        self.since = since
        self.asker = asker
        self.isUrgent = isUrgent
    }
}
