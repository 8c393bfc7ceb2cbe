#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a subcommand prints what may be long.
enum StandardOutput {
    static func writeLine(_ text: String) throws {
        try write(Array((text + "\n").utf8))
    }

    static func write(_ bytes: [UInt8]) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { systemWrite(1, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EPIPE {
                // Whoever read it has had enough: end as other tools do, without a word.
                signal(SIGPIPE, SIG_DFL)
                kill(getpid(), SIGPIPE)
                // If this thread has it blocked, another takes it soon.
                _exit(128 + SIGPIPE)
            } else if errno != EINTR {
                throw Failure("writing the output failed: \(String(cString: strerror(errno)))", EX_IOERR)
            }
        }
    }
}

/// Where a subcommand reads what may be long.
enum StandardInput {
    static func all() throws -> [UInt8] {
        var all: [UInt8] = []
        while let piece = try InputFile.standard.piece() { all += piece }
        return all
    }
}

/// What a subcommand reads, a piece at a time: a file, or standard input.
struct InputFile {
    static let standard = InputFile(name: "the input", descriptor: 0)

    /// What errors call it by.
    let name: String
    private let descriptor: Int32

    private init(name: String, descriptor: Int32) {
        self.name = name
        self.descriptor = descriptor
    }

    /// Opens it; standard input if there is no path, or it is `-`.
    init(_ path: String?) throws(Failure) {
        guard let path, path != "-" else {
            self = .standard
            return
        }
        self.init(name: path, descriptor: open(path, O_RDONLY | O_CLOEXEC))
        guard descriptor >= 0 else {
            throw Failure("\(path) can't be read: \(String(cString: strerror(errno)))", EX_NOINPUT)
        }
    }

    /// Up to 64 KB that come next; nil at the end.
    func piece() throws -> [UInt8]? {
        while true {
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &piece, piece.count)
            if count >= 0 { return count == 0 ? nil : Array(piece[..<count]) }
            if errno != EINTR {
                throw Failure("reading \(name) failed: \(String(cString: strerror(errno)))", EX_IOERR)
            }
        }
    }

    func close() {
        if descriptor != 0 { _ = systemClose(descriptor) }
    }
}

/// Reads lines from a file.
struct Lines {
    private let file: InputFile
    /// A longer line is an error.
    private let longest: Int
    private var bytes: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    init(_ file: InputFile, longest: Int) {
        self.file = file
        self.longest = longest
    }

    /// The next line without its line break; nil at the end.
    mutating func next() throws -> [UInt8]? {
        var searched = start
        while true {
            if let newline = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = newline + 1 }
                return Array(bytes[start..<newline])
            }
            if isAtEnd {
                guard start < bytes.count else { return nil }
                defer { start = bytes.count }
                return Array(bytes[start...])
            }
            guard bytes.count - start <= longest else {
                throw Failure("a line is longer than \(longest) bytes", EX_DATAERR)
            }
            bytes.removeFirst(start)
            start = 0
            searched = bytes.count
            if let piece = try file.piece() { bytes += piece } else { isAtEnd = true }
        }
    }
}

// Under these names the functions above can call them.
private let systemWrite = write
private let systemClose = close
