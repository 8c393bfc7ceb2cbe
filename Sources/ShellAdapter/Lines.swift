import Heybot
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
}

/// Reads lines from a file descriptor, on a thread of its own since reading blocks.
final class LineReader: Sendable {
    /// A longer line is given out in pieces of this many bytes.
    static let longest = 1 << 20

    private struct State {
        var bytes: [UInt8] = []
        /// Before this one everything has been given out.
        var start = 0
        /// Before this one there is no line break.
        var searched = 0
        var isAtEnd = false
        /// Whether what was given out last was a piece of a longer line.
        var isPiece = false
    }

    private let descriptor: Int32
    private let thread = BlockingThread()
    /// Only the thread touches it, also while it waits for input.
    private let state = Mutex(State())

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The next line without its line break, bytes that aren't UTF-8 replaced; nil at the end of the input.
    func next() async throws -> String? {
        try await thread.run { try self.state.withLock { try self.read(&$0) } }
    }

    /// Whether what was given out last was a piece of a longer line.
    var gavePiece: Bool { state.withLock { $0.isPiece } }

    private func read(_ state: inout State) throws(ShellError) -> String? {
        state.isPiece = false
        while true {
            if let newline = state.bytes[state.searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return take(newline, &state, skipping: 1)
            }
            state.searched = state.bytes.count
            if state.bytes.count - state.start >= Self.longest {
                state.isPiece = true
                return take(state.start + Self.longest, &state, skipping: 0)
            }
            if state.isAtEnd {
                return state.start < state.bytes.count ? take(state.bytes.count, &state, skipping: 0) : nil
            }
            state.bytes.removeFirst(state.start)
            state.searched -= state.start
            state.start = 0
            try fill(&state)
        }
    }

    private func take(_ end: Int, _ state: inout State, skipping skipped: Int) -> String {
        var line = state.bytes[state.start..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        state.start = end + skipped
        state.searched = state.start
        return String(decoding: line, as: UTF8.self)
    }

    private func fill(_ state: inout State) throws(ShellError) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = systemRead(descriptor, &chunk, chunk.count)
            if count > 0 { return state.bytes.append(contentsOf: chunk[..<count]) }
            if count == 0 {
                state.isAtEnd = true
                return
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitFor(descriptor, POLLIN)
            default: throw ShellError.failed("reading the input failed: \(String(cString: strerror(errno)))")
            }
        }
    }
}

/// Writes to a file descriptor, on a thread of its own since writing blocks if nobody reads.
final class LineWriter: Sendable {
    private let descriptor: Int32
    private let thread = BlockingThread()
    private let failure = Mutex<ShellError?>(nil)

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Throws what writing has failed with before.
    func check() throws(ShellError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Returns when all of it is written; in the order of the calls.
    func write(_ text: String) async throws {
        try await thread.run {
            try self.check()
            do throws(ShellError) {
                try writeAll(Array(text.utf8), to: self.descriptor)
            } catch {
                self.failure.withLock { $0 = error }
                throw error
            }
        }
    }

}

/// Writes all of it, however long that takes.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(ShellError) {
    var written = 0
    while written < bytes.count {
        let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 {
            written += count
            continue
        }
        switch errno {
        case EINTR: continue
        case EAGAIN: waitFor(descriptor, POLLOUT)
        case EPIPE: throw ShellError.outputClosed
        default: throw ShellError.failed("writing the answers failed: \(String(cString: strerror(errno)))")
        }
    }
}

// Under this name the method above can call it.
private let systemRead = read

/// Waits until a descriptor that doesn't block by itself has something for us.
private func waitFor(_ descriptor: Int32, _ event: some BinaryInteger) {
    var poll = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    _ = systemPoll(&poll, 1, -1)
}

private let systemPoll = poll
