import DequeModule
import Synchronization

/// One holder at a time for each key, first come, first served; a key nobody holds costs nothing.
final class KeyLocks: Sendable {
    private typealias Waiter = (number: Int, continuation: CheckedContinuation<Bool, Never>)

    private struct State {
        /// Who waits for each key that is held.
        var held: [StoreKey: Deque<Waiter>] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Throws `CancellationError`, and holds nothing, if the task is cancelled while it waits.
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

    func unlock(_ key: StoreKey) {
        let next: Waiter? = state.withLock {
            if let next = $0.held[key]?.popFirst() { return next }
            $0.held[key] = nil
            return nil
        }
        next?.continuation.resume(returning: true)
    }
}
