import FoundationEssentials

/// The latest crashes of each script.
struct CrashCounts: Sendable {
    private struct Crash: Sendable {
        let time: Duration
        let date: Date
    }

    private let most: Int
    private let window: Duration
    private var crashes: [String: [Crash]] = [:]

    /// - Parameters:
    ///   - most: The number of crashes after which a script is disabled.
    ///   - window: The time in which they have to happen.
    init(most: Int, within window: Duration) { (self.most, self.window) = (most, window) }

    /// Counts a crash.
    ///
    /// - Returns: The times of the script's crashes, oldest first, if it is to be disabled; then counting begins again.
    mutating func add(_ script: String, at now: Duration, _ date: Date) -> [Date]? {
        var recent = crashes[script, default: []].filter { now - $0.time <= window }
        recent.append(Crash(time: now, date: date))
        guard recent.count >= most else {
            crashes[script] = recent
            return nil
        }
        crashes[script] = nil
        return recent.map(\.date)
    }
}
