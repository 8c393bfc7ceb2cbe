import Synchronization

/// The messages that wait to be written to the host's process, in order.
final class Outbox: Sendable {
    /// If more bytes wait, the host doesn't read any more.
    private static let limit = 32 << 20

    private struct State {
        var waiting = 0
        var kill: (@Sendable () -> Void)?
        var isKilled = false
    }

    /// The messages, until the outbox is closed.
    let messages: AsyncStream<RobotMessage>
    private let continuation: AsyncStream<RobotMessage>.Continuation
    private let state = Mutex(State())

    init() { (messages, continuation) = AsyncStream.makeStream() }

    /// Adds a message; kills the process if it doesn't read what waits already.
    func add(_ message: RobotMessage) {
        let isFull = state.withLock {
            let size = message.approximateSize
            $0.waiting += size
            // A single long message isn't a sign of that.
            return $0.waiting > Self.limit && $0.waiting > size
        }
        if isFull { kill() } else { continuation.yield(message) }
    }

    /// A message was written.
    func written(_ message: RobotMessage) { state.withLock { $0.waiting -= message.approximateSize } }

    /// No more messages come.
    func close() { continuation.finish() }

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
