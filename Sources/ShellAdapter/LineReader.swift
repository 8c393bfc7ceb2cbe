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

// The method above hides the function's own name.
private let systemRead = read
