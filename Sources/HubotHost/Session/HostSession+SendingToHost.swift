package import HeybotSupport
import Logging

// What the robot says to the host.

extension HostSession {
    /// The robot runs, and its brain is open.
    package mutating func robotStarted() -> [HostAction] {
        hasRobot = true
        return phase == .loaded ? [.readBrain] : []
    }

    /// Gives the host its brain.
    ///
    /// - Parameters:
    ///   - entries: Entries from the store.
    ///   - unstored: Changes that aren't stored yet, which are newer than the stored ones.
    ///   - newestBatch: The number of the newest of these changes, or of those stored before.
    ///   - isLast: Whether the brain is complete, so that the host answers questions from now on.
    package mutating func remember(
        _ entries: [BrainEntry], unstored: [BrainEntry] = [], newestBatch: Int = 0, isLast: Bool = true
    ) -> [HostAction] {
        guard phase == .loaded else { return [] }
        self.newestBatch = max(self.newestBatch, newestBatch)
        let (messages, tooLong) = RobotMessage.brain(entries + (isLast ? waitingChanges : []) + unstored)
        var actions: [HostAction] = tooLong.map {
            .log(
                .error,
                "an entry of the Hubot scripts' brain exceeds the size limit, so the scripts don't see it: \($0.prefix(200))",
                script: nil)
        }
        actions += messages.map { .write($0) }
        guard isLast else {
            hasEntries = true
            // Those that were learned before are older.
            let keys = Set(unstored.map(\.key))
            waitingChanges.removeAll { keys.contains($0.key) }
            return actions
        }
        (phase, waitingChanges) = (.running, [])
        actions.append(.write(.brain([], isLast: true)))
        let all = users.all
        actions += stride(from: 0, to: all.count, by: 500).map {
            .write(.users(Array(all[$0..<min($0 + 500, all.count)])))
        }
        for question in runs.takeWaiting() { actions += write(question) }
        return actions + web.takeWaiting()
    }

    /// A user was seen; tells the host about one that it doesn't know.
    package mutating func saw(_ user: WireUser) -> [HostAction] {
        guard users.add(user, limit: limits.users) else { return [] }
        return phase == .running ? [.write(.users([user]))] : []
    }

    /// Asks a listener about a message.
    ///
    /// - Parameters:
    ///   - hold: Whether the listener must wait for ``resume(_:continues:)`` if it matches.
    ///   - expectsAnswer: Whether the user gets a notice if no answer comes.
    /// - Returns: The number of the run, and what to do.
    package mutating func ask(
        _ listener: ListenerKey, about message: WireMessage, hold: Bool = false, expectsAnswer: Bool
    ) -> (run: Int, [HostAction]) {
        ask(.listener(listener, message, hold: hold), expectsAnswer: expectsAnswer)
    }

    /// Asks the middleware of scripts.
    package mutating func ask(_ question: MiddlewareQuestion) -> (run: Int, [HostAction]) {
        ask(.middleware(question), expectsAnswer: false)
    }

    private mutating func ask(_ question: RunTable.Invocation, expectsAnswer: Bool) -> (run: Int, [HostAction]) {
        let run = runs.add(question, expectsAnswer: expectsAnswer)
        if phase == .running || isRetiring { return (run, write(run)) }
        guard !isStopping, runs.wait(run, limit: limits.waitingQuestions) else {
            runs.remove(run)
            return (run, [.lost(run: run)])
        }
        return (run, [])
    }

    private mutating func write(_ run: Int) -> [HostAction] {
        switch runs.ask(run) {
        case nil: return []
        case .middleware(let question): return [.write(.middleware(run: run, question))]
        case .listener(let key, let message, let hold):
            guard let id = registry.id(of: key) else {
                // A script doesn't register it any more.
                runs.remove(run)
                return [.answer(RunResult(run: run, matched: false))]
            }
            return [.write(.message(run: run, listener: id, message: message, hold: hold))]
        }
    }

    /// Ends the hold of a run.
    package mutating func resume(_ run: Int, continues: Bool) -> [HostAction] {
        guard runs.resume(run, continues: continues) else { return continues ? [.lost(run: run)] : [] }
        return [.write(.resume(run: run, continues: continues))]
    }

    /// Nobody waits for a run's result any more.
    package mutating func cancel(_ run: Int) -> [HostAction] {
        runs.cancel(run) ? [.write(.cancel(run: run)), .forget(run: run)] : [.forget(run: run)]
    }

    /// The robot has finished with a message that the host knows.
    package func end(_ number: Int) -> [HostAction] {
        if isRetiring { return [.write(.end(number: number))] }
        guard phase == .running else { return [] }
        // Only receive middleware waits for that. Waking the host costs as much as a short listener.
        return [middleware.contains(.receive) ? .write(.end(number: number)) : .writeLater(.end(number: number))]
    }

    /// A request of a script was carried out or refused.
    package func respond(to request: Int, error: String? = nil, value: JSONValue? = nil) -> [HostAction] {
        phase == .ended ? [] : [.write(.response(request: request, error: error, value: value))]
    }
}
