import HTTPTypes
import Heybot
import HeybotSockets
import HummingbirdCore
import NIOCore
import Synchronization

/// The body of a request, read within limits for size, time and memory.
final class IncomingBody: Sendable {
    private enum State {
        /// Some of the body hasn't been read.
        case unread
        case timedOut, evicted
        case read
    }

    private let body: RequestBody
    private let length: Int?
    private let client: String
    private let timeout: Duration
    private let loop: any EventLoop
    private let budget: BodyMemoryBudget
    private let state: Mutex<State>
    /// The body's id in the budget.
    private let bodyID = Mutex<Int?>(nil)

    /// - Parameters:
    ///   - client: The address of the client.
    ///   - timeout: The timeout for receiving the body.
    init(_ request: Request, client: String, timeout: Duration, loop: any EventLoop, budget: BodyMemoryBudget) {
        self.budget = budget
        self.client = client
        body = request.body
        length = request.headers[.contentLength].flatMap { Int($0) }
        self.timeout = timeout
        self.loop = loop
        state = Mutex(request.headers[.transferEncoding] == nil && (length ?? 0) == 0 ? .read : .unread)
    }

    deinit {
        if let bodyID = bodyID.withLock({ $0 }) { budget.end(bodyID) }
    }

    /// Whether some of the body hasn't been read.
    var isUnread: Bool { state.withLock { $0 != .read } }

    /// Reads the whole body.
    ///
    /// It must be called only once.
    ///
    /// - Throws: ``WebRefusal`` if the body is longer than the limit or times out, or if there is no memory for it.
    func read(for route: String, limit: Int) async throws -> [UInt8] {
        guard isUnread else { return [] }
        if let length, length > limit { throw Self.tooLong(limit) }
        let bodyID = budget.begin(route: route, client: client)
        self.bodyID.withLock { $0 = bodyID }
        let reading = Task { [self] in
            var bytes: [UInt8] = []
            for try await buffer in body {
                guard bytes.count + buffer.readableBytes <= limit else { throw Self.tooLong(limit) }
                guard budget.reserve(buffer.readableBytes, for: bodyID) else { throw Self.noRoom }
                bytes.append(contentsOf: buffer.readableBytesView)
            }
            // A cancelled body ends early, without an error.
            try Task.checkCancellation()
            return bytes
        }
        budget.onEviction(bodyID) { [weak self] in
            self?.state.withLock { $0 = .evicted }
            reading.cancel()
        }
        // On the event loop, a cancelled timer is released at once, and not when it would have fired.
        let watch = loop.scheduleTask(in: TimeAmount(clamping: timeout)) { [self] in
            state.withLock { $0 = .timedOut }
            reading.cancel()
        }
        defer { watch.cancel() }
        do {
            let bytes = try await withTaskCancellationHandler {
                try await reading.value
            } onCancel: {
                reading.cancel()
            }
            state.withLock { $0 = .read }
            budget.complete(bodyID)
            return bytes
        } catch {
            budget.end(bodyID)
            if let refusal = error as? WebRefusal { throw refusal }
            switch state.withLock({ $0 }) {
            case .timedOut: throw WebRefusal(408, "The request body took too long.")
            case .evicted: throw Self.noRoom
            case .unread, .read: throw WebRefusal(400, "The request body is incomplete.")
            }
        }
    }

    private static let noRoom = WebRefusal(503, "I'm too busy to read that just now. Try again later.")

    private static func tooLong(_ limit: Int) -> WebRefusal {
        WebRefusal(413, "The request body is too large: the maximum is \(limit) bytes.")
    }
}
