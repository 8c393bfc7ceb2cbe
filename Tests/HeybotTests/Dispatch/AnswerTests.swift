import Heybot
import HeybotTesting
import TestServers
import Testing

/// Which messages answer a question that says what it accepts.
@Suite(.timeLimit(.minutes(15))) struct AnswerTests {
    private let ended = StringRecorder()
    private let left = Utterance.reply("You went on to something else, so I've left that.")

    /// A robot that asks for a number, and has another command.
    private func makeRobot(_ others: any Script...) -> TestRobot {
        let script = InlineScript { [ended] robot in
            robot.respond(/count$/) { res in
                do {
                    let answer = try await res.ask("How many?") { Int($0) != nil }
                    try await res.send("got \(answer)")
                } catch {
                    ended.add("\(type(of: error))")
                    throw error
                }
            }
            robot.respond(/ping$/) { try await $0.send("pong") }
            robot.hear(/tea|7/) { try await $0.send("overheard") }
        }
        let scripts: [any Script] = others + [script]
        return TestRobot(name: "hubot", scripts)
    }

    @Test func `in a room, what isn't accepted goes to the listeners, and the question stays open`() async {
        let robot = makeRobot()
        #expect(await robot.hears("hubot count") == [.reply("How many?")])
        #expect(await robot.hears("tea, bob?") == [.text("overheard")])
        #expect(await robot.hears("ping") == [])
        // It may be meant for bob.
        #expect(await robot.hears("7") == [.text("overheard")])
        #expect(await robot.hears("hubot 7") == [.text("got 7")])
        _ = await robot.hears("hubot count")
        #expect(await robot.hears("7") == [.text("got 7")])
        #expect(await robot.hears("7") == [.text("overheard")])
        #expect(ended.all == [])
    }

    @Test func `what is addressed to the robot and is no command is an answer`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot count")
        #expect(await robot.hears("hubot: seven") == [.text("got seven")])
        _ = await robot.hears("count", in: "alice")
        #expect(await robot.hears("seven", in: "alice") == [.text("got seven")])
        _ = await robot.hears("hubot count")
        #expect(await robot.hears("hubot 7") == [.text("got 7")])
    }

    @Test(arguments: ["#test", "alice"])
    func `a command closes the question, and the robot says so`(_ room: String) async {
        let robot = makeRobot()
        _ = await robot.hears("hubot count", in: room)
        #expect(await robot.hears("hubot ping!", in: room) == [left, .text("pong")])
        await robot.robot.inFlight.waitUntilIdle()
        #expect(ended.all == ["QuestionAbandonedError"])
        #expect(robot.said(in: room).count == 3)
        #expect(await robot.hears("7", in: room) == [.text("overheard")])
        #expect(await robot.advance(by: .minutes(6)) == [])
        #expect(robot.loggedProblems == [])
    }

    @Test func `the command of another user, or in another room, closes nothing`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot count")
        #expect(await robot.hears("hubot ping", from: "bob") == [.text("pong")])
        #expect(await robot.hears("hubot ping", in: "#dev") == [.text("pong")])
        #expect(await robot.hears("7") == [.text("got 7")])
    }

    @Test func `a command of a disabled script, and a catch-all, are none`() async throws {
        let robot = makeRobot(
            InlineScript("Dance") { robot in
                robot.respond(/dance$/) { try await $0.send("la la") }
                robot.catchAll { try await $0.send("what?") }
            })
        _ = await robot.hears("hubot count")
        try await robot.robot.turn("Dance", on: false, in: nil)
        #expect(await robot.hears("hubot dance") == [.text("got dance")])
        try await robot.robot.turn("Dance", on: true, in: nil)
        _ = await robot.hears("hubot count")
        #expect(await robot.hears("hubot sing") == [.text("got sing")])
        _ = await robot.hears("hubot count")
        #expect(await robot.hears("hubot dance") == [left, .text("la la")])
    }

    @Test func `without a closure that accepts texts, any message is an answer, also a command`() async {
        let robot = makeRobot(
            InlineScript("Any") { $0.respond(/any$/) { res in try await res.send("got " + res.ask("What?")) } })
        _ = await robot.hears("hubot any")
        #expect(await robot.hears("tea, bob?") == [.text("got tea, bob?")])
        _ = await robot.hears("hubot any")
        #expect(await robot.hears("hubot ping") == [.text("got ping")])
    }

    @Test func `of several questions, the oldest that accepts a text gets it, and a command closes all`() async {
        let both = InlineScript("Both") { [ended] robot in
            robot.respond(/both$/) { res in
                async let number = res.ask("How many?") { Int($0) != nil }
                async let fruit = res.ask("Which fruit?") { $0 == "plum" }
                do {
                    let (count, name) = try await (number, fruit)
                    try await res.send("\(count) \(name)")
                } catch {
                    ended.add("\(type(of: error))")
                }
            }
        }
        let robot = makeRobot(both)
        func ask() async {
            let count = robot.lines.count
            _ = await robot.hears("hubot both")
            // The second question may not be sent yet when the first one pauses the closure.
            while robot.lines.count < count + 2 { await Task.yield() }
        }
        await ask()
        #expect(await robot.hears("plum") == [])
        #expect(await robot.hears("7") == [.text("7 plum")])
        await ask()
        #expect(await robot.hears("hubot ping") == [.text("pong")])
        while ended.all.isEmpty { await Task.yield() }
        #expect(ended.all == ["QuestionAbandonedError"])
        #expect(await robot.hears("plum") == [])
        #expect(await robot.hears("7") == [.text("overheard")])
    }

    @Test func `a closure that never accepts delays no other, and the log names its listener`() async throws {
        let stop = Signal()
        let log = TestLog()
        let adapter = ManualAdapter()
        var limits = Robot.Limits()
        // Longer than a thread that doesn't spin waits for the processor.
        limits.stallThreshold = .milliseconds(500)
        try await withRobot(
            adapters: [adapter], limits: limits, logger: log.logger,
            InlineScript("Endless") { robot in
                robot.hear(/ask/) { res in
                    _ = try await res.ask("What?") { _ in
                        stop.spin()
                        return false
                    }
                }
                robot.hear(/hello/) { try await $0.send("hello") }
            }
        ) { _ in
            await adapter.handle("ask")
            await adapter.handle("hello")
            await adapter.handle("hello")
            #expect(adapter.texts.last == "hello")
            stop.set()
        }
        #expect(log.lines(from: .error).contains { $0.contains("listener=Endless.1") })
    }

    @Test func `code that was asking ends before the command runs`() async {
        let robot = makeRobot(
            InlineScript("Leaving") { robot in
                robot.respond(/leave$/) { res in
                    do {
                        _ = try await res.ask("Sure?") { $0 == "yes" }
                    } catch is QuestionAbandonedError {
                        try await res.send("left")
                    }
                }
            })
        _ = await robot.hears("hubot leave")
        #expect(await robot.hears("hubot ping") == [.text("left"), .text("pong")])
    }

    @Test func `with receive middleware too, a command closes the question`() async {
        let robot = makeRobot(InlineScript("Pass") { $0.receiveMiddleware { message, _ in message } })
        _ = await robot.hears("hubot count")
        #expect(await robot.hears("tea, bob?") == [.text("overheard")])
        #expect(await robot.hears("hubot ping").contains(.text("pong")))
        await robot.robot.inFlight.waitUntilIdle()
        #expect(robot.said(in: "#test").contains(left))
        #expect(ended.all == ["QuestionAbandonedError"])
    }

    @Test func `a confirmation is closed by a command too`() async {
        let robot = makeRobot(
            InlineScript("Danger") { $0.respond(/drop all$/, confirm: "Sure?") { try await $0.send("gone") } })
        _ = await robot.hears("hubot drop all")
        #expect(await robot.hears("yes, if bob agrees") == [])
        #expect(await robot.hears("ok") == [])
        #expect(await robot.hears("hubot ping") == [left, .text("pong")])
        #expect(await robot.hears("yes") == [])
        await robot.robot.inFlight.waitUntilIdle()
        #expect(robot.said(in: "#test") == [.reply("Sure? (yes/no)"), left, .text("pong")])
    }
}

/// Short answers.
@Suite struct YesOrNoTests {
    @Test(arguments: ["yes", "Y", "OK!", "sure, please", "go ahead", "yep.", "👍", "👍🏽 ✅"])
    func `plain words mean yes`(_ answer: String) {
        #expect(YesOrNo(answer) == .yes)
    }

    @Test(arguments: ["no", "N", "Nope.", "no, thanks", "never mind", "don't", "don’t", "cancel", "Forget it!", "👎"])
    func `plain phrases mean no`(_ answer: String) {
        #expect(YesOrNo(answer) == .no)
    }

    @Test(arguments: ["", "!", "yes, no", "sure not", "no way, bob", "ok grace, see you", "7", "👍👎", "🎂"])
    func `a sentence, or anything else, is neither`(_ answer: String) {
        #expect(YesOrNo(answer) == nil)
    }

    @Test func `a long text is neither`() {
        #expect(YesOrNo(String(repeating: "yes ", count: 20_000)) == nil)
    }
}
