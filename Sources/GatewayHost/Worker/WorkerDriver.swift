import FoundationEssentials
package import GatewayLink
package import Heybot
import HeybotSupport
package import Logging
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A worker's connection to its gateway: it puts the gateway's messages into the robot's inbox, and passes on what the robot wants
/// from its adapters.
package final class WorkerDriver: GatewayClient {
    private struct State {
        var session = WorkerSession()
        weak var robot: Robot?
        var adapters = KnownAdapters()
        /// The callers that wait for an outcome.
        var calls: [Int: OneShotPromise<CallOutcome>] = [:]
        var tick: (due: Duration, token: TimerQueue.Token)?
        /// Where messages go; nil until the robot is ready, before which there are none.
        var inbox: Inbox?
        /// The messages for the inbox, when the lock is released.
        var heard: [NumberedMessage] = []
        /// What is to be done when the lock is released.
        var work: [@Sendable () -> Void] = []
    }

    private let link: LinkConnection
    private let logger: Logger
    private let webPort: @Sendable () -> Int?
    private let timeSource: TimeSource
    private let timers: TimerQueue
    private let state = Mutex(State())
    private let welcome = OneShotPromise<Welcome?>()

    /// Takes the connection to the gateway.
    ///
    /// - Parameters:
    ///   - socket: The socket, which is closed with the connection.
    ///   - webPort: Returns the port of the worker's web server; nil if there is none.
    package init(_ socket: CInt, logger: Logger, webPort: @escaping @Sendable () -> Int? = { nil }) {
        link = LinkConnection(socket)
        (self.logger, self.webPort) = (logger, webPort)
        let timeSource = TimeSource(ContinuousClock(), date: { .now })
        (self.timeSource, timers) = (timeSource, TimerQueue(timeSource))
    }

    /// Takes the socket that is the process's standard input.
    ///
    /// After that, the standard input is empty, so that nothing that a script starts gets the socket.
    package static func takeStandardInput() -> CInt {
        let socket = fcntl(0, F_DUPFD_CLOEXEC, 3)
        let empty = open("/dev/null", O_RDONLY)
        if empty >= 0 {
            dup2(empty, 0)
            if empty != 0 { systemClose(empty) }
        }
        return socket
    }

    /// Closes the connection: to the gateway, the worker has ended.
    package func close() { link.close() }

    /// Introduces the worker to the gateway, and waits for its welcome.
    ///
    /// - Returns: Nil if the gateway has ended, or speaks another version.
    package func connect() async -> Welcome? {
        change { $0.session.start(process: Int(getpid())) }
        Task.detached { [self] in
            _ = await link.read { frames in self.received(frames) }
            change { $0.session.gatewayEnded() }
            welcome.fulfill(nil)
        }
        return await welcome.value()
    }

    /// The script of the worker's robot, which tells the gateway about questions.
    package var script: any Script { WorkerScript(self) }

    // MARK: The robot

    /// Stops a robot when the worker is to end, also while it opens its brain.
    package func follow(_ robot: Robot) {
        let isOver: Bool = state.withLock {
            $0.robot = robot
            return $0.session.isOver
        }
        if isOver { robot.stop() }
    }

    /// The robot has started, and its brain is open.
    func start(for robot: Robot) {
        follow(robot)
        robot.onQuestions { [weak self] message, isOpen in
            let claim = Claim(message)
            self?.change { isOpen ? $0.session.claimed(claim) : $0.session.released(claim) }
        }
        Task { [weak self] in
            await robot.waitUntilStopping()
            self?.change { Self.robotStops($0.robot, &$0.session) }
        }
    }

    /// Tells the gateway that the robot stops if it does so for a reason of its own, such as a script's.
    private static func robotStops(_ robot: Robot?, _ session: inout WorkerSession) -> [WorkerAction] {
        guard let robot, robot.isStopping else { return [] }
        return session.robotStops(isWhole: !robot.isStoppingForServer)
    }

    /// Everything that messages have caused has ended, or the robot has refused them, because it stops.
    private func ended(_ numbers: [Int]) {
        change { state in
            let stop = Self.robotStops(state.robot, &state.session)
            return stop + state.session.ended(numbers)
        }
    }

    package func run(_ inbox: Inbox) async {
        change { state in
            guard state.inbox == nil else { return [] }
            state.inbox = inbox
            return state.session.isReady()
        }
        let (forever, _) = AsyncStream<Void>.makeStream()
        for await _ in forever {}
    }

    /// Puts messages into the robot's inbox; the gateway limits their number.
    private func hear(_ messages: [NumberedMessage], _ inbox: Inbox) {
        let numbers = messages.map(\.number)
        let unhandled = inbox.receive(messages.map(\.message)) { [weak self] in self?.ended([numbers[$0]]) }
        if !unhandled.isEmpty { ended(unhandled.map { numbers[$0] }) }
    }

    package func facts(of adapter: String) -> AdapterFacts? { state.withLock { $0.adapters[adapter] } }

    /// The number of messages in an adapter's outbound queue; 0 if the worker ends, because the gateway's adapter sends them.
    package func queuedMessages(of adapter: String) -> Int {
        state.withLock { $0.session.isOver ? 0 : $0.adapters[adapter]?.queuedMessages ?? 0 }
    }

    package func teach(_ adapter: any Adapter) {
        let teaching = state.withLock { $0.adapters.add(adapter) }
        teaching?()
    }

    package func call(_ operation: AdapterOperation, of adapter: String) async throws -> CallOutcome {
        let outcome = OneShotPromise<CallOutcome>()
        begin(operation, of: adapter, outcome)
        let value = await outcome.value()
        if let failure = value.failure { throw failure.error }
        return value
    }

    package func send(_ operation: AdapterOperation, of adapter: String) { begin(operation, of: adapter, nil) }

    /// The gateway's metrics in the text format of Prometheus; nil if it has none.
    package func gatewayMetrics() async -> String? { try? await call(.metrics, of: "").texts?.first }

    private func begin(_ operation: AdapterOperation, of adapter: String, _ outcome: OneShotPromise<CallOutcome>?) {
        let (cause, observer) = (MessageContext.message, MessageContext.observer)
        change { state in
            let (number, actions) = state.session.call(operation, of: adapter, for: cause, observer: observer)
            if let outcome { state.calls[number] = outcome }
            return actions
        }
    }

    // MARK: Actions

    private func received(_ frames: [FrameBytes]) {
        let read: [GatewayFrame] = frames.compactMap { bytes in
            do { return try LinkCoder.gatewayFrame(bytes) } catch {
                logger.error("the gateway has sent what can't be read: \(error)")
                return nil
            }
        }
        let now = timeSource.now()
        change { state in read.flatMap { state.session.received($0, at: now) } }
    }

    /// Changes the state, and carries out what the session wants; what may block is done without the lock.
    private func change(_ change: (inout State) -> [WorkerAction]) {
        let (work, heard, inbox) = state.withLock { state in
            for action in change(&state) { carryOut(action, &state) }
            schedule(&state)
            defer { (state.work, state.heard) = ([], []) }
            return (state.work, state.heard, state.inbox)
        }
        link.write()
        for job in work { job() }
        if let inbox, !heard.isEmpty { hear(heard, inbox) }
    }

    private func carryOut(_ action: WorkerAction, _ state: inout State) {
        switch action {
        case .send(let frame):
            do {
                let bytes = try LinkCoder.encode(frame)
                if bytes.isTooLong { refuse(frame, "it is too long", &state) } else { link.add(bytes) }
            } catch {
                refuse(frame, "\(error)", &state)
            }
        case .prepare(let welcome):
            for facts in welcome.adapters { learn(facts, &state) }
            self.welcome.fulfill(welcome)
        case .hear(let message): state.heard.append(message)
        case .finish(let call, let outcome): state.calls.removeValue(forKey: call)?.fulfill(outcome)
        case .adaptersChanged(let adapters): for facts in adapters { learn(facts, &state) }
        case .reload:
            guard let robot = state.robot else { return }
            state.work.append { _ = Task { try? await robot.loadSwitchesAndRoles() } }
        case .endTimers: state.robot?.endRegisteredTimers()
        case .stopTimers:
            guard let robot = state.robot else { return }
            state.work.append { robot.timers.stop() }
        case .waitUntilIdle:
            let robot = state.robot
            state.work.append { self.waitUntilIdle(robot) }
        case .answerPing(let number): state.work.append { self.answerPing(number) }
        case .report(let number):
            guard let robot = state.robot else { return }
            state.work.append { self.report(number, robot) }
        case .listCommands(let number, let user, let room):
            guard let robot = state.robot else { return }
            state.work.append { self.listCommands(number, user, room, robot) }
        case .leave(let reason):
            let (robot, logger) = (state.robot, self.logger)
            welcome.fulfill(nil)
            state.work.append {
                if let reason { logger.error("the worker ends: \(reason)") }
                robot?.stop()
            }
        }
    }

    /// Goes on without a frame that can't be sent.
    private func refuse(_ frame: WorkerFrame, _ reason: String, _ state: inout State) {
        guard case .call(let call) = frame, call.operation.hasOutcome else {
            let logger = self.logger
            state.work.append { logger.error("a frame can't be sent to the gateway: \(reason)") }
            return
        }
        let error = AdapterError(.tooLong, "I can't pass that on to \(call.adapter), because \(reason)")
        for action in state.session.refused(call, CallOutcome(failure: CallOutcome.Failure(error))) {
            carryOut(action, &state)
        }
    }

    private func learn(_ facts: AdapterFacts, _ state: inout State) {
        if let teaching = state.adapters.note(facts) { state.work.append(teaching) }
    }

    private func answerPing(_ number: Int) {
        // The thread that reads goes on even if nothing else does.
        Task { change { _ in [.send(.pong(number))] } }
    }

    private func waitUntilIdle(_ robot: Robot?) {
        Task {
            await robot?.inFlight.waitUntilIdle()
            change { $0.session.becameIdle() }
        }
    }

    private func report(_ number: Int, _ robot: Robot) {
        Task {
            let report = WorkerReport(health: await robot.health(), webPort: webPort())
            change { _ in [.send(.report(number, report))] }
        }
    }

    private func listCommands(_ number: Int, _ user: User, _ room: Room, _ robot: Robot) {
        // A script's code may list them.
        Task {
            let lines = robot.commands(for: user, in: room).map(\.line).sorted()
            change { _ in [.send(.commands(number, lines))] }
        }
    }

    private func schedule(_ state: inout State) {
        guard state.tick == nil, let due = state.session.nextTick else { return }
        let token = timers.after(due - timeSource.now()) { [weak self] in
            guard let self else { return }
            Task { [self] in tick() }
        }
        state.tick = (due: due, token: token)
    }

    private func tick() {
        change { [timeSource] state in
            state.tick = nil
            return state.session.tick(at: timeSource.now())
        }
    }
}

/// The script of a worker's robot that tells the gateway about questions.
private struct WorkerScript: Script {
    let name = "Worker"
    private let driver: WorkerDriver

    init(_ driver: WorkerDriver) { self.driver = driver }

    func register(on robot: inout RobotBuilder) {
        robot.accompany(
            with: RobotCompanion(start: { [driver] in driver.start(for: $0) }, stop: { _ in }))
    }
}

// Within the class, its own function has this name.
private let systemClose: @Sendable (CInt) -> Void = { _ = close($0) }
