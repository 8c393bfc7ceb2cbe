import Foundation
import HeybotTesting
import Logging
import ShellAdapter
import Testing

@testable import Heybot
@testable import HeybotCommand

/// Tests that settings reach the parts of the robot.
@Suite struct RobotAssemblyTests {
    private let home: TemporaryFolder

    init() throws { home = try TemporaryFolder() }

    private func assembly(_ environment: [String: String] = [:], _ scripts: any Script...) throws -> RobotAssembly {
        try RobotAssembly(
            try Options.parse([]), scripts, environment: ["HEYBOT_DATA": home.url.path].merging(environment) { $1 })
    }

    @Test func `settings reach the robot`() throws {
        let robot = try assembly([
            "HEYBOT_NAME": "Marvin", "HEYBOT_ALIAS": "!", "HEYBOT_AUTH_ADMIN": "ada", "HEYBOT_DEADLINE": "2",
            "HEYBOT_THREADS": "3", "HEYBOT_CONCURRENCY": "5", "HEYBOT_SHELL_USER_ID": "7",
            "HEYBOT_SHELL_USER_NAME": "al"
        ]).robot(logger: Logger(label: "test"))
        #expect(robot.name == "Marvin")
        #expect(robot.alias == "!")
        #expect(robot.limits.deadline == .seconds(2))
        #expect(robot.limits.threads == 3)
        #expect(robot.limits.concurrency == 5)
        let shell = try #require(robot.adapters.first as? ShellAdapter)
        #expect(shell.user == User(id: User.ID(adapter: "shell", value: "7"), name: "al"))
        #expect(robot.isAdmin(shell.user))
        #expect(robot.isAdmin(User(id: User.ID(adapter: "shell", value: "ada"), name: "ada")))
        #expect(!robot.isAdmin(User(id: User.ID(adapter: "shell", value: "bob"), name: "bob")))
    }

    @Test func `admins are checked by their adapter`() throws {
        func robot(_ admins: String, _ adapters: String = "irc,xmpp") throws -> Robot {
            try assembly([
                "HEYBOT_ADAPTER": adapters, "HEYBOT_AUTH_ADMIN": admins, "HEYBOT_IRC_SERVER": "irc.test",
                "HEYBOT_XMPP_USERNAME": "marvin@example.org", "HEYBOT_XMPP_PASSWORD": "x"
            ]).robot(logger: Logger(label: "test"))
        }
        func user(_ id: String, isAnonymous: Bool = false) throws -> User {
            User(id: try #require(User.ID(id)), name: "ada", isAnonymous: isAnonymous)
        }
        let digits = String(repeating: "0B", count: 20)
        let both = try robot("irc:Ada,xmpp:Ada@Example.ORG,irc:Ada!*@staff.example.org,irc:CertFP:\(digits),campfire:1")
        try both.check()
        for id in [
            "irc:ada", "xmpp:ada@example.org", "irc:ada!*@staff.example.org", "irc:certfp:\(digits.lowercased())"
        ] {
            #expect(both.isAdmin(try user(id)), "\(id)")
            #expect(!both.isAdmin(try user(id, isAnonymous: true)), "\(id)")
        }
        #expect(try robot("Ada", "irc").isAdmin(user("irc:ada")))
        for (admin, problem) in [
            ("slak:ada", "there is no adapter slak"), ("irc:a:b", "an account name can't contain"),
            ("irc:ada!*@*", "needs a host"),
            ("irc:certfp:ab", "hexadecimal digits"), ("xmpp:example.org", "a server's address"),
            ("xmpp:ada@example.org/home", "use ada@example.org"), ("ada", "the adapter is ambiguous")
        ] {
            do {
                try robot(admin).check()
                Issue.record("\(admin) was accepted")
            } catch let error as RobotError {
                #expect(error.description.contains(admin) && error.description.contains(problem), "\(error)")
            }
        }
    }

    @Test func `each network is an adapter with its own name, account and admins`() throws {
        let robot = try assembly([
            "HEYBOT_ADAPTER": "irc,xmpp,campfire", "HEYBOT_IRC_NETWORKS": "libera,oftc",
            "HEYBOT_IRC_LIBERA_SERVER": "a.test", "HEYBOT_IRC_OFTC_SERVER": "b.test",
            "HEYBOT_XMPP_NETWORKS": "work,family", "HEYBOT_XMPP_WORK_USERNAME": "marvin@example.org",
            "HEYBOT_XMPP_WORK_PASSWORD": "x", "HEYBOT_XMPP_FAMILY_USERNAME": "marvin@example.net",
            "HEYBOT_XMPP_FAMILY_PASSWORD": "x", "HEYBOT_CAMPFIRE_NETWORKS": "one,two",
            "HEYBOT_CAMPFIRE_ONE_ACCOUNT": "https://a.test", "HEYBOT_CAMPFIRE_ONE_TOKEN": "1-abc",
            "HEYBOT_CAMPFIRE_ONE_WEBHOOK_SECRET": "0123456789abcdefg",
            "HEYBOT_CAMPFIRE_TWO_WEBHOOK_SECRET": "gfedcba9876543210", "HEYBOT_CAMPFIRE_TWO_ACCOUNT": "https://b.test",
            "HEYBOT_CAMPFIRE_TWO_TOKEN": "1-abc",
            "HEYBOT_AUTH_ADMIN": "oftc:ada,work:bob@example.org"
        ]).robot(logger: Logger(label: "test"))
        try robot.check()
        #expect(robot.adapters.map(\.name) == ["libera", "oftc", "work", "family", "one", "two"])
        func isAdmin(_ id: String) throws -> Bool { robot.isAdmin(User(id: try #require(User.ID(id)), name: "ada")) }
        #expect(try isAdmin("oftc:ada") && isAdmin("work:bob@example.org"))
        #expect(try !isAdmin("libera:ada") && !isAdmin("irc:ada") && !isAdmin("family:bob@example.org"))
    }

    @Test func `a gateway applies new admins of its own adapters, and new log levels`() throws {
        let file = try home.write(#"{"admins": "irc:ada,campfire:1"}"#, to: "heybot.json")
        let environment = [
            "HEYBOT_DATA": home.url.path, "HEYBOT_CONFIG": file.path, "HEYBOT_ADAPTER": "irc,campfire",
            "HEYBOT_IRC_SERVER": "irc.test", "HEYBOT_CAMPFIRE_ACCOUNT": "https://a.test",
            "HEYBOT_CAMPFIRE_TOKEN": "1-abc", "HEYBOT_CAMPFIRE_WEBHOOK_SECRET": "0123456789abcdefg"
        ]
        let (options, logger) = (try Options.parse([]), Logger(label: "test"))
        let assembly = try RobotAssembly(options, [], environment: environment)
        let gateway = RobotSplit(
            isGateway: true, adapters: { $0.filter { !($0 is any Script) } }, scripts: { _ in [] })
        let robot = assembly.robot(split: gateway, logger: logger)
        func isAdmin(_ id: String) throws -> Bool { robot.isAdmin(User(id: try #require(User.ID(id)), name: "ada")) }
        func level() -> Logger.Level { assembly.log.handler("heybot", nil).logLevel }
        #expect(try isAdmin("irc:ada"))
        #expect(level() == .info)

        try home.write(#"{"admins": "irc:bob,campfire:2", "log": {"level": "debug"}}"#, to: "heybot.json")
        SettingsReloader(assembly, options, robot).reloadConnections(logger, environment: environment)
        #expect(try isAdmin("irc:bob") && !isAdmin("irc:ada"))
        #expect(level() == .debug)

        // What it can't read changes nothing.
        try home.write(#"{"admins": "irc:eve", "log": {"level": "loud"}}"#, to: "heybot.json")
        SettingsReloader(assembly, options, robot).reloadConnections(logger, environment: environment)
        #expect(try isAdmin("irc:bob") && !isAdmin("irc:eve"))
    }

    @Test func `a gateway counts only the messages that its inbox drops`() throws {
        let gateway = RobotSplit(isGateway: true, adapters: { $0 }, scripts: { _ in [] })
        let assembly = try self.assembly(["HEYBOT_ADAPTER": "irc", "HEYBOT_IRC_SERVER": "irc.test"])
        let robot = assembly.robot(split: gateway, logger: Logger(label: "test"))
        let text = assembly.metrics.text()
        #expect(text.contains(#"heybot_inbox_messages_dropped_total{adapter="irc"} 0"#))
        #expect(!text.contains("heybot_messages_received_total{") && !text.contains("heybot_brain_seconds_count"))
        #expect(robot.adapters.count == 1)
    }

    @Test func `a log level of an unknown part is an error`() throws {
        let script = InlineScript("Rules") { _ in }
        for (levels, problem) in [
            (
                "info,Rlues=debug",
                "HEYBOT_LOG_LEVEL names Rlues, which is neither a script nor a part of the robot; did you mean Rules?"
            ),
            (
                "x9=debug",
                "HEYBOT_LOG_LEVEL names x9, which is neither a script nor a part of the robot; valid names are robot, redis, web, http, hubot, music, shell, irc, xmpp, gtalk, campfire, Rules, Prometheus"
            )
        ] {
            do {
                _ = try assembly(["HEYBOT_LOG_LEVEL": levels], script)
                Issue.record("\(levels) was accepted")
            } catch let error as InvalidSettingsError {
                #expect(error.description == problem)
            }
        }
        _ = try assembly(["HEYBOT_LOG_LEVEL": "info,rules=debug,shell=error,Robot=trace"], script)
    }

    @Test func `a check finds wrong examples`() async throws {
        let script = InlineScript { $0.respond(/tea/, help: "tea - Make tea", example: "coffee") { _ in } }
        do {
            try await assembly([:], script).check()
            Issue.record("it was accepted")
        } catch let failure as ExitError {
            #expect(failure.lines == ["Inline.1 doesn't answer its example: Heybot coffee"])
            #expect(failure.status == 78)
        }
    }
}
