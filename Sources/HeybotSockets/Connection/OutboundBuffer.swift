import NIOCore
import Synchronization

/// The bytes that the event loop hasn't taken yet.
///
/// If nothing waits, the thread that sends can write to the socket itself, which saves waking the event loop.
final class OutboundBuffer: Sendable {
    private struct State {
        var bytes = OutboundBytes()
        /// The number of bytes in `bytes`, and of those that the event loop has taken and the system hasn't.
        var unsent = 0
        var isClosed = false
        /// Whether the event loop has been woken to take the bytes.
        var isDue = false
        /// When bytes are written without a wait for others.
        var nextWrite = NIODeadline.uptimeNanoseconds(0)
        /// When bytes were flushed last, or written together.
        var lastFlush = NIODeadline.uptimeNanoseconds(0)
        /// The socket that the sending thread writes to; nil if only the event loop writes.
        var socket: SharedSocket?

        /// Lets the bytes wait for others only if they follow the last ones so soon that they may belong to a burst.
        mutating func updateNextWrite(_ now: NIODeadline, _ burstGap: TimeAmount) {
            if now - lastFlush > burstGap { nextWrite = now }
            lastFlush = now
        }

        /// Writes to the socket if nothing else is to be written before.
        mutating func writeDirectly(_ now: NIODeadline, _ interval: TimeAmount) {
            guard let socket, now >= nextWrite, unsent == bytes.count else { return }
            nextWrite = now + interval
            let count = socket.writeWithoutWaiting(bytes.buffer)
            bytes.removeFirst(count)
            unsent -= count
        }
    }

    /// NIO's buffers can't exceed 4 GB, and would trap.
    private static let most = 1 << 30
    /// The capacity up to which the memory of written bytes is used again.
    private static let mostKept = 16_384

    private let limit: Int
    private let interval: TimeAmount
    private let burstGap: TimeAmount
    private let state = Mutex(State())

    init(_ limits: Connection.BufferLimits) {
        limit = limits.unsent
        interval = TimeAmount(clamping: limits.writeInterval)
        burstGap = TimeAmount(clamping: limits.burstGap)
    }

    var unsent: Int { state.withLock { $0.unsent } }
    /// Whether no more bytes are accepted.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Adds bytes, which ``flush(wake:)`` sends.
    ///
    /// - Returns: False if there is no room, or no more bytes are accepted.
    func add(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            let hasRoom = state.unsent < limit && bytes.count <= Self.most - state.unsent
            guard hasRoom, !state.isClosed else { return false }
            state.bytes.append(bytes)
            state.unsent += bytes.count
            return true
        }
    }

    /// Writes what was added, or calls `wake` if the event loop must be woken for that.
    func flush(wake: () -> Void) {
        let mustWake = state.withLock { state in
            guard state.bytes.count > 0, !state.isDue else { return false }
            if interval > .zero {
                let now = NIODeadline.now()
                state.updateNextWrite(now, burstGap)
                state.writeDirectly(now, interval)
            }
            if state.bytes.count == 0 {
                // The memory of a long message isn't kept.
                if state.bytes.capacity > Self.mostKept {
                    state.bytes = OutboundBytes()
                } else {
                    state.bytes.removeAll()
                }
                return false
            }
            state.isDue = true
            return true
        }
        if mustWake { wake() }
    }

    // MARK: The event loop's side

    /// Lets the threads that send write to this socket themselves; nil to leave all writes to the event loop.
    func setSocket(_ socket: SharedSocket?) {
        state.withLock { state in
            if !state.isClosed { state.socket = socket }
        }
    }

    /// How long queued bytes, if there are fewer than a number, are to wait for more; nil if they aren't.
    func wait(forUpTo count: Int) -> TimeAmount? {
        state.withLock { state in
            guard (1..<count).contains(state.bytes.count) else { return nil }
            let wait = state.nextWrite - NIODeadline.now()
            return wait > .zero ? wait : nil
        }
    }

    /// Takes the bytes to write now.
    func take() -> OutboundBytes {
        state.withLock { state in
            defer { state.bytes = OutboundBytes() }
            state.isDue = false
            if interval > .zero, state.bytes.count > 0 {
                // What was flushed while they waited wasn't noted.
                state.lastFlush = NIODeadline.now()
                state.nextWrite = state.lastFlush + interval
            }
            return state.bytes
        }
    }

    func sent(_ count: Int) {
        state.withLock { $0.unsent = max($0.unsent - count, 0) }
    }

    /// Stops accepting bytes; queued ones are dropped or still sent.
    func end(dropping: Bool) {
        state.withLock { state in
            state.isClosed = true
            // Before the event loop closes its own, or the other side wouldn't see the end.
            state.socket = nil
            if dropping {
                state.bytes = OutboundBytes()
                state.unsent = 0
            }
        }
    }
}
