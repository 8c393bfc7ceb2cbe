import FoundationEssentials
public import Heybot
package import IRC
package import Logging
import Metrics
package import NetworkAdapter
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
    let driver: SessionDriver<IRCController>
    /// The rooms it has joined by invitation or command.
    let keptRooms: KeptRooms<KeptRoom>

    /// - Parameters:
    ///   - name: What it is called, and its users' and rooms' ids begin with.
    ///   - robotName: What people call the robot, whatever its nick is for now.
    ///   - brain: What keeps the rooms that it joins by invitation or command; without one they are forgotten at the end.
    public convenience init(
        _ configuration: Configuration, name: String = "irc", robotName: String, brain: Brain? = nil
    ) {
        self.init(
            configuration, name: name, robotName: robotName, brain: brain,
            timeline: Timeline(ContinuousClock(), date: { .now }), generator: SystemRandomNumberGenerator())
    }

    /// - Parameter watch: Called with what happens.
    package init(
        _ configuration: Configuration, name: String = "irc", robotName: String, brain: Brain? = nil,
        timeline: Timeline, generator: any RandomNumberGenerator & Sendable, logger: Logger? = nil,
        watch: @escaping @Sendable (Rehearsal<Note>.Event) -> Void = { _ in }
    ) {
        let logger = logger ?? Logger(label: "heybot.\(name)")
        let keptRooms = KeptRooms<KeptRoom>(of: name, in: brain, logger: logger)
        let lost = Counter(label: "heybot_messages_lost_total", dimensions: [("adapter", name)])
        let controller = IRCController(
            configuration, hearing: Hearing(adapter: name, robotName: robotName), date: timeline.date,
            isTracing: logger.logLevel <= .trace)
        driver = SessionDriver(
            controller, adapter: name, timeline: timeline, generator: generator, logger: logger
        ) { event in
            switch event {
            case .noted(.lost(let count)), .noted(.stale(let count)): lost.increment(by: count)
            case .noted(.joined), .noted(.rejoined), .noted(.kicked), .noted(.refused), .noted(.renamed):
                keptRooms.change()
            default: break
            }
            watch(event)
        }
        self.name = name
        self.configuration = configuration
        self.timeline = timeline
        self.logger = logger
        self.keptRooms = keptRooms
    }

    public var status: AdapterStatus { driver.status }

    public var unsaid: Int { driver.waiting }

    // MARK: Staying

    public func run(_ inbox: Inbox) async throws {
        guard !configuration.servers.isEmpty else { throw IRCError.noServer(name) }
        warnOfRisks()
        let rooms = await keptRooms.recall()
        driver.withLock { $0.keep(rooms.map(\.channel)) }
        await keptRooms.save(roomsToKeep) {
            await driver.run(
                inbox, ReconnectLoop(timeline, configuration.backoff, refusedWait: configuration.refusedWait),
                servers: configuration.servers.count,
                hint: configuration.tls == nil ? "if it wants TLS, set HEYBOT_IRC_USESSL=true" : nil
            ) { number in
                let server = configuration.servers[number]
                return (await connect(to: server), "\(server)")
            }
        }
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

    /// Is on a server until that is over, and returns why it is.
    ///
    /// - Parameter farewell: How long the server may take to close the connection once we have left.
    func connect(to server: Endpoint, farewell: Duration = .seconds(1)) async -> Trouble {
        await driver.connect(
            to: server, tls: configuration.tls, within: configuration.connectWithin, farewell: farewell)
    }

    /// Changes what we are on the network, and does what comes of it.
    @discardableResult
    func act<Result>(_ change: (inout IRCController) -> Result) -> Result { driver.act(change) }
}
