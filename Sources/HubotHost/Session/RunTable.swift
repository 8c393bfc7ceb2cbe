import Logging

/// The questions to the host that aren't over.
struct RunTable: Sendable {
    /// What the host is asked.
    enum Invocation: Hashable, Sendable {
        case listener(ListenerKey, WireMessage, hold: Bool)
        case middleware(MiddlewareQuestion)
    }

    private enum RunState: Hashable {
        /// It waits for a host that is starting.
        case waiting
        case asked
        /// The listener matched, and waits for the robot's middleware.
        case held
        /// The synchronous part is over.
        case answered(since: Duration)
    }

    private struct Run {
        /// Nil once it was answered, because it may be long.
        var invocation: Invocation?
        let script: String?
        let expectsAnswer: Bool
        var state = RunState.waiting
        var hasSent = false
        var hasEnded = false
        var error: ScriptError?
    }

    private var runs: [Int: Run] = [:]
    private var waiting: [Int] = []
    private var last = 0

    /// The scripts whose listeners were asked and haven't answered.
    var unansweredScripts: [String] {
        Set(runs.values.compactMap { $0.state == .asked ? $0.script : nil }).sorted()
    }

    mutating func add(_ question: Invocation, expectsAnswer: Bool) -> Int {
        last += 1
        var script: String?
        if case .listener(let key, _, _) = question { script = key.script }
        runs[last] = Run(invocation: question, script: script, expectsAnswer: expectsAnswer)
        return last
    }

    mutating func remove(_ run: Int) { runs[run] = nil }

    func contains(_ run: Int) -> Bool { runs[run] != nil }

    /// Lets a question wait; false if too many wait already.
    mutating func wait(_ run: Int, limit: Int) -> Bool {
        guard waiting.count < limit else { return false }
        waiting.append(run)
        return true
    }

    /// The questions that have waited for the host, in order.
    mutating func takeWaiting() -> [Int] {
        defer { waiting = [] }
        return waiting
    }

    /// The question of a run that is asked now; nil if it was cancelled.
    mutating func ask(_ run: Int) -> Invocation? {
        guard runs[run]?.state == .waiting else { return nil }
        runs[run]?.state = .asked
        return runs[run]?.invocation
    }

    /// Whether a run was held; then it is held no more.
    mutating func resume(_ run: Int, continues: Bool) -> Bool {
        guard runs[run]?.state == .held else { return false }
        runs[run] = continues ? runs[run] : nil
        runs[run]?.state = .asked
        return true
    }

    /// Forgets a run; returns whether the host must know.
    mutating func cancel(_ run: Int) -> Bool {
        let state = runs.removeValue(forKey: run)?.state
        return state == .asked || state == .held
    }

    /// Whether a run has sent something, or its user has got a notice.
    func isAnswered(_ run: Int) -> Bool { runs[run]?.hasSent ?? true }

    mutating func hasSent(_ run: Int) { runs[run]?.hasSent = true }

    /// A listener has thrown an error; false if the run's result is known already.
    mutating func failed(_ run: Int, with error: ScriptError) -> Bool {
        guard let state = runs[run]?.state, state == .asked else { return false }
        runs[run]?.error = error
        return true
    }

    mutating func answered(_ result: RunResult, at now: Duration) -> [HostAction] {
        guard let run = runs[result.run], run.state == .asked else { return [] }
        var result = result
        if result.error != nil, let error = run.error { result.error = "\(error)" }
        // A listener that isn't Hubot's own may answer without saying that it has matched.
        if result.matched == false, run.hasSent { result.matched = true }
        if result.held == true {
            runs[result.run]?.state = .held
        } else if case .listener = run.invocation, result.matched == true, result.stopped != true {
            runs[result.run]?.state = .answered(since: now)
            runs[result.run]?.invocation = nil
            runs[result.run]?.hasEnded = result.ended != false
            // The user gets a notice of an error.
            if result.error != nil { runs[result.run]?.hasSent = true }
        } else {
            runs[result.run] = nil
        }
        // The error of something else than the listener, such as middleware, isn't in the result.
        let unreported = result.error == nil ? run.error : nil
        return
            (unreported.map {
                [.log(.error, "script \($0.script ?? run.script ?? "unknown") failed: \($0)", script: $0.script)]
            } ?? [])
            + [.answer(result)]
    }

    mutating func ended(_ number: Int, error: String?) -> [HostAction] {
        guard let run = runs[number] else { return [] }
        runs[number]?.hasEnded = true
        guard error != nil, run.expectsAnswer, !run.hasSent, let script = run.script else {
            return [.ended(run: number)]
        }
        runs[number]?.hasSent = true
        return [.tell(run: number, "Sorry, something went wrong (\(script))."), .ended(run: number)]
    }

    /// The process has ended: nobody gets an answer any more, and users who expect one get a notice.
    mutating func processEnded(at now: Duration, answerTime: Duration) -> [HostAction] {
        var actions: [HostAction] = []
        for (number, run) in runs.sorted(by: { $0.key < $1.key }) {
            switch run.state {
            case .waiting: continue
            case .asked, .held: actions.append(.lost(run: number, hasMatched: run.hasSent))
            case .answered(let since):
                if run.expectsAnswer, !run.hasSent, !run.hasEnded || now - since < answerTime, let script = run.script {
                    actions.append(.tell(run: number, HostLost(script: script).userMessage))
                }
                actions.append(.forget(run: number))
            }
            runs[number] = nil
        }
        return actions
    }

    /// Another host takes over: it is asked what this one wasn't asked yet.
    mutating func handOver() -> [HostAction] {
        defer { waiting = [] }
        return waiting.filter { runs.removeValue(forKey: $0) != nil }.map { .handedOver(run: $0) }
    }

    /// There will be no host any more.
    mutating func close() -> [HostAction] {
        defer { (runs, waiting) = ([:], []) }
        return runs.keys.sorted().map { .lost(run: $0) }
    }

    /// Forgets the oldest runs that are over if there are more than this number.
    mutating func forgetOldest(above limit: Int) -> [HostAction] {
        guard runs.count > limit else { return [] }
        let over = runs.filter { if case .answered = $0.value.state { true } else { false } }.keys.sorted()
        // Many at once, so that this isn't repeated for each run.
        let old = over.prefix(over.count / 2)
        for number in old { runs[number] = nil }
        return old.map { .forget(run: $0) }
    }

    /// Forgets runs that have been over for a while.
    mutating func prune(at now: Duration, answerTime: Duration) -> [HostAction] {
        let old = runs.filter {
            guard case .answered(let since) = $0.value.state else { return false }
            // A promise may take long, but not indefinitely.
            return now - since >= ($0.value.hasEnded ? answerTime : answerTime * 20)
        }
        for number in old.keys { runs[number] = nil }
        return old.keys.sorted().map { .forget(run: $0) }
    }
}
