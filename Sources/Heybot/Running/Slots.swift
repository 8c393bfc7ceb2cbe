import DequeModule
import Synchronization

/// So many messages may be handled at a time; the next waits, first come, first served.
final class Slots: Sendable {
    private struct State {
        var free: Int
        var waiting = Deque<CheckedContinuation<Void, Never>>()
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        state = Mutex(State(free: count))
    }

    func take() async {
        if state.withLock({ takeNow(&$0) }) { return }
        await withCheckedContinuation { continuation in
            let isTaken = state.withLock {
                if takeNow(&$0) { return true }
                $0.waiting.append(continuation)
                return false
            }
            if isTaken { continuation.resume() }
        }
    }

    func giveBack() {
        let next: CheckedContinuation<Void, Never>? = state.withLock {
            if let next = $0.waiting.popFirst() { return next }
            $0.free += 1
            return nil
        }
        next?.resume()
    }

    private func takeNow(_ state: inout State) -> Bool {
        guard state.free > 0 else { return false }
        state.free -= 1
        return true
    }
}
