#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file or standard input, read in chunks.
struct InputFile {
    static let standard = InputFile(name: "standard input", descriptor: 0)

    /// The name in errors.
    let name: String
    private let descriptor: Int32

    private init(name: String, descriptor: Int32) {
        self.name = name
        self.descriptor = descriptor
    }

    /// Opens a file, or standard input if the path is nil or `-`.
    init(_ path: String?) throws(ExitError) {
        guard let path, path != "-" else {
            self = .standard
            return
        }
        self.init(name: path, descriptor: open(path, O_RDONLY | O_CLOEXEC))
        guard descriptor >= 0 else {
            throw ExitError("\(path) can't be read: \(String(cString: strerror(errno)))", EX_NOINPUT)
        }
    }

    /// Returns the next chunk, up to 64 KB; nil at the end.
    func nextChunk() throws -> [UInt8]? {
        while true {
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &piece, piece.count)
            if count >= 0 { return count == 0 ? nil : Array(piece[..<count]) }
            if errno != EINTR {
                throw ExitError("reading \(name) failed: \(String(cString: strerror(errno)))", EX_IOERR)
            }
        }
    }

    /// Returns the whole content, which ends at a limit or at an error.
    ///
    /// `String(contentsOfFile:)` reads only the first page of the files in /proc.
    func contents(limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, let chunk = try? nextChunk() { bytes += chunk }
        return bytes
    }

    func close() {
        if descriptor != 0 { _ = systemClose(descriptor) }
    }
}

/// Reads a file line by line.
struct FileLineReader {
    private let file: InputFile
    /// The maximum length of a line in bytes.
    ///
    /// A longer line is an error.
    private let maxLength: Int
    private var bytes: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    init(_ file: InputFile, maxLength: Int) {
        self.file = file
        self.maxLength = maxLength
    }

    /// Returns the next line without its line break; nil at the end.
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
            guard bytes.count - start <= maxLength else {
                throw ExitError("a line is longer than \(maxLength) bytes", EX_DATAERR)
            }
            bytes.removeFirst(start)
            start = 0
            searched = bytes.count
            if let piece = try file.nextChunk() { bytes += piece } else { isAtEnd = true }
        }
    }
}

// The method above hides the function's own name.
private let systemClose = close
