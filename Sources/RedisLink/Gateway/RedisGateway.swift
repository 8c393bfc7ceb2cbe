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

/// A gateway that passes what its adapters hear to workers through Redis, and has the adapters carry out what these want.
package final class RedisGateway: Sendable {
    struct State {
        weak var robot: Robot?
        var outbox: Outbox<ForwardedMessage>
        /// The names of the adapters.
        var names: Set<String> = []
        /// The tokens of the adapters' leases.
        var tokens: [String: Int] = [:]
        /// When the leases were renewed last.
        var held: Duration = .zero
        /// The difference between the server's clock and this process's, in milliseconds.
        var clockOffset = 0
        /// The callers that wait until there is room for messages.
        var waiting: [OneShotPromise<Void>] = []
        /// The calls that are under way, as adapter and id.
        var performing: Set<String> = []
        /// Those that have ended since the reading began whose reply is on its way.
        var endedSinceReading: Set<String> = []
        /// Whether no further calls are begun, because the adapters are to disconnect.
        var isFinishing = false
        /// The callers that wait until everything that was heard is in Redis, and no call is under way.
        var flushing: [OneShotPromise<Void>] = []
        /// The latest messages, by their ids in Redis: answers count toward their senders' limits.
        var recent: [String: Message] = [:]
        var order: Deque<String> = []
        /// The ids of the last calls that were read, by adapter.
        var lastRead: [String: String] = [:]
        /// The questions to workers, by number.
        var questions: [Int: OneShotPromise<WorkerFrame?>] = [:]
        var lastQuestion = 0
        /// The id of the last answer that was read.
        var lastAnswer = "0-0"
        /// The number of calls that are read at once: their files may be long.
        var readLimit = RedisGateway.mostRead
        var tasks: [Task<Void, Never>] = []
        var isClosed = false
        /// Whether another gateway has taken over.
        var isReplaced = false
        /// Whether it waits until another gateway, which has its adapters, is gone.
        var isWaiting = false

        /// Whether nothing is lost if the adapters disconnect.
        var isFlushed: Bool { isReplaced || outbox.count == 0 && performing.isEmpty }

        /// The callers that needn't wait any more.
        mutating func takeFlushing() -> [OneShotPromise<Void>] {
            guard isFlushed else { return [] }
            defer { flushing = [] }
            return flushing
        }
    }

    static let pause: Duration = .milliseconds(200)
    /// The number of calls that are read at once, if they aren't too long.
    static let mostRead = 10
    /// The number of messages that are remembered.
    private static let memory = 4_000

    /// Identifies this process.
    let id = "gateway-" + String(UInt64.random(in: .min ... .max), radix: 36)
    let limits: LinkLimits
    let logger: Logger
    let timeSource = TimeSource(ContinuousClock(), date: { .now })
    let database: LinkDatabase
    /// Log errors of Redis, and messages that are dropped.
    let (errorLog, dropLog): (LinkErrorLog, LinkErrorLog)
    let state: Mutex<State>

    /// Creates a gateway, which ``open(for:adapters:)`` connects.
    package init(_ configuration: RedisStore.Configuration, limits: LinkLimits = LinkLimits(), logger: Logger) {
        (self.limits, self.logger) = (limits, logger)
        database = LinkDatabase(configuration, logger)
        errorLog = LinkErrorLog(logger, timeSource)
        dropLog = LinkErrorLog(logger, timeSource)
        let outbox = Outbox<ForwardedMessage>(partitions: Partitions.count, limit: limits.waitingForPartition)
        state = Mutex(State(outbox: outbox))
    }

    /// The script of the gateway's robot, which passes everything on.
    package var script: any Script { RedisGatewayScript(self) }

    /// The number of messages that aren't in Redis yet.
    package var waitingMessages: Int { state.withLock { $0.outbox.count } }

    /// Whether it waits until another gateway, which has its adapters, is gone.
    package var isWaiting: Bool { state.withLock { $0.isWaiting } }

    /// The number of calls that are being carried out.
    package var calls: Int { state.withLock { $0.performing.count } }

    /// Whether another gateway has taken over the adapters, so that this one has stopped.
    package var isReplaced: Bool { state.withLock { $0.isReplaced } }

    // MARK: Starting and stopping

    /// Connects to Redis, and waits until no other gateway has these adapters.
    ///
    /// - Parameters:
    ///   - robot: The robot's name.
    ///   - adapters: Their names.
    /// - Throws: ``Heybot/StoreError``, also if another robot uses the same keys; `CancellationError` if the task is canceled.
    package func open(for robot: String, adapters: [String]) async throws {
        try await database.open()
        state.withLock { $0.names = Set(adapters) }
        let facts = adapters.map { AdapterFacts(name: $0, status: .starting) }
        defer { state.withLock { $0.isWaiting = false } }
        while true {
            do {
                // Each time: others may have been replaced meanwhile, perhaps by another version.
                try await database.introduce(robot)
                if try await hold(facts) { return }
                let hasWaited = state.withLock { state in
                    defer { state.isWaiting = true }
                    return state.isWaiting
                }
                if !hasWaited {
                    let names = adapters.joined(separator: ", ")
                    logger.notice("another gateway has \(names): waiting until it is gone")
                }
            } catch let error as StoreError where error.passes {
                state.withLock { $0.isWaiting = false }
                errorLog.log(error, "can't take the leases of the adapters")
            }
            try await Task.sleep(for: limits.renewInterval)
        }
    }

    func start(for robot: Robot) {
        state.withLock { state in
            state.robot = robot
            state.tasks = [
                Task { [weak self] in while await self?.renew() == true {} },
                Task(executorPreference: Connection.executor) { [weak self] in while await self?.read() == true {} }
            ]
        }
        for adapter in robot.adapters {
            (adapter as? any StatusAnnouncing)?.onStatusChange { [weak self] in
                Task { [weak self] in _ = try? await self?.holdPresent() }
            }
        }
    }

    /// Waits until everything that was heard is in Redis, and the calls that are under way have ended; leaves the others to the next
    /// gateway.
    func finish() async {
        let promise = OneShotPromise<Void>()
        state.withLock { state in
            state.isFinishing = true
            if state.isFlushed { promise.fulfill(()) } else { state.flushing.append(promise) }
        }
        await promise.value()
    }

    /// Leaves the calls that come to the next gateway, because the adapters disconnect.
    func giveUp() { state.withLock { $0.isFinishing = true } }

    /// Gives the adapters up, and closes the connections.
    package func stop() async {
        let (tasks, adapters, lost) = state.withLock { state in
            state.isClosed = true
            for promise in state.waiting { promise.fulfill(()) }
            state.waiting = []
            defer { (state.tasks, state.flushing, state.questions) = ([], [], [:]) }
            for promise in state.flushing { promise.fulfill(()) }
            for promise in state.questions.values { promise.fulfill(nil) }
            return (state.tasks, state.isReplaced ? [] : Array(state.tokens.keys), state.outbox.count)
        }
        if lost > 0 {
            logger.error("\(lost) messages are lost, because they couldn't be put into Redis before the gateway ends")
        }
        for task in tasks { task.cancel() }
        // Otherwise they end by themselves.
        if !adapters.isEmpty { try? await database.release(adapters: adapters, of: id) }
        await database.close()
    }

    // MARK: Leases

    /// Takes or renews the leases of adapters; false if another gateway has one of them, or had it meanwhile.
    private func hold(_ facts: [AdapterFacts]) async throws -> Bool {
        let began = timeSource.now()
        let last = state.withLock { $0.lastAnswer }
        let held = try await database.hold(facts, for: limits.leaseTime, by: id, read: last)
        guard let (time, tokens) = held else { return false }
        let offset = time - Int(timeSource.date().timeIntervalSince1970 * 1_000)
        return state.withLock { state in
            for (adapter, token) in zip(facts, tokens) {
                // A token that has grown had another holder. If it is smaller, Redis has lost its data.
                if let before = state.tokens[adapter.name], before < token { return false }
                state.tokens[adapter.name] = token
            }
            (state.held, state.clockOffset) = (began, offset)
            return true
        }
    }

    /// Renews the leases with the present facts of the adapters; otherwise the gateway ends.
    func holdPresent() async throws -> Bool {
        let (robot, names) = state.withLock { ($0.isClosed ? nil : $0.robot, $0.names) }
        guard let robot else { return true }
        let adapters = robot.adapters.filter { names.contains($0.name) }
        if try await hold(adapters.map { AdapterFacts($0) }) { return true }
        replaced()
        return false
    }

    /// Renews the leases, and waits for the next time; false if the gateway has ended.
    private func renew() async -> Bool {
        do {
            guard try await holdPresent() else { return false }
            try await Task.sleep(for: limits.renewInterval)
        } catch {
            errorLog.log(error, "can't renew the leases of the adapters")
            try? await Task.sleep(for: Self.pause)
        }
        return !state.withLock { $0.isClosed } && !Task.isCancelled
    }

    private func replaced() {
        let robot: Robot? = state.withLock { state in
            guard !state.isReplaced else { return nil }
            state.isReplaced = true
            for promise in state.takeFlushing() + state.waiting { promise.fulfill(()) }
            state.waiting = []
            return state.robot
        }
        guard let robot else { return }
        logger.error("another gateway has taken over the connections, so this one ends")
        robot.stop()
    }

    // MARK: Messages

    /// Passes messages on.
    ///
    /// - Returns: What the next messages have to wait for; nil unless too many wait.
    func forward(_ messages: [ForwardedMessage]) -> OneShotPromise<Void>? {
        var encoded: [([UInt8], ForwardedMessage)] = []
        for message in messages {
            let numbered = NumberedMessage(number: 0, message: message.message)
            guard let frame = try? LinkCoder.encode(GatewayFrame.message(numbered)), !frame.isTooLong else {
                logger.error("a message can't be passed to a worker: it is too long")
                message.end()
                continue
            }
            encoded.append((frame.json, message))
        }
        var dropped: [ForwardedMessage] = []
        let (lanes, promise): ([Int], OneShotPromise<Void>?) = state.withLock { state in
            var lanes: [Int] = []
            for (json, message) in encoded {
                let (room, sender) = (message.message.room, message.message.sender)
                let partition = Partitions.number(of: room)
                switch state.outbox.add(json, message, of: room.id.adapter, from: sender, to: partition) {
                case .begins: lanes.append(partition)
                case .waits: break
                case .dropped(let excess): dropped.append(excess)
                }
            }
            guard state.outbox.delayed >= limits.waiting, !state.isClosed, !state.isReplaced else {
                return (lanes, nil)
            }
            let promise = OneShotPromise<Void>()
            state.waiting.append(promise)
            return (lanes, promise)
        }
        drop(dropped)
        for partition in lanes { Task.immediately(on: Connection.executor) { [self] in await add(in: partition) } }
        return promise
    }

    /// Ends messages of rooms whose workers can't keep up, and logs that at most once a minute.
    private func drop(_ messages: [ForwardedMessage]) {
        guard let first = messages.first?.message else { return }
        for message in messages { message.end() }
        let rooms = "\(first.room.id) and of other rooms in its partition"
        dropLog.log(
            "messages of \(rooms) are dropped, because no worker handles them fast enough: start another worker, and look for a slow script"
        )
    }

    /// Adds what waits for a partition, until nothing does.
    private func add(in partition: Int) async {
        while let (batch, token) = state.withLock({ state in
            state.outbox.next(in: partition).map { ($0, state.tokens[$0.adapter] ?? 0) }
        }) {
            var count = 0
            do {
                let ids = try await database.add(
                    batch.messages.map(\.json), from: batch.first, of: batch.adapter, token, to: partition,
                    limit: limits.messages)
                if let ids {
                    count = ids.count
                    added(ids, batch)
                } else if try await !holdPresent() {
                    return
                }
            } catch {
                // It is added once, even if it is tried again.
                errorLog.log(error, "can't put messages into Redis")
            }
            guard count < batch.messages.count else { continue }
            if state.withLock({ $0.isClosed || $0.isReplaced }) { return }
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func added(_ ids: [String], _ batch: Outbox<ForwardedMessage>.Batch) {
        let promises: [OneShotPromise<Void>] = state.withLock { state in
            for (id, (_, message)) in zip(ids, batch.messages) where !id.isEmpty {
                let key = "\(batch.partition):\(id)"
                state.recent[key] = message.message
                state.order.append(key)
                if state.order.count > Self.memory, let oldest = state.order.popFirst() { state.recent[oldest] = nil }
            }
            state.outbox.added(ids.count, of: batch)
            var promises: [OneShotPromise<Void>] = []
            if state.outbox.delayed <= limits.waiting / 2 { swap(&promises, &state.waiting) }
            return promises + state.takeFlushing()
        }
        for (_, message) in batch.messages.prefix(ids.count) { message.end() }
        for promise in promises { promise.fulfill(()) }
    }
}

/// The only script of the robot of a ``RedisGateway``: it passes all messages on.
private struct RedisGatewayScript: Script {
    let name = "Gateway"
    private let gateway: RedisGateway

    init(_ gateway: RedisGateway) { self.gateway = gateway }

    func register(on robot: inout RobotBuilder) {
        robot.forward(
            to: { [gateway] in gateway.forward($0) },
            commands: { [gateway] user, room in await gateway.commands(for: user, in: room) })
        robot.accompany(
            with: RobotCompanion(
                start: { [gateway] in gateway.start(for: $0) }, finish: { [gateway] _ in await gateway.finish() },
                giveUp: { [gateway] in gateway.giveUp() },
                stop: { [gateway] _ in await gateway.stop() }))
    }
}
