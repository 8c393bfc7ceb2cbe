import Logging

// How script code is run: on the script threads, each piece until its deadline, its failures caught and told.

extension Robot {
    func invoke(
        on lane: Lane, deadline: Duration?, _ body: @escaping @Sendable () async throws -> Void
    ) async -> Invocation.Outcome {
        let invocation = Invocation(deadline: deadline ?? limits.deadline, timers: timers, timeline: timeline)
        guard invocations.add(invocation) else { return .failed(CancellationError()) }
        return note(await invocation.run(on: lane, body), of: invocation)
    }

    private func note(_ outcome: Invocation.Outcome, of invocation: Invocation) -> Invocation.Outcome {
        if case .paused = outcome {} else { invocations.remove(invocation) }
        return outcome
    }

    /// Whether the listener may be used for this message now.
    ///
    /// - Throws: What to tell the user where it may not.
    func admit(_ exchange: Exchange) throws -> Bool {
        let (listener, message) = (exchange.listener, exchange.message)
        if listener.access == .admins, !isAdmin(message.user) { throw Refusal("Only my admins may use that.") }
        switch coolDowns.use(listener, for: message, at: timeline.now()) {
        case .ready: return true
        case .silent: return false
        case .resting(let time):
            throw Refusal("Not so fast: try that again in \(max(1, (time + .milliseconds(500)).components.seconds)) s.")
        }
    }

    /// Logs, counts and tells what went wrong with a listener's closure.
    func report(_ outcome: Invocation.Outcome, _ exchange: Exchange) async {
        let script = exchange.listener.script
        switch outcome {
        case .ended, .paused, .failed(is CancellationError):
            break
        case .expired:
            counters.timeout(in: script)
            exchange.logger.error("a closure was stopped: its deadline passed")
            await tell("That took too long, so I stopped it (\(script)).", exchange)
        case .failed(let error as any SpokenError) where !error.isFailure:
            exchange.logger.debug("a closure says why it can't: \(error)")
            await tell(error.spoken, exchange)
        case .failed(let error):
            counters.error(in: script)
            exchange.logger.error("a closure failed: \(error)")
            await tell((error as? any SpokenError)?.spoken ?? "Sorry, something went wrong (\(script)).", exchange)
        }
    }

    private func tell(_ text: String, _ exchange: Exchange) async {
        do {
            try await deliver(.reply(text), to: exchange.envelope)
        } catch {
            exchange.logger.error("the user can't be told: \(error)")
        }
    }

    /// Runs script code that answers no message; false where it failed or didn't end.
    @discardableResult
    func runDuty(_ duty: Duty, _ body: @escaping @Sendable (Robot) async throws -> Void) async -> Bool {
        activity.begin()
        defer { activity.end() }
        var logger = logger
        logger[metadataKey: "script"] = "\(duty.script)"
        logger[metadataKey: "listener"] = "\(duty.part)"
        switch await invoke(on: Lane(pool, duty), deadline: nil, { try await body(self) }) {
        case .ended, .paused:
            return true
        case .failed(is CancellationError):
            return false
        case .failed(let error):
            counters.error(in: duty.script)
            logger.error("it failed: \(error)")
            return false
        case .expired:
            counters.timeout(in: duty.script)
            logger.error("it was stopped: its deadline passed")
            return false
        }
    }

    // MARK: Questions

    func ask(_ text: String, within limit: Duration, _ exchange: Exchange) async throws -> String {
        let question = Question(exchange, by: Invocation.current)
        let address = Questions.Address(exchange.message)
        // Before it is said, since the answer may be quicker than we are.
        questions.add(question, for: address)
        do {
            try await exchange.say(.reply(text))
        } catch {
            _ = questions.take(question, for: address)
            throw error
        }
        let timer = timers.after(limit) { [weak self] in
            guard let self, questions.take(question, for: address) else { return }
            activity.begin()
            Task { [self] in
                await slots.take()
                await settle(question, .failure(NoAnswer()))
                slots.giveBack()
                activity.end()
            }
        }
        defer { timers.cancel(timer) }
        return try await withTaskCancellationHandler {
            try await question.answer()
        } onCancel: {
            if questions.take(question, for: address) { question.settle(.failure(CancellationError()))?() }
        }
    }

    /// Lets the code that asked go on, and sees it to its end or its next question.
    ///
    /// The caller has a slot for it.
    func settle(_ question: Question, _ result: Result<String, any Error>) async {
        guard let goOn = question.settle(result) else { return }
        guard let invocation = question.invocation else { return goOn() }
        await report(note(await invocation.resume(goOn), of: invocation), question.exchange)
    }
}
