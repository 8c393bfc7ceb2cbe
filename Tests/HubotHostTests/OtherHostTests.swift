import Foundation
import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import HubotHost

/// A script host in another language, which implements only what the guide to the protocol requires.
@Suite(.timeLimit(.minutes(15))) struct OtherHostTests {
    @Test func `a host in Python`() async throws {
        let folder = try ScratchFolder()
        let script = try folder.write(
            """
            # command: hubot ping - Answers
            def register(robot):
                robot.respond(r"ping$", lambda response: response.send("PONG"))
                robot.hear(r"tea", lambda response: response.reply("tea?"))
                robot.respond(r"fail$", lambda response: 1 / 0)
            """, to: "ping.py")
        let program = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../HubotHost/python_host.py")
        let log = TestLog()
        let host = self.host(program.path, ScriptFile(id: "ping.py", path: script), in: folder, log)
        let robot = TestRobot(name: "Hubot", await host.load())
        #expect(await robot.hears("hubot ping") == [.text("PONG")])
        #expect(await robot.hears("some tea") == [.reply("tea?")])
        #expect(await robot.hears("hubot fail") == [.reply("Sorry, something went wrong (ping.py).")])
        #expect(robot.loggedProblems.contains { $0.contains("script ping.py failed: division by zero") })
        #expect(
            robot.robot.listeners.flatMap(\.help).map(\.description) == [
                "ping - Answers", "reload - Reload the Hubot scripts"
            ])
    }

    @Test func `a host may write several lines at once, which count in order`() async throws {
        let folder = try ScratchFolder()
        let program = try folder.write(
            """
            import json, sys
            def write(*messages):
                sys.stdout.write("".join(json.dumps(message) + "\\n" for message in messages))
                sys.stdout.flush()
            for line in sys.stdin:
                message = json.loads(line)
                if message["type"] == "start":
                    write({"type": "listener", "id": 1, "script": "ping", "ordinal": 0, "kind": "respond",
                           "pattern": "ping$", "flags": "i"},
                          {"type": "script", "id": "ping"}, {"type": "ready", "protocol": 1})
                elif message["type"] == "message":
                    send = {"type": "send", "kind": "send", "room": message["message"]["room"], "run": message["run"]}
                    write({**send, "request": 1, "strings": ["one"]},
                          {**send, "request": 2, "strings": ["two", "three"]},
                          {"type": "result", "run": message["run"], "matched": True, "ended": True})
                elif message["type"] == "ping":
                    write({"type": "pong", "id": message["id"]})
                elif message["type"] == "stop":
                    break
            """, to: "host.py")
        let log = TestLog()
        let host = self.host(program, ScriptFile(id: "ping", path: program), in: folder, log)
        let robot = TestRobot(name: "Hubot", await host.load())
        #expect(await robot.hears("hubot ping") == [.text("one"), .text("two"), .text("three")])
        #expect(await robot.hears("hubot ping") == [.text("one"), .text("two"), .text("three")])
        #expect(robot.loggedProblems == [])
    }

    /// A host whose program is in Python.
    private func host(_ program: String, _ script: ScriptFile, in folder: ScratchFolder, _ log: TestLog) -> HubotHost {
        let start = RobotMessage.Start(
            name: "Hubot", alias: nil, version: heybotVersion, adapters: ["test"], logLevel: "debug", loadTime: 600_000,
            scripts: [script], external: nil, modules: [], cache: nil, brain: true)
        return HubotHost(
            .init(start: start, node: "/usr/bin/python3", program: program, folder: folder.path),
            logger: log.logger, timeSource: TimeSource(ManualClock(), date: { .now }))
    }
}
