import DequeModule
import GatewayLink
import HeybotSupport
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One end of the socket between a gateway and a worker.
///
/// A frame is written by the thread that has it, so that it gets to the other process without a change of threads. If the other
/// process doesn't read at once, a thread of its own writes the rest.
final class LinkConnection: Sendable {
    /// If more bytes wait, the other process doesn't read any more.
    private static let limit = 256 << 20
    /// The most bytes that are written at once, unless a single frame is longer.
    private static let batchSize = 64 << 10
    private static let bufferSize = 64 << 10

    private struct State {
        var frames: Deque<[UInt8]> = []
        var waiting = 0
        var isWriting = false
        var isClosed = false
    }

    private let descriptor: CInt
    private let state = Mutex(State())

    /// Takes a connected socket, which is closed with the connection.
    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { systemClose(descriptor) }

    /// Returns two connected sockets, which other processes don't inherit; nil, with `errno`, if that fails.
    static func pair() -> (CInt, CInt)? {
        var ends: [CInt] = [-1, -1]
        #if canImport(Darwin)
            guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #else
            #if canImport(Glibc)
                let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            #else
                let kind = SOCK_STREAM | SOCK_CLOEXEC
            #endif
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        #endif
        return (ends[0], ends[1])
    }

    /// Adds a frame, which ``write()`` writes.
    ///
    /// One that is too long closes the connection.
    func add(_ frame: FrameBytes) {
        let bytes = frame.sent
        let isFull: Bool = state.withLock { state in
            guard !state.isClosed else { return false }
            guard let bytes, state.waiting + bytes.count <= Self.limit else { return true }
            state.waiting += bytes.count
            state.frames.append(bytes)
            return false
        }
        if isFull { close() }
    }

    // MARK: Writing

    /// Writes what waits, without blocking, unless another thread does so already.
    ///
    /// Don't call it under a lock that is held for long.
    func write() {
        let isNeeded: Bool = state.withLock { state in
            guard !state.isWriting, !state.frames.isEmpty else { return false }
            state.isWriting = true
            return true
        }
        if isNeeded { write([], mayWait: false) }
    }

    private func write(_ first: ArraySlice<UInt8>, mayWait: Bool) {
        var bytes = first
        while true {
            while !bytes.isEmpty {
                let count = bytes.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count) }
                let failure = errno
                if count >= 0 {
                    bytes = bytes.dropFirst(count)
                } else if failure == EAGAIN, !mayWait {
                    let rest = bytes
                    if OSThread.start({ self.write(rest, mayWait: true) }) { return }
                    close()
                    bytes = []
                } else if failure == EAGAIN, waitUntilWritable() {
                    continue
                } else if failure != EINTR {
                    // The other process has ended.
                    close()
                    bytes = []
                }
            }
            guard let next = nextBatch() else { return }
            bytes = next[...]
        }
    }

    /// Waits until the other process reads; false if the connection was closed.
    private func waitUntilWritable() -> Bool {
        while !state.withLock({ $0.isClosed }) {
            var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&polled, 1, 1_000) > 0 { return true }
        }
        return false
    }

    /// The next bytes, if there are any; otherwise this thread's writing is over.
    private func nextBatch() -> [UInt8]? {
        state.withLock { state in
            guard !state.isClosed, var batch = state.frames.popFirst() else {
                state.isWriting = false
                return nil
            }
            while let next = state.frames.first, batch.count + next.count <= Self.batchSize {
                batch += next
                state.frames.removeFirst()
            }
            state.waiting -= batch.count
            return batch
        }
    }

    /// Closes the connection: what waits isn't written any more, and the reading ends.
    func close() {
        let wasOpen: Bool = state.withLock { state in
            defer { (state.isClosed, state.frames, state.waiting) = (true, [], 0) }
            return !state.isClosed
        }
        // The descriptor stays, because other threads use it.
        if wasOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    // MARK: Reading

    /// Reads frames, on a thread of its own, until the other process has closed the connection, or ``close()`` was called.
    ///
    /// - Parameter receive: Called on the thread with the frames that have come, in order.
    /// - Returns: False if the system can't create a thread.
    func read(_ receive: @escaping @Sendable ([FrameBytes]) -> Void) async -> Bool {
        let end = OneShotPromise<Void>()
        let isStarted = OSThread.start {
            self.readFrames(receive)
            end.fulfill(())
        }
        if isStarted { await end.value() }
        return isStarted
    }

    private func readFrames(_ receive: ([FrameBytes]) -> Void) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 1)
        defer { buffer.deallocate() }
        var splitter = FrameSplitter()
        while !splitter.isBroken {
            let count = systemRead(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 {
                let frames = splitter.split(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                if !frames.isEmpty { receive(frames) }
            } else if count == 0 || errno != EINTR {
                break
            }
        }
        close()
    }
}

// Within the class, its own functions have these names.
private let systemRead: @Sendable (CInt, UnsafeMutableRawPointer?, Int) -> Int = { read($0, $1, $2) }
private let systemClose: @Sendable (CInt) -> Void = { _ = close($0) }
/// Sends without blocking, and without SIGPIPE.
private let systemSend: @Sendable (CInt, UnsafeRawPointer?, Int) -> Int = {
    #if canImport(Darwin)
        // The program ignores SIGPIPE.
        return send($0, $1, $2, MSG_DONTWAIT)
    #else
        return send($0, $1, $2, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    #endif
}
