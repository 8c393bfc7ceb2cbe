package import FoundationEssentials
package import Heybot
package import HeybotSockets
package import Logging
import Metrics
import Synchronization

/// Runs the sessions of one network: reads, writes, wakes the session at its deadlines, and reconnects.
///
/// The manager is shared between threads under a lock.
package final class SessionDriver<Manager: SessionManager>: Sendable {
    package let timers: TimerQueue
    package let timeSource: TimeSource
    package let logger: Logger
    private let manager: Mutex<Manager>
    /// Receives the messages; nil during a preflight check.
    private let inbox = Mutex<Inbox?>(nil)
    private let generator: Mutex<any RandomNumberGenerator & Sendable>
    private let savedRooms: SavedRooms<Manager.SavedRoom>
    private let reconnects: Counter
    private let counters: [String: Counter]
    private let watch: @Sendable (PreflightProbe<Manager.LogEntry>.Event) -> Void

    /// - Parameters:
    ///   - adapter: The adapter's name.
    ///   - brain: Stores the rooms that the robot has joined on request; nil to forget them at the end.
    ///   - watch: Called with each event.
    ///   - manager: Creates the manager, with a source for the date, and whether all traffic is logged.
    package init(
        adapter: String, brain: Brain?, in dependencies: AdapterDependencies,
        watch: @escaping @Sendable (PreflightProbe<Manager.LogEntry>.Event) -> Void,
        manager: (_ date: @escaping @Sendable () -> Date, _ isTracing: Bool) -> Manager
    ) {
        timeSource = dependencies.timeSource
        logger = dependencies.logger(of: adapter)
        self.manager = Mutex(manager(timeSource.date, logger.logLevel <= .trace))
        generator = Mutex(dependencies.generator)
        self.watch = watch
        savedRooms = SavedRooms(of: adapter, in: brain, logger: logger)
        let counter = { Counter(label: $0, dimensions: [("adapter", adapter)]) }
        reconnects = counter("heybot_reconnects_total")
        let labels = Manager.LogEntry.counters
        counters = Dictionary(uniqueKeysWithValues: zip(labels, labels.map(counter)))
        timers = TimerQueue(timeSource)
    }

    package var status: AdapterStatus { withLock { $0.state.status.adapterStatus } }

    /// The number of messages that only wait for the rate limit.
    package var waiting: Int { withLock { $0.state.waiting } }

    /// Reads the manager, or makes a change that sends nothing, and affects neither the log nor its deadline.
    package func withLock<Result>(_ body: (inout Manager) throws -> Result) rethrows -> Result {
        try manager.withLock { try body(&$0) }
    }

    /// Changes the manager, writes its log entries, and schedules its next wakeup.
    @discardableResult
    package func act<Result>(_ change: (inout Manager, _ now: Duration) -> Result) -> Result {
        var log: PendingLog<Manager.LogEntry>?
        var unflushed: Connection?
        let result = manager.withLock { manager in
            let now = timeSource.now()
            let result = change(&manager, now)
            if let due = manager.wakeupToSchedule(at: now) {
                manager.scheduleWakeup(due, at: now, timers) { [weak self] in
                    self?.act { $0.wake(at: $1) }
                }
            }
            log = manager.takeLog()
            unflushed = manager.state.takeUnflushed()
            return result
        }
        // Without the lock, because the other side may answer at once.
        unflushed?.flush()
        if let log { write(log) }
        return result
    }

    private func write(_ log: PendingLog<Manager.LogEntry>) {
        for (entry, level, text) in log.entries {
            if let (counter, count) = entry.counted { counters[counter]?.increment(by: count) }
            if entry.changesRooms { savedRooms.change() }
            logger.log(level: level, "\(text)")
            watch(.logged(entry))
        }
        for line in log.trace { logger.trace("\(line)") }
    }

    /// Returns a random value.
    package func random<Value>(_ make: (inout any RandomNumberGenerator & Sendable) -> Value) -> Value {
        generator.withLock { make(&$0) }
    }

    // MARK: Connecting

    /// Stays connected until the task is canceled.
    ///
    /// - Parameters:
    ///   - count: The number of servers.
    ///   - connect: Connects to a server by its index, and returns when the connection has ended.
    ///   - hint: Appended to the reason if the server closes the connection before the session is ready.
    /// - Throws: An error that makes running pointless.
    package func run(
        _ inbox: Inbox, _ loop: ReconnectLoop, servers count: Int, hint: String?,
        connect: (Int) async -> (failure: ConnectionFailure, server: String)
    ) async throws {
        self.inbox.withLock { $0 = inbox }
        try withLock { try $0.setRobotName(inbox.robotName) }
        let rooms = await savedRooms.recall()
        withLock { manager in
            manager.state.robotName = inbox.robotName
            manager.restore(rooms)
        }
        await savedRooms.save(roomsToKeep) { await connectAgain(loop, servers: count, hint: hint, connect: connect) }
        timers.close()
        self.inbox.withLock { $0 = nil }
    }

    @Sendable private func roomsToKeep() -> [Manager.SavedRoom] { withLock { $0.savedRooms } }

    /// Saves the rooms that the robot rejoins after a restart.
    package func saveRooms() async { await savedRooms.save(roomsToKeep) }

    private func connectAgain(
        _ loop: ReconnectLoop, servers count: Int, hint: String?,
        connect: (Int) async -> (failure: ConnectionFailure, server: String)
    ) async {
        await loop.run(servers: count) {
            random { Double.random(in: 0...1, using: &$0) }
        } attempt: { number in
            withLock { $0.state.status.begin() }
            var (failure, server) = await connect(number)
            let readySince = withLock { $0.state.status.readySince }
            if failure.isSilentClose, readySince == nil, let hint { failure = ConnectionFailure("\(failure); \(hint)") }
            return ReconnectLoop.ConnectionOutcome(
                server: server, failure, readyTime: readySince.map { timeSource.now() - $0 })
        } failed: { outcome, wait in
            reconnects.increment()
            // Repeated failures are logged at debug level until the session was ready again.
            let isNew = withLock { $0.state.status.fail(outcome.failure) }
            logger.log(
                level: isNew ? .warning : .debug, "\(outcome.logText(before: wait))",
                metadata: ["server": "\(outcome.server)"])
        }
    }

    /// Connects to a server, and returns when the connection has ended or the task is canceled.
    ///
    /// - Parameters:
    ///   - tls: How the connection is encrypted from the start; nil if it isn't.
    ///   - limit: The timeout of connecting, and again of the handshake.
    ///   - farewell: How long the server may take to close the connection after the robot has quit.
    /// - Returns: Why the connection has ended.
    package func connect(
        to server: Endpoint, tls: TLSOptions?, within limit: Duration, farewell: Duration = .seconds(1)
    ) async -> ConnectionFailure {
        let connection: Connection
        do {
            logger.debug("connecting", metadata: ["server": "\(server)"])
            connection = try await Connection.open(
                server, tls: tls, connectWithin: limit, handshakeTimeout: limit,
                limits: Connection.BufferLimits(writeInterval: .microseconds(100)))
        } catch {
            return ConnectionFailure(error, withLock { $0.optionNames.connection })
        }
        watch(.connected(connection))
        let nonce = nonce()
        let bindings = await connection.channelBindings()
        act { manager, now in
            manager.state.channelBindings = bindings
            manager.begin(connection, isSecure: tls != nil, nonce: nonce, at: now)
        }
        let reading = Task(executorPreference: Connection.executor) { await self.read(connection, within: limit) }
        let failure = await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            self.act { manager, _ in manager.quit() }
            reading.cancel()
        }
        if Task.isCancelled {
            let unsent = withLock { $0.state.unsent }
            if unsent > 0 { logger.warning("disconnecting with \(unsent) message\(unsent == 1 ? "" : "s") unsent") }
            // In a task of its own, because this one is canceled: queued messages and the farewell are still sent.
            await Task { await connection.closeGracefully(within: farewell) }.value
        }
        connection.close()
        act { manager, _ in manager.end() }
        return failure
    }

    /// Random text, for login and for unguessable ids.
    private func nonce() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return random { generator in
            String((0..<36).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
        }
    }

    // MARK: Reading

    /// Reads until the connection ends, and returns the reason.
    private func read(_ connection: Connection, within limit: Duration) async -> ConnectionFailure {
        let inbox = inbox.withLock { $0 }
        var decoder = Manager.makeDecoder()
        while true {
            do {
                guard let bytes = try await connection.read() else {
                    return withLock { $0.state.failure } ?? .silentClose("the server closed the connection")
                }
                let next =
                    await inbox?.receive(timeout: Inbox.receiveTimeout) { isStopping in
                        receive(bytes, &decoder, isStopping: isStopping)
                    } ?? receive(bytes, &decoder, isStopping: false).result
                switch next {
                case .read: break
                case .startTLS(let tls):
                    try await connection.startTLS(tls, within: limit)
                    let bindings = await connection.channelBindings()
                    act { manager, now in
                        manager.state.channelBindings = bindings
                        manager.state.next = .read
                        manager.secured(at: now)
                    }
                case .stop(let failure, let wait):
                    if wait > .zero { await connection.closeGracefully(within: wait) }
                    return failure
                }
            } catch {
                return withLock { $0.state.failure } ?? ConnectionFailure(error, withLock { $0.optionNames.connection })
            }
        }
    }

    private func receive(
        _ bytes: ArraySlice<UInt8>, _ decoder: inout Manager.Decoder, isStopping: Bool
    ) -> (messages: [Message], result: SessionManagerState<Manager.Session, Manager.LogEntry>.ReadLoopAction) {
        act { manager, now in
            var messages: [Message] = []
            if isStopping { manager.stopHearing() }
            // Received data is handled before the keep-alive timer can expire, however long that takes.
            manager.state.session?.pause(at: now)
            manager.state.updateCongestion()
            manager.receive(bytes, &decoder, at: now, into: &messages)
            manager.state.session?.resume(at: timeSource.now())
            return (messages, manager.state.nextAction())
        }
    }
}
