import HTTPTypes
import Heybot
import HeybotSockets
import HummingbirdCore
import NIOCore
import Synchronization

/// The body of a request, as it comes in.
final class IncomingBody: Sendable {
    private enum State {
        /// Some of it has not been read.
        case left
        case late, displaced
        case read
    }

    private let body: RequestBody
    private let length: Int?
    private let client: String
    private let patience: Duration
    private let loop: any EventLoop
    private let budget: BodyBudget
    private let state: Mutex<State>
    /// What it is called in the budget.
    private let place = Mutex<Int?>(nil)

    /// - Parameters:
    ///   - client: The address of the client.
    ///   - patience: How long it may take to come.
    init(_ request: Request, client: String, patience: Duration, loop: any EventLoop, budget: BodyBudget) {
        self.budget = budget
        self.client = client
        body = request.body
        length = request.headers[.contentLength].flatMap { Int($0) }
        self.patience = patience
        self.loop = loop
        state = Mutex(request.headers[.transferEncoding] == nil && (length ?? 0) == 0 ? .read : .left)
    }

    deinit {
        if let place = place.withLock({ $0 }) { budget.end(place) }
    }

    /// Whether some of it has not been read.
    var isLeft: Bool { state.withLock { $0 != .read } }

    /// Reads it all; to be called once.
    ///
    /// - Throws: ``WebRefusal`` if it is longer than the limit, takes too long, or there is no room for it.
    func read(for route: String, limit: Int) async throws -> [UInt8] {
        guard isLeft else { return [] }
        if let length, length > limit { throw Self.tooLong(limit) }
        let place = budget.begin(route: route, client: client)
        self.place.withLock { $0 = place }
        let reading = Task { [self] in
            var bytes: [UInt8] = []
            for try await buffer in body {
                guard bytes.count + buffer.readableBytes <= limit else { throw Self.tooLong(limit) }
                guard budget.take(buffer.readableBytes, for: place) else { throw Self.noRoom }
                bytes.append(contentsOf: buffer.readableBytesView)
            }
            // If it is broken off there is no more either.
            try Task.checkCancellation()
            return bytes
        }
        budget.whenDisplaced(place) { [weak self] in
            self?.state.withLock { $0 = .displaced }
            reading.cancel()
        }
        // On the loop: what is called off there is gone at once, and not when it would have been due.
        let watch = loop.scheduleTask(in: TimeAmount(clamping: patience)) { [self] in
            state.withLock { $0 = .late }
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
            budget.complete(place)
            return bytes
        } catch {
            budget.end(place)
            if let refusal = error as? WebRefusal { throw refusal }
            switch state.withLock({ $0 }) {
            case .late: throw WebRefusal(408, "That takes too long to come.")
            case .displaced: throw Self.noRoom
            case .left, .read: throw WebRefusal(400, "The body broke off.")
            }
        }
    }

    private static let noRoom = WebRefusal(503, "I have too much to read just now.")

    private static func tooLong(_ limit: Int) -> WebRefusal {
        WebRefusal(413, "That is more than I take: a body may have \(limit) bytes.")
    }
}
