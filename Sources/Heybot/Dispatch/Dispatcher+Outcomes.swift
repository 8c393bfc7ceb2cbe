import Logging

// What comes of a listener's closure: whether it may run, and what its failures, questions and answers lead to.

extension Dispatcher {
    /// Whether the listener may be used for this message now.
    ///
    /// - Parameter isAddressed: Whether the message is said to the robot, so that somebody expects an answer.
    /// - Throws: What to tell the user if it may not.
    func admit(_ exchange: Exchange, isAddressed: Bool) throws -> Bool {
        let (listener, message) = (exchange.listener, exchange.message)
        if listener.access == .admins, !users.isAdmin(message.user) { throw Refusal("Only my admins may use that.") }
        switch coolDowns.use(listener, for: message, at: runner.timeline.now()) {
        case .ready: return true
        // What nobody asked for isn't missed.
        case .resting where !isAddressed: return false
        case .resting(let time):
            guard notices.isDue(.resting, for: message.user.id, at: runner.timeline.now()) else {
                exchange.logger.debug("it rests, and they have just been told so")
                return false
            }
            throw Resting(
                spoken: "Not so fast: try that again in \(max(1, (time + .milliseconds(500)).components.seconds)) s.")
        }
    }

    /// Logs, counts and tells what went wrong with a listener's closure.
    func report(_ outcome: Invocation.Outcome, _ exchange: Exchange) async {
        let listener = exchange.listener.part
        switch outcome {
        case .ended, .paused, .cancelled:
            break
        case .expired:
            fail(listener, "a closure was stopped: its deadline passed", exchange, counters.timeout)
            await tell("That took too long, so I gave up on it (\(listener.script)).", exchange)
        case .failed(_ as Pass):
            exchange.logger.warning(
                "a closure passed the message on too late, after it had asked somebody: nobody else gets the message")
        case .failed(let error):
            let blamed = error as? BlamedError
            let (part, cause) = (blamed?.part ?? listener, blamed?.error ?? error)
            let spoken = cause as? any SpokenError
            if let spoken, !spoken.isFailure {
                exchange.logger.debug("a closure says why it can't: \(cause)")
            } else {
                // What else the web can fail with may be the script's own fault.
                let isExplained = (cause as? HTTPError)?.isAway ?? true
                fail(
                    part, "a closure failed: \(cause)", exchange, counters.error,
                    answer: isExplained ? spoken?.spoken : nil)
            }
            await tell(spoken?.spoken ?? "Sorry, something went wrong (\(part.script)).", exchange)
        }
    }

    /// - Parameter answer: What the person who asked is answered, if that explains the error as well as the log would.
    private func fail(
        _ part: ScriptPart, _ problem: String, _ exchange: Exchange, _ count: @Sendable (String) -> Void,
        answer: String? = nil
    ) {
        var logger = exchange.logger
        logger[metadataKey: "script"] = "\(part.script)"
        logger[metadataKey: "listener"] = "\(part.part)"
        if let answer { logger[metadataKey: "answer"] = "\(answer)" }
        logger.error("\(problem)")
        count(part.script)
    }

    /// Like whatever is said in answer: past the response middleware, and with a deadline.
    func tell(_ text: String, _ exchange: Exchange) async {
        switch await runner.invoke(exchange.listener.part, { try await exchange.say(.reply(text)) }) {
        case .ended, .paused, .cancelled: break
        case .failed(let error): exchange.logger.error("the user can't be told: \(error)")
        case .expired: exchange.logger.error("the user can't be told: the adapter doesn't take it")
        }
    }

    // MARK: Questions

    func ask(_ text: String, within limit: Duration, _ exchange: Exchange) async throws -> String {
        let question = Question(exchange, by: Invocation.current)
        let address = Questions.Address(exchange.message)
        // Before it is said, since the answer may be quicker than we are.
        questions.add(question, for: address)
        do {
            // What middleware keeps unsaid nobody can answer.
            guard try await exchange.say(.reply(text)) else { throw NoAnswer() }
        } catch {
            _ = questions.take(question, for: address)
            throw error
        }
        let timer = runner.timers.after(limit) { [weak self] in self?.takeBack(question, address, NoAnswer()) }
        defer { runner.timers.cancel(timer) }
        return try await withTaskCancellationHandler {
            try await question.answer()
        } onCancel: {
            takeBack(question, address, CancellationError())
        }
    }

    /// Settles a question that nobody will answer any more.
    private func takeBack(_ question: Question, _ address: Questions.Address, _ error: any Error) {
        guard questions.take(question, for: address) else { return }
        runner.activity.begin()
        _ = turns.enter(address, keeping: .max) { [self] turn in
            turn?.runs(in: question.invocation?.passage)
            Task {
                await settle(question, .failure(error))
                turn?.giveBack()
                runner.activity.end()
            }
        }
    }

    /// Lets the code that asked go on, and sees it to its end or its next question.
    ///
    /// The caller has a turn for it.
    func settle(_ question: Question, _ result: Result<String, any Error>) async {
        guard let goOn = question.settle(result) else { return }
        guard let invocation = question.invocation else { return goOn() }
        let script = question.exchange.listener.script
        await report(await runner.resume(invocation, of: script, goOn), question.exchange)
    }
}

/// A listener that rests: said only if nothing else answers the message, unless the message was for that listener.
struct Resting: SpokenError {
    let spoken: String
}
