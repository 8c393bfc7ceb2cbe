import Heybot

/// The outgoing posts, queued by room, and the webhook requests that are held open.
///
/// The first text in answer to a request is held as its response, but only if nothing else is being sent to that room; it is
/// released as soon as something else is. So a room's messages keep the order of the calls.
struct OutgoingPostQueue {
    /// A signal to a request that is held open.
    enum HeldWebhookSignal: Hashable, Sendable {
        /// There is a response, and there may be more.
        case held
        /// Respond now.
        case over
    }

    /// What to do with a post.
    enum EnqueueResult {
        /// Reject it: the queue is full.
        case refused
        /// It is held as the webhook's response.
        case held
        /// Post it in its turn, after the reply that was held.
        case post(QueueTicket, after: ReleasedReply?)
    }

    /// A text that was held as a response and has been released, with its ticket.
    struct ReleasedReply {
        let post: EncodedPost
        let ticket: QueueTicket
    }

    /// A webhook request that is held open.
    private struct HeldWebhook {
        let room: String
        let signals: AsyncStream<HeldWebhookSignal>.Continuation
        var post: EncodedPost?
    }

    private var requests: [Message.ID: HeldWebhook] = [:]
    /// The tickets of each room; the first one is active.
    private(set) var lines: [String: [QueueTicket]] = [:]
    private var lastNumber = 0
    /// The rooms whose first post is being retried; the others don't wait for it.
    private var delayed: Set<String> = []
    private static let maxQueued = 500

    /// Holds a webhook request open.
    ///
    /// - Parameter signals: Receives the request's signals.
    mutating func open(_ message: Message, _ signals: AsyncStream<HeldWebhookSignal>.Continuation) {
        requests[message.id] = HeldWebhook(room: message.room.id.value, signals: signals)
    }

    /// Queues a post, perhaps in answer to a message.
    mutating func say(_ post: EncodedPost, in room: String, answering message: Message.ID?) -> EnqueueResult {
        let asked = message.flatMap { id in requests[id]?.room == room ? id : nil }
        let keeper = requests.first { $0.value.room == room && $0.value.post != nil }?.key
        if let asked, post.isText, keeper == nil, lines[room] == nil {
            requests[asked]?.post = post
            requests[asked]?.signals.yield(.held)
            return .held
        }
        guard lines[room, default: []].count < Self.maxQueued else { return .refused }
        let held = keeper.flatMap { close($0) }
        if let asked { _ = close(asked) }
        return .post(enter(room, answering: message), after: held)
    }

    /// Closes a request.
    ///
    /// - Returns: The text held for it, which now has a ticket, whether it is sent as the response or posted.
    mutating func close(_ message: Message.ID) -> ReleasedReply? {
        guard let request = requests.removeValue(forKey: message) else { return nil }
        request.signals.yield(.over)
        return request.post.map { ReleasedReply(post: $0, ticket: enter(request.room, answering: message)) }
    }

    private mutating func enter(_ room: String, answering message: Message.ID?) -> QueueTicket {
        lastNumber += 1
        let ticket = QueueTicket(number: lastNumber, room: room, message: message)
        if lines[room] == nil {
            ticket.begin()
        } else if delayed.contains(room) {
            ticket.delay()
        }
        lines[room, default: []].append(ticket)
        return ticket
    }

    /// Removes a ticket, active or not, and activates the next one.
    mutating func leave(_ ticket: QueueTicket) {
        if lines[ticket.room]?.first?.number == ticket.number { delayed.remove(ticket.room) }
        let line = lines[ticket.room, default: []].filter { $0.number != ticket.number }
        // Does nothing if it is active already.
        line.first?.begin()
        lines[ticket.room] = line.isEmpty ? nil : line
    }

    /// Records that a room's first post is being retried, and notifies those behind it.
    mutating func delay(_ ticket: QueueTicket) {
        delayed.insert(ticket.room)
        for other in lines[ticket.room, default: []] where other.number != ticket.number { other.delay() }
    }
}

/// A position in a room's queue.
struct QueueTicket: Sendable {
    let number: Int
    let room: String
    /// The message that it answers.
    let message: Message.ID?
    private let start = AsyncStream<Bool>.makeStream()

    init(number: Int, room: String, message: Message.ID? = nil) {
        self.number = number
        self.room = room
        self.message = message
    }

    func begin() { start.continuation.yield(true) }

    /// Notifies the holder that an earlier post is being retried.
    func delay() { start.continuation.yield(false) }

    /// Waits for the ticket's turn.
    ///
    /// Only one task may wait.
    ///
    /// - Returns: True when it is active, false when an earlier post is being retried; then it may be called again.
    /// - Throws: `CancellationError` if the task is canceled.
    func reached() async throws -> Bool {
        for await isReached in start.stream { return isReached }
        throw CancellationError()
    }
}
