import Heybot
import HeybotSockets
import NIOCore
import NIOHTTP1
import Synchronization

/// The body of a request, read within limits for size, time and memory.
///
/// The connection passes it what arrives. Until ``read(for:limit:)`` is called, the body asks for no more than that.
final class IncomingBody: Sendable {
    private enum State {
        /// Nobody has asked for the body.
        case unclaimed(arrived: [ByteBuffer], isComplete: Bool)
        case reading(PendingRead)
        /// It was read completely, or there was none.
        case read
        /// It isn't read any further.
        case refused(WebRefusal)
    }

    private struct PendingRead {
        /// The body's id in the budget.
        let id: Int
        let limit: Int
        let timeout: Scheduled<Void>
        let continuation: CheckedContinuation<[UInt8], any Error>
        var bytes: [UInt8] = []
    }

    private let length: Int?
    private let client: String
    private let timeout: TimeAmount
    private let loop: any EventLoop
    private let budget: BodyMemoryBudget
    private let onClaim: @Sendable () -> Void
    private let state: Mutex<State>
    /// The body's id in the budget, once it was asked for.
    private let id = Mutex<Int?>(nil)

    /// - Parameters:
    ///   - head: The head of the request.
    ///   - client: The address of the client.
    ///   - timeout: The timeout for receiving the body.
    ///   - loop: The event loop that ``receive(_:)``, ``complete()`` and `onClaim` are called on.
    ///   - onClaim: Called when the body is asked for and hasn't arrived completely.
    init(
        _ head: HTTPRequestHead, client: String, timeout: Duration, budget: BodyMemoryBudget, loop: any EventLoop,
        onClaim: @escaping @Sendable () -> Void
    ) {
        self.budget = budget
        self.client = client
        self.timeout = TimeAmount(clamping: timeout)
        self.loop = loop
        self.onClaim = onClaim
        length = head.headers.first(name: "Content-Length").flatMap { Int($0) }
        let hasBody = head.headers.contains(name: "Transfer-Encoding") || (length ?? 0) != 0
        state = Mutex(hasBody ? .unclaimed(arrived: [], isComplete: false) : .read)
    }

    deinit {
        if let id = id.withLock({ $0 }) { budget.end(id) }
    }

    /// Whether some of the body hasn't been read.
    var isUnread: Bool {
        state.withLock {
            if case .read = $0 { false } else { true }
        }
    }

    /// Whether more of the body should be read from the connection.
    var wantsMore: Bool {
        state.withLock {
            switch $0 {
            case .unclaimed(let arrived, _): arrived.isEmpty
            case .reading: true
            case .read, .refused: false
            }
        }
    }

    // MARK: Reading

    /// Reads the whole body.
    ///
    /// It must be called only once.
    ///
    /// - Throws: ``WebRefusal`` if the body is longer than the limit or times out, or if there is no memory for it.
    func read(for route: String, limit: Int) async throws -> [UInt8] {
        guard isUnread else { return [] }
        if let length, length > limit { throw Self.tooLong(limit) }
        let id = budget.begin(route: route, client: client)
        self.id.withLock { $0 = id }
        budget.onEviction(id) { [weak self] in self?.refuse(Self.noRoom) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // On the event loop, so that nothing arrives in between.
                loop.execute { [self] in claim(id, limit, continuation) }
            }
        } onCancel: {
            refuse(Self.incomplete)
        }
    }

    private func claim(_ id: Int, _ limit: Int, _ continuation: CheckedContinuation<[UInt8], any Error>) {
        let timer = loop.scheduleTask(in: timeout) { [self] in
            refuse(WebRefusal(408, "The request body took too long."))
        }
        let reading = PendingRead(id: id, limit: limit, timeout: timer, continuation: continuation)
        let (arrived, isComplete, refusal) = state.withLock { state -> ([ByteBuffer], Bool, WebRefusal?) in
            switch state {
            case .unclaimed(let arrived, let isComplete):
                state = .reading(reading)
                return (arrived, isComplete, nil)
            case .refused(let refusal): return ([], false, refusal)
            case .reading, .read: return ([], false, Self.incomplete)
            }
        }
        if let refusal {
            timer.cancel()
            budget.end(id)
            return continuation.resume(throwing: refusal)
        }
        for part in arrived { receive(part) }
        if isComplete { complete() } else { onClaim() }
    }

    // MARK: The connection's side

    /// Takes a part that has arrived.
    func receive(_ part: ByteBuffer) {
        let reader = state.withLock { state -> (id: Int, room: Int, limit: Int)? in
            switch state {
            case .unclaimed(let arrived, let isComplete):
                state = .unclaimed(arrived: arrived + [part], isComplete: isComplete)
                return nil
            case .reading(let reading): return (reading.id, reading.limit - reading.bytes.count, reading.limit)
            case .read, .refused: return nil
            }
        }
        guard let reader else { return }
        guard part.readableBytes <= reader.room else { return refuse(Self.tooLong(reader.limit)) }
        // Outside of the lock, because it may evict other bodies.
        guard budget.reserve(part.readableBytes, for: reader.id) else { return refuse(Self.noRoom) }
        state.withLock { state in
            guard case .reading(var reading) = state else { return }
            // Otherwise the bytes would have two owners, and be copied.
            state = .read
            reading.bytes.append(contentsOf: part.readableBytesView)
            state = .reading(reading)
        }
    }

    /// Ends the body: all of it has arrived.
    func complete() {
        let reading = state.withLock { state -> PendingRead? in
            switch state {
            case .unclaimed(let arrived, _):
                state = .unclaimed(arrived: arrived, isComplete: true)
                return nil
            case .reading(let reading):
                state = .read
                return reading
            case .read, .refused: return nil
            }
        }
        guard let reading else { return }
        reading.timeout.cancel()
        budget.complete(reading.id)
        reading.continuation.resume(returning: reading.bytes)
    }

    /// Ends the body before all of it has arrived.
    func fail() {
        refuse(Self.incomplete)
    }

    private func refuse(_ refusal: WebRefusal) {
        let reading = state.withLock { state -> PendingRead? in
            switch state {
            case .unclaimed:
                state = .refused(refusal)
                return nil
            case .reading(let reading):
                state = .refused(refusal)
                return reading
            case .read, .refused: return nil
            }
        }
        guard let reading else { return }
        reading.timeout.cancel()
        budget.end(reading.id)
        reading.continuation.resume(throwing: refusal)
    }

    private static let noRoom = WebRefusal(503, "I'm too busy to read that just now. Try again later.")
    private static let incomplete = WebRefusal(400, "The request body is incomplete.")

    private static func tooLong(_ limit: Int) -> WebRefusal {
        WebRefusal(413, "The request body is too large: the maximum is \(limit) bytes.")
    }
}
