import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct AskTests {
    private func confirming() -> InlineScript {
        InlineScript {
            $0.respond(/delete (\w+)/) { res in
                let answer = try await res.ask("Really? (yes/no)", within: .minutes(5))
                try await res.send(answer == "yes" ? "\(res.match.1) is gone" : "kept")
            }
            $0.hear(/yes|no/) { try await $0.send("overheard") }
        }
    }

    @Test func `an answer goes to the question, and to no listener`() async {
        let robot = TestRobot(confirming())
        #expect(await robot.hears("heybot delete web") == [.reply("Really? (yes/no)")])
        #expect(await robot.hears("yes") == [.text("web is gone")])
        #expect(await robot.hears("yes") == [.text("overheard")])
    }

    @Test func `another user with the same nick doesn't answer the question`() async throws {
        let adapter = ManualAdapter()
        try await withRobot(adapters: [adapter], confirming()) { _ in
            func says(_ text: String, from origin: String) -> Message {
                var message = adapter.message(text, "bob")
                message.origin = origin
                return message
            }
            await adapter.handle(says("heybot delete web", from: "b@host"))
            await adapter.handle(says("yes", from: "m@elsewhere"))
            await adapter.handle(says("no", from: "b@host"))
            #expect(adapter.texts == ["Really? (yes/no)", "overheard", "kept"])
        }
    }

    @Test func `only the user who was asked answers, in the same room, with or without the robot's name`() async {
        let robot = TestRobot(confirming())
        _ = await robot.hears("heybot delete web", from: "alice", in: "#a")
        #expect(await robot.hears("yes", from: "bob", in: "#a") == [.text("overheard")])
        #expect(await robot.hears("yes", from: "alice", in: "#b") == [.text("overheard")])
        #expect(await robot.hears("heybot: no", from: "alice", in: "#a") == [.text("kept")])
    }

    @Test func `no answer in time throws`() async {
        let robot = TestRobot(confirming())
        _ = await robot.hears("heybot delete web")
        #expect(await robot.advance(by: .seconds(299)) == [])
        #expect(
            await robot.advance(by: .seconds(1)).map(\.utterance) == [
                .reply("You didn't answer in time, so I've canceled your request.")
            ])
        #expect(await robot.hears("yes") == [.text("overheard")])
        #expect(robot.loggedProblems == [])
    }

    @Test func `the deadline is paused while a question is open`() async {
        let (waits, never) = (Signal(), Signal())
        let robot = TestRobot(
            InlineScript {
                $0.hear(/begin/) { res in
                    _ = try await res.ask("Ready?")
                    waits.set()
                    await never.wait()
                }
            })
        _ = await robot.hears("begin")
        #expect(await robot.advance(by: .minutes(4)) == [])
        async let answers = robot.hears("ready")
        await waits.wait()
        #expect(await robot.advance(by: .seconds(29)) == [])
        _ = await robot.advance(by: .seconds(1))
        #expect(await answers == [.reply("That took too long, so I gave up on it (Inline).")])
        never.set()
    }

    @Test func `a closure that waits for an answer holds no permit, and later listeners run`() async throws {
        let adapter = ManualAdapter()
        var limits = Robot.Limits()
        limits.concurrency = 1
        try await withRobot(
            adapters: [adapter], limits: limits,
            InlineScript {
                $0.hear(/quiz/) { res in try await res.send("right: " + res.ask("2 + 2?")) }
                $0.hear(/quiz/) { try await $0.send("good luck") }
                $0.hear(/hello/) { try await $0.send("hello") }
            }
        ) { _ in
            await adapter.handle("quiz")
            await adapter.handle("hello", "bob")
            await adapter.handle("4")
        }
        #expect(adapter.texts == ["2 + 2?", "good luck", "hello", "right: 4"])
    }

    @Test func `questions to one user are answered in the order asked`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/one/) { res in
                    let first = try await res.ask("first?")
                    let second = try await res.ask("second?")
                    try await res.send("\(first) and \(second)")
                }
                $0.hear(/two/) { res in try await res.send("other: " + res.ask("other?")) }
            })
        _ = await robot.hears("one")
        _ = await robot.hears("go two go")  // answers the first question
        #expect(await robot.hears("b") == [.text("go two go and b")])
        _ = await robot.hears("two")
        #expect(await robot.hears("c") == [.text("other: c")])
    }

    @Test func `an answer that comes before the question is sent is not lost`() async throws {
        let (isAsking, answered) = (Signal(), Signal())
        let adapter = ManualAdapter { utterance in
            guard utterance.content == "Really?" else { return }
            isAsking.set()
            await answered.wait()
        }
        try await withRobot(
            adapters: [adapter],
            InlineScript { $0.hear(/ask/) { res in try await res.send("got " + res.ask("Really?")) } }
        ) { _ in
            await adapter.receive("ask")
            await isAsking.wait()
            await adapter.handle("quick")
            answered.set()
            await adapter.hasSaid(2)
        }
        #expect(adapter.texts == ["Really?", "got quick"])
    }

    @Test func `cancelling a question resumes the script, and its failure is reported`() async {
        struct Trouble: Error {}
        let robot = TestRobot(
            InlineScript {
                $0.hear(/ask/) { res in
                    let asking = Task { try await res.ask("Well?") }
                    await Task.yield()
                    asking.cancel()
                    _ = try? await asking.value
                    try await res.send("never mind")
                    throw Trouble()
                }
            })
        _ = await robot.hears("ask")
        // There may be a moment between the question and its end in which nothing runs.
        let end = Utterance.reply("Sorry, something went wrong (Inline).")
        while robot.lines.last?.utterance != end { _ = await robot.advance(by: .zero) }
        #expect(robot.lines.suffix(2).map(\.utterance) == [.text("never mind"), end])
        #expect(robot.loggedProblems.count == 1)
    }

    @Test func `two concurrent questions are both answered, and a failure is reported once`() async {
        struct Trouble: Error {}
        let robot = TestRobot(
            InlineScript {
                $0.hear(/ask/) { res in
                    async let one = res.ask("one?")
                    async let other = res.ask("other?")
                    let answers = try await [one, other].sorted()
                    try await res.send(answers.joined(separator: " and "))
                    throw Trouble()
                }
            })
        _ = await robot.hears("ask")
        // The second question may not be sent yet when the first one pauses the closure.
        while robot.lines.count < 2 { await Task.yield() }
        _ = await robot.hears("a")
        #expect(
            await robot.hears("b") == [.text("a and b"), .reply("Sorry, something went wrong (Inline).")])
        #expect(robot.loggedProblems.count == 1)
    }

    @Test func `answers are trimmed`() async {
        let robot = TestRobot(confirming())
        _ = await robot.hears("heybot delete web")
        #expect(await robot.hears(" yes ") == [.text("web is gone")])
    }

    @Test func `a question that middleware drops doesn't take the user's next message`() async {
        let robot = TestRobot(
            InlineScript("Mute") {
                $0.responseMiddleware { utterance, _, _ in utterance.content.contains("?") ? nil : utterance }
            },
            confirming())
        #expect(
            await robot.hears("heybot delete web")
                == [.reply("You didn't answer in time, so I've canceled your request.")])
        #expect(await robot.hears("yes") == [.text("overheard")])
    }

    @Test func `stopping the robot ends all questions`() async throws {
        let adapter = ManualAdapter()
        let ended = StringRecorder()
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.hear(/ask/) { res in
                    do { _ = try await res.ask("Well?") } catch { ended.add("\(error is CancellationError)") }
                }
            }
        ) { _ in await adapter.handle("ask") }
        // On a busy machine the robot may not wait until it ends.
        while ended.all.isEmpty { await Task.yield() }
        #expect(ended.all == ["true"])
    }
}
