import FoundationEssentials
public import Heybot
import IRC
package import Logging
import Metrics
import NetworkAdapter
import Sockets
import Synchronization

/// Talks in the channels of an IRC network and with its people, and stays there whatever happens to the connection.
///
/// What somebody says is a message of a room that is the channel, or of a private one that is the person. Actions
/// (`/me`) are words like any others. What is said with `NOTICE` isn't heard, as the protocol has it.
public final class IRCAdapter: Paced {
    public let name: String
    let configuration: Configuration
    let timeline: Timeline
    let logger: Logger
    let presence: Held<Presence>
    /// What gets the messages, if anybody is to hear them.
    private let inbox = Mutex<Inbox?>(nil)
    /// The rooms it has joined by invitation or command.
    let keptRooms: KeptRooms<KeptRoom>
    private let generator: Mutex<any RandomNumberGenerator & Sendable>
    private let reconnects: Counter
    private let watch: @Sendable (Rehearsal<Note>.Event) -> Void

    /// - Parameters:
    ///   - name: What it is called, and its users' and rooms' ids begin with.
    ///   - robotName: What people call the robot, whatever its nick is for now.
    ///   - brain: What keeps the rooms that it joins by invitation or command; without one they are forgotten at the end.
    public convenience init(
        _ configuration: Configuration, name: String = "irc", robotName: String, brain: Brain? = nil
    ) {
        self.init(
            configuration, name: name, robotName: robotName, brain: brain,
            timeline: Timeline(ContinuousClock(), date: { .now }),
            generator: SystemRandomNumberGenerator())
    }

    package convenience init(
        _ configuration: Configuration, name: String = "irc", robotName: String, brain: Brain? = nil,
        timeline: Timeline, generator: any RandomNumberGenerator & Sendable, logger: Logger? = nil
    ) {
        self.init(
            configuration, name: name, robotName: robotName, brain: brain, timeline: timeline, generator: generator,
            logger: logger, watch: { _ in })
    }

    /// - Parameter watch: Told what happens.
    init(
        _ configuration: Configuration, name: String, robotName: String, brain: Brain? = nil, timeline: Timeline,
        generator: any RandomNumberGenerator & Sendable, logger: Logger?,
        watch: @escaping @Sendable (Rehearsal<Note>.Event) -> Void
    ) {
        self.name = name
        self.configuration = configuration
        self.timeline = timeline
        self.watch = watch
        self.generator = Mutex(generator)
        self.logger = logger ?? Logger(label: "heybot.\(name)")
        keptRooms = KeptRooms(of: name, in: brain, logger: self.logger)
        reconnects = Counter(label: "heybot_reconnects_total", dimensions: [("adapter", name)])
        let lost = Counter(label: "heybot_messages_lost_total", dimensions: [("adapter", name)])
        let state = Presence(
            configuration, hearing: Hearing(adapter: name, robotName: robotName), date: timeline.date,
            isTracing: self.logger.logLevel <= .trace)
        presence = Held(state, timeline, self.logger) { [logger = self.logger, keptRooms] remark in
            switch remark.note {
            case .lost(let count), .stale(let count): lost.increment(by: count)
            case .joined, .rejoined, .kicked, .refused, .renamed: keptRooms.change()
            default: break
            }
            logger.log(level: remark.level, "\(remark.note)")
            watch(.noted(remark.note))
        }
    }

    public var status: AdapterStatus { presence.withLock { $0.standing.status } }

    public var unsaid: Int { presence.withLock { $0.waiting } }

    // MARK: Staying

    public func run(_ inbox: Inbox) async throws {
        guard !configuration.servers.isEmpty else { throw IRCError.noServer(name) }
        warnOfRisks()
        self.inbox.withLock { $0 = inbox }
        let rooms = await keptRooms.recall()
        presence.withLock { $0.keep(rooms.map(\.channel)) }
        let keeping = Task { await keptRooms.save(atEachChange: roomsToKeep) }
        await stay()
        keeping.cancel()
        await keeping.value
        presence.timers.close()
    }

    private func warnOfRisks() {
        if configuration.tls == nil, configuration.servers.contains(where: { !$0.isOnThisMachine }) {
            logger.warning(
                "the connection isn't encrypted, so others can read and change it: set HEYBOT_IRC_USESSL=true")
        }
        if configuration.trustsNicks {
            logger.warning(
                "whoever takes an admin's nick is an admin where accounts aren't told (HEYBOT_IRC_TRUST_NICKS): name hostmasks"
            )
        }
        if configuration.tls?.trust == .anyone {
            logger.warning("any server's certificate is taken: set HEYBOT_IRC_FINGERPRINT to the one you mean instead")
        }
    }

    /// Connects, and again whenever the connection breaks, until the task is cancelled.
    private func stay() async {
        let staying = Staying(
            timeline, configuration.backoff, refusedWait: configuration.refusedWait, chance: { self.chance() })
        await staying.run(servers: configuration.servers.count) { number in
            let server = configuration.servers[number]
            var trouble = await visit(server)
            let settled = presence.withLock { $0.standing.settledAt }
            if configuration.tls == nil, trouble.isCut, settled == nil {
                trouble = Trouble("\(trouble); if it wants TLS, set HEYBOT_IRC_USESSL=true")
            }
            return Staying.Visit(to: "\(server)", trouble, held: settled.map { timeline.now() - $0 })
        } tell: { visit, wait in
            reconnects.increment()
            // Told once, and again only when all was well in between.
            let isNews = presence.withLock { $0.standing.fail(visit.trouble) }
            logger.log(
                level: isNews ? .warning : .debug, "\(visit.words(before: wait))",
                metadata: ["server": "\(visit.server)"])
        }
    }

    private func chance() -> Double { generator.withLock { Double.random(in: 0...1, using: &$0) } }

    /// Random text, for logging in.
    private func nonce() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return generator.withLock { generator in
            String((0..<24).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
        }
    }

    /// Is on a server until that is over, and tells why it is.
    ///
    /// - Parameter farewell: How long the server may take to close the connection once we have left.
    func visit(_ server: Endpoint, farewell: Duration = .seconds(1)) async -> Trouble {
        presence.withLock { $0.standing.begin() }
        let connection: Connection
        do {
            logger.debug("connecting", metadata: ["server": "\(server)"])
            connection = try await Connection.open(
                server, tls: configuration.tls, connectWithin: configuration.connectWithin,
                handshakeWithin: configuration.connectWithin)
        } catch {
            return Trouble(error, authoritySetting: "HEYBOT_IRC_CA_FILE", fingerprintSetting: "HEYBOT_IRC_FINGERPRINT")
        }
        watch(.connected(connection))
        let nonce = nonce()
        act { $0.begin(connection, nonce: nonce, at: timeline.now()) }
        let reading = Task(executorPreference: Connection.executor) { await self.read(connection) }
        let trouble = await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            self.act { $0.quit() }
            reading.cancel()
        }
        if Task.isCancelled {
            let unsaid = presence.withLock { $0.unsaid }
            if unsaid > 0 { logger.warning("leaving with \(unsaid) message\(unsaid == 1 ? "" : "s") unsaid") }
            // On a task of its own, since ours is cancelled: the farewell goes out, and what was said before it.
            await Task { await connection.finish(within: farewell) }.value
        }
        connection.close()
        act { $0.leave(at: timeline.now()) }
        return trouble
    }

    /// Takes what comes from the server until nothing does any more.
    private func read(_ connection: Connection) async -> Trouble {
        let inbox = inbox.withLock { $0 }
        var buffer = LineBuffer()
        while true {
            do {
                guard let bytes = try await connection.read() else {
                    return presence.withLock { $0.trouble } ?? .cut("the server closed the connection")
                }
                let heard = receive(bytes, &buffer)
                await inbox?.receive(heard, patience: Inbox.patience)
                if let trouble = presence.withLock({ $0.trouble }) { return trouble }
            } catch {
                return presence.withLock { $0.trouble } ?? Trouble(error)
            }
        }
    }

    private func receive(_ bytes: ArraySlice<UInt8>, _ buffer: inout LineBuffer) -> [Message] {
        var messages: [Message] = []
        act { presence in
            let now = timeline.now()
            // What has come is looked at before anybody is taken for silent, however much it is.
            presence.pause(at: now)
            defer { presence.resume(at: timeline.now()) }
            buffer.cut(bytes) { line in
                guard let line = IRCMessage(line) else { return }
                presence.receive(line, at: now, into: &messages)
            }
        }
        return messages
    }

    /// Changes what we are on the network, and does what comes of it.
    @discardableResult
    func act<Result>(_ change: (inout Presence) -> Result) -> Result { presence.act(change) }
}
