import DequeModule
import Synchronization

/// The changes of Hubot's brain that aren't stored yet, in order.
final class PendingBrainChanges: Sendable {
    /// The changes that weren't stored at one time.
    struct Snapshot {
        /// In order.
        var entries: [BrainEntry]
        /// The number of the newest batch of changes that is among them, or was stored before.
        var newestBatch: Int
    }

    private struct State {
        var batches: Deque<[BrainEntry]> = []
        /// The number of the newest batch.
        var newest = 0
    }

    private let state = Mutex(State())

    /// Adds a batch of changes if they can be stored.
    ///
    /// - Parameter plan: Plans to store the batch with this number, in the order of these calls; returns whether it does.
    func add(_ entries: [BrainEntry], _ plan: (_ batch: Int) -> Bool) -> Bool {
        state.withLock { state in
            guard plan(state.newest + 1) else { return false }
            state.newest += 1
            state.batches.append(entries)
            return true
        }
    }

    /// The changes of the oldest batch were stored, or given up, and the other versions of the scripts know them.
    func finishOldest() { state.withLock { _ = $0.batches.popFirst() } }

    /// The changes that aren't stored now.
    var all: Snapshot {
        state.withLock { Snapshot(entries: $0.batches.flatMap { $0 }, newestBatch: $0.newest) }
    }

    /// The keys that batches after the oldest one change.
    var laterKeys: Set<String> {
        state.withLock { state in Set(state.batches.dropFirst().joined().map(\.key)) }
    }

    /// Reads the brain.
    ///
    /// - Returns: The entries that were read, followed by the changes that weren't stored when the reading began: it may have
    ///   missed those.
    func reading(_ read: () async throws -> [BrainEntry]) async rethrows -> [BrainEntry] {
        let earlier = all.entries
        return try await read() + earlier
    }
}
