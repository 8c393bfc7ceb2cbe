import Synchronization

// The way of a message: out of the inbox, past the receive middleware, to the listeners that match.

/// What somebody who matches is looking at just now, for the watch to name.
private final class Scan: Sendable {
    private let index = Atomic(-1)
    private let replaced = Atomic(false)

    var isReplaced: Bool { replaced.load(ordering: .acquiring) }

    func look(at index: Int) { self.index.store(index, ordering: .relaxed) }

    func replace() { replaced.store(true, ordering: .releasing) }

    func duty(_ router: Router) -> Duty {
        let index = index.load(ordering: .relaxed)
        guard router.listeners.indices.contains(index) else { return Duty(script: "Heybot", part: "receive") }
        return Duty(script: router.listeners[index].script, part: router.listeners[index].id)
    }
}

extension Robot {
    /// Starts taking messages out of the inbox, on the script threads, since matching is script code too.
    ///
    /// One task does it, so that matching keeps the messages' order. Where a matcher doesn't come to an end, another
    /// takes over.
    func startScan() {
        let scan = Scan()
        let lane = Lane(pool, duty: { [router] in scan.duty(router) }) { [weak self] in
            scan.replace()
            self?.startScan()
        }
        Task(executorPreference: lane) { [self] in
            while !scan.isReplaced, let delivery = await queue.take() {
                if middleware.receive.isEmpty {
                    await route(delivery, scan)
                } else {
                    await receive(delivery)
                }
            }
        }
    }

    /// Sees a message through the receive middleware on a task of its own, and in its room's order to the router.
    private func receive(_ delivery: Delivery) async {
        await slots.take()
        let place = order.enter(delivery.message.room.id)
        let scan = Scan()
        let lane = Lane(pool, duty: { [router] in scan.duty(router) }) { [order] in order.leave(place) }
        Task(executorPreference: lane) { [self] in
            let message = await passReceiveMiddleware(delivery.message)
            await place.reached()
            let passed = message.map { Delivery($0, instead: delivery) } ?? delivery
            let step = message == nil ? nil : match(passed, scan)
            order.leave(place)
            if let step { await take(step, passed, scan) }
            slots.giveBack()
            end(passed)
        }
    }

    private func passReceiveMiddleware(_ message: Message) async -> Message? {
        var message = message
        for (script, run) in middleware.receive {
            let next = Mutex<Message?>(nil)
            let current = message
            let isDone = await runDuty(Duty(script: script, part: "receive middleware")) { robot in
                let result = try await run(current, robot)
                next.withLock { $0 = result }
            }
            guard isDone, let passed = next.withLock({ $0 }) else { return nil }
            message = passed
        }
        return message
    }

    private func route(_ delivery: Delivery, _ scan: Scan) async {
        guard let step = match(delivery, scan) else { return end(delivery) }
        await slots.take()
        let scan = Scan()
        Task(executorPreference: Lane(pool, duty: { [router] in scan.duty(router) })) { [self] in
            await take(step, delivery, scan)
            slots.giveBack()
            end(delivery)
        }
    }

    /// What is to be done about a message.
    private enum Step: Sendable {
        case answer(Question, String)
        case listeners(Candidate, Router.Hit)
    }

    private func match(_ delivery: Delivery, _ scan: Scan) -> Step? {
        let message = delivery.message
        let candidate = Candidate(message, addressing)
        if let text = message.text, let question = questions.takeFirst(for: .init(message)) {
            return .answer(question, String(candidate.addressed ?? text[...]))
        }
        return router.first(candidate, isOn: { switches.isOn($0.script, in: message.room) }, looking: scan.look)
            .map { .listeners(candidate, $0) }
    }

    private func take(_ step: Step, _ delivery: Delivery, _ scan: Scan) async {
        switch step {
        case .answer(let question, let text):
            await settle(question, .success(text))
        case .listeners(let candidate, let first):
            var hit: Router.Hit? = first
            while let current = hit {
                await perform(current, delivery)
                if delivery.isFinished { return }
                hit = router.next(
                    candidate, after: current, isOn: { switches.isOn($0.script, in: delivery.message.room) },
                    looking: scan.look)
            }
        }
    }

    private func perform(_ hit: Router.Hit, _ delivery: Delivery) async {
        let listener = router.listeners[hit.index]
        let exchange = Exchange(robot: self, listener: listener, delivery: delivery)
        let outcome = await invoke(on: lanes[hit.index], deadline: listener.deadline) {
            guard try self.admit(exchange) else { return }
            for middleware in self.middleware.listener {
                guard try await middleware.run(listener, Response(match: (), exchange: exchange)) else { return }
            }
            try await hit.work(exchange)
        }
        await report(outcome, exchange)
    }

    private func end(_ delivery: Delivery) {
        delivery.end()
        activity.end()
    }
}
