import Logging

/// Tells the log that the server is away, each reason once, and that it's back.
struct Absence {
    private let logger: Logger
    private var began: ContinuousClock.Instant?
    private var told: Set<String> = []
    /// The robot waits for it, as it was never there.
    private var isFirst = true

    init(_ logger: Logger) {
        self.logger = logger
    }

    mutating func note(_ trouble: Trouble) {
        if began == nil { began = .now }
        let rest = isFirst ? "; waiting for it" : "; trying again"
        // A reason that comes again and again is news once.
        let isNews = told.insert(trouble.words).inserted
        logger.log(level: isNews ? .warning : .debug, "\(trouble.words)\(rest)")
    }

    mutating func end() {
        if let began {
            let (seconds, attoseconds) = (ContinuousClock.now - began).components
            let tenths = seconds * 10 + attoseconds / 100_000_000_000_000_000
            logger.notice("Redis is \(isFirst ? "there" : "back") after \(tenths / 10).\(tenths % 10) s")
        }
        began = nil
        told = []
        isFirst = false
    }
}
