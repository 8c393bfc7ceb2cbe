package import FoundationEssentials
package import Heybot
package import HeybotSockets
package import Logging
import Metrics
import Synchronization

/// Runs the sessions of one network over its connections: reads, writes, wakes them when it is time, connects again.
///
/// The controller is what several threads change, one after the other.
package final class SessionDriver<Controller: SessionController>: Sendable {
    package let timers: Timers
    package let timeline: Timeline
    package let logger: Logger
    private let controller: Mutex<Controller>
    /// What gets the messages, if anybody is to hear them.
    private let inbox = Mutex<Inbox?>(nil)
    private let generator: Mutex<any RandomNumberGenerator & Sendable>
    private let keptRooms: KeptRooms<Controller.KeptRoom>
    private let reconnects: Counter
    private let counters: [String: Counter]
    private let watch: @Sendable (Rehearsal<Controller.Note>.Event) -> Void

    /// - Parameters:
    ///   - adapter: The name of the adapter.
    ///   - brain: Keeps the rooms that the robot is brought into; nil if they are to be forgotten at the end.
    ///   - watch: Called with what happens.
    ///   - controller: Makes the controller, of what gives the date and of whether all that goes over the connection is
    ///     logged.
    package init(
        adapter: String, brain: Brain?, in environment: AdapterEnvironment,
        watch: @escaping @Sendable (Rehearsal<Controller.Note>.Event) -> Void,
        controller: (_ date: @escaping @Sendable () -> Date, _ isTracing: Bool) -> Controller
    ) {
        timeline = environment.timeline
        logger = environment.logger(of: adapter)
        self.controller = Mutex(controller(timeline.date, logger.logLevel <= .trace))
        generator = Mutex(environment.generator)
        self.watch = watch
        keptRooms = KeptRooms(of: adapter, in: brain, logger: logger)
        let counter = { Counter(label: $0, dimensions: [("adapter", adapter)]) }
        reconnects = counter("heybot_reconnects_total")
        let labels = Controller.Note.counters
        counters = Dictionary(uniqueKeysWithValues: zip(labels, labels.map(counter)))
        timers = Timers(timeline)
    }

    package var status: AdapterStatus { withLock { $0.state.standing.status } }

    /// The number of messages that have only to wait for their turn.
    package var waiting: Int { withLock { $0.state.waiting } }

    /// Looks at the controller, or changes what neither is logged nor changes when it wants to be woken.
    package func withLock<Result>(_ body: (inout Controller) throws -> Result) rethrows -> Result {
        try controller.withLock { try body(&$0) }
    }

    /// Changes the controller at this moment, and does what comes of that: logs, and wakes it when it is time.
    @discardableResult
    package func act<Result>(_ change: (inout Controller, _ now: Duration) -> Result) -> Result {
        let (result, log) = controller.withLock { controller in
            let now = timeline.now()
            let result = change(&controller, now)
            controller.setAlarm(at: now, timers) { [weak self] in
                self?.act { $0.wake(at: $1) }
            }
            return (result, controller.takeLog())
        }
        for (note, level, text) in log.notes {
            if let (counter, count) = note.counted { counters[counter]?.increment(by: count) }
            if note.changesRooms { keptRooms.change() }
            logger.log(level: level, "\(text)")
            watch(.noted(note))
        }
        for line in log.trace { logger.trace("\(line)") }
        return result
    }

    /// A value by chance.
    package func random<Value>(_ make: (inout any RandomNumberGenerator & Sendable) -> Value) -> Value {
        generator.withLock { make(&$0) }
    }

    // MARK: Connecting

    /// Stays on the network until the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: The number of servers.
    ///   - connect: Connects to the server of that number, and returns when the connection is over.
    ///   - hint: What to add to why it is over, if the server closed the connection before the session was ready.
    /// - Throws: What makes it of no use to try.
    package func run(
        _ inbox: Inbox, _ loop: ReconnectLoop, servers count: Int, hint: String?,
        connect: (Int) async -> (trouble: Trouble, server: String)
    ) async throws {
        self.inbox.withLock { $0 = inbox }
        try withLock { try $0.takeName(inbox.robotName) }
        let rooms = await keptRooms.recall()
        withLock { controller in
            controller.state.robotName = inbox.robotName
            controller.keep(rooms)
        }
        await keptRooms.save(roomsToKeep) { await connectAgain(loop, servers: count, hint: hint, connect: connect) }
        timers.close()
    }

    @Sendable private func roomsToKeep() -> [Controller.KeptRoom] { withLock { $0.keptRooms } }

    /// Saves the rooms that the robot is to be back in after a restart.
    package func saveRooms() async { await keptRooms.save(roomsToKeep) }

    private func connectAgain(
        _ loop: ReconnectLoop, servers count: Int, hint: String?,
        connect: (Int) async -> (trouble: Trouble, server: String)
    ) async {
        await loop.run(servers: count) {
            random { Double.random(in: 0...1, using: &$0) }
        } attempt: { number in
            withLock { $0.state.standing.begin() }
            var (trouble, server) = await connect(number)
            let readySince = withLock { $0.state.standing.settledAt }
            if trouble.isCut, readySince == nil, let hint { trouble = Trouble("\(trouble); \(hint)") }
            return ReconnectLoop.Attempt(server: server, trouble, readyTime: readySince.map { timeline.now() - $0 })
        } failed: { attempt, wait in
            reconnects.increment()
            // Logged once, and again only when all was well in between.
            let isNews = withLock { $0.state.standing.fail(attempt.trouble) }
            logger.log(
                level: isNews ? .warning : .debug, "\(attempt.words(before: wait))",
                metadata: ["server": "\(attempt.server)"])
        }
    }

    /// Is on a server until the connection is over or the task is cancelled.
    ///
    /// - Parameters:
    ///   - tls: How it is encrypted from the first byte; not at all if nil.
    ///   - limit: How long reaching it may take, and then as long again the handshake.
    ///   - farewell: How long the server may take to close the connection once we have left.
    /// - Returns: Why it is over.
    package func connect(
        to server: Endpoint, tls: TLS?, within limit: Duration, farewell: Duration = .seconds(1)
    ) async -> Trouble {
        let connection: Connection
        do {
            logger.debug("connecting", metadata: ["server": "\(server)"])
            connection = try await Connection.open(server, tls: tls, connectWithin: limit, handshakeWithin: limit)
        } catch {
            return Trouble(error, withLock { $0.optionNames.connection })
        }
        watch(.connected(connection))
        let nonce = nonce()
        act { $0.begin(connection, isSecure: tls != nil, nonce: nonce, at: $1) }
        let reading = Task(executorPreference: Connection.executor) { await self.read(connection, within: limit) }
        let trouble = await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            self.act { controller, _ in controller.quit() }
            reading.cancel()
        }
        if Task.isCancelled {
            let unsaid = withLock { $0.state.unsaid }
            if unsaid > 0 { logger.warning("leaving with \(unsaid) message\(unsaid == 1 ? "" : "s") unsaid") }
            // On a task of its own, since ours is cancelled: the farewell goes out, and what was said before it.
            await Task { await connection.finish(within: farewell) }.value
        }
        connection.close()
        act { controller, _ in controller.end() }
        return trouble
    }

    /// Random text, for logging in and for what nobody should guess.
    private func nonce() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return random { generator in
            String((0..<24).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
        }
    }

    // MARK: Reading

    /// Reads until nothing comes any more, and returns why.
    private func read(_ connection: Connection, within limit: Duration) async -> Trouble {
        let inbox = inbox.withLock { $0 }
        var decoder = Controller.makeDecoder()
        while true {
            do {
                guard let bytes = try await connection.read() else {
                    return withLock { $0.state.trouble } ?? .cut("the server closed the connection")
                }
                let (messages, step) = receive(bytes, &decoder)
                await inbox?.receive(messages, patience: Inbox.patience)
                switch step {
                case .read: break
                case .startTLS(let tls):
                    try await connection.startTLS(tls, within: limit)
                    act { controller, now in
                        controller.state.step = .read
                        controller.secured(at: now)
                    }
                case .stop(let trouble, let wait):
                    if wait > .zero { await connection.finish(within: wait) }
                    return trouble
                }
            } catch {
                return withLock { $0.state.trouble } ?? Trouble(error, withLock { $0.optionNames.connection })
            }
        }
    }

    private func receive(
        _ bytes: ArraySlice<UInt8>, _ decoder: inout Controller.Decoder
    ) -> ([Message], ControllerState<Controller.Session, Controller.Note>.Step) {
        act { controller, now in
            var messages: [Message] = []
            // What has come is handled before anybody is taken for silent, however much it is.
            controller.state.session?.pause(at: now)
            controller.state.updateClogged()
            controller.receive(bytes, &decoder, at: now, into: &messages)
            controller.state.session?.resume(at: timeline.now())
            return (messages, controller.state.step)
        }
    }
}

/// What a network adapter gets from outside: time, randomness and its log.
package struct AdapterEnvironment: Sendable {
    /// What a robot is called unless it is told otherwise: an adapter learns its name only when it runs.
    package static let robotName = "Heybot"

    let timeline: Timeline
    let generator: any RandomNumberGenerator & Sendable
    private let logger: Logger?

    /// - Parameter logger: Nil for one of the adapter's name.
    package init(
        _ timeline: Timeline = Timeline(ContinuousClock(), date: { .now }),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(), logger: Logger? = nil
    ) {
        self.timeline = timeline
        self.generator = generator
        self.logger = logger
    }

    /// The log of an adapter.
    package func logger(of adapter: String) -> Logger { logger ?? Logger(label: "heybot.\(adapter)") }
}
