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

/// The log: writes lines to standard error, or above the prompt if there is one.
final class Log: Sendable {
    private let levels: Mutex<LogLevels>
    /// The index of the lowest enabled level.
    ///
    /// Every log call reads it.
    private let lowest: Atomic<Int>
    private let format: LogFormat
    private let colors: Bool
    /// Whether standard error is systemd's journal, which expects each line's level.
    private let isJournal: Bool
    /// Whether to skip errors of scripts that were reported in an answer: the user at the terminal has read it.
    private let hidesAnswered: Bool
    private let terminalSink = Mutex(TerminalSink())

    /// Shows lines above the prompt of the terminal, if there is one.
    ///
    /// A closure directly in a mutex would get another wrapper at each access.
    private struct TerminalSink {
        var show: (@Sendable (String) -> Bool)?
    }

    init(_ settings: SettingValues.Log, terminal: TerminalCapabilities, hidesAnswered: Bool = false) {
        self.hidesAnswered = hidesAnswered
        levels = Mutex(settings.levels)
        lowest = Atomic(Self.places[settings.levels.lowest] ?? 0)
        format = settings.format ?? (terminal.isErrorTerminal ? .short : .logfmt)
        colors = format == .short && terminal.isErrorTerminal && terminal.hasColors
        isJournal = terminal.isErrorJournal
    }

    /// Makes all loggers of the process write to this log.
    ///
    /// Call it once.
    func bootstrap() {
        LoggingSystem.bootstrap(
            { label, provider in self.handler(label, provider) }, metadataProvider: MessageContext.metadataProvider)
    }

    private static let places = Dictionary(
        uniqueKeysWithValues: Logger.Level.allCases.enumerated().map { ($0.element, $0.offset) })

    /// Changes the levels.
    func set(_ new: LogLevels) {
        levels.withLock { $0 = new }
        lowest.store(Self.places[new.lowest] ?? 0, ordering: .relaxed)
    }

    /// Passes each line to `show` first; only if that returns false it is written to standard error.
    func show(_ show: @escaping @Sendable (String) -> Bool) {
        terminalSink.withLock { $0.show = show }
    }

    /// The prefix of a line with that level.
    func prefix(of level: Logger.Level) -> String { isJournal ? "<\(level.syslogSeverity)>" : "" }

    private func write(_ line: String) {
        if let show = terminalSink.withLock({ $0.show }), show(line) { return }
        var bytes = Array((line + "\n").utf8)[...]
        // In one call if possible, so that lines of several threads don't mix. There is nowhere to report an error.
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { systemWrite(2, $0.baseAddress, $0.count) }
            if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { return }
        }
    }

    /// Returns the handler for a logger's label.
    func handler(_ label: String, _ provider: Logger.MetadataProvider?) -> any LogHandler {
        Handler(log: self, label: label, metadataProvider: provider)
    }

    private struct Handler: LogHandler {
        let log: Log
        /// The part of the robot that logs.
        let part: String
        /// This logger's own level; nil to follow the log's.
        private var ownLevel: Logger.Level?
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?

        init(log: Log, label: String, metadataProvider: Logger.MetadataProvider?) {
            self.log = log
            self.metadataProvider = metadataProvider
            part = label.hasPrefix("heybot.") ? String(label.dropFirst("heybot.".count)) : "robot"
        }

        /// The lowest level of any part or script: ``log(event:)`` decides which apply.
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
    /// The severity for systemd; see sd-daemon(3) and syslog(3).
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

// The method above hides the function's own name.
private let systemWrite = write
