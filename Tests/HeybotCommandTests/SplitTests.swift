import Foundation
import TestServers
import Testing

/// A robot on IRC whose scripts run in a process of their own.
@Suite(.blocking, .timeLimit(.minutes(15))) struct SplitTests {
    private let home: TemporaryFolder

    /// The file that tells `bin/heybot --watch` which process takes SIGUSR1.
    private var gateway: URL { home.url.appending(path: "gateway") }

    init() throws { home = try TemporaryFolder() }

    /// Starts a robot with a script that crashes.
    private func start(_ server: ScriptedIRCServer, _ settings: [String: String] = [:]) throws -> CommandRun {
        let environment = [
            "HEYBOT_SINGLE": "false", "HEYBOT_IRC_SERVER": "127.0.0.1:\(server.port)",
            "HEYBOT_IRC_USESSL": "false", "HEYBOT_IRC_ROOMS": "#a", "SWIFT_BACKTRACE": "enable=no",
            "WATCHED_GATEWAY": gateway.path
        ]
        return try CommandRun.start(
            ["-a", "irc", "-n", "heybot", "-d"], in: home.url, environment: environment.merging(settings) { $1 },
            program: CommandRun.crashing)
    }

    /// The ids of the processes that a robot has started and that haven't ended.
    private func workers(of robot: CommandRun) throws -> Set<Int32> {
        let ids = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        return Set(ids.filter { Self.isRunningChild($0, of: robot.id) })
    }

    private static func isRunningChild(_ process: Int32, of parent: Int32) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return false }
        // After the name: the state, in which Z is a process that has ended, and the parent.
        let words = text[name...].split(separator: " ")
        return words.count > 2 && words[1] != "Z" && words[2] == "\(parent)"
    }

    /// Accepts the robot's connection, and waits until it is in the channel.
    private func enter(_ server: ScriptedIRCServer) async throws -> AcceptedIRCClient {
        let client = try await server.accept()
        client.answerPings()
        client.answerJoins()
        try await client.welcome()
        _ = try await client.expect("JOIN #a")
        return client
    }

    private func say(_ text: String, by nick: String, _ client: AcceptedIRCClient) {
        client.send(":\(nick)!\(nick)@host.test PRIVMSG #a :\(text)")
    }

    @Test func `a script that crashes costs no connection, and other commands are answered`() async throws {
        let server = try ScriptedIRCServer()
        let robot = try start(server)
        let client = try await enter(server)
        say("heybot ping", by: "alice", client)
        _ = try await client.expect("PRIVMSG #a PONG")
        say("heybot oops x", by: "bob", client)
        _ = try await client.expect("PRIVMSG #a", "crash (Oops)")
        say("heybot ping", by: "alice", client)
        _ = try await client.expect("PRIVMSG #a PONG")
        #expect(server.connections == 1)
        robot.kill(SIGTERM)
        #expect(robot.end().status == 0)
        #expect(robot.errors.contains("a worker was ended by script Oops, listener Oops.1, on message irc:"))
    }

    @Test func `a reload replaces the worker, and the robot stays in its rooms`() async throws {
        let server = try ScriptedIRCServer()
        let robot = try start(server)
        let client = try await enter(server)
        say("heybot ping", by: "alice", client)
        _ = try await client.expect("PRIVMSG #a PONG")
        #expect(try String(contentsOf: gateway, encoding: .utf8) == "\(robot.id)\n")
        let old = try workers(of: robot)
        #expect(old.count == 1)
        #expect(try CommandRun(arguments: ["reload"], in: home.url).status == 0)
        robot.waitForError("reloading: starting a new worker")
        // The old worker ends when the new one has taken over.
        while robot.isRunning, try !workers(of: robot).isDisjoint(with: old) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try workers(of: robot).count == 1)
        for number in 1...5 {
            say("heybot oops \(number)", by: "user\(number)", client)
            _ = try await client.expect("PRIVMSG #a \(number)")
        }
        #expect(server.connections == 1)
        robot.kill(SIGTERM)
        #expect(robot.end().status == 0)
    }

    @Test func `a worker that is killed is replaced, and the robot stays in its rooms`() async throws {
        let server = try ScriptedIRCServer()
        let robot = try start(server)
        let client = try await enter(server)
        say("heybot ping", by: "alice", client)
        _ = try await client.expect("PRIVMSG #a PONG")
        let killed = try workers(of: robot)
        #expect(killed.count == 1)
        for worker in killed { kill(worker, SIGKILL) }
        say("heybot ping", by: "alice", client)
        _ = try await client.expect("PRIVMSG #a PONG")
        let next = try workers(of: robot)
        #expect(next.count == 1 && next.isDisjoint(with: killed))
        #expect(server.connections == 1)
        robot.kill(SIGTERM)
        #expect(robot.end().status == 0)
        #expect(robot.errors.contains("a worker has ended: signal 9"))
    }

    @Test func `an admin can stop the robot`() async throws {
        let server = try ScriptedIRCServer()
        let robot = try start(server, ["HEYBOT_AUTH_ADMIN": "irc:carol!*@host.test"])
        let client = try await enter(server)
        say("heybot die", by: "carol", client)
        _ = try await client.expect("PRIVMSG #a", "Goodbye")
        #expect(robot.end().status == 0)
        #expect(!robot.errors.contains("a worker has ended"))
    }

    @Test func `a robot in a terminal is one process`() throws {
        let environment = ["HEYBOT_SINGLE": "false", "WATCHED_GATEWAY": gateway.path]
        let run = try CommandRun("ping\n", in: home.url, environment: environment)
        #expect(!FileManager.default.fileExists(atPath: gateway.path))
        #expect(run.output == "PONG\n")
        #expect(run.errors == "")
    }
}
