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
        let start = RobotMessage.Start(
            name: "Hubot", alias: nil, version: heybotVersion, adapters: ["test"], logLevel: "debug", loadTime: 30_000,
            scripts: [ScriptFile(id: "ping.py", path: script)], external: nil, modules: [], cache: nil, brain: true)
        let log = TestLog()
        let host = HubotHost(
            .init(start: start, node: "/usr/bin/python3", program: program.path, folder: folder.path),
            logger: log.logger, timeSource: TimeSource(ManualClock(), date: { .now }))
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
}
