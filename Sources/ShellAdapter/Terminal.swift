import CTerminal
import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Wakes a thread that waits in `poll`, from any thread and from signal handlers.
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
        // A full pipe wakes as well.
        _ = write(writing, &byte, 1)
    }

    /// Takes what has come, of which a `c` tells that the process was continued.
    func drain() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(reading, &bytes, bytes.count)
        return Array(bytes.prefix(max(count, 0)))
    }
}

/// A terminal in raw mode, put back as it was whatever ends the process.
///
/// For one thread alone.
struct Terminal: ~Copyable {
    /// What a wait has brought.
    struct Event {
        var isTimeout = false
        var hasInput = false
        /// The process had been stopped, and goes on.
        var isContinued = false
    }

    private static let atLastMoment: Void = LastMoment.add { heybot_restore_terminals() }

    private let input: Int32
    private let output: Int32
    private let pipe: WakePipe
    private let guardian: Int32

    init(input: Int32, output: Int32, pipe: WakePipe) throws(ShellError) {
        Self.atLastMoment
        guardian = heybot_guard_open(input, output, pipe.writing)
        guard guardian >= 0 else { throw ShellError.failed("too many terminals are in use at once") }
        self.input = input
        self.output = output
        self.pipe = pipe
    }

    deinit { heybot_guard_close(guardian) }

    var size: ScreenSize {
        var size = (columns: Int32(80), rows: Int32(24))
        _ = heybot_terminal_size(output, &size.columns, &size.rows)
        return ScreenSize(columns: Int(size.columns), rows: Int(size.rows))
    }

    /// Whether it is ours to read from, and not another job's.
    var isForeground: Bool { heybot_is_foreground(input) }

    /// Whether keys come one by one: no longer if the process has outlived a signal that should have ended it.
    var isRaw: Bool { heybot_guard_is_raw(guardian) }

    func makeRaw() throws(ShellError) {
        guard heybot_guard_make_raw(guardian) else { throw failure("setting up the terminal") }
        try write("\u{1b}[?2004h")
    }

    /// As it was before.
    func restore() {
        try? write("\u{1b}[?2004l\u{1b}[0m")
        heybot_guard_restore(guardian)
    }

    /// Another job has it now.
    func letGo() {
        heybot_guard_let_go(guardian)
    }

    /// Stops the process and its group, as ^Z does if the terminal deals with it; returns when they go on.
    func stop() {
        kill(0, SIGTSTP)
        // It stops in a moment, or not at all: if no shell would take over, the system ignores it.
        _ = wait(milliseconds: 200, withInput: false)
    }

    /// Waits for input, or to be woken.
    ///
    /// - Parameter milliseconds: How long at most; nil forever.
    func wait(milliseconds: Int32?, withInput: Bool = true) -> Event {
        var descriptors = [
            pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0),
            // A negative one is left out.
            pollfd(fd: withInput ? input : -1, events: Int16(POLLIN), revents: 0)
        ]
        let count = poll(&descriptors, nfds_t(descriptors.count), milliseconds ?? -1)
        guard count > 0 else { return Event(isTimeout: count == 0) }
        return Event(
            hasInput: descriptors[1].revents != 0,
            isContinued: descriptors[0].revents != 0 && pipe.drain().contains(UInt8(ascii: "c")))
    }

    /// What has been typed; nil at the end of it.
    func read() throws(ShellError) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = systemRead(input, &chunk, chunk.count)
        if count > 0 { return Array(chunk[..<count]) }
        if count == 0 { return nil }
        switch errno {
        case EINTR, EAGAIN: return []
        // Nobody is there any more.
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

// Under this name the method above can call it.
private let systemRead = read

/// How the shell behaves on a terminal.
public struct TerminalOptions: Hashable, Sendable {
    /// Whether lines can be edited; otherwise they are plain lines, as if TERM is `dumb`.
    public var edits = true
    /// Whether answers are coloured.
    public var colors = true
    /// Where the lines that were sent are kept from run to run; nil for this run alone.
    ///
    /// Several robots may share it.
    public var historyFile: String?
    /// How many lines are kept; 0 for none.
    public var historySize = 1024
    /// What Tab puts in place of a command's placeholder, by its name without brackets.
    public var choices: [String: [String]] = [:]

    /// Editing, colours, and a history of this run.
    public init() {}
}
