import HeapModule
import Synchronization

/// The timers of a robot: deadlines, delayed and repeated work.
///
/// One sleeping task serves all of them.
package final class TimerQueue: Sendable {
    /// Identifies a timer, to cancel it.
    package struct Token: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry: Comparable {
        let due: Duration
        let number: Int

        static func < (one: Entry, other: Entry) -> Bool { (one.due, one.number) < (other.due, other.number) }
    }

    private struct Action {
        let outlastsStop: Bool
        let run: @Sendable () -> Void
    }

    private enum Phase {
        case open, stopped, closed
    }

    private struct State {
        var heap = Heap<Entry>()
        var actions: [Int: Action] = [:]
        var lastNumber = 0
        var sleeper: Task<Void, Never>?
        var wakes: Duration?
        var phase = Phase.open
    }

    private let timeSource: TimeSource
    private let state = Mutex(State())
    private let firing = Mutex(())

    package init(_ timeSource: TimeSource) {
        self.timeSource = timeSource
    }

    /// Calls `action` once, after the delay.
    ///
    /// It must return immediately: it may start work, but not do it.
    ///
    /// - Parameter outlastsStop: Whether it is called even after ``stop()``.
    @discardableResult
    package func after(
        _ delay: Duration, outlastsStop: Bool = false, _ action: @escaping @Sendable () -> Void
    ) -> Token {
        let due = timeSource.now() + max(delay, .zero)
        return state.withLock {
            $0.lastNumber += 1
            guard $0.phase == .open || $0.phase == .stopped && outlastsStop else {
                return Token(number: $0.lastNumber)
            }
            $0.heap.insert(Entry(due: due, number: $0.lastNumber))
            $0.actions[$0.lastNumber] = Action(outlastsStop: outlastsStop, run: action)
            if $0.wakes.map({ due < $0 }) ?? true { sleep(until: due, &$0) }
            return Token(number: $0.lastNumber)
        }
    }

    /// Cancels a timer.
    ///
    /// Does nothing if it has fired already.
    package func cancel(_ token: Token) {
        // The action, and what it captures, is released outside the lock.
        _ = state.withLock {
            let action = $0.actions.removeValue(forKey: token.number)
            // Canceled timers stay in the heap until they are due: remove them before they outnumber the rest.
            if $0.heap.count > 2 * $0.actions.count + 64 {
                let actions = $0.actions
                $0.heap = Heap($0.heap.unordered.filter { actions[$0.number] != nil })
            }
            return action
        }
    }

    /// Cancels all timers, and ignores new ones, except those that outlast this.
    package func stop() {
        let ended: [Int: Action] = state.withLock { state in
            guard state.phase == .open else { return [:] }
            state.phase = .stopped
            let ended = state.actions.filter { !$0.value.outlastsStop }
            for number in ended.keys { state.actions[number] = nil }
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    /// Cancels all timers, and ignores new ones.
    package func close() {
        let (sleeper, actions) = state.withLock { state in
            defer { state = State(phase: .closed) }
            return (state.sleeper, state.actions)
        }
        sleeper?.cancel()
        withExtendedLifetime(actions) {}
    }

    /// When the next timer is due, in the time of the time source; nil if there is none.
    package var nextDue: Duration? {
        state.withLock { state in
            while let first = state.heap.min, state.actions[first.number] == nil { state.heap.removeMin() }
            return state.heap.min?.due
        }
    }

    /// Calls the actions of all timers that are due, earliest first.
    ///
    /// Returns when they have returned, even if another thread is calling them.
    package func fire() {
        firing.withLock { _ in fireAlone() }
    }

    private func fireAlone() {
        let now = timeSource.now()
        let actions = state.withLock { state in
            var actions: [@Sendable () -> Void] = []
            while let first = state.heap.min, first.due <= now {
                state.heap.removeMin()
                if let action = state.actions.removeValue(forKey: first.number) { actions.append(action.run) }
            }
            if let next = state.heap.min {
                sleep(until: next.due, &state)
            } else {
                state.wakes = nil
            }
            return actions
        }
        for action in actions { action() }
    }

    private func sleep(until due: Duration, _ state: inout State) {
        state.sleeper?.cancel()
        state.wakes = due
        state.sleeper = Task.detached { [weak self, timeSource] in
            // A day at a time at most: clocks count nanoseconds, and would overflow after some centuries.
            do { try await timeSource.sleep(min(due - timeSource.now(), .seconds(86_400))) } catch { return }
            self?.fire()
        }
    }
}
