import Logging
import Synchronization

/// Takes messages out of the inbox, past the receive middleware, to the listeners that match, each when it is its turn.
final class Dispatcher: Sendable {
    private struct Owner {
        weak var robot: Robot?
    }

    let router: Router
    let addressing: Addressing
    let middleware: Middleware
    let queue: DeliveryQueue
    /// The right to have a message handled.
    let turns: Turns
    let commandLimits: CommandLimits
    let runner: ScriptRunner
    let users: UserDirectory
    let toggles: ScriptToggles
    let limits: Robot.Limits
    private let stopping: Gate
    let questions = Questions()
    let order = RoomOrder()
    let coolDowns = CoolDowns()
    let notices = Notices()
    /// How many people may be told something by the robot itself at a time.
    private let telling = Allowance(16)
    private let owner = Mutex(Owner())

    var counters: Counters { runner.counters }
    var logger: Logger { runner.logger }
    var isStopping: Bool { stopping.isOpen }
    /// The robot that hears the messages; nil before it runs.
    var robot: Robot? { owner.withLock { $0.robot } }

    /// - Parameter stopping: Opened when the robot is told to stop.
    init(
        _ router: Router, _ middleware: Middleware, _ addressing: Addressing, adapters: [any Adapter],
        _ runner: ScriptRunner, _ users: UserDirectory, _ toggles: ScriptToggles, _ limits: Robot.Limits, stopping: Gate
    ) {
        (self.router, self.middleware, self.addressing) = (router, middleware, addressing)
        (self.runner, self.users, self.toggles) = (runner, users, toggles)
        (self.limits, self.stopping) = (limits, stopping)
        commandLimits = CommandLimits(adapters, addressing, timeline: runner.timeline, logger: runner.logger)
        turns = Turns(
            .init(
                all: limits.concurrency, perPerson: max(limits.concurrencyPerPerson, 1),
                perRoom: max(limits.concurrencyPerRoom, 1), waiting: max(limits.waiting, 1),
                waitingPerPerson: max(limits.waitingPerPerson, 1)),
            timers: runner.timers, timeline: runner.timeline)
        queue = DeliveryQueue(
            capacity: limits.inbox, activity: runner.activity, timers: runner.timers, onLoss: Self.noteLoss(runner))
    }

    private static func noteLoss(_ runner: ScriptRunner) -> @Sendable (DeliveryQueue.Loss) -> Void {
        let lastLoss = Atomic<Int64>(.min)
        return { loss in
            for delivery in loss.deliveries { runner.counters.unheard(from: delivery.message.room.id.adapter) }
            // A flood fills and empties the queue again and again: that is one warning a minute.
            let now = runner.timeline.now().components.seconds
            let last = lastLoss.load(ordering: .relaxed)
            guard loss.isNew, last == .min || now - last >= 60 else { return }
            lastLoss.store(now, ordering: .relaxed)
            runner.logger.warning(
                "more is said than the robot can take, so some messages go unheard: the newest of whoever says most")
        }
    }

    /// Lets the inbox have its messages taken out for a robot, a task at a time, so that matching keeps their order.
    func start(for robot: Robot) {
        owner.withLock { $0.robot = robot }
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
                if users.ignores(message.user) {
                    end(delivery)
                } else if isTooLong(message) {
                    refuse(delivery)
                } else if let step = middleware.receive.isEmpty ? match(message, passage) : .receive {
                    if let turn = turns.take(Turns.Address(message)) {
                        begin(delivery, turn, step)
                        if passage.stopScanning() { queue.handOn(from: pass, having: delivery) }
                        turn.runs(in: passage)
                        return await take(step, delivery, passage)
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

    func lane(of passage: Passage) -> Lane {
        Lane(runner.pool, passage) { [weak self] in
            let (matching, wasScanning, scanned) = passage.giveUp()
            if let matching {
                if let place = matching.place { self?.order.leave(place) }
                self?.end(matching)
            }
            if wasScanning { self?.queue.handOn(from: passage.number, having: scanned) }
        }
    }

    /// Sees a message through the receive middleware, and in its room's order to the router.
    func receive(_ delivery: Delivery, _ passage: Passage) async -> Step? {
        let message = await passReceiveMiddleware(delivery)
        await delivery.place?.reached()
        guard let message else { return nil }
        delivery.replaceMessage(message)
        passage.match(delivery)
        return match(message, passage)
    }

    private func passReceiveMiddleware(_ delivery: Delivery) async -> Message? {
        var message = delivery.message
        for (script, run) in middleware.receive where toggles.value.isOn(script, in: message.room) {
            let next = Mutex<Message?>(nil)
            let current = message
            guard let robot else { return nil }
            let isDone = await runner.run(ScriptPart(script: script, part: "receive middleware")) {
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

    private func begin(_ delivery: Delivery, _ turn: Turns.Turn, _ step: Step) {
        let place: RoomOrder.Place? = if case .receive = step { order.enter(delivery.message.room.id) } else { nil }
        delivery.begin(turn, at: place)
    }

    /// What is to be done about a message.
    enum Step: Sendable {
        /// The receive middleware has it first; what to do comes of that.
        case receive
        case answer(Question, String)
        case listeners(Matches, Matches.Match)
    }

    /// Has a message handled as soon as it is its turn.
    ///
    /// If too many wait already, this waits for room: for a moment, or for as long as only this person's messages come in
    /// and they are dealt with. After that one of them is dropped.
    private func wait(_ step: Step, _ delivery: Delivery) async {
        let address = Turns.Address(delivery.message)
        let begin: Turns.Begin = { [self] turn in
            guard let turn else { return drop(step, delivery) }
            self.begin(delivery, turn, step)
            let passage = Passage()
            turn.runs(in: passage)
            passage.begin(
                Task(executorPreference: lane(of: passage)) { [self] in await take(step, delivery, passage) })
        }
        // Somebody waits for the answer to a question, and asks only so many; past the middleware, any message may be one.
        let kept =
            switch step {
            case .answer: Int.max
            case .receive: questions.count(for: address)
            case .listeners: 0
            }
        let came = runner.timeline.now()
        while case .full(let oldest, let moved) = turns.enter(address, keeping: kept, begin) {
            let now = runner.timeline.now()
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
            let timer = runner.timers.after(end - now) { gate.open() }
            await gate.wait()
            runner.timers.cancel(timer)
        }
    }

    // MARK: What isn't handled

    private func drop(_ step: Step, _ delivery: Delivery) {
        let message = delivery.message
        counters.dropped(from: message.room.id.adapter)
        let isTold = notices.isDue(.tooMany, for: message.user.id, at: runner.timeline.now())
        if isTold {
            logger.notice(
                "somebody says more than I can handle at once: some of it is dropped",
                metadata: ["room": "\(message.room.id)", "user": "\(message.user.id)"])
        }
        let isAddressed =
            switch step {
            case .answer: true
            case .listeners(let matches, _): matches.isAddressed
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
            notices.isDue(.tooLong, for: message.user.id, at: runner.timeline.now())
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
        guard let robot else { return }
        await tell(text, Exchange(robot: robot, listener: .robotItself, delivery: delivery))
    }

    /// Gives back what the message holds.
    func end(_ delivery: Delivery) {
        delivery.turn?.giveBack()
        if delivery.end() { runner.activity.end() }
    }
}
