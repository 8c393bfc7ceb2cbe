import Synchronization

/// One run of a script's code on the script threads: until it ends, pauses to ask somebody, or its deadline passes.
///
/// Whoever waits for it goes on in any case. Code that doesn't heed its cancellation runs on alone.
final class Invocation: Sendable {
    enum Outcome: Sendable {
        case ended
        case failed(any Error)
        /// The deadline passed; the code has been cancelled.
        case expired
        /// It waits for somebody, and goes on with ``resume(_:)``.
        case paused
    }

    private enum Phase {
        case running(since: Duration, timer: Timers.Token)
        case paused
        case over
    }

    private struct State {
        var phase = Phase.paused
        var remaining: Duration
        var waiters: [CheckedContinuation<Outcome, Never>] = []
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    /// The invocation whose code is running, seen from that code.
    @TaskLocal static var current: Invocation?

    private let timers: Timers
    private let timeline: Timeline
    private let state: Mutex<State>

    init(deadline: Duration, timers: Timers, timeline: Timeline) {
        self.timers = timers
        self.timeline = timeline
        state = Mutex(State(remaining: deadline))
    }

    /// Runs `body` on the lane.
    ///
    /// To be called once.
    func run(on lane: Lane, _ body: @escaping @Sendable () async throws -> Void) async -> Outcome {
        await resume {
            let task = Task(executorPreference: lane) {
                await Self.$current.withValue(self) {
                    do {
                        try await body()
                        self.settle(.ended)
                    } catch {
                        self.settle(.failed(error))
                    }
                }
            }
            let isCancelled = self.state.withLock {
                if case .over = $0.phase { return $0.isCancelled }
                $0.task = task
                return $0.isCancelled
            }
            if isCancelled { task.cancel() }
        }
    }

    /// Sets its deadline going again, then does `go`, which lets the code go on, and waits for what comes of it.
    func resume(_ go: @Sendable () -> Void) async -> Outcome {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock {
                switch $0.phase {
                case .over: return true
                case .running: break
                case .paused:
                    let timer = timers.after($0.remaining) { [weak self] in self?.expire() }
                    $0.phase = .running(since: timeline.now(), timer: timer)
                }
                $0.waiters.append(continuation)
                return false
            }
            if isOver { continuation.resume(returning: .ended) }
            go()
        }
    }

    /// Stops its deadline, and lets whoever waits for it go on.
    func pause() {
        let waiters: [CheckedContinuation<Outcome, Never>] = state.withLock {
            guard case .running(let since, let timer) = $0.phase else { return [] }
            timers.cancel(timer)
            $0.remaining -= timeline.now() - since
            $0.phase = .paused
            return takeWaiters(&$0)
        }
        for waiter in waiters { waiter.resume(returning: .paused) }
    }

    var isPaused: Bool {
        state.withLock { if case .paused = $0.phase { true } else { false } }
    }

    func cancel() {
        let task = state.withLock {
            $0.isCancelled = true
            return $0.task
        }
        task?.cancel()
    }

    private func expire() {
        let isTime = state.withLock {
            // A timer that fired just as the code paused, or ended, is none of ours any more.
            guard case .running(let since, _) = $0.phase else { return false }
            return timeline.now() - since >= $0.remaining
        }
        guard isTime else { return }
        settle(.expired)
        cancel()
    }

    private func settle(_ outcome: Outcome) {
        let waiters: [CheckedContinuation<Outcome, Never>] = state.withLock {
            if case .running(_, let timer) = $0.phase { timers.cancel(timer) }
            $0.phase = .over
            return takeWaiters(&$0)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private func takeWaiters(_ state: inout State) -> [CheckedContinuation<Outcome, Never>] {
        defer { state.waiters = [] }
        return state.waiters
    }
}
