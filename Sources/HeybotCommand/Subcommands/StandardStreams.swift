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
            } else if errno != EINTR {
                throw Failure("writing the output failed: \(String(cString: strerror(errno)))", EX_IOERR)
            }
        }
    }
}

/// Where a subcommand reads what may be long.
enum StandardInput {
    static func all() throws -> [UInt8] {
        var lines = Lines(descriptor: 0, longest: .max)
        var all: [UInt8] = []
        while let line = try lines.next() { all += line + [UInt8(ascii: "\n")] }
        return all
    }
}

/// Reads lines from a file descriptor.
struct Lines {
    let descriptor: Int32
    /// A longer line is an error.
    let longest: Int
    private var bytes: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    init(descriptor: Int32, longest: Int) {
        self.descriptor = descriptor
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
            try fill()
        }
    }

    private mutating func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &chunk, chunk.count)
        if count > 0 {
            bytes += chunk[..<count]
        } else if count == 0 {
            isAtEnd = true
        } else if errno != EINTR {
            throw Failure("reading the input failed: \(String(cString: strerror(errno)))", EX_IOERR)
        }
    }
}

// Under this name the functions above can call it.
private let systemWrite = write
