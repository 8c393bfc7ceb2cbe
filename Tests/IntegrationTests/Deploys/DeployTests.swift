import CurlClient
import Heybot
import HeybotTesting
import IRCAdapter
import RedisStore
import StandardScripts
import TestServers
import Testing
import XMPPAdapter

/// Deploys by people on two networks, with two robots that share a Redis.
@Suite(.timeLimit(.minutes(15))) struct DeployTests {
    private static func brain(_ redis: RedisServer) throws -> Brain {
        var configuration = RedisStore.Configuration(try RedisAddress("redis://127.0.0.1:\(redis.port)"))
        (configuration.warnsOfDataLoss, configuration.callTimeout) = (false, .testLimit)
        return Brain(store: RedisStore(configuration, logger: TestLog().logger))
    }

    private static func irc(_ server: IRCServer) throws -> IRCAdapter {
        var configuration = IRCAdapter.Configuration(
            servers: [.init(host: "127.0.0.1", port: server.port)], channels: ["#ops"])
        // The network has no accounts.
        configuration.trustsNicks = true
        configuration.connection.pingTimeout = .testLimit
        return try IRCAdapter(configuration)
    }

    private static func xmpp(_ server: XMPPServer, _ room: String) throws -> XMPPAdapter {
        var account = XMPPAdapter.Configuration(
            address: "marvin@xmpp.test", password: "pencil", rooms: [.init(room)])
        (account.host, account.port) = ("127.0.0.1", server.port)
        account.authorityFile = server.caFile
        account.connection.pingTimeout = .testLimit
        return try XMPPAdapter(account)
    }

    /// Gives Ada on XMPP and grace on IRC their roles.
    private static func giveRoles(_ redis: RedisServer) async throws {
        let brain = try Self.brain(redis)
        try await brain.open()
        let ada = User(id: User.ID(adapter: "xmpp", value: "ada@xmpp.test"), name: "Ada")
        let grace = User(id: User.ID(adapter: "irc", value: "grace"), name: "grace")
        try await Robot.give([(user: ada, roles: ["releaser"]), (user: grace, roles: ["releaser", "ops"])], in: brain)
        await brain.close()
    }

    /// Asks as Ada for a deploy to production, confirms it, and has it approved by grace.
    private func deploy(_ number: Int, by ada: XMPPTestClient, in room: String, _ grace: RawIRCClient) async throws {
        ada.say("marvin: deploy shop/topic to production", in: room)
        try await ada.expect("<body>Ada: Deploy shop/topic to production? (yes/no)</body>")
        ada.say("yes", in: room)
        let asked = try await ada.expect("Ada: Somebody else with the ops role, or an admin, must approve this")
        let approval = try #require(asked.firstMatch(of: /approve ([0-9]+)/).map { String($0.output.1) })
        ada.say("marvin: approve \(approval)", in: room)
        try await ada.expect("<body>Ada: Somebody else must approve that.</body>")
        grace.send("PRIVMSG #ops :marvin: approve \(approval)")
        try await grace.expect(
            "PRIVMSG #ops :grace: You've approved Ada's command: deploy shop/topic to production")
        try await ada.expect("<body>shop \(number): grace has approved it.</body>")
        try await ada.expect("<body>shop \(number): deploying topic (2222222) to production for Ada.</body>")
    }

    @Test(
        .enabled(
            if: IRCServer.hasNgircd && XMPPServer.Software.prosody.isInstalled && RedisServer.isInstalled))
    func `a deploy to production from an XMPP room is approved on IRC, and another robot's lock holds`() async throws {
        let (irc, redis) = (try await IRCServer.ngircd(), try await RedisServer.start())
        let xmpp = try await XMPPServer.start(.prosody)
        try await xmpp.register(account: "marvin", password: "pencil")
        let room = xmpp.room("dev")
        let (ada, bob) = (try await xmpp.person("ada"), try await xmpp.person("bob"))
        try await ada.join(room, as: "Ada")
        // The robot must know who they are.
        try await ada.setAnonymous(false, of: room)
        try await bob.join(room, as: "Bob")
        let grace = try RawIRCClient(port: irc.port)
        _ = try await grace.register("grace")
        grace.send("JOIN #ops")
        try await grace.expect("366", "#ops")

        let github = try ScriptedGitHub()
        defer { github.stop() }
        let folder = try ScratchFolder()
        let settings = ["DEPLOY_APPS_JSON": try folder.write(github.apps(), to: "apps.json")]
        try await Self.giveRoles(redis)
        let http = CurlHTTPClient(.init(connectDeadline: .testLimit), logger: TestLog().logger)
        defer { http.close() }
        let scripts: [any Script] = [Deploys(interval: .milliseconds(50)), AccessControl()]
        let marvin = Robot(
            name: "marvin", adapters: [try Self.irc(irc), try Self.xmpp(xmpp, room)], brain: try Self.brain(redis),
            scripts: scripts, settings: settings, http: http, limits: .forBusyMachine, logger: TestLog().logger)
        let hal = Robot(
            name: "hal", adapters: [try Self.irc(irc)], brain: try Self.brain(redis), scripts: scripts,
            settings: settings, http: http, limits: .forBusyMachine, logger: TestLog().logger)
        let running = [marvin, hal].map { robot in Task { try await robot.run() } }
        for name in ["marvin", "hal"] {
            _ = try await grace.find("\(name) in #ops", since: 0) { $0.hasPrefix(":\(name)!") && $0.contains(" JOIN ") }
        }
        _ = try await ada.find("marvin in the room", since: 0) {
            $0.hasPrefix("<presence") && $0.contains("\(room)/marvin")
        }

        bob.say("marvin: deploy shop/topic to production", in: room)
        try await bob.expect("<body>Bob: You need the releaser role for that.</body>")
        grace.send("PRIVMSG #ops :hal: lock production payroll")
        try await grace.expect("PRIVMSG #ops :grace: production is locked.")
        ada.say("marvin: deploy shop/topic to production", in: room)
        try await ada.expect("<body>Ada: production is locked by grace ", ": payroll.")
        #expect(github.requests == [])
        grace.send("PRIVMSG #ops :hal: unlock production")
        try await grace.expect("PRIVMSG #ops :grace: production is unlocked.")

        try await deploy(1, by: ada, in: room, grace)
        github.report("in_progress", "Building", of: 101)
        try await ada.expect("<body>shop 1: in progress: Building</body>")
        // Meanwhile the app is taken, for the other robot too.
        grace.send("PRIVMSG #ops :hal: deploy shop/topic to production")
        try await grace.expect("PRIVMSG #ops :grace: shop is being deployed to production already")
        github.report("success", of: 101)
        try await ada.expect("<body>shop 1: topic (2222222) is live in production")
        try await deploy(2, by: ada, in: room, grace)
        github.report("failure", "No disk", of: 102)
        try await ada.expect("<body>shop 2: deploying topic (2222222) to production failed: No disk.</body>")
        #expect(github.deployments == 2)

        grace.send("PRIVMSG #ops :hal: what is deployed in production")
        try await grace.expect("PRIVMSG #ops :production: shop/topic (2222222) by Ada ")
        ada.say("marvin: audit shop", in: room)
        let audit = try await ada.expect("<body>", "shop 1: Ada asked: deploy shop/topic to production")
        for step in [
            "shop: Bob may not deploy shop/topic to production: You need the releaser role for that.",
            "grace locked production: payroll",
            "shop: Ada may not deploy shop/topic to production: production is locked", "grace unlocked production",
            "shop: grace may not deploy shop/topic to production: shop is being deployed",
            "shop 1: Ada confirmed it", "shop 1: grace approved it", "shop 1: started",
            "shop 1: accepted as deployment 101", "shop 1: success", "shop 2: grace approved it",
            "shop 2: failure: No disk"
        ] {
            #expect(audit.contains(step), "\(step) in \(audit)")
        }
        for robot in [marvin, hal] { robot.stop() }
        for task in running { try await task.value }
        await redis.stop()
    }
}
