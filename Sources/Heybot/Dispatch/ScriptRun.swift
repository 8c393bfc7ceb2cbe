import Synchronization

/// One run of a script's code on the script threads: until it ends, pauses to ask a user, or its deadline passes.
///
/// Its caller continues in each of these cases. Code that ignores its cancellation runs on detached.
final class ScriptRun: Sendable {
    /// How a run, or a part of it up to a pause, came to its end.
    enum Outcome: Sendable {
        case ended
        case failed(any Error)
        /// It was canceled from outside and stopped, or it never began.
        case cancelled
        /// The deadline passed; the code has been canceled.
        case expired
        /// It waits for a user's answer; ``resume(_:)`` continues it.
        case paused
    }

    private enum Phase {
        case running(since: Duration)
        case paused
        case over
    }

    private struct State {
        var phase = Phase.paused
        var remaining: Duration
        /// The number of answers that it waits for.
        var questions = 0
        var waiter: (@Sendable (Outcome) -> Void)?
        /// Whether the code's own task continues when the code ends.
        ///
        /// The waiter is then called only for a pause or a passed deadline.
        var continuesInOwnTask = false
        var canceller: (@Sendable () -> Void)?
        var isCancelled = false
        /// When the room is to be shown next that the robot is writing; nil if it isn't.
        var typingDue: Duration?
        /// The number of answers to the message when the code began or continued.
        var firstAnswers = 0
        /// The number of answers before the robot began to write; nil if the room doesn't see it writing.
        var answersBeforeTyping: Int?
    }

    /// After how much work the room sees the robot writing.
    private static let typingDelay: Duration = .seconds(1)
    /// How often the room is shown that the robot is still writing.
    private static let typingInterval: Duration = .seconds(3)

    /// The run whose code is running.
    @TaskLocal static var current: ScriptRun?

    /// The dispatch task that runs the code; nil if it runs in a task of its own.
    let dispatchTask: DispatchTaskHandle?
    /// The message whose listener's closure it runs; nil for other code.
    let inbound: InFlightMessage?
    private let deadline: Duration
    private let runs: OpenScriptRuns
    private let timeSource: TimeSource
    private let state: Mutex<State>

    /// - Parameter runs: Watches the deadline.
    init(
        deadline: Duration, among runs: OpenScriptRuns, timeSource: TimeSource, dispatchTask: DispatchTaskHandle? = nil,
        inbound: InFlightMessage? = nil
    ) {
        self.dispatchTask = dispatchTask
        self.inbound = inbound
        self.deadline = deadline
        self.runs = runs
        self.timeSource = timeSource
        state = Mutex(State(remaining: deadline))
    }

    /// Runs `body` on the executor, in a task of its own.
    ///
    /// Call it once.
    func execute(on executor: ScriptTaskExecutor, _ body: @escaping @Sendable () async throws -> Void) async -> Outcome
    {
        await resume {
            let task = Task(executorPreference: executor) { _ = await self.end(with: self.outcome(of: body)) }
            self.setCanceller { Task(executorPreference: executor) { task.cancel() } }
        }
    }

    /// Runs `body` in the calling task.
    ///
    /// Call it once.
    ///
    /// - Parameters:
    ///   - cancel: Cancels the calling task, on the script threads.
    ///   - onDetach: Called if the body pauses or its deadline passes.
    /// - Returns: The outcome of the body; nil if `onDetach` was called.
    func execute(
        _ body: () async throws -> Void, cancel: @escaping @Sendable () -> Void,
        onDetach: @escaping @Sendable (Outcome) -> Void
    ) async -> Outcome? {
        state.withLock { $0.continuesInOwnTask = true }
        _ = start(onDetach)
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

    /// Sets how to cancel the code, and cancels it at once if that was requested before.
    private func setCanceller(_ canceller: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock {
            $0.canceller = canceller
            return $0.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// Lets the deadline count again, calls `resumption`, which continues the code, and waits for the outcome.
    ///
    /// If the code waits for other answers too, it stays paused.
    func resume(_ resumption: @Sendable () -> Void) async -> Outcome {
        await withCheckedContinuation { continuation in
            let known = start { continuation.resume(returning: $0) }
            if let known { continuation.resume(returning: known) }
            resumption()
        }
    }

    /// Lets the deadline count from now on, with a waiter for the outcome.
    ///
    /// - Returns: The outcome if it is known already; nil if the code is running.
    private func start(_ waiter: @escaping @Sendable (Outcome) -> Void) -> Outcome? {
        let (outcome, due): (Outcome?, Duration?) = state.withLock {
            $0.questions = max($0.questions - 1, 0)
            guard case .paused = $0.phase else { return (.ended, nil) }
            guard $0.questions == 0 else { return (.paused, nil) }
            let since = timeSource.now()
            $0.phase = .running(since: since)
            $0.waiter = waiter
            guard let inbound else { return (nil, since + $0.remaining) }
            ($0.typingDue, $0.firstAnswers) = (since + Self.typingDelay, inbound.answers)
            return (nil, since + min($0.remaining, Self.typingDelay))
        }
        if let due { runs.expect(due) }
        return outcome
    }

    /// When the deadline passes; nil while the code isn't running.
    var deadlineDue: Duration? {
        state.withLock { state -> Duration? in
            guard case .running(let since) = state.phase else { return nil }
            return since + state.remaining
        }
    }

    /// When the deadline passes, or the room is to be shown that the robot is writing; nil while the code isn't running.
    var due: Duration? {
        state.withLock { state -> Duration? in
            guard case .running(let since) = state.phase else { return nil }
            let deadline = since + state.remaining
            return state.typingDue.map { min($0, deadline) } ?? deadline
        }
    }

    /// Lets the deadline not count while the code waits for an answer, and calls the waiter.
    func pause() {
        let (waiter, isTyping): ((@Sendable (Outcome) -> Void)?, Bool) = state.withLock {
            $0.questions += 1
            guard case .running(let since) = $0.phase else { return (nil, false) }
            $0.remaining -= timeSource.now() - since
            $0.phase = .paused
            $0.continuesInOwnTask = false
            return ($0.waiter.take(), $0.answersBeforeTyping.take() != nil)
        }
        if isTyping { endTyping() }
        waiter?(.paused)
    }

    /// The time that the code has run, without the time it waited for answers.
    var spent: Duration { deadline - state.withLock { $0.remaining } }

    var isPaused: Bool {
        state.withLock { if case .paused = $0.phase { true } else { false } }
    }

    var isCancelled: Bool {
        state.withLock { $0.isCancelled }
    }

    /// Cancels the code, on the script threads, because its cancellation handlers are script code too.
    func cancel() {
        let canceller = state.withLock {
            $0.isCancelled = true
            return $0.canceller
        }
        canceller?()
    }

    /// Cancels the code and ends the run, if the deadline has passed.
    func expire() {
        let isTime = state.withLock {
            // The code may have paused or ended just before.
            guard case .running(let since) = $0.phase else { return false }
            guard timeSource.now() - since >= $0.remaining else { return false }
            $0.isCancelled = true
            return true
        }
        guard isTime else { return }
        end(with: .expired, byItself: false)
        cancel()
    }

    /// Ends the run, and calls the waiter.
    ///
    /// - Returns: The outcome if the code's own task continues with it; nil if the waiter was called.
    @discardableResult
    private func end(with outcome: Outcome, byItself: Bool = true) -> Outcome? {
        let (waiter, continuesInOwnTask, isTyping): ((@Sendable (Outcome) -> Void)?, Bool, Bool) = state.withLock {
            if case .running(let since) = $0.phase { $0.remaining -= timeSource.now() - since }
            $0.phase = .over
            let continuesInOwnTask = $0.continuesInOwnTask && byItself
            $0.continuesInOwnTask = false
            if byItself { $0.canceller = nil }
            return ($0.waiter.take(), continuesInOwnTask, $0.answersBeforeTyping.take() != nil)
        }
        if isTyping { endTyping() }
        if continuesInOwnTask { return outcome }
        waiter?(outcome)
        return nil
    }

    // MARK: Typing

    /// Shows in the room that the robot is writing, because the code asks for it.
    func beginTyping() {
        guard let inbound else { return }
        let now = timeSource.now()
        let isRunning = state.withLock {
            guard case .running = $0.phase, !$0.isCancelled else { return false }
            $0.typingDue = now + Self.typingInterval
            return true
        }
        guard isRunning else { return }
        runs.expect(now + Self.typingInterval)
        showTyping(.begun, inbound.answers, inbound)
    }

    /// Shows in the room that the robot is writing, if it is time for that and it has said nothing meanwhile; if it has, the
    /// writing ends.
    func showTypingIfDue() {
        guard let inbound else { return }
        let answers = inbound.answers
        let now = timeSource.now()
        let change: TypingChange? = state.withLock {
            guard case .running = $0.phase, let due = $0.typingDue, due <= now else { return nil }
            let before = $0.answersBeforeTyping
            guard answers == before ?? $0.firstAnswers else {
                ($0.typingDue, $0.answersBeforeTyping) = (nil, nil)
                return before == nil ? nil : .ended
            }
            $0.typingDue = now + Self.typingInterval
            return before == nil ? .due : .continued
        }
        guard let change else { return }
        if case .ended = change { endTyping() } else { showTyping(change, answers, inbound) }
    }

    /// - Parameter answers: The number of answers before.
    private func showTyping(_ change: TypingChange, _ answers: Int, _ inbound: InFlightMessage) {
        guard runs.showTyping(change, inbound) else {
            return state.withLock { ($0.typingDue, $0.answersBeforeTyping) = (nil, nil) }
        }
        let isRunning = state.withLock {
            guard case .running = $0.phase else { return false }
            $0.answersBeforeTyping = answers
            return true
        }
        // The code has ended meanwhile.
        if !isRunning { endTyping() }
    }

    /// Shows that the robot has stopped writing, also if it has said something: it may have said it elsewhere.
    private func endTyping() {
        if let inbound { _ = runs.showTyping(.ended, inbound) }
    }
}

/// What the robot's writing does.
enum TypingChange: Sendable {
    /// The code has worked for so long that the robot counts as writing.
    case due
    /// A script has asked for it.
    case begun
    /// It goes on.
    case continued
    /// It ends.
    case ended
}
