import Logging
import Synchronization

/// Logs outages: each reason once, and the end.
final class OutageLogger: Sendable {
    /// How long a connection has to last before the outage is over: an unusable one lasts only a moment.
    private static let stableTime: Duration = .seconds(1)

    private struct State {
        var began: ContinuousClock.Instant?
        var logged: Set<String> = []
        /// Whether the server hasn't been reached yet.
        var isFirst = true
    }

    private let logger: Logger
    private let state = Mutex(State())

    init(_ logger: Logger) {
        self.logger = logger
    }

    func logOutage(_ failure: RedisClientError) {
        let (isNews, isFirst) = state.withLock { state in
            if state.began == nil { state.began = .now }
            // A repeated reason is only logged for debugging.
            return (state.logged.insert(failure.message).inserted, state.isFirst)
        }
        logger.log(
            level: isNews ? .warning : .debug, "\(failure.message)\(isFirst ? "; waiting for it" : "; trying again")")
    }

    /// Starts the timer after which the outage is over; cancel it when the connection is lost.
    func connected() -> Task<Void, any Error> {
        let now = ContinuousClock.now
        let isFirst = state.withLock { $0.isFirst }
        if isFirst { logRecovery(at: now) }
        return Task { [self] in
            try await Task.sleep(for: Self.stableTime)
            logRecovery(at: now)
        }
    }

    private func logRecovery(at moment: ContinuousClock.Instant) {
        let (began, isFirst) = state.withLock { state in
            defer { state = State(isFirst: false) }
            return (state.began, state.isFirst)
        }
        guard let began else { return }
        let (seconds, attoseconds) = (moment - began).components
        let tenths = seconds * 10 + attoseconds / 100_000_000_000_000_000
        logger.notice("Redis is \(isFirst ? "available" : "back") after \(tenths / 10).\(tenths % 10) s")
    }
}
