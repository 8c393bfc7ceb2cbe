import DequeModule
import Synchronization

/// A first-in, first-out lock for each key.
///
/// A key that isn't locked takes no memory.
final class KeyLocks: Sendable {
    private typealias Waiter = (number: Int, continuation: CheckedContinuation<Bool, Never>)

    private struct State {
        /// The waiters for each locked key.
        var held: [StoreKey: Deque<Waiter>] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Locks a key, waiting for its turn.
    ///
    /// - Throws: `CancellationError`, without the lock, if the task is canceled while it waits.
    func lock(_ key: StoreKey) async throws {
        let number: Int? = state.withLock {
            guard $0.held[key] != nil else {
                $0.held[key] = []
                return nil
            }
            $0.lastNumber += 1
            return $0.lastNumber
        }
        guard let number else { return }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock {
                    if Task.isCancelled { return false }
                    guard $0.held[key] != nil else {
                        $0.held[key] = []
                        return true
                    }
                    $0.held[key]?.append((number, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter: Waiter? = state.withLock {
                guard let index = $0.held[key]?.firstIndex(where: { $0.number == number }) else { return nil }
                return $0.held[key]?.remove(at: index)
            }
            waiter?.continuation.resume(returning: false)
        }
        guard isMine else { throw CancellationError() }
    }

    /// Unlocks a key, and hands the lock to the first waiter.
    func unlock(_ key: StoreKey) {
        let next: Waiter? = state.withLock {
            if let next = $0.held[key]?.popFirst() { return next }
            $0.held[key] = nil
            return nil
        }
        next?.continuation.resume(returning: true)
    }
}
