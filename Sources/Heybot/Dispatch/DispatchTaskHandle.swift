import Synchronization

/// The state of a task that dispatches messages, as seen from outside: what it is working on, and how to abandon it.
final class DispatchTaskHandle: Sendable {
    private struct State {
        var isScanning: Bool
        /// The message that it took from the inbox last.
        var scanned: InFlightMessage?
        /// The message that it is matching; nil while it runs a closure, which has a deadline.
        var matching: InFlightMessage?
        /// The listener that it tried or ran last.
        var listener: IndexedListener?
        /// The listener that is checking whether the message answers its question.
        var checking: RunningScriptPart?
        /// The message for which it tried or ran that listener.
        var message: Message.ID?
        var task: Task<Void, Never>?
        var isCancelled = false
        /// The message with which it goes on.
        var next: Work?

        var origin: RunningScriptPart {
            if let checking { return checking }
            guard let listener = listener?.listener else { return DispatchTaskHandle.receiving }
            return RunningScriptPart(script: listener.script, part: listener.id, message: message)
        }
    }

    /// A message, and what to do with it.
    typealias Work = (step: Dispatcher.DispatchStep, inbound: InFlightMessage)

    /// What runs if no listener does.
    static let receiving = RunningScriptPart(script: "Heybot", part: "receive")

    /// The number of its pass over the inbox; 0 if it doesn't take messages from the inbox.
    let number: Int
    /// Whether it handles one message after another.
    private let goesOn: Bool
    private let state: Mutex<State>
    private let begun = Atomic(0)
    private let ended = Atomic(0)

    /// - Parameters:
    ///   - number: The number of its pass over the inbox; nil if it doesn't take messages from the inbox.
    ///   - goesOn: Whether it calls ``takeNext()`` after each message.
    init(scanning number: Int? = nil, goesOn: Bool = false) {
        self.number = number ?? 0
        self.goesOn = goesOn
        state = Mutex(State(isScanning: number != nil))
    }

    // MARK: The inbox

    /// Begins matching a message from the inbox.
    ///
    /// - Returns: False if another task has taken over the inbox, and the message with it.
    func scan(_ inbound: InFlightMessage) -> Bool {
        // What was tried or run for the message before isn't to blame for what happens from now on.
        let (isScanning, origin): (Bool, RunningScriptPart?) = state.withLock {
            guard $0.isScanning else { return (false, nil) }
            ($0.scanned, $0.matching) = (inbound, inbound)
            if $0.listener == nil { return (true, nil) }
            ($0.listener, $0.message) = (nil, nil)
            return (true, $0.origin)
        }
        if let origin { CrashReporter.enter(origin) }
        return isScanning
    }

    // MARK: Matching

    /// Records the message that the task is matching.
    func startMatching(_ inbound: InFlightMessage) { state.withLock { $0.matching = inbound } }

    /// Records the listener that the task is trying, for the log and for crash reports.
    func startMatching(_ listener: IndexedListener, for message: Message.ID) {
        let origin = state.withLock {
            ($0.listener, $0.message) = (listener, message)
            return $0.origin
        }
        CrashReporter.enter(origin)
    }

    /// Records that a script's code checks whether the message answers its question.
    func startChecking(_ part: RunningScriptPart) {
        state.withLock { $0.checking = part }
        CrashReporter.enter(part)
    }

    /// Records that this is over.
    func finishChecking() {
        let origin = state.withLock {
            $0.checking = nil
            return $0.origin
        }
        CrashReporter.enter(origin)
    }

    /// Records that matching is over: the message waits, or something else than a closure is about to run.
    func finishMatching() { state.withLock { $0.matching = nil } }

    /// Records that matching is over, and that the listener's closure runs now.
    ///
    /// Another task may have matched it.
    func finishMatching(toRun listener: IndexedListener, for message: Message.ID) {
        let origin: RunningScriptPart? = state.withLock {
            $0.matching = nil
            if $0.listener === listener, $0.message == message { return nil }
            ($0.listener, $0.message) = (listener, message)
            return $0.origin
        }
        if let origin { CrashReporter.enter(origin) }
    }

    /// The script and listener whose code the task runs.
    var origin: RunningScriptPart { state.withLock { $0.origin } }

    /// Abandons the message that the task is matching, and the inbox, because a matcher doesn't return.
    ///
    /// - Returns: The abandoned message; whether the task was scanning the inbox; and the message it took from it last.
    func abandon() -> (matching: InFlightMessage?, wasScanning: Bool, scanned: InFlightMessage?) {
        state.withLock { state in
            defer { state.isScanning = false }
            return (state.matching.take(), state.isScanning, state.scanned.take())
        }
    }

    // MARK: The next message

    /// Gives it another message of the same user, since its own has ended: a new task would need a change of threads.
    ///
    /// - Returns: False if it handles only one message, or was canceled.
    func goOn(with work: Work) -> Bool {
        state.withLock {
            guard goesOn, !$0.isCancelled, $0.next == nil else { return false }
            $0.next = work
            return true
        }
    }

    /// Removes and returns the message with which it goes on.
    func takeNext() -> Work? {
        let (next, hadListener) = state.withLock { state in
            // What was run for the message before isn't to blame for what happens from now on.
            let hadListener = state.listener != nil
            if state.next != nil { (state.listener, state.message) = (nil, nil) }
            return (state.next.take(), hadListener)
        }
        if next != nil, hadListener { CrashReporter.enter(Self.receiving) }
        return next
    }

    // MARK: The task

    /// Attaches the task that this object describes.
    ///
    /// Call it once.
    func attach(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock {
            $0.task = task
            return $0.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the task.
    ///
    /// Its cancellation handlers run on the calling thread.
    func cancel() {
        let task = state.withLock {
            $0.isCancelled = true
            return $0.task
        }
        task?.cancel()
    }

    /// Counts a job that was enqueued for the task.
    func jobBegins() { begun.add(1, ordering: .acquiringAndReleasing) }

    /// Counts a job of the task that has run.
    func jobEnded() { ended.add(1, ordering: .acquiringAndReleasing) }

    /// The number of jobs that the task has run, if it is suspended; nil if it is running or ready to run.
    var jobsBeforeSuspension: Int? {
        // In this order: a job enqueued between the two loads counts as running.
        let ended = ended.load(ordering: .acquiring)
        let begun = begun.load(ordering: .acquiring)
        return begun == ended ? begun : nil
    }
}
