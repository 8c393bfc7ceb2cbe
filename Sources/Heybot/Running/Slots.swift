import DequeModule
import Synchronization

/// So many messages may be in the receive middleware at a time; the next waits, first come, first served.
final class Slots: Sendable {
    /// The right to be there.
    final class Slot: Sendable {
        private let slots: Slots
        private let isHeld = Atomic(true)

        fileprivate init(_ slots: Slots) {
            self.slots = slots
        }

        /// Lets the next have it; more than once does no harm.
        func giveBack() {
            if isHeld.exchange(false, ordering: .acquiringAndReleasing) { slots.next() }
        }
    }

    private struct State {
        var free: Int
        var waiting = Deque<CheckedContinuation<Void, Never>>()
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        state = Mutex(State(free: count))
    }

    func take() async -> Slot {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock {
                if $0.free > 0 {
                    $0.free -= 1
                    return true
                }
                $0.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        return Slot(self)
    }

    private func next() {
        let next: CheckedContinuation<Void, Never>? = state.withLock {
            if let next = $0.waiting.popFirst() { return next }
            $0.free += 1
            return nil
        }
        next?.resume()
    }
}
