package import FoundationEssentials
import HeapModule
import Synchronization

/// Everything a robot does later: deadlines, cool-downs, delayed and repeated work, on one sleeping task.
package final class Timers: Sendable {
    /// A promise to do something later, which can be taken back.
    package struct Token: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry: Comparable {
        let due: Duration
        let number: Int

        static func < (one: Entry, other: Entry) -> Bool { (one.due, one.number) < (other.due, other.number) }
    }

    private struct State {
        var heap = Heap<Entry>()
        var actions: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0
        var sleeper: Task<Void, Never>?
        var wakes: Duration?
        var isClosed = false
    }

    private let timeline: Timeline
    private let state = Mutex(State())
    private let firing = Mutex(())

    package init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// Runs `action` once, that long from now.
    ///
    /// It must return at once: it may start work, not do it.
    @discardableResult
    package func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> Token {
        let due = timeline.now() + max(delay, .zero)
        return state.withLock {
            $0.lastNumber += 1
            guard !$0.isClosed else { return Token(number: $0.lastNumber) }
            $0.heap.insert(Entry(due: due, number: $0.lastNumber))
            $0.actions[$0.lastNumber] = action
            if $0.wakes.map({ due < $0 }) ?? true { sleep(until: due, &$0) }
            return Token(number: $0.lastNumber)
        }
    }

    /// Takes it back; nothing if it is done already.
    package func cancel(_ token: Token) {
        // The action, and what it holds, goes outside the lock.
        _ = state.withLock {
            let action = $0.actions.removeValue(forKey: token.number)
            // What was taken back stays in the heap until due, so throw that away before it outgrows the rest.
            if $0.heap.count > 2 * $0.actions.count + 64 {
                let actions = $0.actions
                $0.heap = Heap($0.heap.unordered.filter { actions[$0.number] != nil })
            }
            return action
        }
    }

    /// Takes back everything, and takes nothing new.
    package func close() {
        let (sleeper, actions) = state.withLock { state in
            defer { state = State(isClosed: true) }
            return (state.sleeper, state.actions)
        }
        sleeper?.cancel()
        withExtendedLifetime(actions) {}
    }

    /// When the next thing is due, in the timeline's time.
    package var nextDue: Duration? {
        state.withLock { state in
            while let first = state.heap.min, state.actions[first.number] == nil { state.heap.removeMin() }
            return state.heap.min?.due
        }
    }

    /// Runs all that is due by now, earliest first.
    ///
    /// Returns when that is done, also if another caller is doing it.
    package func fire() {
        firing.withLock { _ in fireAlone() }
    }

    private func fireAlone() {
        let now = timeline.now()
        let actions = state.withLock { state in
            var actions: [@Sendable () -> Void] = []
            while let first = state.heap.min, first.due <= now {
                state.heap.removeMin()
                if let action = state.actions.removeValue(forKey: first.number) { actions.append(action) }
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
        state.sleeper = Task.detached { [weak self, timeline] in
            // Not for too long at a time: clocks count in nanoseconds, and end after some centuries.
            do { try await timeline.sleep(min(due - timeline.now(), .seconds(86_400))) } catch { return }
            self?.fire()
        }
    }
}

/// The time a robot lives by: a clock that only goes forward, and the date.
package struct Timeline: Sendable {
    /// The time since the timeline began.
    package let now: @Sendable () -> Duration
    /// Sleeps that long; throws if cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void
    package let date: @Sendable () -> Date

    package init<C: Clock>(_ clock: C, date: @escaping @Sendable () -> Date) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
        self.date = date
    }
}
