import DequeModule
import Synchronization

/// The changes of Hubot's brain that aren't stored yet, in order.
final class PendingBrainChanges: Sendable {
    private let changes = Mutex(Deque<BrainEntry>())

    /// Adds changes if they can be stored.
    ///
    /// - Parameter plan: Plans to store them, in the order of these calls; returns whether it does.
    func add(_ entries: [BrainEntry], _ plan: () -> Bool) -> Bool {
        changes.withLock { changes in
            guard plan() else { return false }
            changes += entries
            return true
        }
    }

    /// The oldest change was stored, or given up.
    func finishOldest() { changes.withLock { _ = $0.popFirst() } }

    /// The changes that aren't stored now, in order.
    var all: [BrainEntry] { changes.withLock { Array($0) } }

    /// Reads the brain.
    ///
    /// - Returns: The entries that were read, followed by the changes that weren't stored when the reading began: it may have
    ///   missed those.
    func reading(_ read: () async throws -> [BrainEntry]) async rethrows -> [BrainEntry] {
        let earlier = all
        return try await read() + earlier
    }
}
