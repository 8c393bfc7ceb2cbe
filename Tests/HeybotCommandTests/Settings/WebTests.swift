import Foundation
import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import HeybotCommand

@Suite(.blocking) struct WebSettingsTests {
    private func read(_ environment: [String: String], file: String? = nil) throws -> ResolvedSettings {
        try ResolvedSettings(flags: [:], environment: environment) { path in
            file.map { SettingsFile(path ?? "heybot.json", Array($0.utf8)) }
        } check: {
            $0.settings.web.problems
        }
    }

    @Test func `by default the server has port 8080, and isn't started without routes`() throws {
        let configuration = try #require(try read([:]).settings.web.configuration)
        #expect(configuration.port == 8_080)
        #expect(configuration.address == "0.0.0.0")
        #expect(!configuration.startsWithoutRoutes)
        #expect(configuration.credentials == nil)
        #expect(try read([:]).settings.limits.body == 1 << 20)
    }

    @Test(arguments: ["HEYBOT_PORT", "HUBOT_PORT", "EXPRESS_PORT", "PORT"])
    func `a port starts the server, by any of its names`(_ name: String) throws {
        let configuration = try #require(try read([name: "9000"]).settings.web.configuration)
        #expect(configuration.port == 9_000)
        #expect(configuration.startsWithoutRoutes)
    }

    @Test func `false means that there is none`() throws {
        #expect(try read(["HUBOT_HTTPD": "false", "PORT": "9000"]).settings.web.configuration == nil)
        #expect(try read([:], file: "{httpd: {on: false}}").settings.web.configuration == nil)
    }

    @Test func `Hubot's names have the same meaning`() throws {
        let settings = try read([
            "EXPRESS_USER": "ada", "EXPRESS_PASSWORD": "secret", "EXPRESS_BIND_ADDRESS": "127.0.0.1",
            "EXPRESS_STATIC": "/tmp", "EXPRESS_LIMIT": "100kb"
        ]).settings
        let configuration = try #require(settings.web.configuration)
        #expect(configuration.address == "127.0.0.1")
        #expect(configuration.files == "/tmp")
        #expect(configuration.credentials == .init(user: "ada", password: "secret"))
        #expect(settings.limits.body == 102_400)
        #expect(try read(["HEYBOT_BIND_ADDRESS": "::1", "BIND_ADDRESS": "::"]).settings.web.server.address == "::1")
    }

    @Test(arguments: [("100kb", 102_400), ("2mb", 2 << 20), ("1.5 MB", 3 << 19), ("4096", 4_096), ("4096b", 4_096)])
    func `a size has a unit or none`(_ text: String, _ bytes: Int) throws {
        #expect(try read(["HEYBOT_HTTPD_LIMIT": text]).settings.limits.body == bytes)
    }

    @Test(arguments: ["", "0", "100", "1gb", "101mb", "-1kb", "kb", "nan", "infmb", "1e9mb", "0x10kb"])
    func `invalid and too small sizes are refused`(_ text: String) {
        #expect(ValueParser<Int>.bytes.read(text) == nil)
    }

    @Test func `a size is shown as it can be set`() {
        for bytes in [1 << 20, 100 << 10, 4_097] {
            #expect(ValueParser<Int>.bytes.show(bytes).flatMap(ValueParser<Int>.bytes.read) == bytes)
        }
    }

    @Test func `a missing directory of static files is an error`() throws {
        #expect {
            try read(["EXPRESS_STATIC": "/dev/null/nowhere"])
        } throws: {
            "\($0)" == "HEYBOT_HTTPD_STATIC: /dev/null/nowhere isn't a directory"
        }
    }

    @Test func `a user without a password, or a password without a user, is an error`() throws {
        #expect(throws: InvalidSettingsError.self) { try read(["HEYBOT_HTTPD_USER": "ada"]) }
        #expect {
            try read(["EXPRESS_PASSWORD": "hemmelig"])
        } throws: {
            "\($0)" == "HEYBOT_HTTPD_USER is missing: HEYBOT_HTTPD_PASSWORD needs a user"
        }
    }
}

@Suite(.blocking) struct ScriptSettingsTests {
    private struct Weather: Script {
        var settings: [any AnyScriptSetting] {
            [
                ScriptSetting("WEATHER_API_KEY", "the key", isSecret: true),
                ScriptSetting("WEATHER_DAYS", "how many days", in: 1...7, default: 3)
            ]
        }
        func register(on robot: inout RobotBuilder) {}
    }

    private func read(_ environment: [String: String], _ scripts: [any Script] = [Weather()]) throws -> ResolvedSettings
    {
        try ResolvedSettings(try Options.parse([]), scripts, environment: environment)
    }

    @Test func `a script's settings are read like the robot's`() throws {
        let read = try read(["HEYBOT_WEATHER_API_KEY": "hemmelig", "HUBOT_WEATHER_DAYS": "5"])
        #expect(read.settings.scripts == ["WEATHER_API_KEY": "hemmelig", "WEATHER_DAYS": "5"])
        let shown = SettingsCommand.list(read.table, read)
        #expect(shown.contains("HEYBOT_WEATHER_API_KEY = (secret) (HEYBOT_WEATHER_API_KEY)"))
        #expect(shown.contains("HEYBOT_WEATHER_DAYS = 5 (HUBOT_WEATHER_DAYS)"))
        #expect(!shown.contains("hemmelig"))
    }

    @Test func `heybot.json has a section for the web server`() {
        let table = Setting.settings(of: [Weather()])
        #expect(table.map(\.key) == ["weather.apiKey", "weather.days"])
        let file = SettingsFile("f", Array("{weather: {apiKey: 'k', days: 2}}".utf8), table)
        #expect(file.problems == [])
        #expect(file.entries["weather.days"]?.text == "2")
        #expect(SettingsFile("f", Array("{weather: {days: 'two'}}".utf8), table).problems.count == 1)
    }

    @Test func `invalid values are reported without secrets`() {
        #expect {
            try read(["HEYBOT_WEATHER_DAYS": "8", "HEYBOT_WEATHER_APIKEY": "x"])
        } throws: {
            "\($0)" == """
                HEYBOT_WEATHER_DAYS is "8"; expected a number from 1 to 7
                HEYBOT_WEATHER_APIKEY is not a setting; did you mean HEYBOT_WEATHER_API_KEY?
                """
        }
    }

    @Test func `scripts that use the same service share a setting`() {
        struct Other: Script {
            let name = "Other"
            let settings = Weather().settings
            func register(on robot: inout RobotBuilder) {}
        }
        #expect(Setting.problems(of: [Weather(), Other()]) == [])
        let names = Setting.settings(of: [Weather(), Other()]).map(\.name)
        #expect(names == Weather().settings.map(\.name))
    }

    @Test func `names of settings must be unique`() {
        struct Other: Script {
            let name = "Other"
            var settings: [any AnyScriptSetting] {
                [
                    ScriptSetting("WEATHER_DAYS", "", default: ""), ScriptSetting("REDIS_URL", "", default: ""),
                    ScriptSetting("lower", "", default: ""), ScriptSetting("HTTPD_ON", "", default: ""),
                    ScriptSetting("NAME_FORMAT", "", default: "")
                ]
            }
            func register(on robot: inout RobotBuilder) {}
        }
        #expect(
            Setting.problems(of: [Weather(), Other()]).map(\.description) == [
                "Other's setting WEATHER_DAYS is already a setting of the script Weather: give it another name",
                "Other's setting REDIS_URL is already a setting of the robot: give it another name",
                "Other's setting lower isn't a valid name; expected one such as WEATHER_KEY",
                "Other's setting HTTPD_ON would be httpd.on in heybot.json, which conflicts with httpd.on: give it another name",
                "Other's setting NAME_FORMAT would be name.format in heybot.json, which conflicts with name: give it another name"
            ])
    }
}

/// Tests of the command's web server and health check, run as a process.
@Suite(.blocking, .timeLimit(.minutes(15))) struct ServingTests {
    private let home: TemporaryFolder

    init() throws { home = try TemporaryFolder() }

    private func ask(_ port: Int, _ path: String) async throws -> String {
        try await ChildProcess.run(
            ["curl", "-sS", "--max-time", "600", "http://127.0.0.1:\(port)\(path)"], in: ScratchFolder())
    }

    @Test func `with a port it has a web server, and reports its health in the data directory too`() async throws {
        let port = try Port.free()
        let robot = try CommandRun.start(
            ["-n", "marvin"], in: home.url,
            environment: ["PORT": "\(port)", "HEYBOT_BIND_ADDRESS": "127.0.0.1"])
        robot.waitForError("the web server is listening on http://127.0.0.1:\(port)")
        // The terminal is a part that must be up, too.
        try robot.type("ping\n")
        #expect(robot.read() == "PONG\n")
        #expect(try await ask(port, "/heybot/ping") == "PONG")
        #expect(try await ask(port, "/heybot/help").contains("<bdi>marvin</bdi>"))
        #expect(try await ask(port, "/healthz").contains(#""ok":true"#))
        let metrics = try await ask(port, "/metrics")
        for line in [
            "# TYPE heybot_messages_received_total counter", #"heybot_adapter_up{adapter="shell"} 1"#,
            #"heybot_http_requests_total{route="GET /heybot/ping",status="200"} 1"#,
            #"heybot_brain_seconds_count{call="walk"}"#, "process_resident_memory_bytes "
        ] { #expect(metrics.contains(line), "\(line)") }

        let health = try CommandRun(arguments: ["health"], in: home.url)
        #expect(health.output.contains("brain  ok\nshell  up since "))
        #expect(health.status == 0)
        robot.kill(SIGTERM)
        #expect(robot.end().status == 0)
        let after = try CommandRun(arguments: ["health"], in: home.url)
        #expect(after.errors.hasPrefix("heybot: no robot is running with the data directory "))
        #expect(after.status == 1)
    }

    @Test func `with -d there is no server, and a killed robot leaves nothing that blocks the next`() async throws {
        let port = try Port.free()
        for _ in 0..<2 {
            let robot = try CommandRun.start(["-d"], in: home.url, environment: ["PORT": "\(port)"])
            try robot.type("ping\n")
            #expect(robot.read() == "PONG\n")
            await #expect(throws: TestServerError.self) { _ = try await ask(port, "/heybot/ping") }
            #expect(try CommandRun(arguments: ["health"], in: home.url).status == 0)
            robot.kill(SIGKILL)
            robot.end()
            #expect(try CommandRun(arguments: ["health"], in: home.url).status == 1)
        }
    }

    @Test func `by default there is no server, and the data directory is clean afterwards`() throws {
        let robot = try CommandRun.start(["--log-level", "debug"], in: home.url)
        try robot.type("ping\n")
        #expect(robot.read() == "PONG\n")
        let sockets = try FileManager.default.contentsOfDirectory(atPath: home.url.path).filter {
            $0.hasSuffix(".sock")
        }
        #expect(sockets.count == 1)
        #expect(!robot.end().errors.contains("the web server is listening"))
        let left = try FileManager.default.contentsOfDirectory(atPath: home.url.path).filter { $0.hasSuffix(".sock") }
        #expect(left == [])
    }

    @Test func `an invalid answer and a missing answer are reported`() throws {
        let data = try DataFolder(home.url.path, environment: [:])
        let listener = try #require(UnixSocket.listen(at: home.url.appending(path: "health-x.sock").path))
        let thread = Thread {
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                UnixSocket.write(Array("\u{1B}[31mnonsense".utf8), to: client)
                close(client)
            }
        }
        thread.start()
        defer { shutdown(listener, Int32(SHUT_RDWR)) }
        guard case .problem(let problem) = try #require(HealthSocket.query(in: data).first) else {
            Issue.record("the answer counts as a health report")
            return
        }
        #expect(problem.contains("answered in a format that this version can't read"))
        #expect(try CommandRun(arguments: ["health"], in: home.url).status == 1)
    }

    @Test func `the status can be read by versions without the full report, and theirs by this one`() throws {
        let text = #"{"ok":true,"adapters":{"shell":"up"},"brain":"ok","reasons":[]}"#
        let old = try JSONDecoder().decode(HealthSocketReply.self, from: Data(text.utf8))
        #expect(old.webPort == nil)
        let new = try JSONEncoder().encode(HealthSocketReply(health: old.health, webPort: 8_080))
        #expect(try JSONDecoder().decode(Health.self, from: new) == old.health)
        #expect(try JSONDecoder().decode(HealthSocketReply.self, from: new).webPort == 8_080)
    }

    @Test func `a port in use ends it with one line`() async throws {
        let listener = try ScriptedIRCServer()
        let run = try CommandRun(
            arguments: [], in: home.url,
            environment: ["PORT": "\(listener.port)", "HEYBOT_BIND_ADDRESS": "127.0.0.1"])
        #expect(
            run.errors
                == "heybot: the web server can't listen on 127.0.0.1, port \(listener.port): the port is in use; "
                + "set PORT to another port, or disable the server with -d\n")
        #expect(run.status == 69)
    }

    @Test func `a robot that is one process after all doesn't share its port`() throws {
        let environment = [
            "PORT": "\(try Port.free())", "HEYBOT_BIND_ADDRESS": "127.0.0.1", "HEYBOT_SINGLE": "false"
        ]
        let robot = try CommandRun.start(in: home.url, environment: environment)
        robot.waitForError("the web server is listening on ")
        let other = try CommandRun(in: home.url.appending(path: "other"), environment: environment)
        #expect(other.errors.contains("the port is in use"))
        #expect(other.status == 69)
        #expect(robot.end().status == 0)
    }
}
