import FoundationEssentials
public import Heybot
package import HeybotIRC
import HeybotSockets
import Logging
package import NetworkAdapter

/// An adapter for an IRC network, with automatic reconnect.
///
/// A channel is a room; a private conversation is a private room named after the user. Actions (`/me`) are received as ordinary
/// text. Notices aren't received, as the protocol demands.
public final class IRCAdapter: Adapter {
    public let name: String
    let driver: SessionDriver<IRCSessionManager>
    let policies: EncryptionPolicies
    private let storedHistory: StoredHistoryKeeper

    /// Creates an adapter that connects when it runs.
    ///
    /// - Parameters:
    ///   - name: The adapter's name, which is part of the ids of its users and rooms.
    ///   - brain: Stores the rooms that the robot has joined on request, and what it needs to answer after a restart what was
    ///     said meanwhile; nil to forget that at the end.
    /// - Throws: ``Heybot/AdapterError`` if there is no server, or the fingerprint is invalid.
    public convenience init(
        _ configuration: Configuration, name: String = "irc", brain: Brain? = nil
    ) throws(AdapterError) {
        if configuration.servers.isEmpty {
            throw AdapterError(.misconfigured, "\(name) has no server to connect to: set one")
        }
        self.init(try configuration.resolved(), name: name, brain: brain)
    }

    /// Creates an adapter that connects when it runs, with the robot's name as its nick and without an account.
    ///
    /// - Parameters:
    ///   - server: The network's server; TLS is used unless it has another port than 6697.
    ///   - channels: The channels to join.
    ///   - name: The adapter's name, which is part of the ids of its users and rooms.
    ///   - brain: Stores the rooms that the robot has joined on request, and what it needs to answer after a restart what was
    ///     said meanwhile; nil to forget that at the end.
    public convenience init(
        server: Configuration.Server, channels: [Configuration.Channel], name: String = "irc", brain: Brain? = nil
    ) {
        let configuration = Configuration(servers: [server], channels: channels)
        var resolved = configuration.resolved(
            robotName: AdapterDependencies.robotName, tls: configuration.isSecure ? TLSOptions() : nil)
        resolved.unresolved = configuration
        self.init(resolved, name: name, brain: brain)
    }

    package convenience init(
        _ resolved: ResolvedConfiguration, name: String = "irc", brain: Brain? = nil,
        in dependencies: AdapterDependencies = AdapterDependencies(),
        watch: @escaping @Sendable (PreflightProbe<LogEntry>.Event) -> Void = { _ in }
    ) {
        let policies = EncryptionPolicies(of: name, in: brain, logger: dependencies.logger(of: name))
        self.init(resolved, name: name, brain: brain, policies: policies, in: dependencies, watch: watch)
    }

    /// - Parameter policies: The hosts that demand TLS.
    init(
        _ resolved: ResolvedConfiguration, name: String, brain: Brain?, policies: EncryptionPolicies,
        in dependencies: AdapterDependencies, watch: @escaping @Sendable (PreflightProbe<LogEntry>.Event) -> Void
    ) {
        self.name = name
        self.policies = policies
        storedHistory = StoredHistoryKeeper(
            of: name, in: resolved.session.missedMessageAge > .zero ? brain : nil,
            logger: dependencies.logger(of: name))
        driver = SessionDriver(adapter: name, brain: brain, in: dependencies, watch: watch) { date, isTracing in
            IRCSessionManager(resolved, adapter: name, date: date, isTracing: isTracing)
        }
    }

    var configuration: ResolvedConfiguration { driver.withLock { $0.configuration } }

    // MARK: Running

    public func run(_ inbox: Inbox) async throws {
        warnOfRisks()
        if let stored = await storedHistory.recall() { driver.withLock { $0.history = HistoryMark(stored) } }
        let storing = Task { [storedHistory, driver] in
            await storedHistory.keepStoring(driver.timeSource) { driver.withLock { $0.historyToStore } }
        }
        defer { storing.cancel() }
        try await driver.run(
            inbox, ReconnectLoop(driver.timeSource, configuration.connection),
            servers: configuration.servers.count,
            hint: configuration.tls == nil ? "if the port requires TLS, \(configuration.optionNames.encrypt)" : nil
        ) { number in
            let server = configuration.servers[number]
            return (await connect(to: server), "\(server)")
        }
        storing.cancel()
        await storing.value
        let mark = driver.withLock { $0.historyToStore }
        // In a task of its own, because this one is canceled.
        await Task { [storedHistory] in await storedHistory.storeLast(mark) }.value
    }

    private func warnOfRisks() {
        let names = configuration.optionNames
        if configuration.tls == nil, configuration.servers.contains(where: { !$0.isOnThisMachine }) {
            driver.logger.warning(
                "the connection isn't encrypted, so others can read and change what is sent: \(names.encrypt)")
        }
        if configuration.tls == nil, case .fingerprint = configuration.verifiedTLS.trust {
            driver.logger.warning(
                "\(names.fingerprint) has no effect until the server demands TLS (IRCv3 STS): \(names.encrypt)")
        }
        if configuration.trustsNicks {
            driver.logger.warning(
                """
                if the network doesn't show users' accounts, anyone who takes an admin's nick becomes an admin: \
                unset \(names.trustsNicks), and list admins as hostmasks
                """)
        }
        if configuration.tls?.trust == .anyone {
            driver.logger.warning(
                "certificate verification is disabled: set \(names.fingerprint) to pin the server's certificate")
        }
    }
}
