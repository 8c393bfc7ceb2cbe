import FoundationEssentials
import Heybot
import Logging
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where everything that is logged goes: standard error, or above the prompt if there is one.
final class Log: Sendable {
    private let levels: Mutex<LogLevels>
    /// The place of the lowest level that is logged among all levels: every log call looks at it.
    private let lowest: Atomic<Int>
    private let format: LogFormat
    private let colors: Bool
    /// Whether systemd's journal takes the lines, which wants to be told each one's level.
    private let isJournal: Bool
    /// Whether a script's failure isn't logged if its answer says what failed: whoever sits at the terminal reads that.
    private let hidesAnswered: Bool
    private let terminal = Mutex(Terminal())

    /// A closure on its own in a mutex would be wrapped once more each time it is looked at.
    private struct Terminal {
        var show: (@Sendable (String) -> Bool)?
    }

    init(_ settings: Settings.Log, terminal: TerminalFacts, hidesAnswered: Bool = false) {
        self.hidesAnswered = hidesAnswered
        levels = Mutex(settings.levels)
        lowest = Atomic(Self.places[settings.levels.lowest] ?? 0)
        format = settings.format ?? (terminal.isErrorTerminal ? .short : .logfmt)
        colors = format == .short && terminal.isErrorTerminal && terminal.hasColors
        isJournal = terminal.isErrorJournal
    }

    /// Makes it the place where all loggers of the process log.
    ///
    /// To be called once.
    func bootstrap() {
        LoggingSystem.bootstrap(
            { label, provider in self.handler(label, provider) }, metadataProvider: Cause.metadataProvider)
    }

    private static let places = Dictionary(
        uniqueKeysWithValues: Logger.Level.allCases.enumerated().map { ($0.element, $0.offset) })

    /// Logs from these levels on, from now on.
    func set(_ new: LogLevels) {
        levels.withLock { $0 = new }
        lowest.store(Self.places[new.lowest] ?? 0, ordering: .relaxed)
    }

    /// Offers each line to `show` first, which tells whether it has taken it.
    func show(_ show: @escaping @Sendable (String) -> Bool) {
        terminal.withLock { $0.show = show }
    }

    /// What a line of that level begins with.
    func prefix(of level: Logger.Level) -> String { isJournal ? "<\(level.syslogSeverity)>" : "" }

    private func write(_ line: String) {
        if let show = terminal.withLock({ $0.show }), show(line) { return }
        var bytes = Array((line + "\n").utf8)[...]
        // In one piece, so that lines of several threads stay whole. If nobody takes it, there is nobody to tell.
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { systemWrite(2, $0.baseAddress, $0.count) }
            if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { return }
        }
    }

    /// What logs under that label.
    func handler(_ label: String, _ provider: Logger.MetadataProvider?) -> any LogHandler {
        Handler(log: self, label: label, metadataProvider: provider)
    }

    private struct Handler: LogHandler {
        let log: Log
        /// The part of the robot that logs.
        let part: String
        /// A level of this logger's own; nil if it is the log's, which may change.
        private var ownLevel: Logger.Level?
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?

        init(log: Log, label: String, metadataProvider: Logger.MetadataProvider?) {
            self.log = log
            self.metadataProvider = metadataProvider
            part = label.hasPrefix("heybot.") ? String(label.dropFirst("heybot.".count)) : "robot"
        }

        /// What one script may log at debug level must come as far as ``log(event:)``.
        var logLevel: Logger.Level {
            get { ownLevel ?? Logger.Level.allCases[log.lowest.load(ordering: .relaxed)] }
            set { ownLevel = newValue }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            var all = metadataProvider?.get() ?? [:]
            all.merge(metadata) { $1 }
            all.merge(event.metadata ?? [:]) { $1 }
            if let error = event.error { all["error"] = "\(error)" }
            let script = all["script"].map { "\($0)" }
            if log.hidesAnswered, all["answer"] != nil, event.level == .error { return }
            guard event.level >= log.levels.withLock({ $0.level(part: part, script: script) }) else { return }
            let line = log.format.line(
                at: .now, event.level, part: part, "\(event.message)", all, colors: log.colors)
            log.write(log.prefix(of: event.level) + line)
        }
    }
}

extension Logger.Level {
    /// The same for systemd, as sd-daemon(3) and syslog(3) have it.
    var syslogSeverity: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

// Under this name the method above can call it.
private let systemWrite = write

/// What is known about the terminals the process was started with.
struct TerminalFacts: Sendable {
    /// Whether standard error is a terminal.
    var isErrorTerminal: Bool
    /// Whether standard error is a stream of systemd's journal.
    var isErrorJournal: Bool
    /// Whether colours are wanted, and shown.
    var hasColors: Bool
    /// Whether the cursor can be moved about.
    var movesCursor: Bool

    /// As the environment tells: `NO_COLOR` (no-color.org), `TERM`, and `JOURNAL_STREAM` (systemd.exec(5)).
    init(_ environment: [String: String]) {
        isErrorTerminal = isatty(2) == 1
        var file = stat()
        // What it names need not be ours any more: somebody may have sent our errors elsewhere.
        isErrorJournal = fstat(2, &file) == 0 && environment["JOURNAL_STREAM"] == "\(file.st_dev):\(file.st_ino)"
        let term = environment["TERM"] ?? ""
        movesCursor = !term.isEmpty && term != "dumb"
        hasColors = movesCursor && (environment["NO_COLOR"] ?? "").isEmpty
    }
}
