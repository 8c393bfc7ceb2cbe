public import Heybot
public import Logging

/// An HTTP client with libcurl, which is loaded with the first request.
///
/// All requests run on one thread, which starts with the first request and ends with the client. The user in a URL becomes
/// the header Authorization if that isn't set. Redirects are followed as in browsers. The client sets the headers
/// Content-Length, Transfer-Encoding and Expect itself.
public final class CurlHTTPClient: HTTPClient, Sendable {
    let engine: CurlEngine
    private let logger: Logger

    /// Creates a client.
    ///
    /// It logs each request at debug level.
    public init(_ configuration: Configuration = Configuration(), logger: Logger) {
        engine = CurlEngine(configuration)
        self.logger = logger
    }

    deinit { engine.close() }

    /// Sends a request on the client's thread, and logs the outcome.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let start = ContinuousClock.now
        do {
            let response = try await perform(request)
            log(request, start, "\(response.status)")
            return response
        } catch {
            log(request, start, "\(error)")
            throw error
        }
    }

    /// Closes the client: running and later requests fail with `CancellationError`.
    ///
    /// It returns when the client's thread has ended, which takes milliseconds.
    public func close() {
        engine.close()
    }

    private func perform(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let pending = PendingHTTPRequest(request, engine.leaks)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { engine.start(pending, for: $0) }
        } onCancel: {
            engine.cancel(pending)
        }
    }

    private func log(_ request: HTTPRequest, _ start: ContinuousClock.Instant, _ outcome: String) {
        let time = start.duration(to: .now).milliseconds
        logger.debug(
            "\(request.method): \(outcome)", metadata: ["host": "\(request.host)", "milliseconds": "\(time)"])
    }
}
