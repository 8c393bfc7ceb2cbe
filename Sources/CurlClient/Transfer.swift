import Heybot
import Synchronization

/// One call of a client's: what is asked, until when, and who waits for it.
///
/// It may be handed from thread to thread: its maker touches it until it hands it to the driver, whose thread alone does
/// after that.
final class Transfer: @unchecked Sendable {
    let request: HTTPRequest
    let deadline: ContinuousClock.Instant
    /// Nil once it was told what came of it.
    var caller: CheckedContinuation<HTTPResponse, any Error>?
    /// Whether nobody wants it any more, which may be known before it begins.
    var isCancelled = false
    /// Nil if libcurl has nothing to do with it.
    var hop: Hop?
    private let census: Census

    init(_ request: HTTPRequest, _ census: Census) {
        self.request = request
        self.census = census
        deadline = .now + request.deadline
        census.transfers.add(1, ordering: .relaxed)
    }

    deinit { census.transfers.subtract(1, ordering: .relaxed) }

    /// Where it is now.
    var host: String { hop?.host ?? request.host }

    /// Tells whoever waits what came of it, once.
    func end(_ result: Result<HTTPResponse, any Error>) {
        caller?.resume(with: result)
        caller = nil
    }
}
