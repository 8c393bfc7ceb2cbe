import FoundationEssentials
public import Heybot
import HeybotSockets
package import HeybotXMPP
import Logging
import Metrics
package import NetworkAdapter

/// An adapter for XMPP: takes part in rooms and direct messages through an account, and reconnects when the connection is
/// lost.
///
/// Messages in a room arrive in the room with its address; direct messages in a private room with the address of the person
/// or occupant. Actions (`/me`) arrive as ordinary text. Messages from before the robot first joined are ignored.
public final class XMPPAdapter: Adapter {
    /// The adapter's name, which is part of the ids of its users and rooms.
    public let name: String
    let driver: SessionDriver<XMPPSessionManager>
    /// Uploads files; nil if the adapter can't send any.
    let http: (any HTTPClient)?
    private let storedSession: StoredSessionKeeper
    let run: RobotRunKeeper

    /// Creates an adapter, which connects when it runs.
    ///
    /// - Parameters:
    ///   - name: The adapter's name, which is part of the ids of its users and rooms.
    ///   - brain: Stores the rooms that the robot joins by invitation or on request, and the session that it leaves open when
    ///     it is stopped; if it is nil, the rooms aren't rejoined after a restart.
    ///   - http: Uploads the files that the robot sends; nil if it can't send files.
    /// - Throws: ``Heybot/AdapterError`` if something is missing or invalid.
    public convenience init(
        _ configuration: Configuration, name: String = "xmpp", brain: Brain? = nil, http: (any HTTPClient)? = nil
    ) throws(AdapterError) {
        self.init(try configuration.resolved(), name: name, brain: brain, http: http)
    }

    /// Creates an adapter for an account, with the robot's name as nick.
    ///
    /// - Parameters:
    ///   - address: The account's address, such as `marvin@example.org`.
    ///   - rooms: The rooms to join, such as `dev@conference.example.org`.
    ///   - name: The adapter's name, which is part of the ids of its users and rooms.
    ///   - brain: Stores the rooms that the robot joins by invitation or on request, and the session that it leaves open when
    ///     it is stopped; if it is nil, the rooms aren't rejoined after a restart.
    ///   - http: Uploads the files that the robot sends; nil if it can't send files.
    public convenience init(
        address: String, password: String, rooms: [Configuration.Room], name: String = "xmpp", brain: Brain? = nil,
        http: (any HTTPClient)? = nil
    ) throws(AdapterError) {
        try self.init(
            Configuration(address: address, password: password, rooms: rooms), name: name, brain: brain, http: http)
    }

    package init(
        _ configuration: ResolvedConfiguration, name: String = "xmpp", brain: Brain? = nil,
        http: (any HTTPClient)? = nil,
        in dependencies: AdapterDependencies = AdapterDependencies(),
        watch: @escaping @Sendable (PreflightProbe<LogEntry>.Event) -> Void = { _ in }
    ) {
        (self.name, self.http) = (name, http)
        var configuration = configuration
        // Without a brain, no other robot could resume the session.
        if brain == nil { configuration.session.isKeptAtStop = false }
        let driver = SessionDriver<XMPPSessionManager>(
            adapter: name, brain: brain, in: dependencies, watch: watch
        ) { date, isTracing in
            XMPPSessionManager(configuration, adapter: name, date: date, isTracing: isTracing)
        }
        self.driver = driver
        storedSession = StoredSessionKeeper(of: name, in: brain, logger: driver.logger)
        run = RobotRunKeeper(of: name, account: configuration.session.address, in: brain, logger: driver.logger)
    }

    var configuration: ResolvedConfiguration { driver.withLock { $0.configuration } }

    // MARK: Connecting

    public func run(_ inbox: Inbox) async throws {
        logSecurityWarnings()
        let stored = await storedSession.take()
        if let stored { driver.withLock { $0.stored = stored } }
        await beginRun(stored)
        let tasks = [startServingCommands(inbox), startRecordingAttempts(inbox), startRecordingHandled()]
        defer { for task in tasks { task.cancel() } }
        let mayWantTLS = configuration.server != nil && !configuration.isDirectTLS
        try await driver.run(
            inbox, ReconnectLoop(driver.timeSource, configuration.connection),
            servers: 1,
            hint: mayWantTLS
                ? "if that port requires direct TLS, set \(configuration.optionNames.usesDirectTLS)=true" : nil
        ) { _ in
            await connectFollowingRedirects()
        }
        await storeSession()
    }

    /// Stores the session if it is left open for the next robot.
    private func storeSession() async {
        let now = driver.timeSource.now()
        let (session, isTakingOver, isLost) = driver.withLock {
            ($0.sessionToStore(at: now), $0.takeover.killedRun != nil, $0.hasLostSession)
        }
        let (keeper, run) = (storedSession, run)
        // In a task of its own, because this one is canceled.
        await Task {
            let isLost = if let session { await !keeper.store(session) } else { isLost }
            await run.end(isLost ? .sessionLost : isTakingOver ? .takingOver : .complete)
        }
        .value
    }

    private func logSecurityWarnings() {
        let names = configuration.optionNames
        if !configuration.session.usesTLS, configuration.server?.isOnThisMachine != true {
            driver.logger.warning(
                "the connection isn't encrypted, so others can read and change what is sent: \(names.encrypt)")
        }
        if configuration.trust == .anyone {
            driver.logger.warning(
                "certificate verification is disabled: set \(names.authority) to the certificate of the CA that signed the server's certificate"
            )
        }
    }

    /// Stays connected to a server of the domain, or to the one it redirects to.
    ///
    /// - Returns: Why the connection has ended, and the name of the server.
    func connectFollowingRedirects() async -> (failure: ConnectionFailure, server: String) {
        driver.withLock { _ = $0.takeRedirect() }
        let preferred = driver.withLock { $0.resumptionServer }
        var (failure, server) = await connect(preferred)
        // If the preferred server can't be reached, the session can be resumed at another one, or begun again.
        if preferred != nil, !Task.isCancelled, !driver.withLock({ $0.endsServerSearch }) {
            (failure, server) = await connect()
        }
        // Redirects are followed at once, but only a few in a row.
        for _ in 0..<3 {
            guard let redirect = driver.withLock({ $0.takeRedirect() }), !Task.isCancelled else { break }
            driver.logger.info("\(failure)")
            (failure, server) = await connect(redirect)
        }
        return (failure, server)
    }

    /// Tries the servers of the domain in order, until one accepts the login, or refuses it for a reason that holds for all
    /// of them, such as a wrong password.
    ///
    /// - Returns: Why the last connection has ended, and the name of the server.
    private func connect(_ redirect: Endpoint? = nil) async -> (ConnectionFailure, server: String) {
        let domain = configuration.session.address.domain
        let locations: [ServerCandidate]
        do { locations = try await self.locations(redirect) } catch {
            return (ConnectionFailure(error.reason, fix: error.fix, isPermanent: true), domain)
        }
        var failures: [(failure: ConnectionFailure, server: String)] = []
        for location in locations {
            if Task.isCancelled { break }
            let failure = await connect(location)
            failures.append((failure, "\(location)"))
            if driver.withLock({ $0.endsServerSearch }) { return (failure, "\(location)") }
            if failures.count < locations.count {
                driver.logger.info("\(failure); trying another server", metadata: ["server": "\(location)"])
            }
        }
        // A failure that isn't permanent is a reason to retry soon.
        let told = failures.last { !$0.failure.isPermanent } ?? failures.last
        return told ?? (ConnectionFailure("there is no server for \(domain)"), domain)
    }

    private func connect(_ location: ServerCandidate) async -> ConnectionFailure {
        driver.withLock { $0.resetAttempt() }
        return await driver.connect(
            to: location.endpoint, tls: location.isDirectTLS ? configuration.tls(isDirect: true) : nil,
            within: configuration.connection.connectTimeout)
    }

    private func locations(_ redirect: Endpoint?) async throws(ServerLocatorError) -> [ServerCandidate] {
        if let redirect { return [ServerCandidate(endpoint: redirect, isDirectTLS: false)] }
        if let server = configuration.server {
            return [ServerCandidate(endpoint: server, isDirectTLS: configuration.isDirectTLS)]
        }
        let locator = ServerLocator(
            domain: configuration.session.address.domain, lookup: configuration.lookup,
            allowsDirectTLS: configuration.session.usesTLS, logger: driver.logger,
            onFailure: { error in self.driver.withLock { $0.lookupFailure = error } })
        let found = try await locator.lookUp()
        return driver.random { locator.ordered(found, using: &$0) }
    }
}

extension XMPPAdapter: ConfiguredUserRecognition {
    /// Returns the user id for an address, such as `ada@example.org`.
    public func userID(named name: String) throws -> String {
        let address: JID
        do { address = try JID(name) } catch { throw AdapterError(.invalidName, "\(error)") }
        guard address.local != nil else {
            throw AdapterError(.invalidName, "that is a server's address, not a person's")
        }
        guard address.resource == nil else {
            throw AdapterError(
                .invalidName, "that is the address of a device or of an occupant of a room: use \(address.bare)")
        }
        return address.description
    }
}

extension XMPPAdapter: SessionKeeping {
    package func leaveAtStop() { driver.withLock { $0.leaveAtStop() } }
}

extension XMPPAdapter: StatusAnnouncing {
    package func onStatusChange(_ action: @escaping @Sendable () -> Void) {
        driver.withLock { $0.state.status.onChange = action }
    }
}
