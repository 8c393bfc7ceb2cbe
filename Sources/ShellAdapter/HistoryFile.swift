import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The history on disk, one line per entry.
///
/// Several robots may share the file.
struct HistoryFile {
    /// A failed operation on the file, with the system's error message.
    struct FileError: Error, Hashable, CustomStringConvertible {
        let path: String
        let doing: String
        let reason: String

        init(_ doing: String, _ path: String, _ reason: String = String(cString: strerror(errno))) {
            (self.path, self.doing, self.reason) = (path, doing, reason)
        }

        var description: String { "\(doing) the history \(path) failed: \(reason)" }
    }

    /// The number of bytes to read, from the end of the file.
    private static let maxBytes = 1 << 26

    private let path: String
    private let size: Int
    /// The number of lines, as far as this process knows.
    private var count = 0

    /// - Parameter size: The number of lines to keep. The file may contain up to twice as many.
    init(path: String, size: Int) {
        self.path = path
        self.size = size
    }

    /// Returns the newest lines, oldest first.
    ///
    /// The file need not exist.
    mutating func load() throws(FileError) -> [String] {
        guard let file = try open(O_RDONLY, "opening") else { return [] }
        defer { close(file) }
        let lines = try read(file)
        count = lines.count
        if count > 2 * size, Self.lock(file), isPresent(file) { try trim(file) }
        return lines.suffix(size)
    }

    /// Adds a line.
    ///
    /// Shortens the file if it has become too long.
    mutating func append(_ line: String) throws(FileError) {
        guard let (file, isLocked) = try openLocked() else { return }
        defer { close(file) }
        // Another process may have left an incomplete line.
        let end = lseek(file, 0, SEEK_END)
        var last: UInt8 = 0
        let isWhole = end <= 0 || pread(file, &last, 1, end - 1) != 1 || last == UInt8(ascii: "\n")
        try write(Array(((isWhole ? "" : "\n") + Self.escaped(line) + "\n").utf8), to: file)
        count += 1
        // If another process has the lock, a later call shortens the file.
        if count > 2 * size, isLocked { try trim(file) }
    }

    /// Replaces the locked file by one with its newest lines.
    private mutating func trim(_ file: Int32) throws(FileError) {
        let lines = Array(try read(file).suffix(size))
        guard let real = realpath(path, nil) else { throw FileError("finding", path) }
        defer { free(real) }
        let temporary = String(cString: real) + ".\(getpid()).new"
        unlink(temporary)
        let copy = systemOpen(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw FileError("rewriting", path) }
        defer { close(copy) }
        do throws(FileError) {
            try write(Array(lines.map { Self.escaped($0) + "\n" }.joined().utf8), to: copy)
            guard fsync(copy) == 0, rename(temporary, real) == 0 else { throw FileError("rewriting", path) }
        } catch {
            unlink(temporary)
            throw error
        }
        count = lines.count
    }

    /// Opens the file; returns nil if it doesn't exist, or is a device such as /dev/null.
    private func open(_ flags: Int32, _ doing: String) throws(FileError) -> Int32? {
        let file = systemOpen(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
        guard file >= 0 else {
            if errno == ENOENT, flags & O_CREAT == 0 { return nil }
            throw FileError(doing, path)
        }
        var status = stat()
        if fstat(file, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFREG { return file }
            if status.st_mode & S_IFMT == S_IFCHR {
                close(file)
                return nil
            }
        }
        close(file)
        throw FileError(doing, path, "it isn't a regular file")
    }

    /// Opens the file for appending, and locks it if possible.
    ///
    /// Opens it again if another robot has just replaced it.
    private func openLocked() throws(FileError) -> (file: Int32, isLocked: Bool)? {
        while let file = try open(O_RDWR | O_APPEND | O_CREAT, "opening") {
            let isLocked = Self.lock(file)
            if !isLocked || isPresent(file) { return (file, isLocked) }
            close(file)
        }
        return nil
    }

    /// Whether the path still leads to the open file.
    private func isPresent(_ file: Int32) -> Bool {
        var (ours, present) = (stat(), stat())
        return fstat(file, &ours) == 0 && stat(path, &present) == 0 && ours.st_ino == present.st_ino
    }

    private func read(_ file: Int32) throws(FileError) -> [String] {
        let end = lseek(file, 0, SEEK_END)
        lseek(file, max(end - off_t(Self.maxBytes), 0), SEEK_SET)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < Self.maxBytes {
            let count = systemRead(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError("reading", path) }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes.split(separator: UInt8(ascii: "\n")).map { Self.unescaped(String(decoding: $0, as: UTF8.self)) }
    }

    private func write(_ bytes: [UInt8], to file: Int32) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError("writing", path) }
            written += count
        }
    }

    /// Waits up to 0.1 s for the lock.
    ///
    /// Its holder may be a stopped process.
    private static func lock(_ file: Int32) -> Bool {
        for _ in 0..<20 {
            if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
            usleep(5_000)
        }
        return false
    }

    static func escaped(_ line: String) -> String {
        var escaped = ""
        for scalar in line.unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\\": escaped += "\\\\"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    static func unescaped(_ line: String) -> String {
        var unescaped = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in line.unicodeScalars {
            switch (isEscaped, scalar) {
            case (false, "\\"):
                isEscaped = true
                continue
            case (true, "n"): unescaped.append("\n")
            case (true, "\\"), (false, _): unescaped.append(scalar)
            case (true, _): unescaped.append(contentsOf: ["\\", scalar])
            }
            isEscaped = false
        }
        if isEscaped { unescaped.append("\\") }
        return String(unescaped)
    }
}

// The methods above hide the functions' own names.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private let systemRead = read
private let systemWrite = write
