import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The history on disk, a line each; several robots may share it.
struct HistoryFile {
    /// What goes wrong with it, in the system's words.
    struct Trouble: Error, Hashable, CustomStringConvertible {
        let path: String
        let doing: String
        let reason: String

        init(_ doing: String, _ path: String, _ reason: String = String(cString: strerror(errno))) {
            (self.path, self.doing, self.reason) = (path, doing, reason)
        }

        var description: String { "\(doing) the history \(path) failed: \(reason)" }
    }

    /// Of a larger file only the end is read.
    private static let longest = 1 << 26

    private let path: String
    private let size: Int
    /// How many lines there are, as far as we know.
    private var count = 0

    /// - Parameter size: How many lines are kept; up to twice as many are in the file.
    init(path: String, size: Int) {
        self.path = path
        self.size = size
    }

    /// The newest lines, the oldest first; the file need not be there yet.
    mutating func load() throws(Trouble) -> [String] {
        guard let file = try open(O_RDONLY, "opening") else { return [] }
        defer { close(file) }
        let lines = try read(file)
        count = lines.count
        if count > 2 * size, Self.lock(file), isPresent(file) { try trim(file) }
        return lines.suffix(size)
    }

    /// Adds a line; makes the file shorter if it has grown too long.
    mutating func append(_ line: String) throws(Trouble) {
        guard let (file, isLocked) = try openLocked() else { return }
        defer { close(file) }
        // What another left half done must not spoil our line.
        let end = lseek(file, 0, SEEK_END)
        var last: UInt8 = 0
        let isWhole = end <= 0 || pread(file, &last, 1, end - 1) != 1 || last == UInt8(ascii: "\n")
        try write(Array(((isWhole ? "" : "\n") + Self.escaped(line) + "\n").utf8), to: file)
        count += 1
        // If somebody else is at it: another time.
        if count > 2 * size, isLocked { try trim(file) }
    }

    /// Replaces the file, which is locked, by one with its newest lines.
    private mutating func trim(_ file: Int32) throws(Trouble) {
        let lines = Array(try read(file).suffix(size))
        guard let real = realpath(path, nil) else { throw Trouble("finding", path) }
        defer { free(real) }
        let temporary = String(cString: real) + ".\(getpid()).new"
        unlink(temporary)
        let copy = systemOpen(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw Trouble("rewriting", path) }
        defer { close(copy) }
        do throws(Trouble) {
            try write(Array(lines.map { Self.escaped($0) + "\n" }.joined().utf8), to: copy)
            guard fsync(copy) == 0, rename(temporary, real) == 0 else { throw Trouble("rewriting", path) }
        } catch {
            unlink(temporary)
            throw error
        }
        count = lines.count
    }

    /// The file, if it is one: nil if there is none, or nothing to keep, as /dev/null is.
    private func open(_ flags: Int32, _ doing: String) throws(Trouble) -> Int32? {
        let file = systemOpen(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
        guard file >= 0 else {
            if errno == ENOENT, flags & O_CREAT == 0 { return nil }
            throw Trouble(doing, path)
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
        throw Trouble(doing, path, "it isn't a file")
    }

    /// The file to append to, locked if it can be; no longer one that another robot has just replaced.
    private func openLocked() throws(Trouble) -> (file: Int32, isLocked: Bool)? {
        while let file = try open(O_RDWR | O_APPEND | O_CREAT, "opening") {
            let isLocked = Self.lock(file)
            if !isLocked || isPresent(file) { return (file, isLocked) }
            close(file)
        }
        return nil
    }

    /// Whether it is still what the path leads to.
    private func isPresent(_ file: Int32) -> Bool {
        var (ours, present) = (stat(), stat())
        return fstat(file, &ours) == 0 && stat(path, &present) == 0 && ours.st_ino == present.st_ino
    }

    private func read(_ file: Int32) throws(Trouble) -> [String] {
        let end = lseek(file, 0, SEEK_END)
        lseek(file, max(end - off_t(Self.longest), 0), SEEK_SET)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < Self.longest {
            let count = systemRead(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Trouble("reading", path) }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes.split(separator: UInt8(ascii: "\n")).map { Self.unescaped(String(decoding: $0, as: UTF8.self)) }
    }

    private func write(_ bytes: [UInt8], to file: Int32) throws(Trouble) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Trouble("writing", path) }
            written += count
        }
    }

    /// Waits a moment for the lock: whoever holds it could be stopped.
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

// Under these names the methods above can call them.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private let systemRead = read
private let systemWrite = write
