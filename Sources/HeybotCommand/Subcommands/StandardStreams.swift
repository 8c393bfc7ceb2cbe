#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes to standard output, without buffering.
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
                // The reader closed the pipe: end silently by SIGPIPE, as other tools do.
                signal(SIGPIPE, SIG_DFL)
                kill(getpid(), SIGPIPE)
                // If SIGPIPE is blocked in this thread, exit with its code.
                _exit(128 + SIGPIPE)
            } else if errno != EINTR {
                throw ExitError("writing the output failed: \(String(cString: strerror(errno)))", EX_IOERR)
            }
        }
    }
}

/// Reads standard input.
enum StandardInput {
    static func all() throws -> [UInt8] {
        var all: [UInt8] = []
        while let piece = try InputFile.standard.nextChunk() { all += piece }
        return all
    }
}

// The method above hides the function's own name.
private let systemWrite = write
