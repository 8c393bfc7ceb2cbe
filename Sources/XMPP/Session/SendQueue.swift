import DequeModule
import Pacing

/// What waits to be said, and when it may be.
struct SendQueue: Sendable {
    /// Whoever has been silent for longer than that has no interest in an answer any more.
    private static let patience: Duration = .seconds(300)

    private var meter: PaceMeter
    private let limit: Int
    private var chats: Deque<Chat>
    /// How many chats found no room since that was told last.
    private(set) var lost: Int
    private var lossTold: Duration?
    /// Whether anything may go out: until we are in our rooms it waits.
    var isOpen = false

    init(_ pace: Pace, limit: Int, waiting: [Chat]) {
        meter = PaceMeter(pace)
        self.limit = max(limit, 1)
        chats = Deque(waiting.prefix(self.limit))
        lost = waiting.count - chats.count
    }

    var unsent: [Chat] { Array(chats) }

    /// Takes it in, or counts it as lost where too much is waiting already.
    mutating func put(_ chat: Chat) {
        if chats.count < limit { chats.append(chat) } else { lost += 1 }
    }

    /// How many were lost, to be told at once and then every ten seconds at the most.
    mutating func takeLoss(at now: Duration) -> Int? {
        guard let lossDue, lossDue <= now else { return nil }
        defer { lost = 0 }
        lossTold = now
        return lost
    }

    /// When that is to be told; nil where there is nothing to tell.
    var lossDue: Duration? { lost > 0 ? lossTold.map { $0 + .seconds(10) } ?? .zero : nil }

    /// Takes out the first that can be said, where something may be now.
    mutating func next(at now: Duration, where canBeSaid: (Chat) -> Bool) -> Chat? {
        guard isOpen, meter.isReady(at: now), let index = chats.firstIndex(where: canBeSaid) else { return nil }
        meter.count(at: now)
        return chats.remove(at: index)
    }

    /// When something will have waited for too long.
    var expiry: Duration? { chats.first.map { $0.since + Self.patience } }

    /// Throws away what has waited for too long to be worth saying; tells how many that were.
    mutating func expire(at now: Duration) -> Int {
        guard let expiry, expiry <= now else { return 0 }
        let count = chats.count
        chats.removeAll { now - $0.since >= Self.patience }
        return count - chats.count
    }

    /// When the next may be said; nil where there is none that can be.
    func due(where canBeSaid: (Chat) -> Bool) -> Duration? {
        isOpen && chats.contains(where: canBeSaid) ? meter.ready ?? .zero : nil
    }
}
