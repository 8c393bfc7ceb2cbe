import Logging
import Synchronization

// The way of a message: out of the inbox, past the receive middleware, to the listeners that match.

extension Robot {
    /// Lets the inbox have its messages taken out, a task at a time, so that matching keeps their order.
    func startScan() {
        queue.serve { [weak self] in self?.scan() }
    }

    /// Matches the messages in the inbox, on the script threads, since matching is script code too.
    ///
    /// The first that a listener matches the task sees to its end, and leaves the inbox to another. So it does where a
    /// matcher doesn't come to an end.
    private func scan() {
        let passage = Passage(isScanning: true)
        let task = Task(executorPreference: lane(of: passage)) { [self] in
            var count = 0
            while let delivery = queue.next() {
                guard passage.isScanning else { return queue.putBack(delivery) }
                passage.match(delivery)
                let message = delivery.message
                counters.received(by: message.room.id.adapter)
                if ignores(message.user) {
                    end(delivery)
                } else if !middleware.receive.isEmpty {
                    await receive(delivery)
                } else if let step = match(message, passage) {
                    let slot = await slots.take()
                    if passage.stopScanning() { queue.handOn() }
                    return await take(step, Handling(delivery: delivery, slot: slot), passage)
                } else {
                    end(delivery)
                }
                guard passage.isScanning else { return }
                count += 1
                // Whoever goes on without a break for long is taken for stuck.
                if count % 256 == 0 { await Task.yield() }
            }
        }
        passage.begin(task)
    }

    private func lane(of passage: Passage, onStuck: @escaping @Sendable () -> Void = {}) -> Lane {
        Lane(pool, part: { passage.part }) { [weak self] in
            passage.giveUp { self?.end($0) }
            if passage.stopScanning() { self?.queue.handOn() }
            onStuck()
        }
    }

    /// Sees a message through the receive middleware on a task of its own, and in its room's order to the router.
    private func receive(_ delivery: Delivery) async {
        let slot = await slots.take()
        let place = order.enter(delivery.message.room.id)
        let passage = Passage()
        passage.match(delivery, slot)
        let task = Task(executorPreference: lane(of: passage) { [order] in order.leave(place) }) { [self] in
            let handling = Handling(delivery: delivery, slot: slot)
            let step: Step? = await Cause.$message.withValue(delivery.message.id) {
                let message = await passReceiveMiddleware(delivery.message)
                await place.reached()
                guard let message else { return nil }
                delivery.replaceMessage(message)
                return match(message, passage)
            }
            order.leave(place)
            if let step { await take(step, handling, passage) } else { end(handling) }
        }
        passage.begin(task)
    }

    private func passReceiveMiddleware(_ message: Message) async -> Message? {
        var message = message
        for (script, run) in middleware.receive where switches.isOn(script, in: message.room) {
            let next = Mutex<Message?>(nil)
            let current = message
            let isDone = await self.run(ScriptPart(script: script, part: "receive middleware")) { robot in
                let result = try await run(current, robot)
                next.withLock { $0 = result }
            }
            guard isDone, let passed = next.withLock({ $0 }) else { return nil }
            message = passed
        }
        return message
    }

    /// A message that is being dealt with, and its right to be.
    private struct Handling: Sendable {
        let delivery: Delivery
        let slot: Slots.Slot
    }

    /// What is to be done about a message.
    private enum Step: Sendable {
        case answer(Question, String)
        case listeners(Candidate, Matches, Matches.Match)
    }

    private func match(_ message: consuming Message, _ passage: Passage) -> Step? {
        let address = Questions.Address(user: message.user.id, room: message.room.id)
        if let text = message.text, let question = questions.takeFirst(for: address) {
            return .answer(question, String(addressing.privateWords(of: text)))
        }
        let candidate = Candidate(message, addressing)
        var matches = router.matches(candidate)
        return next(&matches, candidate, passage).map { .listeners(candidate, matches, $0) }
    }

    private func take(_ step: Step, _ handling: Handling, _ passage: Passage) async {
        await Cause.$message.withValue(handling.delivery.message.id) {
            switch step {
            case .answer(let question, let text):
                passage.run()
                await settle(question, .success(text))
                end(handling)
            case .listeners(let candidate, let matches, let first):
                await perform(first, matches, candidate, handling, passage)
            }
        }
    }

    /// Runs the listeners that match, one after the other, from this one on.
    ///
    /// Where a closure asks somebody, or its deadline passes, it is left to itself, and another task goes on.
    private func perform(
        _ first: Matches.Match, _ others: Matches, _ candidate: Candidate, _ handling: Handling, _ passage: Passage
    ) async {
        var matches = others
        var match: Matches.Match? = first
        while let current = match {
            passage.run()
            let exchange = Exchange(robot: self, listener: current.listener, delivery: handling.delivery)
            if logger.logLevel <= .debug { exchange.logger.debug("it matches") }
            counters.match(of: current.registered)
            acquaintances.meet(exchange.message.user)
            let lane = Lane(pool, ScriptPart(script: exchange.listener.script, part: exchange.listener.id))
            let outcome = await invoke(in: passage, on: lane, deadline: exchange.listener.deadline) {
                try await self.perform(current.work, exchange)
            } overtaken: { [weak self, matches] outcome in
                self?.goOn(matches, after: outcome, exchange, candidate, handling)
            }
            guard let outcome else { return }
            await report(outcome, exchange)
            match = next(&matches, candidate, handling, passage)
        }
        end(handling)
    }

    private func goOn(
        _ matches: Matches, after outcome: Invocation.Outcome, _ exchange: Exchange, _ candidate: Candidate,
        _ handling: Handling
    ) {
        let passage = Passage()
        let task = Task(executorPreference: lane(of: passage)) { [self] in
            await Cause.$message.withValue(handling.delivery.message.id) {
                await report(outcome, exchange)
                var matches = matches
                guard let next = next(&matches, candidate, handling, passage) else { return end(handling) }
                await perform(next, matches, candidate, handling, passage)
            }
        }
        passage.begin(task)
    }

    private func next(
        _ matches: inout Matches, _ candidate: Candidate, _ handling: Handling, _ passage: Passage
    ) -> Matches.Match? {
        if handling.delivery.isFinished { return nil }
        passage.match(handling.delivery, handling.slot)
        return next(&matches, candidate, passage)
    }

    /// The next listener that matches, of those that are on where the message came from.
    private func next(_ matches: inout Matches, _ candidate: Candidate, _ passage: Passage) -> Matches.Match? {
        guard !matches.isEmpty else { return nil }
        let switches = switches
        return matches.next { registered in
            guard switches.isOn(registered.listener.script, in: candidate.message.room) else { return nil }
            passage.look(at: registered, for: candidate.message.id)
            let start = timeline.now()
            defer { note(timeline.now() - start, matching: registered) }
            return registered.listener.attempt(candidate)
        }
    }

    /// Tells of a matcher that takes long again and again: nothing else can be matched meanwhile.
    private func note(_ time: Duration, matching registered: RegisteredListener) {
        guard time >= limits.slowMatch else { return }
        counters.slowMatch(of: registered.listener)
        guard registered.matchedSlowly(at: timeline.now()) else { return }
        logger.warning(
            "a listener's matcher is slow, and every message waits for it: make its pattern simpler",
            metadata: [
                "script": "\(registered.listener.script)", "listener": "\(registered.listener.id)", "time": "\(time)"
            ])
    }

    private func perform(_ work: Listener.Work, _ exchange: Exchange) async throws {
        guard try admit(exchange) else { return }
        for (script, run) in middleware.listener where exchange.isOn(script) {
            let goesOn = try await BlamedError.blaming(ScriptPart(script: script, part: "listener middleware")) {
                try await run(exchange.listener, Response(match: (), exchange: exchange))
            }
            if !goesOn { return }
        }
        try await work(exchange)
    }

    private func end(_ handling: Handling) {
        handling.slot.giveBack()
        end(handling.delivery)
    }

    private func end(_ delivery: Delivery) {
        if delivery.end() { activity.end() }
    }
}
