import FoundationEssentials
public import Heybot
package import Logging
import Metrics
import NetworkAdapter
import Sockets
import Synchronization
import XMPP

/// Talks in rooms and with people through an account on an XMPP server, and stays there whatever happens to the
/// connection.
///
/// What somebody says is a message of a room that is the chat room, or of a private one that is the person, or somebody in
/// a room. Actions (`/me`) are words like any others. What was said while the robot was away isn't heard.
public final class XMPPAdapter: Paced {
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
    private let isTracing: Bool
    private let reconnects: Counter
    private let watch: @Sendable (Rehearsal<Note>.Event) -> Void

    /// - Parameters:
    ///   - name: What it is called, and its users' and rooms' ids begin with.
    ///   - robotName: What people call the robot, whatever its nick is for now.
    ///   - brain: What keeps the rooms that it joins by invitation or on request; without one they are forgotten at the end.
    public convenience init(
        _ configuration: Configuration, name: String = "xmpp", robotName: String, brain: Brain? = nil
    ) {
        self.init(
            configuration, name: name, robotName: robotName, brain: brain,
            timeline: Timeline(ContinuousClock(), date: { .now }),
            generator: SystemRandomNumberGenerator())
    }

    package convenience init(
        _ configuration: Configuration, name: String = "xmpp", robotName: String, brain: Brain? = nil,
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
        let skipped = Counter(label: "heybot_stanzas_skipped_total", dimensions: [("adapter", name)])
        isTracing = self.logger.logLevel <= .trace
        let state = Presence(
            configuration, hearing: Hearing(adapter: name, robotName: robotName), date: timeline.date,
            isTracing: isTracing)
        presence = Held(state, timeline, self.logger) { [logger = self.logger, keptRooms] remark in
            switch remark.note {
            case .lost(let count): lost.increment(by: count)
            case .skipped: skipped.increment()
            case .joined, .removed, .turnedAway, .noRoom, .left, .settled: keptRooms.change()
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
        warnOfRisks()
        self.inbox.withLock { $0 = inbox }
        let rooms = await keptRooms.recall()
        presence.withLock { $0.keep(rooms.compactMap(\.room)) }
        let keeping = Task { await keptRooms.save(atEachChange: roomsToKeep) }
        await stay()
        keeping.cancel()
        await keptRooms.save(roomsToKeep)
        presence.timers.close()
    }

    private func warnOfRisks() {
        if !configuration.profile.usesTLS, configuration.server?.isOnThisMachine != true {
            logger.warning(
                "the connection isn't encrypted, so others could read and change it: unset HEYBOT_XMPP_DISALLOW_TLS")
        }
        if configuration.trust == .anyone {
            logger.warning(
                "any server's certificate is taken: set HEYBOT_XMPP_CA_FILE to that of its authority instead")
        }
    }

    private func stay() async {
        let staying = Staying(
            timeline, configuration.backoff, refusedWait: configuration.refusedWait,
            chance: { self.generator.withLock { Double.random(in: 0...1, using: &$0) } })
        await staying.run(servers: 1) { _ in
            var (trouble, server) = await visitWhereSent()
            let settled = presence.withLock { $0.standing.settledAt }
            if trouble.isCut, settled == nil, configuration.server != nil, !configuration.isDirectTLS {
                trouble = Trouble("\(trouble); if that port wants TLS at once, set HEYBOT_XMPP_LEGACYSSL=true")
            }
            return Staying.Visit(to: server, trouble, held: settled.map { timeline.now() - $0 })
        } tell: { visit, wait in
            reconnects.increment()
            // Told once, and again only when all was well in between.
            let isNews = presence.withLock { $0.standing.fail(visit.trouble) }
            logger.log(
                level: isNews ? .warning : .debug, "\(visit.words(before: wait))",
                metadata: ["server": "\(visit.server)"])
        }
    }

    /// Is on the server, or where it sends us, until that is over, and tells why it is.
    func visitWhereSent() async -> (trouble: Trouble, server: String) {
        presence.withLock {
            $0.standing.begin()
            _ = $0.takeMove()
        }
        var (trouble, server) = await visit()
        // Where a server sends us we go at once, but not on and on.
        for _ in 0..<3 {
            guard let moved = presence.withLock({ $0.takeMove() }), !Task.isCancelled else { break }
            logger.info("\(trouble)")
            (trouble, server) = await visit(moved)
        }
        return (trouble, server)
    }

    /// Is on a server until that is over, and tells why it is.
    ///
    /// Each place where DNS has one gets its try, until one lets us in or knows better than the others, as that our
    /// password is wrong.
    private func visit(_ moved: Endpoint? = nil) async -> (Trouble, server: String) {
        let domain = configuration.profile.address.domain
        let places: [Place]
        do { places = try await self.places(moved) } catch {
            return (Trouble(error.reason, cure: error.cure, isLasting: true), domain)
        }
        var troubles: [(trouble: Trouble, server: String)] = []
        for place in places {
            if Task.isCancelled { break }
            let trouble = await visit(place)
            troubles.append((trouble, "\(place)"))
            if presence.withLock({ $0.isDecided }) { return (trouble, "\(place)") }
            if troubles.count < places.count {
                logger.info("\(trouble); trying another server", metadata: ["server": "\(place)"])
            }
        }
        // One that may be better soon is a reason to try again soon.
        let told = troubles.last { !$0.trouble.isLasting } ?? troubles.last
        return told ?? (Trouble("there is no server for \(domain)"), domain)
    }

    private func visit(_ place: Place) async -> Trouble {
        presence.withLock { $0.forgetVisit() }
        do {
            logger.debug("connecting", metadata: ["server": "\(place)"])
            let connection = try await Connection.open(
                place.endpoint, tls: place.isDirectTLS ? configuration.tls(isDirect: true) : nil,
                connectWithin: configuration.connectWithin, handshakeWithin: configuration.connectWithin)
            watch(.connected(connection))
            return await use(connection, isSecure: place.isDirectTLS)
        } catch {
            return Trouble(error, authoritySetting: "HEYBOT_XMPP_CA_FILE")
        }
    }

    private func places(_ moved: Endpoint?) async throws(PlacesError) -> [Place] {
        if let moved { return [Place(endpoint: moved, isDirectTLS: false)] }
        if let server = configuration.server {
            return [Place(endpoint: server, isDirectTLS: configuration.isDirectTLS)]
        }
        let places = Places(
            domain: configuration.profile.address.domain, lookup: configuration.lookup,
            mayBeDirect: configuration.profile.usesTLS, logger: logger,
            onFailure: { error in self.presence.withLock { $0.lookupFailure = error } })
        let found = try await places.find()
        return generator.withLock { places.inOrder(found, using: &$0) }
    }

    private func use(_ connection: Connection, isSecure: Bool) async -> Trouble {
        let nonce = nonce()
        act { $0.begin(connection, isSecure: isSecure, nonce: nonce, at: timeline.now()) }
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
            await Task { await connection.finish(within: .seconds(1)) }.value
        }
        connection.close()
        act { $0.leave(at: timeline.now()) }
        return trouble
    }

    /// Random text, for logging in and for what nobody should guess.
    private func nonce() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return generator.withLock { generator in
            String((0..<24).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
        }
    }

    /// What is read of a stanza: what servers let their users send to other servers, at most 512 KiB.
    ///
    /// The rest is far more than what people's programs send, and so little that one stanza takes no more than some MB of
    /// memory.
    private static let limits = StreamLimits(elementBytes: 524_288, depth: 64)

    /// Takes what comes from the server until nothing does any more.
    private func read(_ connection: Connection) async -> Trouble {
        let inbox = inbox.withLock { $0 }
        let parser = XMLStreamParser(limits: Self.limits)
        var events: [StreamEvent] = []
        while true {
            do {
                guard let bytes = try await connection.read() else {
                    return presence.withLock { $0.trouble } ?? .cut("the server closed the connection")
                }
                events.removeAll(keepingCapacity: events.count <= 64)
                let heard = receive(bytes, parser, &events)
                await inbox?.receive(heard, patience: Inbox.patience)
                if let trouble = presence.withLock({ $0.trouble }) {
                    if presence.withLock({ $0.hasRefused }) { await connection.finish(within: .milliseconds(200)) }
                    return trouble
                }
                if presence.withLock({ $0.mustSecure }) {
                    try await connection.startTLS(
                        configuration.tls(isDirect: false), within: configuration.connectWithin)
                    act { $0.secured(at: timeline.now()) }
                }
            } catch {
                return presence.withLock { $0.trouble } ?? Trouble(error, authoritySetting: "HEYBOT_XMPP_CA_FILE")
            }
        }
    }

    private func receive(
        _ bytes: ArraySlice<UInt8>, _ parser: XMLStreamParser, _ events: inout [StreamEvent]
    ) -> [Message] {
        var messages: [Message] = []
        var failure: StreamParserError?
        do { try parser.feed(bytes, into: &events) } catch { failure = error }
        if isTracing {
            for case .element(let element) in events { logger.trace("< \(configuration.profile.loggable(element))") }
        }
        act { presence in
            let now = timeline.now()
            // What has come is looked at before anybody is taken for silent, however much it is.
            presence.pause(at: now)
            defer { presence.resume(at: timeline.now()) }
            for event in events { presence.receive(event, at: now, into: &messages) }
            if let failure, presence.trouble == nil { presence.refuse(failure) }
        }
        return messages
    }

    /// Changes what we are on the network, and does what comes of it.
    @discardableResult
    func act<Result>(_ change: (inout Presence) -> Result) -> Result { presence.act(change) }
}
