import Heybot
import Synchronization

/// One call of the client: the request, its deadline, and the caller's continuation.
///
/// Passing it between threads is safe: the creator uses it until it passes it to the engine, and only the engine's thread
/// uses it after that.
final class PendingHTTPRequest: @unchecked Sendable {
    let request: HTTPRequest
    let deadline: ContinuousClock.Instant
    /// The caller's continuation; nil once it has been resumed.
    var caller: CheckedContinuation<HTTPResponse, any Error>?
    /// Whether the request was canceled, perhaps before it started.
    var isCancelled = false
    /// The current transfer; nil if libcurl has none.
    var transfer: CurlEasyTransfer?
    private let leaks: LeakCounter

    init(_ request: HTTPRequest, _ leaks: LeakCounter) {
        self.request = request
        self.leaks = leaks
        deadline = .now + request.deadline
        leaks.requests.add(1, ordering: .relaxed)
    }

    deinit { leaks.requests.subtract(1, ordering: .relaxed) }

    /// The host of the current transfer.
    var host: String { transfer?.host ?? request.host }

    /// Resumes the caller, once.
    func end(_ result: Result<HTTPResponse, any Error>) {
        caller?.resume(with: result)
        caller = nil
    }
}
