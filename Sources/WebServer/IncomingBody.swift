import HTTPTypes
import Heybot
import HummingbirdCore
import NIOCore
import Synchronization

/// The body of a request, as it comes in.
final class IncomingBody: Sendable {
    private let request: Request
    private let patience: Duration
    private let isDone: Mutex<Bool>

    init(_ request: Request, patience: Duration) {
        self.request = request
        self.patience = patience
        let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        isDone = Mutex(length == 0 && request.headers[.transferEncoding] == nil)
    }

    /// Whether some of it has not been read.
    var isLeft: Bool { isDone.withLock { !$0 } }

    func read(limit: Int) async throws -> [UInt8] {
        let tooLong = WebRefusal(413, "That is more than I take: a body may have \(limit) bytes.")
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLong }
        let reading = Task { [request] in
            var bytes: [UInt8] = []
            for try await buffer in request.body {
                guard bytes.count + buffer.readableBytes <= limit else { throw tooLong }
                bytes.append(contentsOf: buffer.readableBytesView)
            }
            // Where the connection breaks there is no more either.
            try Task.checkCancellation()
            return bytes
        }
        let isLate = Mutex(false)
        let watching = Task { [patience] in
            try await Task.sleep(for: patience)
            isLate.withLock { $0 = true }
            reading.cancel()
        }
        defer { watching.cancel() }
        do {
            let bytes = try await withTaskCancellationHandler {
                try await reading.value
            } onCancel: {
                reading.cancel()
            }
            isDone.withLock { $0 = true }
            return bytes
        } catch let refusal as WebRefusal {
            throw refusal
        } catch {
            throw isLate.withLock { $0 }
                ? WebRefusal(408, "That takes too long to come.") : WebRefusal(400, "The body broke off.")
        }
    }
}
