import Logging
import Synchronization

// The way of a message: out of the inbox, past the receive middleware, to the listeners that match.

extension Robot {
    /// Lets the inbox have its messages taken out, a task at a time, so that matching keeps their order.
    func startScan() {
        queue.serve { [weak self] pass in self?.scan(pass) }
    }

    /// Matches the messages in the inbox, on the script threads, since matching is script code too.
    ///
    /// The first that a listener matches and that may be handled now the task sees to its end, and leaves the inbox to
    /// another. So it does if a matcher doesn't come to an end. One that has to wait for its turn is put aside.
    private func scan(_ pass: Int) {
        let passage = Passage(scanning: pass)
        let task = Task(executorPreference: lane(of: passage)) { [self] in
            var count = 0
            while let delivery = queue.next(pass) {
                guard passage.scan(delivery) else { return }
                let message = delivery.message
                counters.received(by: message.room.id.adapter)
                if ignores(message.user) {
                    end(delivery)
                } else if isTooLong(message) {
                    refuse(delivery)
                } else if let step = middleware.receive.isEmpty ? match(message, passage) : .receive {
                    if let turn = turns.take(Turns.Address(message)) {
                        let handling = handling(delivery, turn, step)
                        if passage.stopScanning() { queue.handOn(from: pass, having: delivery) }
                        turn.runs(in: passage)
                        return await take(step, handling, passage)
                    }
                    passage.run()
                    await wait(step, delivery)
                } else {
                    end(delivery)
                }
                count += 1
                // Whoever goes on without a break for long is taken for stuck.
                if count % 256 == 0 { await Task.yield() }
            }
        }
        passage.begin(task)
    }

    private func lane(of passage: Passage) -> Lane {
        Lane(pool, passage) { [weak self] in
            let (matching, wasScanning, scanned) = passage.giveUp()
            if let matching {
                matching.turn?.giveBack()
                if let place = matching.place { self?.order.leave(place) }
                self?.end(matching.delivery)
            }
            if wasScanning { self?.queue.handOn(from: passage.number, having: scanned) }
        }
    }

    /// Sees a message through the receive middleware, and in its room's order to the router.
    private func receive(_ handling: Handling, _ passage: Passage) async -> Step? {
        let message = await passReceiveMiddleware(handling.delivery)
        await handling.place?.reached()
        guard let message else { return nil }
        handling.delivery.replaceMessage(message)
        passage.match(handling.delivery, turn: handling.turn, place: handling.place)
        return match(message, passage)
    }

    private func passReceiveMiddleware(_ delivery: Delivery) async -> Message? {
        var message = delivery.message
        for (script, run) in middleware.receive where switches.isOn(script, in: message.room) {
            let next = Mutex<Message?>(nil)
            let current = message
            let isDone = await self.run(ScriptPart(script: script, part: "receive middleware")) { robot in
                let result = try await run(current, robot)
                next.withLock { $0 = result }
            }
            if !isDone, !isStopping, isAddressed(message) {
                await say("Sorry, something went wrong (\(script)).", delivery)
            }
            guard isDone, let passed = next.withLock({ $0 }) else { return nil }
            message = passed
        }
        return message
    }

    /// A message that is being dealt with, and its right to be.
    private struct Handling: Sendable {
        let delivery: Delivery
        let turn: Turns.Turn
        /// The message's place in its room, if the receive middleware is to have it.
        let place: RoomOrder.Place?
    }

    private func handling(_ delivery: Delivery, _ turn: Turns.Turn, _ step: Step) -> Handling {
        let place: RoomOrder.Place? = if case .receive = step { order.enter(delivery.message.room.id) } else { nil }
        return Handling(delivery: delivery, turn: turn, place: place)
    }

    /// What is to be done about a message.
    private enum Step: Sendable {
        /// The receive middleware has it first; what to do comes of that.
        case receive
        case answer(Question, String)
        case listeners(Candidate, Matches, Matches.Match)
    }

    /// Has a message handled as soon as it is its turn.
    ///
    /// If too many wait already, this waits for room: for a moment, or for as long as only this person's messages come in
    /// and they are dealt with. After that one of them is dropped.
    private func wait(_ step: Step, _ delivery: Delivery) async {
        let address = Turns.Address(delivery.message)
        let begin: Turns.Begin = { [self] turn in
            if let turn { self.begin(step, handling(delivery, turn, step)) } else { drop(step, delivery) }
        }
        // Somebody waits for the answer to a question, and asks only so many; past the middleware, any message may be one.
        let kept =
            switch step {
            case .answer: Int.max
            case .receive: questions.count(for: address)
            case .listeners: 0
            }
        let came = timeline.now()
        while case .full(let oldest, let moved) = turns.enter(address, keeping: kept, begin) {
            let now = timeline.now()
            let others = queue.hasOther(than: address.user)
            // Somebody of whom nothing waits yet has waited since this came.
            let end = others ? min(oldest, came) + .milliseconds(100) : moved + .seconds(1)
            guard now < end, !isStopping else {
                _ = turns.enter(address, insists: true, begin)
                return
            }
            let gate = Gate()
            turns.whenMoved(address.user) { gate.open() }
            if !others { queue.whenOther(than: address.user) { gate.open() } }
            let timer = timers.after(end - now) { gate.open() }
            await gate.wait()
            timers.cancel(timer)
        }
    }

    private func begin(_ step: Step, _ handling: Handling) {
        let passage = Passage()
        handling.turn.runs(in: passage)
        passage.begin(
            Task(executorPreference: lane(of: passage)) { [self] in await take(step, handling, passage) })
    }

    // MARK: What isn't handled

    private func drop(_ step: Step, _ delivery: Delivery) {
        let message = delivery.message
        counters.dropped(from: message.room.id.adapter)
        let isTold = notices.isDue(.tooMany, for: message.user.id, at: timeline.now())
        if isTold {
            logger.notice(
                "somebody says more than I can handle at once: some of it is dropped",
                metadata: ["room": "\(message.room.id)", "user": "\(message.user.id)"])
        }
        let isAddressed =
            switch step {
            case .answer: true
            case .listeners(let candidate, _, _): candidate.addressed != nil
            case .receive: isAddressed(message)
            }
        guard isTold, isAddressed else { return end(delivery) }
        tell("One at a time, please: I'm still busy with what you said before.", delivery)
    }

    /// Whether it has more text than scripts are handed.
    private func isTooLong(_ message: Message) -> Bool {
        switch message.content {
        case .text(let text), .topic(let text), .leave(let text?): text.utf8.count > limits.text
        case .enter, .leave(nil): false
        }
    }

    private func refuse(_ delivery: Delivery) {
        let message = delivery.message
        if logger.logLevel <= .debug {
            logger.debug(
                "a message is longer than scripts take: nothing is matched against it",
                metadata: ["room": "\(message.room.id)", "user": "\(message.user.id)"])
        }
        guard message.text != nil, isAddressed(message) || questions.hasAny(for: Questions.Address(message)),
            notices.isDue(.tooLong, for: message.user.id, at: timeline.now())
        else { return end(delivery) }
        let limit = limits.text
        let most = limit % 1_024 == 0 && limit > 0 ? "\(limit / 1_024) KB" : "\(limit) bytes"
        tell("That's too long for me: at most \(most).", delivery)
    }

    /// Whether words are said to the robot, as far as their beginning tells.
    private func isAddressed(_ message: Message) -> Bool {
        guard let text = message.text else { return false }
        return message.room.isPrivate || message.isAddressed || addressing.isAddressed(text)
    }

    /// Tells whoever wrote the message, and ends it; not if too many are being told something already.
    private func tell(_ text: String, _ delivery: Delivery) {
        guard telling.take() else { return end(delivery) }
        Task {
            await say(text, delivery)
            telling.giveBack()
            end(delivery)
        }
    }

    private func say(_ text: String, _ delivery: Delivery) async {
        await tell(text, Exchange(robot: self, listener: .robotItself, delivery: delivery))
    }

    // MARK: What is

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
                handling.turn.runs(in: question.invocation?.passage ?? passage)
                await settle(question, .success(text))
                end(handling)
            case .listeners(let candidate, let matches, let first):
                await perform(first, matches, candidate, handling, passage)
            case .receive:
                passage.run()
                let step = await receive(handling, passage)
                if let place = handling.place { order.leave(place) }
                guard let step else { return end(handling) }
                await take(step, handling, passage)
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
        let isAddressed = candidate.addressed != nil
        var resting: (Resting, Exchange)?
        while let current = match {
            passage.run()
            let exchange = Exchange(robot: self, listener: current.listener, delivery: handling.delivery)
            if logger.logLevel <= .debug { exchange.logger.debug("it matches") }
            counters.match(of: current.registered)
            acquaintances.meet(exchange.message.user)
            let answers = handling.delivery.answers
            // What goes on without the closure: it waits for somebody, or its deadline passed.
            var rest = matches
            rest.take()
            let lane = Lane(pool, ScriptPart(script: exchange.listener.script, part: exchange.listener.id))
            let outcome = await invoke(in: passage, on: lane, deadline: exchange.listener.deadline) {
                try await self.perform(current.work, exchange, isAddressed: isAddressed)
            } overtaken: { [weak self, rest] outcome in
                self?.goOn(rest, after: outcome, exchange, candidate, handling)
            }
            guard let outcome else { return }
            switch outcome {
            case .failed(_ as Pass):
                pass(exchange, hasAnswered: handling.delivery.answers > answers)
            case .failed(let error as Resting) where exchange.listener.trigger != .respond:
                matches.take()
                resting = (error, exchange)
            default:
                matches.take()
                await report(outcome, exchange)
            }
            match = next(&matches, candidate, handling, passage)
        }
        if handling.delivery.answers == 0, isAddressed {
            if let (error, exchange) = resting {
                await report(.failed(error), exchange)
            } else if logger.logLevel <= .debug {
                logger.debug("it was said to me, and nobody has answered it")
            }
        }
        end(handling)
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
        _ matches: Matches, after outcome: Invocation.Outcome, _ exchange: Exchange, _ candidate: Candidate,
        _ handling: Handling
    ) {
        let passage = Passage()
        handling.turn.runs(in: passage)
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
        passage.match(handling.delivery, turn: handling.turn)
        return next(&matches, candidate, passage)
    }

    /// The next listener that matches, of those that are on where the message came from.
    private func next(_ matches: inout Matches, _ candidate: Candidate, _ passage: Passage) -> Matches.Match? {
        guard !matches.isEmpty else { return nil }
        let switches = switches
        return matches.next { registered, candidate in
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

    private func end(_ handling: Handling) {
        handling.turn.giveBack()
        end(handling.delivery)
    }

    private func end(_ delivery: Delivery) {
        if delivery.end() { activity.end() }
    }
}
