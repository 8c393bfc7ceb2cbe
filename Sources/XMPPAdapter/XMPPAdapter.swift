import FoundationEssentials
public import Heybot
import HeybotSockets
package import HeybotXMPP
import Logging
import Metrics
package import NetworkAdapter

/// Talks in rooms and with people through an account on an XMPP server, and stays there whatever happens to the
/// connection.
///
/// What somebody says is a message of a room that is the chat room, or of a private one that is the person, or somebody in
/// a room. Actions (`/me`) are words like any others. What was said while the robot was away isn't heard.
public final class XMPPAdapter: Adapter {
    public let name: String
    let driver: SessionDriver<XMPPController>

    /// Makes one that connects once it runs.
    ///
    /// - Parameters:
    ///   - name: The name of the adapter, which the ids of its users and rooms begin with.
    ///   - brain: Keeps the rooms that the robot is brought into; nil if they are to be forgotten at the end.
    /// - Throws: ``Heybot/AdapterError`` if something is missing, or can't be used.
    public convenience init(
        _ configuration: Configuration, name: String = "xmpp", brain: Brain? = nil
    ) throws(AdapterError) {
        self.init(try configuration.setup(), name: name, brain: brain)
    }

    /// Makes one that connects once it runs, by the robot's name.
    ///
    /// - Parameters:
    ///   - address: The account's address, such as `marvin@example.org`.
    ///   - rooms: The rooms to be in, such as `dev@conference.example.org`.
    ///   - name: The name of the adapter, which the ids of its users and rooms begin with.
    ///   - brain: Keeps the rooms that the robot is brought into; nil if they are to be forgotten at the end.
    public convenience init(
        address: String, password: String, rooms: [Configuration.Room], name: String = "xmpp", brain: Brain? = nil
    ) throws(AdapterError) {
        try self.init(
            Configuration(address: address, password: password, rooms: rooms), name: name, brain: brain)
    }

    package init(
        _ setup: Setup, name: String = "xmpp", brain: Brain? = nil,
        in environment: AdapterEnvironment = AdapterEnvironment(),
        watch: @escaping @Sendable (Rehearsal<Note>.Event) -> Void = { _ in }
    ) {
        self.name = name
        driver = SessionDriver(adapter: name, brain: brain, in: environment, watch: watch) { date, isTracing in
            XMPPController(setup, adapter: name, date: date, isTracing: isTracing)
        }
    }

    var configuration: Setup { driver.withLock { $0.configuration } }

    // MARK: Staying

    public func run(_ inbox: Inbox) async throws {
        warnOfRisks()
        let mayWantTLS = configuration.server != nil && !configuration.isDirectTLS
        try await driver.run(
            inbox, ReconnectLoop(driver.timeline, configuration.connection),
            servers: 1,
            hint: mayWantTLS
                ? "if that port wants TLS at once, set \(configuration.optionNames.usesDirectTLS)=true" : nil
        ) { _ in
            await visitWhereSent()
        }
    }

    private func warnOfRisks() {
        let names = configuration.optionNames
        if !configuration.profile.usesTLS, configuration.server?.isOnThisMachine != true {
            driver.logger.warning(
                "the connection isn't encrypted, so others could read and change it: \(names.encrypt)")
        }
        if configuration.trust == .anyone {
            driver.logger.warning(
                "any server's certificate is taken: set \(names.authority) to that of its authority instead")
        }
    }

    /// Is on the server, or where it sends us, until that is over, and tells why it is.
    func visitWhereSent() async -> (trouble: Trouble, server: String) {
        driver.withLock { _ = $0.takeMove() }
        var (trouble, server) = await visit()
        // If a server sends us we go at once, but not on and on.
        for _ in 0..<3 {
            guard let moved = driver.withLock({ $0.takeMove() }), !Task.isCancelled else { break }
            driver.logger.info("\(trouble)")
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
            if driver.withLock({ $0.isDecided }) { return (trouble, "\(place)") }
            if troubles.count < places.count {
                driver.logger.info("\(trouble); trying another server", metadata: ["server": "\(place)"])
            }
        }
        // One that may be better soon is a reason to try again soon.
        let told = troubles.last { !$0.trouble.isLasting } ?? troubles.last
        return told ?? (Trouble("there is no server for \(domain)"), domain)
    }

    private func visit(_ place: Place) async -> Trouble {
        driver.withLock { $0.forgetVisit() }
        return await driver.connect(
            to: place.endpoint, tls: place.isDirectTLS ? configuration.tls(isDirect: true) : nil,
            within: configuration.connection.connectWithin)
    }

    private func places(_ moved: Endpoint?) async throws(PlacesError) -> [Place] {
        if let moved { return [Place(endpoint: moved, isDirectTLS: false)] }
        if let server = configuration.server {
            return [Place(endpoint: server, isDirectTLS: configuration.isDirectTLS)]
        }
        let places = Places(
            domain: configuration.profile.address.domain, lookup: configuration.lookup,
            mayBeDirect: configuration.profile.usesTLS, logger: driver.logger,
            onFailure: { error in self.driver.withLock { $0.lookupFailure = error } })
        let found = try await places.find()
        return driver.random { places.inOrder(found, using: &$0) }
    }
}
