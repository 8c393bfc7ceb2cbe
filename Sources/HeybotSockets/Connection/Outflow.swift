import NIOCore
import Synchronization

/// The bytes that are to be sent and that the event loop hasn't taken yet.
final class Outflow: Sendable {
    private struct State {
        var bytes = ByteBuffer()
        /// What is in `bytes`, and what the event loop has taken and the system hasn't.
        var unsent = 0
        var isOver = false
        /// The event loop has been told, and will take what there is.
        var isDue = false
    }

    /// A buffer of NIO's can't be larger than 4 GB, and would trap.
    private static let most = 1 << 30

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    var unsent: Int { state.withLock { $0.unsent } }
    /// Whether nothing is taken any more.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Calls `wake` if the event loop must be told; false if there is no room, or nothing is sent any more.
    func add(_ bytes: [UInt8], wake: () -> Void) -> Bool {
        let (isTaken, isNews) = state.withLock { state in
            let hasRoom = state.unsent < limit && bytes.count <= Self.most - state.unsent
            guard hasRoom, !state.isOver else { return (false, false) }
            state.bytes.writeBytes(bytes)
            state.unsent += bytes.count
            defer { state.isDue = true }
            return (true, !state.isDue)
        }
        if isNews { wake() }
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

    /// Nothing more is taken from anybody; what waits is dropped, or still sent.
    func end(dropping: Bool) {
        state.withLock { state in
            state.isOver = true
            if dropping {
                state.bytes = ByteBuffer()
                state.unsent = 0
            }
        }
    }
}
