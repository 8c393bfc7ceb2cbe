public import Heybot
public import Logging

/// Reaches the web by libcurl, which is loaded with the first request.
///
/// All requests are done on one thread of its own, which begins with the first of them and ends with the client. A URL's
/// user becomes the header Authorization if there is none; redirects are followed as browsers follow them. The headers
/// Content-Length, Transfer-Encoding and Expect are the client's own affair.
public final class CurlHTTPClient: HTTPClient, Sendable {
    let driver: Driver
    private let logger: Logger

    /// A client that has done nothing yet; it logs each request at the level debug.
    public init(_ configuration: Configuration = Configuration(), logger: Logger) {
        driver = Driver(configuration)
        self.logger = logger
    }

    deinit { driver.close() }

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

    /// Ends it: what runs and what comes after that fails with `CancellationError`.
    ///
    /// It returns when its thread has ended, which takes milliseconds.
    public func close() {
        driver.close()
    }

    private func perform(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let transfer = Transfer(request, driver.census)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { driver.start(transfer, for: $0) }
        } onCancel: {
            driver.cancel(transfer)
        }
    }

    private func log(_ request: HTTPRequest, _ start: ContinuousClock.Instant, _ outcome: String) {
        let time = start.duration(to: .now).milliseconds
        logger.debug(
            "\(request.method): \(outcome)", metadata: ["host": "\(request.host)", "milliseconds": "\(time)"])
    }
}
