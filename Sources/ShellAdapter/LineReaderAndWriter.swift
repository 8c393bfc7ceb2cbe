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

/// Reads lines from a file descriptor, on its own thread since reading blocks.
final class LineReader: Sendable {
    /// The maximum length of a line in bytes.
    ///
    /// A longer line is returned in parts.
    static let maxLength = 1 << 20

    private struct State {
        var bytes: [UInt8] = []
        /// The index of the first byte that wasn't returned.
        var start = 0
        /// The index before which there is no line break.
        var searched = 0
        var isAtEnd = false
        /// Whether the last result was a part of a longer line.
        var isPart = false
    }

    private let descriptor: Int32
    private let thread = BlockingThread()
    /// Only the thread uses it.
    ///
    /// It is locked while the thread waits for input.
    private let state = Mutex(State())

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Returns the next line without its line break, with invalid UTF-8 replaced; nil at the end of the input.
    func next() async throws -> String? {
        try await thread.run { try self.state.withLock { try self.read(&$0) } }
    }

    /// Whether the last result was a part of a longer line.
    var returnedPart: Bool { state.withLock { $0.isPart } }

    private func read(_ state: inout State) throws(ShellError) -> String? {
        state.isPart = false
        while true {
            if let newline = state.bytes[state.searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return take(newline, &state, skipping: 1)
            }
            state.searched = state.bytes.count
            if state.bytes.count - state.start >= Self.maxLength {
                state.isPart = true
                return take(state.start + Self.maxLength, &state, skipping: 0)
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

/// Writes to a file descriptor, on its own thread since writing to a full pipe blocks.
final class LineWriter: Sendable {
    private let descriptor: Int32
    private let thread = BlockingThread()
    private let failure = Mutex<ShellError?>(nil)

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Throws the error of an earlier write.
    func check() throws(ShellError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Writes the text, in the order of the calls, and returns when it is written.
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

/// Writes all bytes, however long that takes.
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

// The methods above hide the function's own name.
private let systemRead = read

/// Waits until a non-blocking descriptor is ready.
private func waitFor(_ descriptor: Int32, _ event: some BinaryInteger) {
    var poll = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    _ = systemPoll(&poll, 1, -1)
}

private let systemPoll = poll
