import Heybot
import HeybotTesting
import Testing

/// A closure that throws `SkipListener` leaves the message to other listeners, as if its own hadn't matched.
@Suite(.timeLimit(.minutes(15))) struct SkipListenerTests {
    private static func facts(_ robot: inout RobotBuilder, cooldown: Cooldown? = nil) {
        robot.respond(/(\w+) is (?<what>.+)/, cooldown: cooldown) { res in
            guard res.match.1 == "ada" else { throw SkipListener() }
            try await res.send("noted")
        }
    }

    @Test func `a message that a listener passes on reaches the catch-all, and nothing is logged`() async {
        let robot = TestRobot(
            InlineScript {
                Self.facts(&$0)
                $0.catchAll(onlyAddressed: true) { try await $0.reply("I don't know \($0.match).") }
            })
        #expect(await robot.hears("heybot wifi is what") == [.reply("I don't know wifi is what.")])
        #expect(await robot.hears("heybot ada is here") == [.text("noted")])
        #expect(robot.loggedProblems == [])
    }

    @Test func `if another listener handles the message, the catch-all doesn't get it`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/wifi/) { try await $0.send("before") }
                Self.facts(&$0)
                $0.hear(/what/) { try await $0.send("after") }
                $0.catchAll { try await $0.send("unknown") }
            })
        #expect(await robot.hears("heybot wifi is slow") == [.text("before")])
        #expect(await robot.hears("heybot this is what") == [.text("after")])
        #expect(await robot.hears("heybot wifi is what") == [.text("before"), .text("after")])
        #expect(await robot.hears("heybot that is it") == [.text("unknown")])
    }

    @Test func `a catch-all may pass too, and the next one gets the message`() async {
        let robot = TestRobot(
            InlineScript {
                $0.catchAll { _ in throw SkipListener() }
                $0.catchAll { try await $0.send("second") }
                $0.catchAll { _ in throw SkipListener() }
            })
        #expect(await robot.hears("anything") == [.text("second")])
        #expect(robot.loggedProblems == [])
    }

    @Test func `a listener that passed has no cooldown, one that refuses or is cooling down has handled the message`()
        async
    {
        let robot = TestRobot(
            InlineScript {
                Self.facts(&$0, cooldown: .perRoom(.minutes(1)))
                $0.respond(/die/, allow: .admins) { try await $0.send("dying") }
                $0.catchAll(onlyAddressed: true) { try await $0.send("unknown") }
            })
        #expect(await robot.hears("heybot wifi is slow") == [.text("unknown")])
        #expect(await robot.hears("heybot ada is here") == [.text("noted")])
        #expect(await robot.hears("heybot ada is here") == [.reply("Not so fast: try that again in 60 s.")])
        #expect(await robot.hears("heybot die") == [.reply("Only my admins may use that.")])
    }

    @Test func `a closure that passes after it answered or asked is logged`() async {
        let robot = TestRobot(
            InlineScript("Talkative") {
                $0.hear(/one/) { res in
                    try await res.send("said")
                    throw SkipListener()
                }
                $0.hear(/two/) { res in
                    _ = try await res.ask("Sure?")
                    throw SkipListener()
                }
                $0.catchAll { try await $0.send("unknown") }
            })
        #expect(await robot.hears("one") == [.text("said"), .text("unknown")])
        #expect(robot.loggedProblems.count == 1)
        #expect(robot.loggedProblems.first?.contains("listener=Talkative.1") == true)
        #expect(await robot.hears("two") == [.reply("Sure?")])
        #expect(await robot.hears("yes") == [])
        #expect(robot.loggedProblems.count == 2)
    }
}
