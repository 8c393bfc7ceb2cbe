import Heybot
import Logging
import Synchronization

/// Logs errors of one kind, at most once a minute.
final class LinkErrorLog: Sendable {
    private let logger: Logger
    private let timeSource: TimeSource
    private let last = Mutex<Duration?>(nil)

    init(_ logger: Logger, _ timeSource: TimeSource) { (self.logger, self.timeSource) = (logger, timeSource) }

    /// Logs an error of Redis, unless it is an outage, which the client logs, or the task was canceled.
    func log(_ error: any Error, _ what: String) {
        if error is CancellationError || (error as? StoreError)?.code == .unavailable { return }
        log("\(what): \(error); trying again")
    }

    /// Logs a line.
    func log(_ text: String) {
        let now = timeSource.now()
        let isDue = last.withLock { last in
            if let last, now - last < .seconds(60) { return false }
            last = now
            return true
        }
        if isDue { logger.error("\(text)") }
    }
}
