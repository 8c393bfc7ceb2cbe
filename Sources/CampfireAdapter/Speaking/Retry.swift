import Heybot

/// Which failures are worth another try: only those after which it surely wasn't said.
enum Retry {
    private static let most = 5
    private static let longest: Duration = .seconds(60)

    /// How long to wait before the next try; nil where there is none.
    ///
    /// - Parameter tries: How often it was tried again already.
    static func pause(after error: CampfireError, tries: Int) -> Duration? {
        guard tries < most else { return nil }
        let usual = Duration.seconds(1 << tries)
        switch error {
        case .trouble(let error) where error.code == .unreachable: return usual
        case .refused(_, 429, let wanted), .refused(_, 503, let wanted):
            return min(max(wanted ?? usual, .zero), longest)
        default: return nil
        }
    }
}
