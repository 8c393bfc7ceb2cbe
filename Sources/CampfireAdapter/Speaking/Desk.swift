import Heybot

/// What is on its way to the rooms: their lines of utterances, and the webhook's requests that are held open.
///
/// The first text in answer to a request is kept, to be its answer. It is only if nothing else is under way to that
/// room, and comes back as soon as something else is: so the order of a room is that of the calls.
struct Desk {
    /// What a request that is held open is told.
    enum Signal: Hashable, Sendable {
        /// There is an answer, and there may be more to come.
        case kept
        /// It is to be answered now.
        case over
    }

    /// What becomes of something said.
    enum Step {
        /// Too much waits there already.
        case refused
        /// It is kept for the webhook's answer.
        case kept
        /// It is to be posted in its turn; and before that what was kept.
        case post(Turn, after: Kept?)
    }

    /// A text that was kept, and its turn, for which it is no more.
    struct Kept {
        let saying: Saying
        let turn: Turn
    }

    private struct Request {
        let room: String
        let signals: AsyncStream<Signal>.Continuation
        var saying: Saying?
    }

    private var requests: [Message.ID: Request] = [:]
    /// Those who wait for their turn in each room, and before them who has it.
    private(set) var lines: [String: [Turn]] = [:]
    private var lastNumber = 0
    /// The rooms whose first in line is tried again: nobody else waits for that.
    private var delayed: Set<String> = []
    private static let longestLine = 500

    /// Holds a request open that brought the message, and is told by `signals`.
    mutating func open(_ message: Message, _ signals: AsyncStream<Signal>.Continuation) {
        requests[message.id] = Request(room: message.room.id.value, signals: signals)
    }

    /// Says something in a room, perhaps in answer to a message.
    mutating func say(_ saying: Saying, in room: String, answering message: Message.ID?) -> Step {
        let asked = message.flatMap { id in requests[id]?.room == room ? id : nil }
        let keeper = requests.first { $0.value.room == room && $0.value.saying != nil }?.key
        if let asked, saying.isText, keeper == nil, lines[room] == nil {
            requests[asked]?.saying = saying
            requests[asked]?.signals.yield(.kept)
            return .kept
        }
        guard lines[room, default: []].count < Self.longestLine else { return .refused }
        let kept = keeper.flatMap { close($0) }
        if let asked { _ = close(asked) }
        return .post(enter(room, answering: message), after: kept)
    }

    /// Ends a request; returns what was kept for it.
    ///
    /// It has a turn from then on, be it as the answer or to be posted.
    mutating func close(_ message: Message.ID) -> Kept? {
        guard let request = requests.removeValue(forKey: message) else { return nil }
        request.signals.yield(.over)
        return request.saying.map { Kept(saying: $0, turn: enter(request.room, answering: message)) }
    }

    private mutating func enter(_ room: String, answering message: Message.ID?) -> Turn {
        lastNumber += 1
        let turn = Turn(number: lastNumber, room: room, message: message)
        if lines[room] == nil {
            turn.begin()
        } else if delayed.contains(room) {
            turn.delay()
        }
        lines[room, default: []].append(turn)
        return turn
    }

    /// Ends a turn, also one that has not begun, and lets the next begin.
    mutating func leave(_ turn: Turn) {
        if lines[turn.room]?.first?.number == turn.number { delayed.remove(turn.room) }
        let line = lines[turn.room, default: []].filter { $0.number != turn.number }
        // Begun already if it was the first before.
        line.first?.begin()
        lines[turn.room] = line.isEmpty ? nil : line
    }

    /// The first in a room's line failed, and is tried again later: those behind it are told so.
    mutating func delay(_ turn: Turn) {
        delayed.insert(turn.room)
        for other in lines[turn.room, default: []] where other.number != turn.number { other.delay() }
    }
}

/// A place in a room's line.
struct Turn: Sendable {
    let number: Int
    let room: String
    /// What it answers.
    let message: Message.ID?
    private let start = AsyncStream<Bool>.makeStream()

    init(number: Int, room: String, message: Message.ID? = nil) {
        self.number = number
        self.room = room
        self.message = message
    }

    func begin() { start.continuation.yield(true) }

    /// What is before it takes long.
    func delay() { start.continuation.yield(false) }

    /// Returns true when everything before it has ended, and false as soon as that takes long; then it may be called again.
    ///
    /// One may wait.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before.
    func reached() async throws -> Bool {
        for await isReached in start.stream { return isReached }
        throw CancellationError()
    }
}
