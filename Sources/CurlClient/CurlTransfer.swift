import Heybot
import Synchronization

/// One call of the client: the request, its deadline, and the caller's continuation.
///
/// Passing it between threads is safe: the creator uses it until it passes it to the engine, and only the engine's thread
/// uses it after that.
final class CurlTransfer: @unchecked Sendable {
    let request: HTTPRequest
    let deadline: ContinuousClock.Instant
    /// The caller's continuation; nil once it has been resumed.
    var caller: CheckedContinuation<HTTPResponse, any Error>?
    /// Whether the transfer was canceled, perhaps before it started.
    var isCancelled = false
    /// The current exchange; nil if libcurl has none.
    var curlExchange: CurlExchange?
    private let leaks: LeakCounter

    init(_ request: HTTPRequest, _ leaks: LeakCounter) {
        self.request = request
        self.leaks = leaks
        deadline = .now + request.deadline
        leaks.transfers.add(1, ordering: .relaxed)
    }

    deinit { leaks.transfers.subtract(1, ordering: .relaxed) }

    /// The host of the current exchange.
    var host: String { curlExchange?.host ?? request.host }

    /// Resumes the caller, once.
    func end(_ result: Result<HTTPResponse, any Error>) {
        caller?.resume(with: result)
        caller = nil
    }
}
