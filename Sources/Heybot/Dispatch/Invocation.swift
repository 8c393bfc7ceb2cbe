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
        var waiter: (@Sendable (Outcome) -> Void)?
        /// The waiter is told only of a pause, or that the deadline passed: else the code's own task goes on.
        var goesOnItself = false
        var canceller: (@Sendable () -> Void)?
        var isCancelled = false
    }

    /// The invocation whose code is running, seen from that code.
    @TaskLocal static var current: Invocation?

    /// Whose task runs the code; nil for a task of its own.
    let passage: Passage?
    private let deadline: Duration
    private let timers: Timers
    private let timeline: Timeline
    private let state: Mutex<State>

    init(deadline: Duration, timers: Timers, timeline: Timeline, passage: Passage? = nil) {
        self.passage = passage
        self.deadline = deadline
        self.timers = timers
        self.timeline = timeline
        state = Mutex(State(remaining: deadline))
    }

    /// Runs `body` on the lane, on a task of its own.
    ///
    /// To be called once.
    func run(on lane: Lane, _ body: @escaping @Sendable () async throws -> Void) async -> Outcome {
        await resume {
            let task = Task(executorPreference: lane) { _ = await self.end(with: self.outcome(of: body)) }
            self.setCanceller { Task(executorPreference: lane) { task.cancel() } }
        }
    }

    /// Runs `body` in the task that calls this.
    ///
    /// To be called once.
    ///
    /// - Parameters:
    ///   - cancel: Cancels that task, on the script threads.
    ///   - overtaken: Told if the body paused, or its deadline passed.
    /// - Returns: What came of the body; nil if somebody else has been told.
    func run(
        _ body: () async throws -> Void, cancel: @escaping @Sendable () -> Void,
        overtaken: @escaping @Sendable (Outcome) -> Void
    ) async -> Outcome? {
        state.withLock { $0.goesOnItself = true }
        _ = goOn(overtaken)
        setCanceller(cancel)
        return await end(with: outcome(of: body))
    }

    private func outcome(of body: () async throws -> Void) async -> Outcome {
        await Self.$current.withValue(self) {
            do {
                try await body()
                return .ended
            } catch is CancellationError where isCancelled {
                return .cancelled
            } catch {
                return .failed(error)
            }
        }
    }

    /// That is how to cancel it, which may have been wanted already.
    private func setCanceller(_ canceller: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock {
            $0.canceller = canceller
            return $0.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// Sets its deadline going again, then does `go`, which lets the code go on, and waits for what comes of it.
    ///
    /// While the code waits for other answers too, it stays paused.
    func resume(_ go: @Sendable () -> Void) async -> Outcome {
        await withCheckedContinuation { continuation in
            let known = goOn { continuation.resume(returning: $0) }
            if let known { continuation.resume(returning: known) }
            go()
        }
    }

    /// Sets its deadline going again, with somebody who waits for what comes of it; returns what is known already.
    private func goOn(_ waiter: @escaping @Sendable (Outcome) -> Void) -> Outcome? {
        state.withLock {
            $0.questions = max($0.questions - 1, 0)
            guard case .paused = $0.phase else { return .ended }
            guard $0.questions == 0 else { return .paused }
            // Taken before the timer is set, which must not find that it is early.
            let since = timeline.now()
            let timer = timers.after($0.remaining) { [weak self] in self?.expire() }
            $0.phase = .running(since: since, timer: timer)
            $0.waiter = waiter
            return nil
        }
    }

    /// Stops its deadline, since it waits for an answer, and lets whoever waits for it go on.
    func pause() {
        let waiter: (@Sendable (Outcome) -> Void)? = state.withLock {
            $0.questions += 1
            guard case .running(let since, let timer) = $0.phase else { return nil }
            timers.cancel(timer)
            $0.remaining -= timeline.now() - since
            $0.phase = .paused
            $0.goesOnItself = false
            return $0.waiter.take()
        }
        waiter?(.paused)
    }

    /// How long it has run, without what it waited for answers.
    var spent: Duration { deadline - state.withLock { $0.remaining } }

    var isPaused: Bool {
        state.withLock { if case .paused = $0.phase { true } else { false } }
    }

    var isCancelled: Bool {
        state.withLock { $0.isCancelled }
    }

    /// Cancels the code, on the script threads: it may have handlers for that, which are script code too.
    func cancel() {
        let canceller = state.withLock {
            $0.isCancelled = true
            return $0.canceller
        }
        canceller?()
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
        end(with: .expired, byItself: false)
        cancel()
    }

    /// Tells whoever waits for it.
    ///
    /// - Returns: The outcome if its own task goes on with that.
    @discardableResult
    private func end(with outcome: Outcome, byItself: Bool = true) -> Outcome? {
        let (waiter, goesOnItself): ((@Sendable (Outcome) -> Void)?, Bool) = state.withLock {
            if case .running(let since, let timer) = $0.phase {
                timers.cancel(timer)
                $0.remaining -= timeline.now() - since
            }
            $0.phase = .over
            let goesOnItself = $0.goesOnItself && byItself
            $0.goesOnItself = false
            if byItself { $0.canceller = nil }
            return ($0.waiter.take(), goesOnItself)
        }
        if goesOnItself { return outcome }
        waiter?(outcome)
        return nil
    }
}
