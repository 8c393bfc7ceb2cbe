import FoundationEssentials
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Provides the regular files in a folder and its subfolders.
///
/// Symbolic links in the folder aren't followed; the folder itself may be one. Each component of a path is opened relative
/// to its parent, and the opened descriptor is used to describe and read the file, so that it can't be replaced with a link
/// in between.
struct StaticFileProvider: FileProvider {
    struct FileAttributes: FileMiddlewareFileAttributes {
        let isFolder: Bool
        let size: Int
        let modificationDate: Date
    }

    /// A path in the folder, with its open file descriptor.
    final class OpenedFile: Sendable {
        fileprivate let parts: [String]
        fileprivate let descriptor = Mutex<CInt>(-1)

        fileprivate init(parts: [String]) {
            self.parts = parts
        }

        deinit {
            let open = descriptor.withLock { $0 }
            if open >= 0 { close(open) }
        }
    }

    private struct Unreadable: Error {}

    private static let chunk = 128 << 10
    private let folder: String
    private let pool: NIOThreadPool

    init(_ folder: String, pool: NIOThreadPool = .singleton) {
        self.folder = folder
        self.pool = pool
    }

    /// Returns the file of a percent-decoded path; nil if the path contains a hidden component or a null byte.
    func getFileIdentifier(_ path: String) -> OpenedFile? {
        let parts = path.split(separator: "/").map(String.init)
        guard !path.utf8.contains(0), !parts.contains(where: { $0.utf8.first == UInt8(ascii: ".") }) else { return nil }
        return OpenedFile(parts: parts)
    }

    func getAttributes(id file: OpenedFile) async throws -> FileAttributes? {
        try await pool.runIfActive { [folder] in file.open(in: folder) }
    }

    func loadFile(id file: OpenedFile, context: some RequestContext) async throws -> ResponseBody {
        try await loadFile(id: file, range: 0...Int.max - 1, context: context)
    }

    func loadFile(id file: OpenedFile, range: ClosedRange<Int>, context: some RequestContext) async throws
        -> ResponseBody
    {
        guard let size = file.attributes?.size else { throw Unreadable() }
        let (start, end) = (range.lowerBound, min(range.upperBound, size - 1) + 1)
        guard start < end else { return ResponseBody() }
        return ResponseBody(contentLength: end - start) { [pool] writer in
            var offset = start
            while offset < end {
                let wanted = min(Self.chunk, end - offset)
                let buffer = try await pool.runIfActive { [offset] in file.read(wanted, at: offset) }
                // The file got shorter, or can't be read. The connection must close, because the length has been sent.
                guard let buffer else { throw Unreadable() }
                offset += buffer.readableBytes
                try await writer.write(buffer)
            }
            try await writer.finish(nil)
        }
    }
}

extension StaticFileProvider.OpenedFile {
    /// Opens the path; nil if it doesn't exist, or is neither a regular file nor a folder.
    fileprivate func open(in folder: String) -> StaticFileProvider.FileAttributes? {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        // O_NONBLOCK: opening a pipe would wait for its other end.
        var current = Self.retrying { openat(AT_FDCWD, folder, flags | O_DIRECTORY) }
        for (index, part) in parts.enumerated() where current >= 0 {
            let kind = index < parts.count - 1 ? O_DIRECTORY : 0
            let next = Self.retrying { openat(current, part, flags | O_NOFOLLOW | kind) }
            close(current)
            current = next
        }
        guard current >= 0 else { return nil }
        descriptor.withLock { $0 = current }
        return attributes
    }

    fileprivate var attributes: StaticFileProvider.FileAttributes? {
        var status = stat()
        guard descriptor.withLock({ $0 >= 0 && fstat($0, &status) == 0 }) else { return nil }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFDIR else { return nil }
        #if canImport(Darwin)
            let seconds = status.st_mtimespec.tv_sec
        #else
            let seconds = status.st_mtim.tv_sec
        #endif
        return .init(
            isFolder: kind == S_IFDIR, size: Int(status.st_size),
            modificationDate: Date(timeIntervalSince1970: Double(seconds)))
    }

    /// Reads up to a number of bytes; nil at the end of the file, or on failure.
    fileprivate func read(_ count: Int, at offset: Int) -> ByteBuffer? {
        let open = descriptor.withLock { $0 }
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        let read = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            max(
                Int(Self.retrying { CInt(truncatingIfNeeded: pread(open, bytes.baseAddress, count, off_t(offset))) }), 0
            )
        }
        return read > 0 ? buffer : nil
    }

    private static func retrying(_ call: () -> CInt) -> CInt {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }
}
