import Heybot
import HeybotTesting
import Testing

/// A closure can have a text handled as if the message's author had said it.
@Suite(.timeLimit(.minutes(15))) struct RunningCommandTests {
    private static let script = InlineScript("Aliases") { robot in
        robot.respond(/launch$/, allow: .admins) { try await $0.reply("launched for \($0.message.user.name)") }
        robot.respond(/go$/) { res in
            try await res.send("going")
            await res.run("launch")
        }
        robot.respond(/round$/) { res in
            guard res.commandDepth < 3 else {
                try await res.send("enough")
                return
            }
            try await res.send("round \(res.commandDepth)")
            await res.run("hubot round")
        }
        robot.respond(/ask$/) { await $0.run("question") }
        robot.respond(/question$/, confirm: "Sure?") { try await $0.send("done") }
    }

    private let robot = TestRobot(name: "hubot", admins: ["root"], Self.script)

    @Test func `it is handled with the author's rights, in the same room`() async {
        #expect(await robot.hears("hubot go") == [.text("going"), .reply("Only my admins may use that.")])
        #expect(
            await robot.hears("hubot go", from: "root", in: "#dev")
                == [.text("going"), .reply("launched for root")])
    }

    @Test func `the number of commands that led to one is known`() async {
        #expect(
            await robot.hears("hubot round")
                == [.text("round 0"), .text("round 1"), .text("round 2"), .text("enough")])
    }

    @Test func `a confirmation is asked of the author`() async {
        #expect(await robot.hears("hubot ask") == [.reply("Sure? (yes/no)")])
        #expect(await robot.hears("yes", from: "bob") == [])
        #expect(await robot.hears("yes") == [.text("done")])
    }

    @Test func `it isn't observed as a message of the author`() async {
        let script = InlineScript("Observer") { robot in
            robot.observe { message, robot in
                { try await robot.messageRoom(message.room.id, "observed \(message.text ?? "")") }
            }
        }
        let robot = TestRobot(name: "hubot", admins: ["root"], script, Self.script)
        let said = await robot.hears("hubot go").map(\.content)
        #expect(said.filter { $0.hasPrefix("observed") } == ["observed hubot go"])
        #expect(said.count == 3)
    }

    @Test func `help lists commands without listeners, for those who may use them`() async {
        let script = InlineScript("Chat") { robot in
            robot.listCommands { _, room in
                guard room.name == "#test" else { return [] }
                return [
                    RuntimeCommand(usage: "standup", purpose: "Ask - all", access: .everyone) { $0 == "standup" },
                    RuntimeCommand(usage: "stop it", purpose: "Stop", access: .admins) { $0 == "stop it" }
                ]
            }
        }
        let robot = TestRobot(name: "hubot", admins: ["root"], script)
        _ = await robot.hears("hello")
        func commands(_ name: String, _ room: String) -> [String] {
            robot.robot.commands(
                for: User(id: User.ID(adapter: "test", value: name), name: name),
                in: Room(id: Room.ID(adapter: "test", value: room))
            ).map { "\($0.listener.script): \($0.line)" }
        }
        #expect(commands("alice", "#test") == ["Chat: standup - Ask - all"])
        #expect(commands("root", "#test") == ["Chat: standup - Ask - all", "Chat: stop it - Stop"])
        #expect(commands("root", "#dev") == [])
        #expect(robot.brokenExamples() == [])
    }
}
