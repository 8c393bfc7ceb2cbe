import CTerminal
import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sends SIGINT to this process, as the system does after Ctrl-C if the terminal isn't raw.
func interruptProcess() {
    _ = kill(getpid(), SIGINT)
}

/// A pipe that wakes a thread waiting in `poll`, from any thread and from signal handlers.
final class WakePipe: Sendable {
    let reading: Int32
    let writing: Int32

    init() throws(ShellError) {
        var ends: (reading: Int32, writing: Int32) = (-1, -1)
        guard heybot_open_pipe(&ends.reading, &ends.writing) else {
            throw ShellError.failed("opening a pipe failed: \(String(cString: strerror(errno)))")
        }
        (reading, writing) = ends
    }

    deinit {
        close(reading)
        close(writing)
    }

    func wake() {
        var byte = UInt8(ascii: "j")
        // If the pipe is full, the thread is woken already.
        _ = write(writing, &byte, 1)
    }

    /// Reads the pipe.
    ///
    /// A `c` means that the process was continued (SIGCONT).
    func drain() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(reading, &bytes, bytes.count)
        return Array(bytes.prefix(max(count, 0)))
    }
}

/// A terminal in raw mode.
///
/// It is restored however the process ends.
///
/// Only one thread may use it.
struct Terminal: ~Copyable {
    /// The result of waiting.
    struct PollResult {
        var isTimeout = false
        var hasInput = false
        /// The process was stopped and continued.
        var isContinued = false
    }

    private static let atLastMoment: Void = ExitHooks.add { heybot_restore_terminals() }

    private let input: Int32
    private let output: Int32
    private let pipe: WakePipe
    private let guardID: Int32

    init(input: Int32, output: Int32, pipe: WakePipe) throws(ShellError) {
        Self.atLastMoment
        guardID = heybot_guard_open(input, output, pipe.writing)
        guard guardID >= 0 else { throw ShellError.failed("too many terminals are in use at once") }
        self.input = input
        self.output = output
        self.pipe = pipe
    }

    deinit { heybot_guard_close(guardID) }

    var size: TerminalSize {
        var size = (columns: Int32(80), rows: Int32(24))
        _ = heybot_terminal_size(output, &size.columns, &size.rows)
        return TerminalSize(columns: Int(size.columns), rows: Int(size.rows))
    }

    /// Whether this process is in the terminal's foreground job, and so may read from it.
    var isForeground: Bool { heybot_is_foreground(input) }

    /// Whether the terminal is in raw mode.
    ///
    /// It isn't any more after a signal that should have ended the process.
    var isRaw: Bool { heybot_guard_is_raw(guardID) }

    func makeRaw() throws(ShellError) {
        guard heybot_guard_make_raw(guardID) else { throw failure("setting up the terminal") }
        try write("\u{1b}[?2004h")
    }

    /// Restores the terminal's original mode.
    func restore() {
        try? write("\u{1b}[?2004l\u{1b}[0m")
        heybot_guard_restore(guardID)
    }

    /// Stops managing the terminal, which belongs to another job now.
    func release() {
        heybot_guard_release(guardID)
    }

    /// Stops the process group, as ^Z does in a terminal's normal mode.
    ///
    /// Returns after SIGCONT.
    func stop() {
        kill(0, SIGTSTP)
        // The signal arrives soon, or never: without a controlling shell the system ignores it.
        _ = wait(milliseconds: 200, withInput: false)
    }

    /// Waits for input or a wake-up.
    ///
    /// - Parameter milliseconds: The timeout; nil for none.
    func wait(milliseconds: Int32?, withInput: Bool = true) -> PollResult {
        var descriptors = [
            pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0),
            // `poll` ignores negative descriptors.
            pollfd(fd: withInput ? input : -1, events: Int16(POLLIN), revents: 0)
        ]
        let count = poll(&descriptors, nfds_t(descriptors.count), milliseconds ?? -1)
        guard count > 0 else { return PollResult(isTimeout: count == 0) }
        return PollResult(
            hasInput: descriptors[1].revents != 0,
            isContinued: descriptors[0].revents != 0 && pipe.drain().contains(UInt8(ascii: "c")))
    }

    /// Returns the typed bytes; nil at the end of the input.
    func read() throws(ShellError) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = systemRead(input, &chunk, chunk.count)
        if count > 0 { return Array(chunk[..<count]) }
        if count == 0 { return nil }
        switch errno {
        case EINTR, EAGAIN: return []
        // The terminal was closed.
        case EIO: return nil
        default: throw failure("reading the input")
        }
    }

    func write(_ text: String) throws(ShellError) {
        try writeAll(Array(text.utf8), to: output)
    }

    private func failure(_ doing: String) -> ShellError {
        .failed("\(doing) failed: \(String(cString: strerror(errno)))")
    }
}

// The method above hides the function's own name.
private let systemRead = read
