import Logging

// Matching a message, and running the listeners that match, one after the other.

extension Dispatcher {
    func match(_ message: Message, _ passage: Passage) -> Step? {
        let address = Questions.Address(message)
        if let text = message.text, let question = questions.takeFirst(for: address, of: message.user.id) {
            return .answer(question, String(addressing.privateWords(of: text)))
        }
        var matches = router.matches(Candidate(message, addressing))
        return next(&matches, passage).map { .listeners(matches, $0) }
    }

    func take(_ step: Step, _ delivery: Delivery, _ passage: Passage) async {
        await Cause.$message.withValue(delivery.message.id) {
            switch step {
            case .answer(let question, let text):
                passage.run()
                delivery.turn?.runs(in: question.invocation?.passage ?? passage)
                await settle(question, .success(text))
                end(delivery)
            case .listeners(let matches, let first):
                await perform(first, matches, delivery, passage)
            case .receive:
                passage.run()
                let step = await receive(delivery, passage)
                if let place = delivery.place { order.leave(place) }
                guard let step else { return end(delivery) }
                await take(step, delivery, passage)
            }
        }
    }

    /// Runs the listeners that match, one after the other, from this one on.
    ///
    /// If a closure asks somebody, or its deadline passes, it is left to itself, and another task goes on.
    private func perform(
        _ first: Matches.Match, _ others: Matches, _ delivery: Delivery, _ passage: Passage
    ) async {
        var matches = others
        var match: Matches.Match? = first
        let isAddressed = matches.isAddressed
        var resting: (Resting, Exchange)?
        while let current = match, let robot {
            passage.run()
            let exchange = Exchange(robot: robot, listener: current.listener, delivery: delivery)
            if logger.logLevel <= .debug { exchange.logger.debug("it matches") }
            counters.match(of: current.registered)
            users.meet(exchange.message.user)
            let answers = delivery.answers
            // What goes on without the closure: it waits for somebody, or its deadline passed.
            var rest = matches
            rest.take()
            let outcome = await runner.invoke(
                exchange.listener.part, in: passage, deadline: exchange.listener.deadline
            ) {
                try await self.perform(current.work, exchange, isAddressed: isAddressed)
            } overtaken: { [weak self, rest] outcome in
                self?.goOn(rest, after: outcome, exchange, delivery)
            }
            guard let outcome else { return }
            switch outcome {
            case .failed(_ as Pass):
                pass(exchange, hasAnswered: delivery.answers > answers)
            case .failed(let error as Resting) where exchange.listener.trigger != .respond:
                matches.take()
                resting = (error, exchange)
            default:
                matches.take()
                await report(outcome, exchange)
            }
            match = next(&matches, delivery, passage)
        }
        if delivery.answers == 0, isAddressed {
            if let (error, exchange) = resting {
                await report(.failed(error), exchange)
            } else if logger.logLevel <= .debug {
                logger.debug("it was said to me, and nobody has answered it")
            }
        }
        end(delivery)
    }

    /// The closure finds that the message isn't meant for it: its listener counts as one that didn't match.
    private func pass(_ exchange: Exchange, hasAnswered: Bool) {
        coolDowns.giveBack(exchange.listener, for: exchange.message)
        if hasAnswered {
            exchange.logger.warning(
                "a closure said something and then passed the message on: there may be two answers")
        } else if logger.logLevel <= .debug {
            exchange.logger.debug("it passes the message on")
        }
    }

    private func goOn(
        _ matches: Matches, after outcome: Invocation.Outcome, _ exchange: Exchange, _ delivery: Delivery
    ) {
        let passage = Passage()
        delivery.turn?.runs(in: passage)
        let task = Task(executorPreference: lane(of: passage)) { [self] in
            await Cause.$message.withValue(delivery.message.id) {
                await report(outcome, exchange)
                var matches = matches
                guard let next = next(&matches, delivery, passage) else { return end(delivery) }
                await perform(next, matches, delivery, passage)
            }
        }
        passage.begin(task)
    }

    private func next(_ matches: inout Matches, _ delivery: Delivery, _ passage: Passage) -> Matches.Match? {
        if delivery.isFinished { return nil }
        passage.match(delivery)
        return next(&matches, passage)
    }

    /// The next listener that matches, of those that are on where the message came from.
    private func next(_ matches: inout Matches, _ passage: Passage) -> Matches.Match? {
        guard !matches.isEmpty else { return nil }
        let switches = toggles.value
        return matches.next { registered, candidate in
            guard switches.isOn(registered.listener.script, in: candidate.message.room) else { return nil }
            passage.look(at: registered, for: candidate.message.id)
            let start = runner.timeline.now()
            defer { note(runner.timeline.now() - start, matching: registered) }
            return registered.listener.attempt(candidate)
        }
    }

    /// Tells of a matcher that takes long again and again: nothing else can be matched meanwhile.
    private func note(_ time: Duration, matching registered: RegisteredListener) {
        guard time >= limits.slowMatch else { return }
        counters.slowMatch(of: registered.listener)
        guard registered.matchedSlowly(at: runner.timeline.now()) else { return }
        logger.warning(
            "a listener's matcher is slow, and every message waits for it: make its pattern simpler",
            metadata: [
                "script": "\(registered.listener.script)", "listener": "\(registered.listener.id)", "time": "\(time)"
            ])
    }

    private func perform(_ work: Listener.Work, _ exchange: Exchange, isAddressed: Bool) async throws {
        guard try admit(exchange, isAddressed: isAddressed) else { return }
        for (script, run) in middleware.listener where exchange.isOn(script) {
            let goesOn = try await BlamedError.blaming(ScriptPart(script: script, part: "listener middleware")) {
                try await run(exchange.listener, Response(match: (), exchange: exchange))
            }
            if !goesOn {
                if logger.logLevel <= .debug { exchange.logger.debug("\(script)'s listener middleware keeps it back") }
                return
            }
        }
        try await work(exchange)
    }
}
