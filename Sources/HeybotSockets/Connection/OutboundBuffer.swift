import NIOCore
import Synchronization

/// The bytes that the event loop hasn't taken yet.
final class OutboundBuffer: Sendable {
    private struct State {
        var bytes = ByteBuffer()
        /// The number of bytes in `bytes`, and of those that the event loop has taken and the system hasn't.
        var unsent = 0
        var isClosed = false
        /// Whether the event loop has been woken to take the bytes.
        var isDue = false
    }

    /// NIO's buffers can't exceed 4 GB, and would trap.
    private static let most = 1 << 30

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    var unsent: Int { state.withLock { $0.unsent } }
    /// The number of bytes that the event loop hasn't taken.
    var queued: Int { state.withLock { $0.bytes.readableBytes } }
    /// Whether no more bytes are accepted.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Adds bytes, and calls `wake` if the event loop must be woken.
    ///
    /// - Returns: False if there is no room, or no more bytes are accepted.
    func add(_ bytes: [UInt8], wake: () -> Void) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            let hasRoom = state.unsent < limit && bytes.count <= Self.most - state.unsent
            guard hasRoom, !state.isClosed else { return (false, false) }
            state.bytes.writeBytes(bytes)
            state.unsent += bytes.count
            defer { state.isDue = true }
            return (true, !state.isDue)
        }
        if isFirst { wake() }
        return isTaken
    }

    // MARK: The event loop's side

    func take() -> ByteBuffer {
        state.withLock { state in
            defer { state.bytes = ByteBuffer() }
            state.isDue = false
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
            if dropping {
                state.bytes = ByteBuffer()
                state.unsent = 0
            }
        }
    }
}
