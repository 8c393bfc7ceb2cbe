import HeybotTesting
import Testing

@testable import Heybot

/// Questions whose answers are values: choices, numbers, yes or no.
@Suite(.timeLimit(.minutes(15))) struct AskingForValuesTests {
    private static let list = "(1) small, (2) large, (3) ice cream"
    private static let again = Utterance.reply("Please choose one of these: \(list)")

    private func makeRobot() -> TestRobot {
        TestRobot(
            name: "hubot",
            InlineScript { robot in
                robot.respond(/size$/) { res in
                    let size = try await res.ask("Which?", choices: ["small", "large", "ice cream"])
                    try await res.send("got \(size)")
                }
                robot.respond(/count$/) { res in
                    let count = try await res.ask("How many?", for: .number(in: 1...20), within: .minutes(2))
                    try await res.send("got \(count + 0)")
                }
                robot.respond(/really$/) { res in
                    let isSure = try await res.ask("Really?", for: .yesOrNo)
                    try await res.send(isSure ? "done" : "kept")
                }
                robot.respond(/color$/) { res in
                    let colors = ["red": 1, "blue": 2]
                    let color = try await res.ask(
                        "Which color?", for: ExpectedAnswer("a color, such as red") { colors[$0.lowercased()] })
                    try await res.send("color \(color)")
                }
                robot.respond(/drop$/, confirm: "Sure?") { try await $0.send("gone") }
                robot.respond(/plain$/) { res in try await res.send("got " + res.ask("What?")) }
                robot.respond(/choose of (\d+)$/) { res in
                    let count = Int(res.match.1) ?? 0
                    let choices = (0..<count).map { "choice number \($0)" }
                    try await res.send("got " + res.ask("Which?", choices: choices))
                }
                robot.respond(/ping$/) { try await $0.send("pong") }
                robot.reaction { res in try await res.send("[\(res.match.added.joined())]") }
            })
    }

    /// Reacts to the robot's last message.
    private func react(_ robot: TestRobot, _ emoji: String, from user: String = "alice") async -> [Utterance] {
        let last = Message.ID(adapter: "test", value: "sent-\(robot.lines.count)")
        return await robot.sees(reaction: Message.Reaction(to: last, added: [emoji]), from: user)
    }

    // MARK: Choices

    @Test(arguments: [
        ("1", "small"), ("2.", "large"), ("#2", "large"), ("(3)", "ice cream"), ("LARGE", "large"), ("Large!", "large"),
        ("ice", "ice cream"), ("Ice  Cream", "ice cream"), ("2\u{FE0F}\u{20E3}", "large")
    ])
    func `a choice is made by its number, its words or their beginning`(_ answer: String, _ choice: String) async {
        let robot = makeRobot()
        #expect(await robot.hears("hubot size") == [.reply("Which? \(Self.list)")])
        #expect(await robot.hears(answer) == [.text("got \(choice)")])
    }

    @Test func `chat with others is no choice`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot size")
        #expect(await robot.hears("I like the large one, bob") == [])
        // It may be meant for bob.
        #expect(await robot.hears("large") == [])
        #expect(await robot.hears("hubot large") == [.text("got large")])
    }

    @Test func `a beginning of two letters counts only if it is addressed to the robot`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot size")
        #expect(await robot.hears("la") == [])
        #expect(await robot.hears("hubot la") == [.text("got large")])
        _ = await robot.hears("size", in: "alice")
        #expect(await robot.hears("s", in: "alice") == [.text("got small")])
    }

    @Test func `what isn't a choice is asked again once`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot size")
        #expect(await robot.hears("7") == [Self.again])
        #expect(await robot.hears("2") == [.text("got large")])
        _ = await robot.hears("hubot size")
        #expect(await robot.hears("hubot huge") == [Self.again])
        #expect(await robot.hears("hubot gigantic") == [.reply("Sorry, I didn't get that, so I've left it.")])
        #expect(await robot.hears("2") == [])
        #expect(robot.loggedProblems == [])
    }

    @Test func `a refusal, a command and silence end the question`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot size")
        #expect(await robot.hears("never mind") == [.reply("OK, never mind.")])
        _ = await robot.hears("hubot size")
        #expect(
            await robot.hears("hubot ping")
                == [.reply("You went on to something else, so I've left that."), .text("pong")])
        _ = await robot.hears("hubot count")
        #expect(await robot.advance(by: .seconds(119)) == [])
        #expect(
            await robot.advance(by: .seconds(1)).map(\.utterance)
                == [.reply("You didn't answer in time, so I've canceled your request.")])
        #expect(await robot.hears("2") == [])
    }

    @Test func `words are preferred to numbers, and several choices with the same beginning to none`() {
        let choices = Choices(["10", "2", "C#", "C++", "2026 edition"])
        #expect(choices.choice(meantBy: "2") == "2")
        #expect(choices.choice(meantBy: "1") == "10")
        #expect(choices.choice(meantBy: "c#") == "C#")
        #expect(choices.choice(meantBy: "c") == nil)
        #expect(choices.choice(meantBy: "2026") == "2026 edition")
        for nothing in ["", "!", "0", "-1", "6", "99999999999999999999", "\(Int.min)"] {
            #expect(choices.choice(meantBy: nothing) == nil, "\(nothing)")
        }
    }

    @Test func `the number of choices is limited, and a long list has lines`() async {
        let robot = makeRobot()
        #expect(await robot.hears("hubot choose of 0") == [.reply("There is nothing to choose from.")])
        #expect(
            await robot.hears("hubot choose of 21")
                == [.reply("That leaves 21 to choose from, and I can offer 20: be more specific.")])
        let asked = await robot.hears("hubot choose of 20")
        #expect(asked.first?.content.split(separator: "\n").count == 21)
        #expect(asked.first?.content.hasSuffix("\n(20) choice number 19") == true)
        #expect(await robot.hears("20") == [.text("got choice number 19")])
    }

    @Test func `what is shown of a choice is limited`() {
        let long = String(repeating: "x", count: 1_000)
        let list = Choices([long, "a\nb\u{202E}"]).list
        #expect(list == " (1) \(String(repeating: "x", count: 100)), (2) a b")
    }

    // MARK: Numbers, yes or no, and others

    @Test func `a number has to be in the range`() async {
        let robot = makeRobot()
        for answer in ["20", "1.", "hubot 20"] {
            #expect(await robot.hears("hubot count") == [.reply("How many?")])
            #expect(await robot.hears(answer).first?.content.hasPrefix("got ") == true)
        }
        _ = await robot.hears("hubot count")
        #expect(await robot.hears("21") == [.reply("Please answer with a number from 1 to 20.")])
        #expect(await robot.hears("-1") == [.reply("Sorry, I didn't get that, so I've left it.")])
        _ = await robot.hears("hubot count")
        #expect(await robot.hears("20 people are here") == [])
        #expect(
            await robot.hears("hubot 99999999999999999999")
                == [.reply("Please answer with a number from 1 to 20.")])
    }

    @Test(arguments: [
        ("yes", "done"), ("OK!", "done"), ("👍", "done"), ("no", "kept"), ("never mind", "kept"), ("👎", "kept")
    ])
    func `yes or no is true or false`(_ answer: String, _ result: String) async {
        let robot = makeRobot()
        #expect(await robot.hears("hubot really") == [.reply("Really? (yes/no)")])
        #expect(await robot.hears(answer) == [.text(result)])
    }

    @Test func `an unclear yes or no is asked again`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot really")
        #expect(await robot.hears("hubot maybe") == [.reply("Please answer with yes or no.")])
        #expect(await robot.hears("yes") == [.text("done")])
    }

    @Test func `a script has answers of its own`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot color")
        #expect(await robot.hears("hubot green") == [.reply("Please answer with a color, such as red.")])
        #expect(await robot.hears("Blue") == [.text("color 2")])
    }

    @Test func `a long text is no answer`() {
        let text = ExpectedAnswer<String>("a text") { $0 }
        #expect(text.accepts(String(repeating: "a", count: 500)))
        let long = String(repeating: "a", count: 501)
        #expect(!text.accepts(long))
        #expect(text.value(of: long) == nil)
    }

    // MARK: Reactions

    @Test func `a reaction to the question is an answer, and no listener hears it`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot really")
        #expect(await react(robot, "👍🏽") == [.text("done")])
        _ = await robot.hears("hubot size")
        #expect(await react(robot, "2\u{FE0F}\u{20E3}") == [.text("got large")])
        _ = await robot.hears("hubot drop")
        #expect(await react(robot, "👎") == [.reply("OK, I won't.")])
        _ = await robot.hears("hubot drop")
        #expect(await react(robot, "👍") == [.text("gone")])
    }

    @Test func `other reactions, those to other messages and those of other users are none`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot ping")
        let pong = Message.ID(adapter: "test", value: "sent-1")
        _ = await robot.hears("hubot really")
        let question = Message.ID(adapter: "test", value: "sent-2")
        #expect(await react(robot, "👍", from: "bob") == [.text("[👍]")])
        #expect(await robot.sees(reaction: Message.Reaction(to: pong, added: ["👍"])) == [.text("[👍]")])
        #expect(await robot.sees(reaction: Message.Reaction(to: question, added: ["🎂"])) == [.text("[🎂]")])
        #expect(await robot.sees(reaction: Message.Reaction(to: question, removed: ["👍"])) == [.text("[]")])
        #expect(await robot.sees(reaction: Message.Reaction(to: question, added: ["🎂", "👎"])) == [.text("kept")])
    }

    @Test func `a question for a text takes no reaction`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot plain")
        #expect(await react(robot, "👍") == [.text("[👍]")])
        #expect(await robot.hears("tea") == [.text("got tea")])
    }

    // MARK: Commands that aren't said now

    @Test func `a command that runs at a time asks for no value`() async {
        let robot = makeRobot()
        _ = await robot.hears("hubot ping")
        var command = Message(
            id: Message.ID(adapter: "test", value: "scheduled"),
            user: User(id: User.ID(adapter: "test", value: "alice"), name: "alice"),
            room: Room(id: Room.ID(adapter: "test", value: "#test")), content: .text("size"), time: robot.robot.date)
        command.isAddressed = true
        await robot.robot.run(command, DelegatedCommand(reachesUser: true))
        await robot.robot.inFlight.waitUntilIdle()
        #expect(robot.lines.last?.utterance == .reply("I have a question about that, so say it to me yourself."))
        #expect(await robot.hears("2") == [])
    }
}
