import DequeModule
import Pacing

/// What waits to be said, and when it may be.
struct SendQueue: Sendable {
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
        guard lost > 0, lossTold.map({ now - $0 >= .seconds(10) }) ?? true else { return nil }
        defer { lost = 0 }
        lossTold = now
        return lost
    }

    /// Takes out what is to be said next, where something may be now.
    mutating func next(at now: Duration) -> Chat? {
        guard isOpen, meter.isReady(at: now), let chat = chats.popFirst() else { return nil }
        meter.count(at: now)
        return chat
    }

    /// When the next may be said; nil where there is none.
    var due: Duration? { isOpen && !chats.isEmpty ? meter.ready ?? .zero : nil }
}
