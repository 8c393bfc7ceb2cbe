import Heybot
import HeybotTesting
import Testing

/// What users see of the robot's writing while a closure works.
@Suite(.timeLimit(.minutes(15))) struct TypingTests {
    private let began = Signal()
    private let release = Signal()

    private func robot(_ features: Set<MessageFeature> = [.typing]) -> TestRobot {
        let (began, release) = (began, release)
        return TestRobot(
            name: "hubot", messageFeatures: features,
            InlineScript {
                $0.respond(/quiet/) { _ in
                    began.set()
                    await release.wait()
                }
                $0.respond(/slow/) { res in
                    began.set()
                    await release.wait()
                    try await res.send("done")
                }
                $0.respond(/chatty/) { res in
                    try await res.send("I'm on it.")
                    began.set()
                    await release.wait()
                }
                $0.respond(/unsure/) { res in
                    began.set()
                    await release.wait()
                    _ = try await res.ask("Really?")
                }
                $0.respond(/nod/) { res in
                    began.set()
                    await release.wait()
                    try await res.react("👍")
                }
                $0.respond(/ponder/) { res in
                    _ = try await res.ask("Really?")
                    began.set()
                    await release.wait()
                }
                $0.hear(/overheard/) { _ in
                    began.set()
                    await release.wait()
                }
                $0.hear(/announced/) { res in
                    res.typing()
                    began.set()
                    await release.wait()
                }
            })
    }

    private let shown = TestRobot.ShownTyping(isTyping: true, room: "#test")
    private let hidden = TestRobot.ShownTyping(isTyping: false, room: "#test")

    /// Advances the clock without waiting for the closure, and does what is due.
    private func pass(_ time: Duration, _ robot: TestRobot) {
        robot.clock.advance(by: time)
        robot.robot.timers.fire()
    }

    @Test func `after a second, the room sees the robot writing, every three seconds, until it ends`() async {
        let robot = robot()
        async let answers = robot.hears("hubot quiet")
        await began.wait()
        pass(.milliseconds(999), robot)
        #expect(robot.typing.isEmpty)
        pass(.milliseconds(1), robot)
        #expect(robot.typing == [shown])
        pass(.milliseconds(2_999), robot)
        #expect(robot.typing == [shown])
        pass(.milliseconds(1), robot)
        #expect(robot.typing == [shown, shown])
        release.set()
        #expect(await answers == [])
        #expect(robot.typing == [shown, shown, hidden])
        pass(.seconds(10), robot)
        #expect(robot.typing.count == 3)
    }

    @Test(arguments: ["slow", "unsure"]) func `an answer and a question end the writing by themselves`(
        _ command: String
    ) async {
        let robot = robot()
        async let answers = robot.hears("hubot \(command)")
        await began.wait()
        pass(.seconds(1), robot)
        release.set()
        #expect(await answers.count == 1)
        pass(.seconds(10), robot)
        #expect(robot.typing == [shown])
    }

    @Test(arguments: ["overheard", "hubot chatty"])
    func `a robot that wasn't asked, or has said something, doesn't write`(_ text: String) async {
        let robot = robot()
        async let answers = robot.hears(text)
        await began.wait()
        pass(.seconds(5), robot)
        #expect(robot.typing.isEmpty)
        release.set()
        _ = await answers
        #expect(robot.typing.isEmpty)
    }

    @Test func `a script can show it at once, also in what it has overheard`() async {
        let robot = robot()
        async let answers = robot.hears("announced")
        await began.wait()
        #expect(robot.typing == [shown])
        pass(.seconds(3), robot)
        #expect(robot.typing == [shown, shown])
        release.set()
        _ = await answers
        #expect(robot.typing == [shown, shown, hidden])
    }

    @Test func `what isn't said in the room doesn't end the writing by itself`() async {
        let robot = robot([.typing, .reactions])
        async let answers = robot.hears("hubot nod")
        await began.wait()
        pass(.seconds(1), robot)
        release.set()
        #expect(await answers == [])
        #expect(robot.changes.count == 1)
        #expect(robot.typing == [shown, hidden])
    }

    @Test func `after the answer to a question, the room sees the robot writing again`() async {
        let robot = robot()
        #expect(await robot.hears("hubot ponder").count == 1)
        async let answers = robot.hears("yes")
        await began.wait()
        #expect(robot.typing.isEmpty)
        pass(.seconds(1), robot)
        #expect(robot.typing == [shown])
        release.set()
        _ = await answers
        #expect(robot.typing == [shown, hidden])
    }

    @Test func `when the deadline passes, the writing ends`() async {
        let robot = robot()
        async let answers = robot.hears("hubot quiet")
        await began.wait()
        pass(.seconds(1), robot)
        pass(.seconds(29), robot)
        // The robot says that it has given up.
        #expect(await answers.count == 1)
        #expect(robot.typing == [shown, hidden])
        release.set()
    }

    @Test func `a service that can't show it isn't told`() async {
        let robot = robot([])
        async let answers = robot.hears("announced")
        await began.wait()
        pass(.seconds(5), robot)
        release.set()
        _ = await answers
        #expect(robot.typing.isEmpty)
    }
}
