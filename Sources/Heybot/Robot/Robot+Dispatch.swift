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
                counters.received(by: delivery.message.room.id.adapter)
                if ignores(delivery.message.user) {
                    end(delivery)
                } else if !middleware.receive.isEmpty {
                    await receive(delivery)
                } else if let step = match(delivery, passage) {
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
        Lane(pool, part: { [router] in passage.part(router) }) { [weak self] in
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
                if let message { delivery.replaceMessage(message) }
                return message == nil ? nil : match(delivery, passage)
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
        case listeners(Candidate, Router.Hit)
    }

    private func match(_ delivery: Delivery, _ passage: Passage) -> Step? {
        let message = delivery.message
        if let text = message.text, let question = questions.takeFirst(for: .init(message)) {
            return .answer(question, String(addressing.privateWords(of: text)))
        }
        let candidate = Candidate(message, addressing)
        return router.first(candidate, isOn: isOn(in: message.room), looking: passage.look)
            .map { .listeners(candidate, $0) }
    }

    private func take(_ step: Step, _ handling: Handling, _ passage: Passage) async {
        await Cause.$message.withValue(handling.delivery.message.id) {
            switch step {
            case .answer(let question, let text):
                passage.run()
                await settle(question, .success(text))
                end(handling)
            case .listeners(let candidate, let first):
                await perform(first, candidate, handling, passage)
            }
        }
    }

    /// Runs the listeners that match, one after the other, from this one on.
    ///
    /// Where a closure asks somebody, or its deadline passes, it is left to itself, and another task goes on.
    private func perform(
        _ first: Router.Hit, _ candidate: Candidate, _ handling: Handling, _ passage: Passage
    ) async {
        var hit: Router.Hit? = first
        while let current = hit {
            passage.run()
            let exchange = Exchange(robot: self, listener: router.listeners[current.index], delivery: handling.delivery)
            if logger.logLevel <= .debug { exchange.logger.debug("it matches") }
            counters.match(of: exchange.listener, at: current.index)
            acquaintances.meet(exchange.message.user)
            let outcome = await invoke(
                in: passage, on: lanes[current.index], deadline: exchange.listener.deadline
            ) {
                try await self.perform(current.work, exchange)
            } overtaken: { [weak self] outcome in
                self?.goOn(after: current, outcome, exchange, candidate, handling)
            }
            guard let outcome else { return }
            await report(outcome, exchange)
            hit = next(current, candidate, handling, passage)
        }
        end(handling)
    }

    private func goOn(
        after hit: Router.Hit, _ outcome: Invocation.Outcome, _ exchange: Exchange, _ candidate: Candidate,
        _ handling: Handling
    ) {
        let passage = Passage()
        let task = Task(executorPreference: lane(of: passage)) { [self] in
            await Cause.$message.withValue(handling.delivery.message.id) {
                await report(outcome, exchange)
                guard let next = next(hit, candidate, handling, passage) else { return end(handling) }
                await perform(next, candidate, handling, passage)
            }
        }
        passage.begin(task)
    }

    private func next(
        _ hit: Router.Hit, _ candidate: Candidate, _ handling: Handling, _ passage: Passage
    ) -> Router.Hit? {
        let delivery = handling.delivery
        if delivery.isFinished { return nil }
        passage.match(delivery, handling.slot)
        return router.next(candidate, after: hit, isOn: isOn(in: delivery.message.room), looking: passage.look)
    }

    /// Tells which listeners are on in a room, as things stand now.
    private func isOn(in room: Room) -> (Listener) -> Bool {
        let switches = switches
        return { switches.isOn($0.script, in: room) }
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
