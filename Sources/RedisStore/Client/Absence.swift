import Logging
import Synchronization

/// Tells the log that the server is away, each reason once, and that it's back.
final class Absence: Sendable {
    /// So long a connection has to last before the server counts as back: one that isn't fit for us lasts for a moment.
    private static let calm: Duration = .seconds(1)

    private struct State {
        var began: ContinuousClock.Instant?
        var told: Set<String> = []
        /// The robot waits for it, as it was never there.
        var isFirst = true
    }

    private let logger: Logger
    private let state = Mutex(State())

    init(_ logger: Logger) {
        self.logger = logger
    }

    func note(_ trouble: Trouble) {
        let (isNews, isFirst) = state.withLock { state in
            if state.began == nil { state.began = .now }
            // A reason that comes again and again is news once.
            return (state.told.insert(trouble.words).inserted, state.isFirst)
        }
        logger.log(
            level: isNews ? .warning : .debug, "\(trouble.words)\(isFirst ? "; waiting for it" : "; trying again")")
    }

    /// There's a connection; to be cancelled as soon as there's none any more.
    func begin() -> Task<Void, any Error> {
        let now = ContinuousClock.now
        let isFirst = state.withLock { $0.isFirst }
        if isFirst { end(at: now) }
        return Task { [self] in
            try await Task.sleep(for: Self.calm)
            end(at: now)
        }
    }

    private func end(at moment: ContinuousClock.Instant) {
        let (began, isFirst) = state.withLock { state in
            defer { state = State(isFirst: false) }
            return (state.began, state.isFirst)
        }
        guard let began else { return }
        let (seconds, attoseconds) = (moment - began).components
        let tenths = seconds * 10 + attoseconds / 100_000_000_000_000_000
        logger.notice("Redis is \(isFirst ? "there" : "back") after \(tenths / 10).\(tenths % 10) s")
    }
}
