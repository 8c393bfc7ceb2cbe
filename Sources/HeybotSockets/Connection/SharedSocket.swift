import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A second descriptor of a channel's socket, for threads other than the event loop's.
///
/// It stays valid when the channel closes its own. The connection ends only when both are closed.
final class SharedSocket: Sendable {
    private let descriptor: CInt

    /// Duplicates a channel's descriptor; nil if the process has no more descriptors.
    init?(_ handle: NIOBSDSocket.Handle) {
        descriptor = fcntl(handle, F_DUPFD_CLOEXEC, 0)
        if descriptor < 0 { return nil }
    }

    deinit { _ = close(descriptor) }

    /// Writes as many bytes as the system takes without waiting.
    ///
    /// - Returns: The number of bytes written; 0 also after an error, which the event loop's next write shows.
    func writeWithoutWaiting(_ bytes: ByteBuffer) -> Int {
        bytes.withUnsafeReadableBytes { buffer in
            // NIO has made the socket non-blocking. SIGPIPE is ignored.
            max(write(descriptor, buffer.baseAddress, buffer.count), 0)
        }
    }
}
