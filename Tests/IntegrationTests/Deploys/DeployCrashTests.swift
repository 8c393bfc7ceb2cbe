import Foundation
import Heybot
import HeybotTesting
import RedisStore
import TestServers
import Testing

/// `kill -9` of the robot in the middle of deploys.
@Suite(.timeLimit(.minutes(20))) struct DeployCrashTests {
    private static func words(_ xmpp: XMPPServer, _ room: String, _ redis: RedisServer, _ folder: ScratchFolder)
        throws -> [String]
    {
        let program = try #require(
            Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "heybot").path)
        let environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HEYBOT_DATA": folder.path("data"),
            "HEYBOT_REDIS_URL": "redis://127.0.0.1:\(redis.port)", "HEYBOT_XMPP_USERNAME": "marvin@xmpp.test",
            "HEYBOT_XMPP_PASSWORD": "pencil", "HEYBOT_XMPP_HOST": "127.0.0.1", "HEYBOT_XMPP_PORT": "\(xmpp.port)",
            "HEYBOT_XMPP_CA_FILE": try #require(xmpp.caFile), "HEYBOT_XMPP_ROOMS": room,
            "HEYBOT_DEPLOY_APPS_JSON": folder.path("apps.json"), "HEYBOT_DEPLOY_COMMANDS": "true",
            "HEYBOT_LOG_LEVEL": "error", "HEYBOT_DEADLINE": "600", "HEYBOT_REDIS_TIMEOUT": "600",
            "HEYBOT_XMPP_PING_TIMEOUT": "600"
        ]
        return ["env", "-i"] + environment.map { "\($0)=\($1)" } + [program, "-a", "xmpp", "-n", "marvin"]
    }

    /// Starts the robot, and returns when a person sees it in the room.
    private func start(_ words: [String], seenBy person: XMPPTestClient, in room: String) async throws -> ChildProcess {
        let before = person.received.count
        let robot = try ChildProcess(words, isServer: false)
        _ = try await person.find("the robot in the room", since: before) {
            $0.hasPrefix("<presence") && $0.contains("\(room)/marvin") && !$0.contains("unavailable")
        }
        return robot
    }

    private static func withBrain(_ redis: RedisServer, _ body: (Brain) async throws -> Void) async throws {
        var configuration = RedisStore.Configuration(try RedisAddress("redis://127.0.0.1:\(redis.port)"))
        (configuration.warnsOfDataLoss, configuration.callTimeout) = (false, .testLimit)
        let brain = Brain(store: RedisStore(configuration, logger: TestLog().logger))
        try await brain.open()
        try await body(brain)
        await brain.close()
    }

    /// Sets the time when the killed process was last seen back by a minute, so that the next one doesn't wait.
    private static func age(_ brain: Brain) async throws {
        let processes = BrainCollection<Date>("deploys.processes")
        var seen: [String: Date] = [:]
        for try await (process, date) in brain.entries(processes) { seen[process] = date }
        #expect(seen.count == 1)
        for (process, date) in seen { try await brain.remember(processes, process, date - 60) }
    }

    @Test(.enabled(if: XMPPServer.Software.prosody.isInstalled && RedisServer.isInstalled))
    func `after kill -9, a deploy goes on or is reported as unknown, and the record has every step`() async throws {
        let (xmpp, redis) = (try await XMPPServer.start(.prosody), try await RedisServer.start())
        try await xmpp.register(account: "marvin", password: "pencil")
        let room = xmpp.room("dev")
        let ada = try await xmpp.person("ada")
        try await ada.join(room, as: "Ada")
        try await ada.setAnonymous(false, of: room)

        let github = try ScriptedGitHub()
        defer { github.stop() }
        let folder = try ScratchFolder()
        // A command that ends with the test.
        let flag = try folder.write("", to: "running")
        let command = #"["/bin/sh", "-c", "while [ -e \#(flag) ]; do sleep 0.1; done"]"#
        let wiki = #""wiki": {"environments": ["live"], "role": "everyone", "command": \#(command)}"#
        try folder.write(github.apps(wiki), to: "apps.json")
        try await Self.withBrain(redis) { brain in
            let user = User(id: User.ID(adapter: "xmpp", value: "ada@xmpp.test"), name: "Ada")
            try await Robot.give([(user: user, roles: ["deployer"])], in: brain)
        }

        let words = try Self.words(xmpp, room, redis, folder)
        let killed = try await start(words, seenBy: ada, in: room)
        ada.say("marvin: deploy wiki to live", in: room)
        try await ada.expect("<body>wiki 1: deploying main to live for Ada.</body>")
        github.hold()
        ada.say("marvin: deploy shop/topic to staging", in: room)
        try await wait(for: "the request to GitHub") { github.deployments == 1 }
        killed.send(SIGKILL)
        #expect(await killed.end(within: .testLimit) == nil)
        github.release()

        // All this is found out at the next start and 15 seconds later.
        github.report("success", of: 101)
        try await Self.withBrain(redis) { try await Self.age($0) }
        let restart = ada.received.count
        let next = try await start(words, seenBy: ada, in: room)
        // The server has kept the session of the killed robot until the next one took its place.
        _ = try await ada.find("the end of the killed robot's session", since: restart) {
            $0.hasPrefix("<presence") && $0.contains("\(room)/marvin") && $0.contains("unavailable")
        }
        _ = try await ada.find("the unknown deploy", since: restart) {
            $0.contains("wiki 1: ") && $0.contains("how deploying main to live went. I was restarted meanwhile.")
        }
        _ = try await ada.find("the deploy that GitHub has", since: restart) {
            $0.contains("<body>shop 1: deploying topic (2222222) to staging for Ada.</body>")
        }
        _ = try await ada.find("the deploy's end", since: restart) {
            $0.contains("<body>shop 1: topic (2222222) is live in staging")
        }
        ada.say("marvin: audit", in: room)
        let audit = try await ada.find("the record", since: restart) { $0.contains("shop 1: success") }
        for step in [
            "shop 1: Ada asked: deploy shop/topic to staging", "shop 1: started",
            "shop 1: accepted as deployment 101: topic (2222222)", "wiki 1: Ada asked: deploy wiki/main to live",
            "wiki 1: started", "wiki 1: accepted: main", "wiki 1: unknown: I was restarted meanwhile."
        ] {
            #expect(audit.contains(step), "\(step) in \(audit)")
        }
        #expect(github.deployments == 1)
        next.send(SIGTERM)
        #expect(await next.end(within: .testLimit) == 0)
        await redis.stop()
    }
}
