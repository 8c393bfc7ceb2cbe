import DequeModule
import FoundationEssentials
import GatewayHost
import GatewayLink
package import Heybot
import HeybotSockets
import HeybotSupport
package import Logging
package import RedisStore
import Synchronization

/// A worker that gets its messages from gateways through Redis, and has their adapters carry out what its robot wants.
package final class RedisWorker: Sendable {
    typealias Outcome = Result<CallOutcome, any Error>

    /// Something that is written in order, and again until it succeeds.
    enum Step {
        case finish([LinkWorkerSession.FinishedMessage])
        case release([Int: Int])
        case note(Claim, id: String, isOpen: Bool, partition: Int, token: Int)
        /// A call whose outcome nobody waits for.
        case send(AdapterCall)
    }

    /// The number of messages that are removed at once.
    private static let batch = 100

    struct State {
        var session: LinkWorkerSession
        var adapters = KnownAdapters()
        /// The adapters that a gateway has; nil while that isn't known, so that the worker takes no partitions.
        var held: Set<String>?
        /// The names of the robot's adapters.
        var own: Set<String> = []
        /// The number of entries of a stream that are read at once.
        var readLimit = RedisWorker.mostRead
        /// The number of partitions that had messages when they were read last.
        var busyPartitions = 0
        weak var robot: Robot?
        var inbox: Inbox?
        var waiters: [LinkWorkerSession.CallKey: OneShotPromise<Outcome>] = [:]
        /// The id of the last outcome that was read.
        var lastRead = "0-0"
        var steps: Deque<Step> = []
        var isWriting = false
        /// The callers that wait until everything is written.
        var writers: [OneShotPromise<Void>] = []
        var tasks: [Task<Void, Never>] = []
        /// Says that the worker is there.
        var renewing: Task<Void, Never>?
        var isClosed = false
        /// The messages for the inbox, and what else is to be done when the lock is released.
        var heard: [Message] = []
        /// Whether a thread puts messages into the inbox: it also does what is added meanwhile, so that they keep their order.
        var isHearing = false
        var work: [@Sendable () -> Void] = []
    }

    /// The most and the fewest entries of a stream that are read at once; the fewest also if there is little room for messages.
    static let (mostRead, fewestRead) = (100, 4)
    /// How long it waits after an error.
    static let pause: Duration = .milliseconds(200)

    /// Identifies this process.
    let id = "worker-" + String(UInt64.random(in: .min ... .max), radix: 36)
    let limits: LinkLimits
    let logger: Logger
    let timeSource = TimeSource(ContinuousClock(), date: { .now })
    let database: LinkDatabase
    let errorLog: LinkErrorLog
    let state: Mutex<State>

    /// Creates a worker, which ``open(for:blaming:)`` connects.
    package init(
        _ configuration: RedisStore.Configuration, limits: LinkLimits = LinkLimits(), logger: Logger
    ) {
        (self.limits, self.logger) = (limits, logger)
        database = LinkDatabase(configuration, logger)
        errorLog = LinkErrorLog(logger, timeSource)
        state = Mutex(State(session: LinkWorkerSession(limits)))
    }

    /// Connects to Redis.
    ///
    /// - Parameters:
    ///   - robot: The robot's name.
    ///   - culprits: The ids of messages that have crashed earlier workers on this machine, with the scripts.
    /// - Throws: ``Heybot/StoreError``, also if another robot uses the same keys.
    package func open(for robot: String, blaming culprits: [String: String] = [:]) async throws {
        try await database.open()
        try await database.introduce(robot)
        try await database.blame(culprits)
        // From now on, its calls are carried out.
        _ = try await database.renew(id, for: limits.leaseTime, takesPartitions: false, from: 0, read: "0-0")
    }

    /// The number of messages that aren't done in one of its partitions; nil if it doesn't have that one.
    package func waitingMessages(in partition: Int) -> Int? { state.withLock { $0.session.waiting[partition] } }

    /// The number of all partitions.
    package static var partitions: Int { Partitions.count }

    /// The script of the worker's robot.
    package var script: any Script { RedisWorkerScript(self) }

    /// The number of its partitions, and of the messages that its robot handles.
    package var counts: (partitions: Int, messages: Int) { state.withLock { $0.session.counts } }

    // MARK: The robot

    func start(for robot: Robot) {
        state.withLock { $0.robot = robot }
        robot.holdRegisteredTimers(true)
        robot.onQuestions { [weak self] message, isOpen in
            self?.change { $0.session.questionChanged(Claim(message), isOpen: isOpen) }
        }
        let stopping = Task { [weak self] in
            await robot.waitUntilStopping()
            self?.change { $0.session.stop() }
        }
        state.withLock { $0.tasks.append(stopping) }
    }

    /// Leaves what hasn't ended to other workers.
    func giveUp() { state.withLock { $0.session.end() } }

    /// Gives up all partitions, and closes the connections.
    package func stop() async {
        let written = OneShotPromise<Void>()
        state.withLock { state in
            state.isClosed = true
            if state.isWriting { state.writers.append(written) } else { written.fulfill(()) }
        }
        await written.value()
        // It doesn't take partitions any more.
        let renewing = state.withLock { $0.renewing }
        renewing?.cancel()
        await renewing?.value
        // Otherwise its leases end by themselves.
        try? await database.leave(id)
        let (tasks, waiters) = state.withLock { state in
            defer { (state.tasks, state.waiters) = ([], [:]) }
            return (state.tasks, state.waiters.values)
        }
        for task in tasks { task.cancel() }
        let failure = AdapterError(.notConnected, "the robot is stopping")
        for waiter in waiters { waiter.fulfill(.failure(failure)) }
        await database.close()
    }

    /// Takes partitions, and has their messages put into the robot's inbox, until the task is canceled.
    func begin(_ inbox: Inbox) async {
        let isFirst = state.withLock { state in
            guard state.inbox == nil, !state.isClosed else { return false }
            state.inbox = inbox
            state.renewing = Task { [weak self] in while await self?.renew() == true {} }
            state.tasks.append(
                Task(executorPreference: Connection.executor) { [weak self] in while await self?.read() == true {} })
            return true
        }
        if isFirst { logger.info("waiting for messages", metadata: ["worker": "\(id)"]) }
        let (forever, _) = AsyncStream<Void>.makeStream()
        for await _ in forever {}
    }

    // MARK: Actions

    /// Changes the state, and carries out what the session wants; what may block is done without the lock.
    func change(_ change: (inout State) -> [LinkWorkerSession.Action]) {
        let (work, hears, writes) = state.withLock { state in
            for action in change(&state) { carryOut(action, &state) }
            let writes = !state.isWriting && !state.steps.isEmpty
            let hears = !state.isHearing && !state.heard.isEmpty && state.inbox != nil
            if writes { state.isWriting = true }
            if hears { state.isHearing = true }
            defer { state.work = [] }
            return (state.work, hears, writes)
        }
        for job in work { job() }
        if writes { Task.immediately(on: Connection.executor) { [self] in await write() } }
        if hears { hear() }
    }

    /// Puts messages into the robot's inbox, until none is left.
    private func hear() {
        while true {
            let (heard, inbox, robot): ([Message], Inbox?, Robot?) = state.withLock { state in
                defer { state.heard = [] }
                state.isHearing = !state.heard.isEmpty
                return (state.heard, state.inbox, state.robot)
            }
            guard let inbox, !heard.isEmpty else { return }
            hear(heard, inbox, robot)
        }
    }

    private func carryOut(_ action: LinkWorkerSession.Action, _ state: inout State) {
        switch action {
        case .takeOver(let partition, let token):
            state.work.append { _ = Task { await self.takeOver(partition, token) } }
        case .release(let partitions): state.steps.append(.release(partitions))
        case .finish(let messages):
            if case .finish(let earlier)? = state.steps.last, earlier.count + messages.count <= Self.batch {
                state.steps.removeLast()
                state.steps.append(.finish(earlier + messages))
            } else {
                state.steps.append(.finish(messages))
            }
        case .note(let claim, let id, let isOpen, let partition, let token):
            state.steps.append(.note(claim, id: id, isOpen: isOpen, partition: partition, token: token))
        case .hear(let messages): state.heard += messages
        case .unreadable(let entry, let partition):
            let logger = self.logger
            state.work.append {
                logger.error(
                    "a message can't be read, so it is dropped (\(entry) in partition \(partition)): check that the gateway has this worker's version"
                )
            }
        case .apologize(let claims):
            for claim in claims { tell(Envelope(room: claim.room, user: claim.user), Claim.apology, &state) }
        case .giveUp(let message, let script):
            let text =
                script.map { "Sorry, that made me crash (\($0)). I'm back, without it." }
                ?? "Sorry, I couldn't do that: I crashed each time."
            // What wasn't meant for the robot needs no answer.
            if script != nil || state.robot?.isAddressed(message) == true { tell(message.answerEnvelope, text, &state) }
            let (reason, logger) = (script.map { "it crashes the script \($0)" } ?? "workers are lost with it", logger)
            state.work.append { logger.error("the message \(message.id) isn't handled any more: \(reason)") }
        case .holdTimers(let holds): state.robot?.holdRegisteredTimers(holds)
        case .readNow: state.work.append { _ = Task { try? await self.database.wake(self.id) } }
        case .reload:
            guard let robot = state.robot else { return }
            state.work.append { _ = Task { try? await robot.loadSwitchesAndRoles() } }
        case .abandon(let partition):
            for key in state.waiters.keys {
                guard case .message(_, partition, _) = key, let waiter = state.waiters.removeValue(forKey: key) else {
                    continue
                }
                state.work.append { waiter.fulfill(.failure(Self.lost)) }
            }
            let logger = self.logger
            state.work.append { logger.warning("another worker has taken over partition \(partition)") }
        }
    }

    private func tell(_ envelope: Envelope, _ text: String, _ state: inout State) {
        guard let robot = state.robot else { return }
        state.work.append { _ = Task { try? await robot.deliver(.reply(text), to: envelope) } }
    }

    /// Writes what waits, in order, again until it succeeds.
    private func write() async {
        while true {
            let (step, writers): (Step?, [OneShotPromise<Void>]) = state.withLock { state in
                if let step = state.steps.popFirst() { return (step, []) }
                state.isWriting = false
                defer { state.writers = [] }
                return (nil, state.writers)
            }
            guard let step else {
                for writer in writers { writer.fulfill(()) }
                return
            }
            while true {
                do {
                    try await write(step)
                    break
                } catch let error as StoreError where error.passes {
                    // When the robot has stopped, it doesn't wait for Redis.
                    if state.withLock({ $0.isClosed }) { break }
                    errorLog.log(error, "can't write to Redis")
                    try? await Task.sleep(for: Self.pause)
                } catch {
                    logger.error("Redis has refused something, which is left out: \(error)")
                    break
                }
            }
            state.withLock { state in
                switch step {
                case .release(let partitions): state.session.released(partitions)
                case .finish(let messages): state.session.finished(messages)
                case .note, .send: break
                }
            }
        }
    }

    private func write(_ step: Step) async throws {
        switch step {
        case .finish(let messages):
            let lost = try await database.finish(messages.map { ($0.partition, $0.token, $0.entry) }, of: id)
            if lost.isEmpty { return }
            change { state in
                messages.filter { lost.contains($0.partition) }
                    .flatMap { state.session.refused($0.partition, token: $0.token) }
            }
        case .release(let partitions): try await database.release(partitions, of: id)
        case .note(let claim, let question, let isOpen, let partition, let token):
            try await database.note(claim, id: question, isOpen: isOpen, in: partition, token, of: id)
        case .send(let call):
            _ = try await database.request(
                call, for: "", in: nil, of: id, hasOutcome: false, limit: limits.calls)
        }
    }
}

/// The script of the robot of a ``RedisWorker``.
private struct RedisWorkerScript: Script {
    let name = "Worker"
    private let worker: RedisWorker

    init(_ worker: RedisWorker) { self.worker = worker }

    func register(on robot: inout RobotBuilder) {
        robot.accompany(
            with: RobotCompanion(
                start: { [worker] in worker.start(for: $0) }, giveUp: { [worker] in worker.giveUp() },
                stop: { [worker] _ in await worker.stop() }))
    }
}
