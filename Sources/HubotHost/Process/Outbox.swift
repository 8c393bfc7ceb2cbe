import DequeModule
import HeybotSupport
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The messages to the host's process, in order.
///
/// A message is written by the thread that has it, so that a question gets to the host without a change of threads. If the host
/// doesn't read at once, a thread of its own writes the rest.
final class Outbox: Sendable {
    /// If more bytes wait, the host doesn't read any more.
    private static let limit = 32 << 20
    /// The most bytes that are encoded at once, unless a single message is longer.
    private static let batchSize = 64 << 10

    private enum Stream {
        case unopened
        case open(CInt)
        case closed
    }

    /// Encoded messages on their way to the process.
    private struct Batch {
        let descriptor: CInt
        var bytes: ArraySlice<UInt8> = []
        /// The approximate size of its messages.
        var size = 0
    }

    private struct State {
        var messages: Deque<RobotMessage> = []
        var waiting = 0
        var stream = Stream.unopened
        /// Whether something waits that must be written now.
        var isDue = false
        var isWriting = false
        var kill: (@Sendable () -> Void)?
        var isKilled = false
    }

    private let state = Mutex(State())

    /// Adds a message, which ``write()`` writes; kills the process if it doesn't read what waits already.
    ///
    /// - Parameter isDue: Whether it must be written now. Otherwise it is written with the next message that must be.
    func add(_ message: RobotMessage, isDue: Bool = true) {
        let isFull = state.withLock { state in
            if case .closed = state.stream { return false }
            let size = message.approximateSize
            state.waiting += size
            // A single long message isn't a sign of that.
            if state.waiting > Self.limit, state.waiting > size { return true }
            state.messages.append(message)
            if isDue { state.isDue = true }
            return false
        }
        if isFull { kill() }
    }

    // MARK: Writing

    /// Opens the stream to the process: a descriptor that doesn't block, which the outbox closes.
    func open(_ descriptor: CInt) {
        state.withLock { $0.stream = .open(descriptor) }
        write()
    }

    /// Writes what waits, without blocking, unless another thread does so already, or nothing is due.
    ///
    /// Don't call it under a lock that is held for long.
    func write() {
        let descriptor: CInt? = state.withLock { state in
            guard case .open(let descriptor) = state.stream, !state.isWriting, state.isDue else { return nil }
            state.isWriting = true
            return descriptor
        }
        if let descriptor { write(Batch(descriptor: descriptor), mayWait: false) }
    }

    private func write(_ first: Batch, mayWait: Bool) {
        var batch = first
        while true {
            while !batch.bytes.isEmpty {
                let count = batch.bytes.withUnsafeBytes { systemWrite(batch.descriptor, $0.baseAddress, $0.count) }
                let failure = errno
                if count >= 0 {
                    batch.bytes = batch.bytes.dropFirst(count)
                } else if failure == EAGAIN, !mayWait {
                    let rest = batch
                    if OSThread.start({ self.write(rest, mayWait: true) }) { return }
                    kill()
                    batch.bytes = []
                } else if failure == EAGAIN, waitUntilWritable(batch.descriptor) {
                    continue
                } else if failure != EINTR {
                    // The process has ended, and its output ends too.
                    batch.bytes = []
                }
            }
            guard let next = next(after: batch) else { return }
            batch = next
        }
    }

    /// Waits until the process reads; false if the outbox was closed.
    private func waitUntilWritable(_ descriptor: CInt) -> Bool {
        while true {
            var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&polled, 1, 1_000) > 0 { return true }
            // Something that a script has started may hold the stream open without reading it.
            if state.withLock({ if case .closed = $0.stream { true } else { false } }) { return false }
        }
    }

    /// The next messages, if there are any; otherwise this thread's writing is over.
    private func next(after batch: Batch) -> Batch? {
        let next: (messages: [RobotMessage], size: Int)? = state.withLock { state in
            state.waiting -= batch.size
            var isOpen = true
            if case .closed = state.stream { isOpen = false }
            guard isOpen, state.isDue else {
                state.isWriting = false
                if !isOpen { systemClose(batch.descriptor) }
                return nil
            }
            var messages: [RobotMessage] = []
            var size = 0
            while size < Self.batchSize, let message = state.messages.popFirst() {
                size += message.approximateSize
                messages.append(message)
            }
            if state.messages.isEmpty { state.isDue = false }
            return (messages, size)
        }
        // Encoded without the lock.
        return next.map { messages, size in
            var writer = JSONWriter(capacity: size)
            for message in messages { message.write(to: &writer) }
            return Batch(descriptor: batch.descriptor, bytes: writer.bytes[...], size: size)
        }
    }

    /// Closes the stream: what waits isn't written any more.
    func close() {
        state.withLock { state in
            // The thread that writes closes it.
            if case .open(let descriptor) = state.stream, !state.isWriting { systemClose(descriptor) }
            state.stream = .closed
            state.messages = []
        }
    }

    // MARK: Killing

    /// Says how to kill the process.
    func whenKilled(_ kill: @escaping @Sendable () -> Void) {
        let isKilled = state.withLock {
            $0.kill = kill
            return $0.isKilled
        }
        if isKilled { kill() }
    }

    /// Kills the process, now or when it has started.
    func kill() {
        let kill = state.withLock {
            $0.isKilled = true
            return $0.kill
        }
        kill?()
    }

    /// The process has ended: its number may soon be another's.
    func forgetProcess() { state.withLock { $0.kill = nil } }
}

// Within the class, its own functions have these names.
private let systemWrite: @Sendable (CInt, UnsafeRawPointer?, Int) -> Int = { write($0, $1, $2) }
private let systemClose: @Sendable (CInt) -> Void = { _ = close($0) }
