import Logging
import Synchronization

// The way of a message: out of the inbox, past the receive middleware, to the listeners that match.

/// A task that matches messages: what it is looking at, and what is to be done when that never ends.
private final class Scan: Sendable {
    private let index = Atomic(-1)
    private let stuck = Atomic(false)
    private let current = Mutex<(delivery: Delivery, slot: Slots.Slot?)?>(nil)

    /// Whether a matcher didn't come to an end, so that another task has taken over.
    var isStuck: Bool { stuck.load(ordering: .acquiring) }

    func begin(_ delivery: Delivery, _ slot: Slots.Slot? = nil) { current.withLock { $0 = (delivery, slot) } }

    func look(at index: Int) { self.index.store(index, ordering: .relaxed) }

    /// Gives up what it is at: the message counts as dealt with, though its task may come back.
    func giveUp(_ end: (Delivery) -> Void) {
        stuck.store(true, ordering: .releasing)
        guard let (delivery, slot) = current.withLock({ $0 }) else { return }
        slot?.giveBack()
        end(delivery)
    }

    func part(_ router: Router) -> ScriptPart {
        let index = index.load(ordering: .relaxed)
        guard router.listeners.indices.contains(index) else { return ScriptPart(script: "Heybot", part: "receive") }
        return ScriptPart(script: router.listeners[index].script, part: router.listeners[index].id)
    }
}

extension Robot {
    /// Starts taking messages out of the inbox, on the script threads, since matching is script code too.
    ///
    /// One task does it, so that matching keeps the messages' order. Where a matcher doesn't come to an end, another
    /// takes over.
    func startScan() {
        let scan = Scan()
        let lane = lane(of: scan) { [weak self] in self?.startScan() }
        Task(executorPreference: lane) { [self] in
            while let delivery = await queue.take() {
                if scan.isStuck { return queue.putBack(delivery) }
                scan.begin(delivery)
                if middleware.receive.isEmpty {
                    await route(delivery, scan)
                } else {
                    await receive(delivery)
                }
                if scan.isStuck { return }
            }
        }
    }

    private func lane(of scan: Scan, onStuck: @escaping @Sendable () -> Void = {}) -> Lane {
        Lane(pool, part: { [router] in scan.part(router) }) { [weak self] in
            scan.giveUp { self?.end($0) }
            onStuck()
        }
    }

    /// Sees a message through the receive middleware on a task of its own, and in its room's order to the router.
    private func receive(_ delivery: Delivery) async {
        let slot = await slots.take()
        let place = order.enter(delivery.message.room.id)
        let scan = Scan()
        scan.begin(delivery, slot)
        Task(executorPreference: lane(of: scan) { [order] in order.leave(place) }) { [self] in
            await Cause.$message.withValue(delivery.message.id) {
                let message = await passReceiveMiddleware(delivery.message)
                await place.reached()
                if let message { delivery.replaceMessage(message) }
                let step = message == nil ? nil : match(delivery, scan)
                order.leave(place)
                if let step { await take(step, delivery, scan) }
            }
            slot.giveBack()
            end(delivery)
        }
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

    private func route(_ delivery: Delivery, _ scan: Scan) async {
        guard let step = match(delivery, scan) else { return end(delivery) }
        let slot = await slots.take()
        let scan = Scan()
        scan.begin(delivery, slot)
        Task(executorPreference: lane(of: scan)) { [self] in
            await Cause.$message.withValue(delivery.message.id) { await take(step, delivery, scan) }
            slot.giveBack()
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
        if let text = message.text, let question = questions.takeFirst(for: .init(message)) {
            return .answer(question, String(addressing.privateWords(of: text)))
        }
        let candidate = Candidate(message, addressing)
        return router.first(candidate, isOn: isOn(in: message.room), looking: scan.look)
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
                    candidate, after: current, isOn: isOn(in: delivery.message.room), looking: scan.look)
            }
        }
    }

    /// Tells which listeners are on in a room, as things stand now.
    private func isOn(in room: Room) -> (Listener) -> Bool {
        let switches = switches
        return { switches.isOn($0.script, in: room) }
    }

    private func perform(_ hit: Router.Hit, _ delivery: Delivery) async {
        let listener = router.listeners[hit.index]
        let exchange = Exchange(robot: self, listener: listener, delivery: delivery)
        if logger.logLevel <= .debug { exchange.logger.debug("it matches") }
        let outcome = await invoke(on: lanes[hit.index], deadline: listener.deadline) {
            guard try self.admit(exchange) else { return }
            for (script, run) in self.middleware.listener where exchange.isOn(script) {
                let goesOn = try await BlamedError.blaming(ScriptPart(script: script, part: "listener middleware")) {
                    try await run(listener, Response(match: (), exchange: exchange))
                }
                if !goesOn { return }
            }
            try await hit.work(exchange)
        }
        await report(outcome, exchange)
    }

    private func end(_ delivery: Delivery) {
        if delivery.end() { activity.end() }
    }
}
