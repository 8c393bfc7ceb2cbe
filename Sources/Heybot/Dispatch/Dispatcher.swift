import HeybotSupport
import Logging
import Synchronization

/// Takes messages from the inbox, passes them through the receive middleware, and runs the listeners that match.
///
/// The ``MessageScheduler`` decides when each message is handled.
final class Dispatcher: Sendable {
    private struct RobotReference {
        weak var robot: Robot?
    }

    /// For how long a task handles one user's messages before other tasks have their turn.
    private static let longestTurn: Duration = .milliseconds(2)
    /// The most messages that are passed on at once.
    private static let batchSize = 64

    let addressing: Addressing
    let queue: InboundQueue
    /// Takes the inbox from a pass whose closures compute for too long.
    private let inboxWatch: InboxWatch
    /// Decides when each message is handled.
    let scheduler: MessageScheduler
    let commandLimiter: UserCommandRateLimiter
    let runner: ScriptRunner
    let users: UserPermissions
    let toggles: ScriptToggles
    let accessRules: AccessRules
    let limits: Robot.Limits
    private let stopping: AsyncLatch
    let questions = PendingQuestions()
    /// The latest messages that listeners have handled; a correction of one isn't a command.
    let handled = HandledMessages()
    let approvals = PendingApprovals()
    /// The users whose messages matched a listener.
    let recentUsers = RecentUsers()
    let sequencer = RoomSequencer()
    let cooldowns = CooldownTracker()
    let notices = LimitNoticeThrottle()
    /// Limits the number of notices that the robot itself sends at the same time.
    private let noticePermits = NonBlockingSemaphore(16)
    /// When messages were last passed on, in tenths of a second.
    private let lastForwarded = Atomic(0)
    private let reference = Mutex(RobotReference())
    private let current: Mutex<ScriptRegistry>

    var metrics: RobotMetrics { runner.metrics }
    var logger: Logger { runner.logger }
    var isStopping: Bool { stopping.isOpen }
    /// What the scripts have registered.
    var registry: ScriptRegistry { current.withLock { $0 } }
    /// The robot that runs; nil before it runs.
    var robot: Robot? { reference.withLock { $0.robot } }

    /// - Parameter stopping: Opens when the robot is asked to stop.
    init(
        _ registry: ScriptRegistry, _ addressing: Addressing, adapters: [any Adapter], _ runner: ScriptRunner,
        _ users: UserPermissions, _ toggles: ScriptToggles, _ accessRules: AccessRules, _ limits: Robot.Limits,
        stopping: AsyncLatch
    ) {
        current = Mutex(registry)
        self.addressing = addressing
        (self.runner, self.users, self.toggles, self.accessRules) = (runner, users, toggles, accessRules)
        (self.limits, self.stopping) = (limits, stopping)
        commandLimiter = UserCommandRateLimiter(
            adapters, addressing, timeSource: runner.timeSource, logger: runner.logger)
        scheduler = MessageScheduler(
            .init(
                all: limits.concurrency, perPerson: max(limits.concurrencyPerPerson, 1),
                perRoom: max(limits.concurrencyPerRoom, 1), waiting: max(limits.waiting, 1),
                waitingPerPerson: max(limits.waitingPerPerson, 1)),
            timers: runner.timers, timeSource: runner.timeSource)
        let queue = InboundQueue(
            capacity: limits.inbox, inFlight: runner.inFlight, timers: runner.timers,
            onOverflow: Self.recordOverflow(runner))
        self.queue = queue
        inboxWatch = InboxWatch { [weak queue] last in queue?.checkClosures(&last) ?? false }
    }

    /// Uses another registry for the messages that are matched from now on.
    func use(_ registry: ScriptRegistry) { current.withLock { $0 = registry } }

    private static func recordOverflow(_ runner: ScriptRunner) -> @Sendable (InboundQueue.DroppedMessages) -> Void {
        let lastWarning = Atomic<Int64>(.min)
        return { dropped in
            for inbound in dropped.messages { runner.metrics.inboxDropped(from: inbound.message.room.id.adapter) }
            // A flood fills and empties the queue repeatedly: log one warning per minute.
            let now = runner.timeSource.now().components.seconds
            let last = lastWarning.load(ordering: .relaxed)
            guard dropped.isNew, last == .min || now - last >= 60 else { return }
            lastWarning.store(now, ordering: .relaxed)
            runner.logger.warning(
                "the inbox is full: dropping the newest messages from the users who sent the most")
        }
    }

    /// Starts taking messages from the inbox, in one pass at a time, so that they are matched or passed on in order.
    func start(for robot: Robot) {
        reference.withLock { $0.robot = robot }
        runner.onTyping { [weak self] change, inbound in self?.showTyping(change, inbound) ?? false }
        queue.setConsumer({ [weak self] pass in self?.scan(pass) }, onDelay: { [inboxWatch] in inboxWatch.wake() })
    }

    /// Matches the messages in the inbox, on the script threads, because matching runs script code too.
    ///
    /// When a message matches and may be handled now, this task handles it, and then goes on with the inbox. If the closures wait
    /// for something, or compute for some hundred microseconds while other messages wait, the inbox is left to another task; if a
    /// matcher doesn't return, too. A message that has to wait is queued in the scheduler.
    private func scan(_ pass: Int) {
        if let sink = registry.sink { return forward(pass, to: sink) }
        let dispatchTask = DispatchTaskHandle(scanning: pass)
        let task = Task(executorPreference: executor(for: dispatchTask)) { [self] in
            var count = 0
            while let inbound = queue.next(pass) {
                guard dispatchTask.scan(inbound) else { return }
                let message = inbound.message
                metrics.received(by: message.room.id.adapter)
                let isIgnored = users.ignores(senderOf: message)
                if !isIgnored { observe(inbound) }
                // Nothing that a robot has relayed from another room is a command.
                if isIgnored || message.isRelayed {
                    end(inbound)
                } else if isTooLong(message) {
                    refuse(inbound)
                } else if let step = registry.middleware.receive.isEmpty ? match(inbound, dispatchTask) : .receive {
                    if let permit = scheduler.tryAcquire(ConversationKey(message)) {
                        start(inbound, permit, step)
                        permit.setTask(dispatchTask)
                        queue.beginClosures(pass)
                        let isOver = await handle(step, inbound, dispatchTask)
                        guard queue.endClosures(pass) else { return }
                        // A canceled task would cancel the closures of the next message.
                        guard isOver, !Task.isCancelled else { return queue.handOver(from: pass, processing: inbound) }
                        // Closures take longer than matching does.
                        count += 15
                    } else {
                        dispatchTask.finishMatching()
                        await enqueue(step, inbound)
                    }
                } else {
                    end(inbound)
                }
                count += 1
                // The watchdog reports a job that runs for too long without suspending.
                if count >= 256 {
                    count = 0
                    await Task.yield()
                }
            }
        }
        dispatchTask.attach(task)
    }

    /// Passes on the messages in the inbox, on the thread that has put one in: a change of threads would delay them.
    private func forward(_ pass: Int, to sink: @escaping MessageSink) {
        while true {
            let messages = queue.next(pass, upTo: Self.batchSize)
            if messages.isEmpty { return noteForwarded() }
            let forwarded = messages.map { inbound in
                let message = inbound.message.cut(to: limits.text)
                metrics.received(by: message.room.id.adapter)
                return ForwardedMessage(message) { [self] in end(inbound) }
            }
            guard let space = sink(forwarded) else { continue }
            Task {
                await space.value()
                forward(pass, to: sink)
            }
            return
        }
    }

    /// Has memory released after a burst, since no script thread works here and becomes idle.
    private func noteForwarded() {
        let tenths = Int(runner.timeSource.now() / .milliseconds(100))
        if lastForwarded.exchange(tenths, ordering: .relaxed) != tenths { runner.pool.callIdleAction() }
    }

    func executor(for dispatchTask: DispatchTaskHandle) -> ScriptTaskExecutor {
        let pass = dispatchTask.number
        let leave: @Sendable () -> Void = { [queue] in queue.leaveClosures(of: pass) }
        return ScriptTaskExecutor(runner.pool, dispatchTask, onJobEnded: pass == 0 ? nil : leave) { [weak self] in
            let (matching, wasScanning, scanned) = dispatchTask.abandon()
            if let matching {
                if let ticket = matching.ticket { self?.sequencer.release(ticket) }
                self?.end(matching)
            }
            if wasScanning { self?.queue.handOver(from: dispatchTask.number, processing: scanned) }
        }
    }

    /// Runs the receive middleware on a message, then matches it, in the order of its room.
    ///
    /// - Returns: What to do with the message; nil if middleware dropped it or nothing matches.
    func receive(_ inbound: InFlightMessage, _ dispatchTask: DispatchTaskHandle) async -> DispatchStep? {
        let message = await passReceiveMiddleware(inbound)
        await inbound.ticket?.waitForTurn()
        guard let message else { return nil }
        inbound.replaceMessage(message)
        dispatchTask.startMatching(inbound)
        return match(inbound, dispatchTask)
    }

    private func passReceiveMiddleware(_ inbound: InFlightMessage) async -> Message? {
        var message = inbound.message
        for (script, run) in registry.middleware.receive where toggles.value.isOn(script, in: message.room) {
            let next = Mutex<Message?>(nil)
            let current = message
            guard let robot else { return nil }
            let isDone = await runner.run(RunningScriptPart(script: script, part: "receive middleware")) {
                let result = try await run(current, robot)
                next.withLock { $0 = result }
            }
            if !isDone, !isStopping, isAddressed(message) {
                await send("Sorry, something went wrong (\(script)).", inbound)
            }
            guard isDone, let passed = next.withLock({ $0 }) else { return nil }
            message = passed
        }
        return message
    }

    private func start(_ inbound: InFlightMessage, _ permit: MessageScheduler.Permit, _ step: DispatchStep) {
        let ticket: RoomSequencer.Ticket? =
            if case .receive = step { sequencer.issueTicket(for: inbound.message.room.id) } else { nil }
        inbound.begin(permit, at: ticket)
    }

    /// What to do with a message.
    enum DispatchStep: Sendable {
        /// Run the receive middleware, then match the message.
        case receive
        /// Resume the code that asked the question, with this answer.
        case answer(Question, String)
        /// Run the listeners that match, beginning with this match; indirect, because it is copied on its way to a task.
        indirect case listeners(ListenerMatchIterator, ListenerMatchIterator.Match)
    }

    /// Queues a message that can't be handled yet.
    ///
    /// If the scheduler is full, this waits for space: for 100 ms if other users' messages are waiting behind this one; as long
    /// as messages are being handled if only this user's are. Then one of the waiting messages is dropped.
    private func enqueue(_ step: DispatchStep, _ inbound: InFlightMessage) async {
        let conversation = ConversationKey(inbound.message)
        let start: MessageScheduler.StartHandler = { [self] permit, ended in
            guard let permit else { return drop(step, inbound) }
            self.start(inbound, permit, step)
            guard let ended, ended.goOn(with: (step, inbound)) else { return handleInTask((step, inbound)) }
            permit.setTask(ended)
        }
        // An answer to a question is never dropped, since code waits for it. Before the middleware has run, any message may be
        // an answer, so as many are protected as there are open questions.
        let protectedCount =
            switch step {
            case .answer: Int.max
            case .receive: questionCount(for: inbound.message)
            case .listeners: 0
            }
        let arrival = runner.timeSource.now()
        while case .full(let oldest, let lastStart) = scheduler.enqueue(
            conversation, protectingUpTo: protectedCount, start)
        {
            let now = runner.timeSource.now()
            let others = queue.hasMessage(fromOtherThan: conversation.user)
            // If none of the user's messages are queued, they have waited since this one arrived.
            let end = others ? min(oldest, arrival) + .milliseconds(100) : lastStart + .seconds(1)
            guard now < end else {
                _ = scheduler.enqueue(conversation, evictsOther: true, start)
                return
            }
            let latch = AsyncLatch()
            scheduler.whenSpaceAvailable(conversation.user) { latch.open() }
            if !others { queue.whenMessage(fromOtherThan: conversation.user) { latch.open() } }
            let timer = runner.timers.after(end - now, outlastsStop: true) { latch.open() }
            await latch.wait()
            runner.timers.cancel(timer)
        }
    }

    /// Handles a message in a new task, which then goes on with waiting messages of the same user.
    private func handleInTask(_ first: DispatchTaskHandle.Work) {
        let dispatchTask = DispatchTaskHandle(goesOn: true)
        first.inbound.permit?.setTask(dispatchTask)
        let task = Task(executorPreference: executor(for: dispatchTask)) { [self] in
            var work: DispatchTaskHandle.Work? = first
            var lastYield = runner.timeSource.now()
            while let (step, inbound) = work {
                _ = await handle(step, inbound, dispatchTask)
                work = dispatchTask.takeNext()
                // A canceled task would cancel the closures of the next message.
                if let work, Task.isCancelled { return handleInTask(work) }
                // Others have their turn, and the watchdog sees that the task makes progress.
                guard work != nil, runner.timeSource.now() - lastYield >= Self.longestTurn else { continue }
                await Task.yield()
                lastYield = runner.timeSource.now()
            }
        }
        dispatchTask.attach(task)
    }

    // MARK: Messages that aren't handled

    /// Whether a message ends where it arrives, on the adapter's thread, because no listener can match it.
    ///
    /// If so, it is counted as received, and the observers get it. The prefilter decides that. Its time and that of the observers,
    /// which only standard scripts have, is bounded, so they may run on a thread that other connections share. A matcher may not:
    /// it could take forever. If anything is under way or a question is open, the message is handled like any other, because it
    /// may be an answer.
    func concernsNobody(_ message: Message) -> Bool {
        guard case .text(let text) = message.content, text.utf8.count <= 1_024, !isAddressed(message) else {
            return false
        }
        let registry = registry
        guard registry.sink == nil, registry.middleware.receive.isEmpty, runner.inFlight.isIdle, questions.isEmpty,
            !registry.listenerIndex.mayMatch(toOthers: message)
        else { return false }
        metrics.received(by: message.room.id.adapter)
        if !registry.observers.isEmpty, !users.ignores(senderOf: message) {
            observe(message.withBoundedMarks, InFlightMessage(message, inFlight: nil))
        }
        return true
    }

    private func drop(_ step: DispatchStep, _ inbound: InFlightMessage) {
        let message = inbound.message
        metrics.dropped(from: message.room.id.adapter)
        let isNoticeDue = notices.isDue(.tooMany, for: message.user.id, at: runner.timeSource.now())
        if isNoticeDue {
            logger.notice(
                "too many messages from one user are waiting: dropping the newest",
                metadata: ["room": "\(message.room.id)", "user": "\(message.user.id)"])
        }
        let isAddressed =
            switch step {
            case .answer: true
            case .listeners(let matches, _): matches.isAddressed
            case .receive: isAddressed(message)
            }
        guard isNoticeDue, isAddressed else { return end(inbound) }
        notify("One at a time, please: I'm still busy with your earlier messages.", inbound)
    }

    /// Whether the message has more text than ``Robot/Limits/text`` allows.
    private func isTooLong(_ message: Message) -> Bool {
        switch message.content {
        case .text(let text), .topic(let text), .leave(let text?): text.utf8.count > limits.text
        case .enter, .leave(nil), .reaction, .retraction, .profile: false
        }
    }

    private func refuse(_ inbound: InFlightMessage) {
        let message = inbound.message
        if logger.logLevel <= .debug {
            logger.debug(
                "the message is longer than the limit, so no listener gets it",
                metadata: ["room": "\(message.room.id)", "user": "\(message.user.id)"])
        }
        guard message.text != nil, isAddressed(message) || questionCount(for: message) > 0,
            notices.isDue(.tooLong, for: message.user.id, at: runner.timeSource.now())
        else { return end(inbound) }
        let limit = limits.text
        let most = limit % 1_024 == 0 && limit > 0 ? "\(limit / 1_024) KB" : "\(limit) bytes"
        notify("That message is too long for me: the limit is \(most).", inbound)
    }

    /// Whether a message is addressed to the robot, judging by its beginning.
    func isAddressed(_ message: Message) -> Bool {
        guard let text = message.text else { return false }
        return message.room.isPrivate || message.isAddressed || addressing.isAddressed(text)
    }

    /// Sends a notice to the sender of a message, then ends the message.
    ///
    /// If too many notices are being sent already, it only ends the message.
    private func notify(_ text: String, _ inbound: InFlightMessage) {
        guard noticePermits.tryAcquire() else { return end(inbound) }
        Task {
            await send(text, inbound)
            noticePermits.release()
            end(inbound)
        }
    }

    private func send(_ text: String, _ inbound: InFlightMessage) async {
        guard let robot else { return }
        let itself = IndexedListener(.robotItself, order: 0)
        await notify(text, ListenerRunContext(robot: robot, registered: itself, inbound: inbound))
    }

    /// Ends a message: releases its permit, and counts it as done.
    ///
    /// - Parameter dispatchTask: The task that has handled it, and does nothing else for it.
    func end(_ inbound: InFlightMessage, by dispatchTask: DispatchTaskHandle? = nil) {
        inbound.permit?.release(by: dispatchTask)
        if inbound.end() { runner.inFlight.end() }
    }
}
