import Heybot
import HeybotSupport

/// Which failures are retried, and when.
enum RetryPolicy {
    /// With these delays, retries take four minutes, enough for a restart of the Campfire; after that, an answer is no longer of
    /// use.
    private static let maxRetries = 9
    private static let maxPause: Duration = .seconds(60)
    private static let backoff = Backoff(first: .seconds(1), longest: maxPause)

    /// Returns the delay before the next attempt; nil if there is none.
    ///
    /// - Parameter tries: The number of retries so far.
    static func pause(after error: CampfireError, tries: Int) -> Duration? {
        guard tries < maxRetries else { return nil }
        let usual = backoff.wait(after: tries)
        switch error {
        case .refused(_, 429, let wanted), .refused(_, 503, let wanted):
            return min(max(wanted ?? usual, .zero), maxPause)
        case .requestFailed(let error) where error.code == .unreachable: return usual
        default: return mayHaveBeenSaid(error) ? usual : nil
        }
    }

    /// Whether the message may have been posted in spite of the error: Campfire posts it first, and may fail after that.
    static func mayHaveBeenSaid(_ error: CampfireError) -> Bool {
        switch error {
        case .requestFailed(let error): error.code == .timeout || error.code == .broken
        case .refused(_, 503, _): false
        case .refused(_, let status, _): 500...599 ~= status
        default: false
        }
    }
}
