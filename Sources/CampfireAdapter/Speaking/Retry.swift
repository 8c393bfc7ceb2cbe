import Heybot
import HeybotSupport

/// Which failures are worth another try, and when.
enum Retry {
    /// With these pauses four minutes pass, in which a Campfire can be restarted; after that nobody wants an answer.
    private static let most = 9
    private static let longest: Duration = .seconds(60)
    private static let backoff = Backoff(first: .seconds(1), longest: longest)

    /// How long to wait before the next try; nil if there is none.
    ///
    /// - Parameter tries: How often it was tried again already.
    static func pause(after error: CampfireError, tries: Int) -> Duration? {
        guard tries < most else { return nil }
        let usual = backoff.wait(after: tries)
        switch error {
        case .refused(_, 429, let wanted), .refused(_, 503, let wanted):
            return min(max(wanted ?? usual, .zero), longest)
        case .trouble(let error) where error.code == .unreachable: return usual
        default: return mayHaveBeenSaid(error) ? usual : nil
        }
    }

    /// Whether the Campfire may have it all the same: it says it to the room first, and then fails at something else.
    static func mayHaveBeenSaid(_ error: CampfireError) -> Bool {
        switch error {
        case .trouble(let error): error.code == .timeout || error.code == .broken
        case .refused(_, 503, _): false
        case .refused(_, let status, _): 500...599 ~= status
        default: false
        }
    }
}
