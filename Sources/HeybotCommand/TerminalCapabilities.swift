#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The capabilities of the terminal on which the process was started.
struct TerminalCapabilities: Sendable {
    /// Whether standard error is a terminal.
    var isErrorTerminal: Bool
    /// Whether standard error is a stream of systemd's journal.
    var isErrorJournal: Bool
    /// Whether colors are wanted and supported.
    var hasColors: Bool
    /// Whether the cursor can be moved.
    var movesCursor: Bool

    /// Reads `NO_COLOR` (no-color.org), `TERM`, and `JOURNAL_STREAM` (systemd.exec(5)).
    init(_ environment: [String: String]) {
        isErrorTerminal = isatty(2) == 1
        // The variable may be inherited, with standard error redirected elsewhere.
        isErrorJournal = FileStatus(of: 2).map { environment["JOURNAL_STREAM"] == $0.identity } ?? false
        let term = environment["TERM"] ?? ""
        movesCursor = !term.isEmpty && term != "dumb"
        hasColors = movesCursor && (environment["NO_COLOR"] ?? "").isEmpty
    }
}
