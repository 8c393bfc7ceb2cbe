import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open regular file or folder, in a folder of static files.
///
/// Symbolic links in the folder aren't followed; the folder itself may be one. Each component of a path is opened relative
/// to its parent, and the opened descriptor is used to describe and read the file, so that it can't be replaced with a link
/// in between.
final class StaticFile: Sendable {
    /// The reason why a file's response ends early.
    enum ReadError: Error {
        /// The file got shorter, or can't be read.
        case unreadable
    }

    private static let partSize = 128 << 10
    let isFolder: Bool
    /// The size in bytes.
    let size: Int
    /// The time of the last modification, in seconds since 1970.
    let modified: Int
    private let descriptor: CInt

    private init(_ descriptor: CInt, _ status: stat) {
        self.descriptor = descriptor
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        size = Int(status.st_size)
        #if canImport(Darwin)
            modified = status.st_mtimespec.tv_sec
        #else
            modified = status.st_mtim.tv_sec
        #endif
    }

    deinit { close(descriptor) }

    /// Opens a file; nil if it doesn't exist, or is neither a regular file nor a folder.
    ///
    /// - Parameter parts: The components of the file's path in the folder.
    static func open(_ parts: [String], in folder: String) async -> StaticFile? {
        try? await NIOThreadPool.singleton.runIfActive { opened(parts, in: folder) }
    }

    private static func opened(_ parts: [String], in folder: String) -> StaticFile? {
        // O_NONBLOCK: opening a pipe would wait for its other end.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        var current = retrying { openat(AT_FDCWD, folder, flags | O_DIRECTORY) }
        for (index, part) in parts.enumerated() where current >= 0 {
            let kind = index < parts.count - 1 ? O_DIRECTORY : 0
            let next = retrying { openat(current, part, flags | O_NOFOLLOW | kind) }
            close(current)
            current = next
        }
        guard current >= 0 else { return nil }
        var status = stat()
        guard fstat(current, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
            close(current)
            return nil
        }
        return StaticFile(current, status)
    }

    /// Reads a range of bytes, a part after the other.
    func forEachPart(of range: Range<Int>, _ body: (ByteBuffer) async throws -> Void) async throws {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(Self.partSize, range.upperBound - offset)
            let part = try await NIOThreadPool.singleton.runIfActive { [offset] in try self.read(count, at: offset) }
            offset += part.readableBytes
            try await body(part)
        }
    }

    /// Reads up to a number of bytes; it blocks.
    private func read(_ count: Int, at offset: Int) throws(ReadError) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        let read = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            max(Self.retrying { pread(descriptor, bytes.baseAddress, count, off_t(offset)) }, 0)
        }
        guard read > 0 else { throw .unreadable }
        return buffer
    }

    private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }
}
