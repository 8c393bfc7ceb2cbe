import HeybotSupport

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A pipe between the robot and the host's process, which other processes don't inherit.
///
/// The first one makes this process ignore SIGPIPE: if the host has ended, writing to it must fail instead of ending the robot.
struct HostPipe {
    let readEnd: FileDescriptor
    let writeEnd: FileDescriptor

    init() throws {
        signal(SIGPIPE, SIG_IGN)
        (readEnd, writeEnd) = try FileDescriptor.pipe()
        for end in [readEnd, writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
    }

    /// Makes writes fail instead of waiting until the other side reads.
    func makeWritingNonBlocking() { _ = fcntl(writeEnd.rawValue, F_SETFL, O_WRONLY | O_NONBLOCK) }

    /// Closes both ends.
    func close() {
        try? readEnd.close()
        try? writeEnd.close()
    }
}

/// Reads what a process writes, on a thread of its own: the thread that has read a line goes on with what the line asks for.
enum ProcessOutputReader {
    private static let bufferSize = 64 << 10

    /// Reads until the stream has ended, or until the process has ended and everything that it wrote has been read.
    ///
    /// Something that the process has started may hold the stream open after that.
    ///
    /// - Parameters:
    ///   - process: A descriptor that becomes readable when the process has ended; -1 if there is none.
    ///   - receive: Called with what was read, on the thread.
    /// - Returns: False if the system can't create a thread.
    static func read(
        _ stream: CInt, ofProcess process: CInt, _ receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Void
    ) async -> Bool {
        let end = OneShotPromise<Void>()
        let isStarted = OSThread.start {
            read(stream, process, receive)
            end.fulfill(())
        }
        if isStarted { await end.value() }
        return isStarted
    }

    private static func read(_ stream: CInt, _ process: CInt, _ receive: (UnsafeRawBufferPointer) -> Void) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 1)
        defer { buffer.deallocate() }
        var polled = [
            pollfd(fd: stream, events: Int16(POLLIN), revents: 0),
            pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        ]
        while true {
            guard poll(&polled, nfds_t(polled.count), -1) >= 0 else {
                guard errno == EINTR else { return }
                continue
            }
            guard polled[0].revents != 0 else {
                if polled[1].revents != 0 { return }
                continue
            }
            let count = systemRead(stream, buffer.baseAddress, buffer.count)
            if count > 0 {
                receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }
}

// Within the type, its own function has this name.
private let systemRead: @Sendable (CInt, UnsafeMutableRawPointer?, Int) -> Int = { read($0, $1, $2) }
