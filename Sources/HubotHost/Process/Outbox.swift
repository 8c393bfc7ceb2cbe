import Synchronization

/// The lines that wait to be written to the host's process, in order.
final class Outbox: Sendable {
    /// If more bytes wait, the host doesn't read any more.
    private static let limit = 32 << 20

    private struct State {
        var waiting = 0
        var kill: (@Sendable () -> Void)?
        var isKilled = false
    }

    /// The lines, until the outbox is closed.
    let lines: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let state = Mutex(State())

    init() { (lines, continuation) = AsyncStream.makeStream() }

    /// Adds a line; kills the process if it doesn't read what waits already.
    func add(_ line: [UInt8]) {
        let isFull = state.withLock {
            $0.waiting += line.count
            return $0.waiting > Self.limit
        }
        if isFull { kill() } else { continuation.yield(line) }
    }

    /// A line was written.
    func written(_ line: [UInt8]) { state.withLock { $0.waiting -= line.count } }

    /// No more lines come.
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
