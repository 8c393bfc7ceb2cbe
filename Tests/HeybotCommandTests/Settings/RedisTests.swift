import ArgumentParser
import Foundation
import Heybot
import HeybotSockets
import RedisStore
import TestServers
import Testing

@testable import HeybotCommand

@Suite(.blocking) struct RedisSettingsTests {
    private func read(_ environment: [String: String], file: String? = nil) throws -> ResolvedSettings {
        let options = try Options.parse([])
        return try ResolvedSettings(flags: options.flags, environment: environment) { path in
            file.map { SettingsFile(path ?? "heybot.json", Array($0.utf8), Setting.all) }
        } check: {
            $0.settings.redis.problems
        }
    }

    private func host(_ environment: [String: String], file: String? = nil) throws -> String? {
        try read(environment, file: file).settings.redis.address?.description
    }

    @Test func `by default the brain is a file`() throws {
        #expect(try host([:]) == nil)
        #expect(try read([:]).settings.redis.configuration == nil)
    }

    @Test func `the first of its names that is set counts`() throws {
        let names = [
            "HEYBOT_REDIS_URL", "HUBOT_REDIS_URL", "REDIS_URL", "REDISTOGO_URL", "REDISCLOUD_URL", "BOXEN_REDIS_URL"
        ]
        let file = #"{redis: {url: "redis://file"}}"#
        var environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "redis://\($0.lowercased())") })
        for name in names {
            #expect(try host(environment, file: file) == "\(name.lowercased()):6379")
            environment[name] = ""
        }
        #expect(try host(environment, file: file) == "file:6379")
    }

    @Test func `none means a file, even if the host sets a URL`() throws {
        #expect(try host(["HEYBOT_REDIS_URL": "none", "REDIS_URL": "redis://host"]) == nil)
    }

    @Test func `an invalid URL is reported with the reason, without secrets`() throws {
        for (url, reason) in [
            ("redis://:hemmelig@host:port", "its port isn't a number"),
            ("hemmelig:6379", "it doesn't begin with redis://"),
            ("redis://:hemmelig@host/a/b", "it has two prefixes")
        ] {
            #expect {
                try read(["REDISTOGO_URL": url])
            } throws: { error in
                let text = "\(error)"
                return text.hasPrefix("REDISTOGO_URL is invalid: \(reason)") && !text.contains("hemmelig")
            }
        }
        let settings = try read(["REDIS_URL": "redis://:hemmelig@host"])
        let shown = SettingsCommand.list(settings.table, settings)
        #expect(shown.contains("HEYBOT_REDIS_URL = (secret) (REDIS_URL)"))
        #expect(!shown.contains("hemmelig"))
    }

    @Test func `all settings reach the store`() throws {
        let fingerprint = String(repeating: "ab", count: 32)
        let set = try #require(
            try read([
                "REDIS_URL": "rediss://:p@host:1/2?x", "HEYBOT_REDIS_FINGERPRINT": fingerprint,
                "HEYBOT_REDIS_SENTINEL_PASSWORD": "s", "HEYBOT_REDIS_TIMEOUT": "7", "HEYBOT_REDIS_START_TIMEOUT": "0.5"
            ]).settings.redis.configuration)
        #expect(try set.address == RedisAddress("rediss://:p@host:1/2?x"))
        #expect(set.sentinelPassword == "s")
        #expect(set.callTimeout == .seconds(7))
        #expect(set.openTimeout == .milliseconds(500))
        #expect(try set.tls()?.trust == .fingerprint(#require(Fingerprint(fingerprint))))
        let any = try read(["REDIS_URL": "rediss://host", "REDIS_REJECT_UNAUTHORIZED": "false"])
        #expect(try any.settings.redis.configuration?.tls()?.trust == .anyone)
        #expect(try read(["REDIS_URL": "rediss://host"]).settings.redis.configuration?.tls()?.trust == .system)
    }

    @Test func `settings that can't be combined are errors`() throws {
        for environment in [
            ["REDIS_URL": "redis://host", "HEYBOT_REDIS_CA_FILE": "/x"],
            ["REDIS_URL": "rediss://host", "HEYBOT_REDIS_CA_FILE": "/nowhere/ca.pem"]
        ] {
            #expect(throws: InvalidSettingsError.self) { try read(environment) }
        }
    }
}

/// Tests of the command with its brain in Redis, run as a process.
@Suite(.blocking, .enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(15))) struct RedisCommandTests {
    private let home: TemporaryFolder

    init() throws { home = try TemporaryFolder() }

    private func heybot(
        _ url: String, _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) throws -> CommandRun {
        try CommandRun(
            input, arguments: arguments, in: home.url,
            environment: ["REDIS_URL": url, "HEYBOT_REDIS_TIMEOUT": "600"].merging(environment) { $1 })
    }

    @Test func `robots share a brain, and every subcommand uses it`() async throws {
        let server = try await RedisServer.start()
        let url = "redis://127.0.0.1:\(server.port)/1?team"
        for number in 1...2 { #expect(try heybot(url, input: "swift++\n").output == "swift now has \(number).\n") }
        #expect(try heybot(url, "-e", "swift++").output == "swift now has 3.\n")
        #expect(try heybot(url, "brain", "set", "rules.motto", "\"Be kind\"").status == 0)
        #expect(try heybot(url, "brain", "get", "plusplus.scores", "swift").output == "3\n")
        #expect(try heybot(url, "brain", "list").output == "rules.motto\nplusplus.scores (1 entry)\n")
        #expect(try heybot(url, "-t").output.hasSuffix("brain     Redis at 127.0.0.1:\(server.port), database 1\nOK\n"))
        #expect(try await server.command("-n", "1", "HGET", "team:collection:plusplus.scores", "swift") == "3")
        // To a file, and back.
        let export = try heybot(url, "brain", "export").output
        #expect(try heybot("none", "brain", "import", input: export).output == "2 entries\n")
        #expect(try heybot("none", "-e", "score swift").output == "swift has 3.\n")
        #expect(try heybot("\(url)2", "brain", "import", input: heybot("none", "brain", "export").output).status == 0)
        #expect(try heybot("\(url)2", "brain", "export").output == export)
        #expect(try heybot(url, "brain", "get", "nothing").status == 66)
        await server.stop()
    }

    @Test func `subcommands fail if Redis is unavailable`() throws {
        // No test's server listens at this address.
        let url = "redis://127.0.0.9:\(try Port.free())"
        for arguments in [["-e", "ping"], ["-t"], ["brain", "list"]] {
            let run = try CommandRun(
                arguments: arguments, in: home.url,
                environment: ["REDIS_URL": url, "HEYBOT_REDIS_TIMEOUT": "4", "HEYBOT_LOG_LEVEL": "error"])
            #expect(run.errors.contains("heybot: Redis is unavailable: 127.0.0.9:"))
            #expect(run.errors.contains("can't be reached (connection refused)"))
            #expect(run.status == 73)
        }
        let robot = try heybot(url, environment: ["HEYBOT_REDIS_START_TIMEOUT": "0.2"])
        #expect(robot.status == 73)
    }

    @Test func `a robot waits for Redis, and can be stopped meanwhile`() async throws {
        let server = try await RedisServer.start()
        await server.stop()
        let environment = ["REDIS_URL": "redis://127.0.0.1:\(server.port)", "HEYBOT_REDIS_TIMEOUT": "600"]
        let ended = try CommandRun.start(in: home.url, environment: environment)
        ended.waitForError("waiting for it")
        ended.kill(SIGTERM)
        #expect(ended.end().status == 0)

        let robot = try CommandRun.start(in: home.url, environment: environment)
        try robot.type("heybot ping\n")
        robot.waitForError("waiting for it")
        try await server.start()
        #expect(robot.end().output == "PONG\n")
        #expect(robot.errors.contains("Redis is available after"))
        await server.stop()
    }

    @Test func `a wrong password is reported at once`() async throws {
        let server = try await RedisServer.start(.init(password: "secret"))
        let run = try heybot("redis://:hemmelig@127.0.0.1:\(server.port)")
        #expect(run.errors.contains("heybot: Redis at 127.0.0.1:\(server.port) rejected the password"))
        #expect(!run.errors.contains("hemmelig"))
        #expect(run.status == 77)
        await server.stop()
    }

    // MARK: Hubot's brain

    private let hubot = """
        {"users":{"1":{"id":"1","name":"Shell","room":"#dev"}},"_private":{"scores":{"swift":2,"ruby":-1},"motto":"Be kind"},\
        "visits":{"ada":7}}
        """

    @Test func `Hubot's brain is imported from Redis repeatedly, and exported`() async throws {
        let server = try await RedisServer.start()
        let url = "redis://127.0.0.1:\(server.port)"
        let missing = try heybot(url, "brain", "import", "--hubot")
        #expect(missing.errors.contains("contains no Hubot brain at hubot:storage"))
        #expect(missing.status == 66)
        try await server.command("SET", "hubot:storage", hubot)
        for _ in 0..<2 { #expect(try heybot(url, "brain", "import", "--hubot").output.hasPrefix("5 entries\n")) }
        #expect(
            try heybot(url, "brain", "list").output
                == "motto\ndata.visits (1 entry)\nscores (2 entries)\nusers (1 entry)\n")
        #expect(try heybot(url, "brain", "get", "scores", "ruby").output == "-1\n")
        #expect(
            try heybot(url, "brain", "get", "users", "1").output
                == "{\"id\":\"1\",\"name\":\"Shell\",\"room\":\"#dev\"}\n")
        let back = try heybot(url, "brain", "export", "--hubot").output
        #expect(try json(back) == json(hubot))
        // Hubot's value is unchanged, and no copy is left.
        #expect(try await server.command("GET", "hubot:storage") == hubot)
        #expect(try await server.command("KEYS", "*:copy:*") == "")
        // Hubot's key has the prefix of the URL.
        try await server.command("SET", "marvin:storage", "{\"users\":{}}")
        #expect(try heybot("\(url)?marvin", "brain", "import", "--hubot").output == "0 entries\n")
        await server.stop()
    }

    @Test func `Hubot's brain is imported from a file or a pipe, and errors are reported`() throws {
        let file = try home.write(hubot, to: "hubot.json").path
        #expect(try heybot("none", "brain", "import", "--hubot", file).output.hasPrefix("5 entries\n"))
        #expect(try heybot("none", "brain", "import", "--hubot", "-", input: hubot).output.hasPrefix("5 entries\n"))
        #expect(try json(heybot("none", "brain", "export", "--hubot").output) == json(hubot))
        let broken = try heybot("none", "brain", "import", "--hubot", "-", input: String(hubot.dropLast(20)))
        #expect(broken.errors.hasPrefix("heybot: standard input can't be imported: at byte "))
        #expect(broken.errors.contains("the entries before this point were imported"))
        #expect(broken.status == 65)
        let nowhere = try heybot("none", "brain", "import", "--hubot")
        #expect(nowhere.errors.contains("name the file that contains Hubot's brain"))
        #expect(nowhere.status == 64)
        #expect(try heybot("none", "brain", "set", "scores", "1").status == 0)
        let export = try heybot("none", "brain", "export", "--hubot")
        #expect(export.errors.contains("scores is both a value and a collection"))
        #expect(export.output.isEmpty)
        #expect(export.status == 65)
    }

    private func json(_ text: String) throws -> NSDictionary? {
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
    }
}
