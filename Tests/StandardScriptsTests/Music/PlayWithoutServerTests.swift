import Heybot
import HeybotTesting
import StandardScripts
import TestServers
import Testing

/// Music without a player, and with one that a test plays.
@Suite(.serialized, .timeLimit(.minutes(15))) struct PlayWithoutServerTests {
    static let commands = [
        "play", "play so what", "play something by Miles Davis", "pause", "stop", "next", "what's playing",
        "volume 40", "louder", "queue", "shuffle", "clear the queue", "who queued this", "I like this",
        "say now playing"
    ]

    @Test(arguments: commands) func `without a player each command says what to set`(_ command: String) async {
        let robot = TestRobot(name: "hubot", standardScripts)
        #expect(
            await robot.hears("hubot \(command)")
                == [.text("I have no music player yet: set HEYBOT_MPD_ADDRESS to the address of an MPD.")]
                || robot.said(in: "#test")
                    == [.reply("I have no music player yet: set HEYBOT_MPD_ADDRESS to the address of an MPD.")],
            "\(robot.lines)")
        #expect(robot.loggedProblems == [])
    }

    @Test func `a player that isn't there is named, with what to do`() async throws {
        let port = try Port.free()
        // No test's server listens at this address. At 127.0.0.1, one may have got the port by now.
        let robot = TestRobot(name: "hubot", settings: ["MPD_ADDRESS": "127.0.0.9:\(port)"], Play())
        #expect(
            await robot.hears("hubot play").map(\.content) == [
                "No music: 127.0.0.9:\(port) can't be reached (connection refused). "
                    + "Start mpd there, or correct HEYBOT_MPD_ADDRESS or HEYBOT_MPD_ROOMS."
            ])
    }

    @Test(arguments: ["", "a b", "http://localhost", "host:0"]) func `an address must be one`(_ address: String) throws
    {
        let robot = TestRobot(name: "hubot", settings: ["MPD_ADDRESS": address], Play())
        if address.isEmpty {
            try robot.robot.check()
        } else {
            #expect(throws: RobotError.self) { try robot.robot.check() }
        }
    }

    @Test(arguments: ["#lab", "=localhost", "#lab=", "#lab=a b", ","]) func `rooms need players`(_ rooms: String) {
        let robot = TestRobot(name: "hubot", settings: ["MPD_ROOMS": rooms], Play())
        #expect(throws: RobotError.self) { try robot.robot.check() }
    }

    @Test func `hostile names are shown on one short line`() async throws {
        let server = try ScriptedMPD { client in
            client.answer { line in
                guard line == "command_list_end" else { return [] }
                return [
                    "state: play", "error: \u{1b}[31mbad", "list_OK", "file: x",
                    "Title: \u{202e}\u{1b}[31m\(String(repeating: "long ", count: 1_000))", "Artist: \u{7}a\tb",
                    "list_OK", "OK"
                ]
            }
            client.send("OK MPD 0.23.5")
        }
        let robot = TestRobot(name: "hubot", settings: ["MPD_ADDRESS": "127.0.0.1:\(server.port)"], Play())
        let answers = await robot.hears("hubot what's playing")
        #expect(answers.count == 1)
        let text = answers.first?.content ?? ""
        #expect(text.count < 400)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e }, "\(text)")
        withExtendedLifetime(server) {}
    }

    @Test func `a flood of changes is no flood of announcements`() async throws {
        let songs = StringRecorder()
        let server = try ScriptedMPD { client in
            client.answer { line in
                let number = songs.all.count + 1
                if number > 200 { return [] }
                if line == "idle" { return ["changed: player", "OK"] }
                guard line == "command_list_end" else { return [] }
                songs.add("\(number)")
                return ["state: play", "list_OK", "file: \(number)", "Id: \(number)", "list_OK", "OK"]
            }
            client.send("OK MPD 0.23.5")
        }
        let robot = TestRobot(name: "hubot", settings: ["MPD_ADDRESS": "127.0.0.1:\(server.port)"], Play())
        _ = await robot.advance(by: .zero)
        _ = await robot.hears("hubot say now playing")
        try await wait(for: "all songs") { songs.all.count >= 200 }
        #expect(robot.said(in: "#test").filter { $0.content.hasPrefix("Now playing") }.count <= 20)
        withExtendedLifetime(server) {}
    }
}
