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

    /// The changes that aren't stored now.
    var all: Deque<BrainEntry> { changes.withLock { $0 } }

    /// What the brain has once all changes are stored.
    ///
    /// - Parameters:
    ///   - entries: What was read from the store.
    ///   - earlier: The changes that weren't stored when the reading began; it may have missed them.
    func applied(to entries: [BrainEntry], after earlier: Deque<BrainEntry>) -> [BrainEntry] {
        let present = all
        guard !earlier.isEmpty || !present.isEmpty else { return entries }
        var values = Dictionary(entries.map { ($0.key, $0) }) { $1 }
        for changes in [earlier, present] {
            for change in changes { values[change.key] = change.value == nil ? nil : change }
        }
        return Array(values.values)
    }
}
