import Heybot
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes to a file descriptor, on its own thread since writing to a full pipe blocks.
final class DescriptorWriter: Sendable {
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

/// Waits until a non-blocking descriptor is ready.
func waitFor(_ descriptor: Int32, _ event: some BinaryInteger) {
    var poll = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    _ = systemPoll(&poll, 1, -1)
}

private let systemPoll = poll
