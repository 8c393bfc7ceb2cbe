import HTTPTypes
import Heybot
import HummingbirdCore
import NIOCore
import Sockets
import Synchronization

/// The body of a request, as it comes in.
final class IncomingBody: Sendable {
    private enum State {
        case left, late, read
    }

    private let body: RequestBody
    private let length: Int?
    private let patience: Duration
    private let loop: any EventLoop
    private let budget: BodyBudget
    private let state: Mutex<State>
    private let taken = Mutex(0)

    init(_ request: Request, patience: Duration, loop: any EventLoop, budget: BodyBudget) {
        self.budget = budget
        body = request.body
        length = request.headers[.contentLength].flatMap { Int($0) }
        self.patience = patience
        self.loop = loop
        state = Mutex(request.headers[.transferEncoding] == nil && (length ?? 0) == 0 ? .read : .left)
    }

    deinit { budget.giveBack(taken.withLock { $0 }) }

    /// Whether some of it has not been read.
    var isLeft: Bool { state.withLock { $0 != .read } }

    func read(limit: Int) async throws -> [UInt8] {
        guard isLeft else { return [] }
        if let length, length > limit { throw Self.tooLong(limit) }
        let reading = Task { [self] in
            var bytes: [UInt8] = []
            for try await buffer in body {
                guard bytes.count + buffer.readableBytes <= limit else { throw Self.tooLong(limit) }
                guard budget.take(buffer.readableBytes) else {
                    throw WebRefusal(503, "I have too much to read just now.")
                }
                taken.withLock { $0 += buffer.readableBytes }
                bytes.append(contentsOf: buffer.readableBytesView)
            }
            // Where it is broken off there is no more either.
            try Task.checkCancellation()
            return bytes
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
            return bytes
        } catch let refusal as WebRefusal {
            throw refusal
        } catch {
            let isLate = state.withLock { $0 == .late }
            throw isLate ? WebRefusal(408, "That takes too long to come.") : WebRefusal(400, "The body broke off.")
        }
    }

    private static func tooLong(_ limit: Int) -> WebRefusal {
        WebRefusal(413, "That is more than I take: a body may have \(limit) bytes.")
    }
}
