import Synchronization

/// One run of a script's code on the script threads: until it ends, pauses to ask somebody, or its deadline passes.
///
/// Whoever waits for it goes on in any case. Code that doesn't heed its cancellation runs on alone.
final class Invocation: Sendable {
    enum Outcome: Sendable {
        case ended
        case failed(any Error)
        /// It was cancelled from outside, and heeded that; or it never began.
        case cancelled
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
        /// How many answers it waits for.
        var questions = 0
        var waiter: CheckedContinuation<Outcome, Never>?
        var running: (task: Task<Void, Never>, lane: Lane)?
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
                    } catch is CancellationError where self.isCancelled {
                        self.settle(.cancelled)
                    } catch {
                        self.settle(.failed(error))
                    }
                }
            }
            let isCancelled = self.state.withLock {
                $0.running = (task, lane)
                return $0.isCancelled
            }
            if isCancelled { self.cancel() }
        }
    }

    /// Sets its deadline going again, then does `go`, which lets the code go on, and waits for what comes of it.
    ///
    /// While the code waits for other answers too, it stays paused.
    func resume(_ go: @Sendable () -> Void) async -> Outcome {
        await withCheckedContinuation { continuation in
            let known: Outcome? = state.withLock {
                $0.questions = max($0.questions - 1, 0)
                guard case .paused = $0.phase else { return .ended }
                guard $0.questions == 0 else { return .paused }
                // Taken before the timer is set, which must not find that it is early.
                let since = timeline.now()
                let timer = timers.after($0.remaining) { [weak self] in self?.expire() }
                $0.phase = .running(since: since, timer: timer)
                $0.waiter = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
            go()
        }
    }

    /// Stops its deadline, since it waits for an answer, and lets whoever waits for it go on.
    func pause() {
        let waiter: CheckedContinuation<Outcome, Never>? = state.withLock {
            $0.questions += 1
            guard case .running(let since, let timer) = $0.phase else { return nil }
            timers.cancel(timer)
            $0.remaining -= timeline.now() - since
            $0.phase = .paused
            return $0.waiter.take()
        }
        waiter?.resume(returning: .paused)
    }

    var isPaused: Bool {
        state.withLock { if case .paused = $0.phase { true } else { false } }
    }

    var isCancelled: Bool {
        state.withLock { $0.isCancelled }
    }

    /// Cancels the code, on the script threads: it may have handlers for that, which are script code too.
    func cancel() {
        let running = state.withLock {
            $0.isCancelled = true
            return $0.running
        }
        if let (task, lane) = running { Task(executorPreference: lane) { task.cancel() } }
    }

    private func expire() {
        let isTime = state.withLock {
            // A timer that fired just as the code paused, or ended, is none of ours any more.
            guard case .running(let since, _) = $0.phase else { return false }
            guard timeline.now() - since >= $0.remaining else { return false }
            $0.isCancelled = true
            return true
        }
        guard isTime else { return }
        settle(.expired)
        cancel()
    }

    private func settle(_ outcome: Outcome) {
        let waiter: CheckedContinuation<Outcome, Never>? = state.withLock {
            if case .running(_, let timer) = $0.phase { timers.cancel(timer) }
            $0.phase = .over
            return $0.waiter.take()
        }
        waiter?.resume(returning: outcome)
    }
}
