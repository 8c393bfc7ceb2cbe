import FoundationEssentials
public import Heybot
package import HeybotIRC
import HeybotSockets
import Logging
package import NetworkAdapter

/// Talks in the channels of an IRC network and with its people, and stays there whatever happens to the connection.
///
/// What somebody says is a message of a room that is the channel, or of a private one that is the person. Actions
/// (`/me`) are words like any others. What is said with `NOTICE` isn't heard, as the protocol has it.
public final class IRCAdapter: Adapter {
    public let name: String
    let driver: SessionDriver<IRCController>

    /// Makes one that connects once it runs.
    ///
    /// - Parameters:
    ///   - name: The name of the adapter, which the ids of its users and rooms begin with.
    ///   - brain: Keeps the rooms that the robot is brought into; nil if they are to be forgotten at the end.
    /// - Throws: ``Heybot/AdapterError`` if a server is missing, or the fingerprint is none.
    public convenience init(
        _ configuration: Configuration, name: String = "irc", brain: Brain? = nil
    ) throws(AdapterError) {
        if configuration.servers.isEmpty {
            throw AdapterError(.misconfigured, "\(name) has no server to connect to: set one")
        }
        self.init(try configuration.setup(), name: name, brain: brain)
    }

    /// Makes one that connects once it runs, by the robot's name and without an account.
    ///
    /// - Parameters:
    ///   - server: The network's server; over TLS, unless it has another port than 6697.
    ///   - channels: The channels to be in.
    ///   - name: The name of the adapter, which the ids of its users and rooms begin with.
    ///   - brain: Keeps the rooms that the robot is brought into; nil if they are to be forgotten at the end.
    public convenience init(
        server: Configuration.Server, channels: [Configuration.Channel], name: String = "irc", brain: Brain? = nil
    ) {
        let configuration = Configuration(servers: [server], channels: channels)
        var setup = configuration.setup(
            robotName: AdapterEnvironment.robotName, tls: configuration.isSecure ? TLS() : nil)
        setup.unnamed = configuration
        self.init(setup, name: name, brain: brain)
    }

    package init(
        _ setup: Setup, name: String = "irc", brain: Brain? = nil,
        in environment: AdapterEnvironment = AdapterEnvironment(),
        watch: @escaping @Sendable (Rehearsal<Note>.Event) -> Void = { _ in }
    ) {
        self.name = name
        driver = SessionDriver(adapter: name, brain: brain, in: environment, watch: watch) { date, isTracing in
            IRCController(setup, adapter: name, date: date, isTracing: isTracing)
        }
    }

    var configuration: Setup { driver.withLock { $0.configuration } }

    // MARK: Staying

    public func run(_ inbox: Inbox) async throws {
        warnOfRisks()
        try await driver.run(
            inbox, ReconnectLoop(driver.timeline, configuration.connection),
            servers: configuration.servers.count,
            hint: configuration.tls == nil ? "if it wants TLS, \(configuration.optionNames.encrypt)" : nil
        ) { number in
            let server = configuration.servers[number]
            return (await connect(to: server), "\(server)")
        }
    }

    private func warnOfRisks() {
        let names = configuration.optionNames
        if configuration.tls == nil, configuration.servers.contains(where: { !$0.isOnThisMachine }) {
            driver.logger.warning(
                "the connection isn't encrypted, so others can read and change it: \(names.encrypt)")
        }
        if configuration.trustsNicks {
            driver.logger.warning(
                "whoever takes an admin's nick is an admin where accounts aren't told (\(names.trustsNicks)): name hostmasks"
            )
        }
        if configuration.tls?.trust == .anyone {
            driver.logger.warning(
                "any server's certificate is taken: set \(names.fingerprint) to the one you mean instead")
        }
    }

    /// Is on a server until that is over, and returns why it is.
    ///
    /// - Parameter farewell: How long the server may take to close the connection once we have left.
    func connect(to server: Endpoint, farewell: Duration = .seconds(1)) async -> Trouble {
        await driver.connect(
            to: server, tls: configuration.tls, within: configuration.connection.connectWithin, farewell: farewell)
    }
}
