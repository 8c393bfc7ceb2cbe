import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite(.timeLimit(.minutes(15))) struct RelayTests {
    private static let room = "dev@rooms.example.org"
    private static let command = "hubot relay irc:#dev with xmpp:dev@rooms.example.org"

    private let irc = SharedNetwork("irc")
    private let xmpp = SharedNetwork("xmpp")

    private struct Bot {
        let robot: TestRobot
        let irc: RobotConnection
        let xmpp: RobotConnection
    }

    /// Starts a robot that is on both networks, and answers `ping` and whatever contains `launch`.
    private func start(_ name: String, brain: Brain = Brain(store: MemoryStore())) async -> Bot {
        let answers = InlineScript("Answers") { robot in
            robot.respond(/ping/) { try await $0.reply("PONG") }
            robot.hear(/launch/) { try await $0.send("liftoff") }
            robot.respond(/minutes/) { res in
                try await res.send(Attachment(name: "minutes.txt", type: "text/plain", bytes: Array("Tea at 4".utf8)))
            }
            robot.respond(/chart/) { res in
                try await res.send(Attachment(name: "chart.png", type: "image/png", bytes: [1]))
            }
            robot.respond(/bake/) { try await $0.send("Baking").edit("Done") }
        }
        let (irc, xmpp) = (irc.connect(as: name), xmpp.connect(as: name))
        let robot = TestRobot(
            name: name, admins: ["test:root", "xmpp:root"], brain: brain, networks: [irc, xmpp], Relay(), answers)
        await irc.open()
        await xmpp.open()
        return Bot(robot: robot, irc: irc, xmpp: xmpp)
    }

    /// Starts a robot that relays, and forgets what it has said about that.
    private func startRelaying(_ name: String = "hubot") async -> Bot {
        let bot = await start(name)
        _ = await bot.robot.hears(Self.command.replacing("hubot", with: name), from: "root")
        await settle(bot)
        forget()
        return bot
    }

    /// Waits until no robot has anything to do.
    private func settle(_ bots: Bot...) async {
        var before = -1
        while before != irc.total + xmpp.total {
            before = irc.total + xmpp.total
            for bot in bots { await bot.robot.robot.inFlight.waitUntilIdle() }
        }
    }

    private func forget() { _ = (irc.takeSaid(), xmpp.takeSaid()) }

    /// What a robot says in a room for somebody.
    private func relayed(
        _ text: String, by name: String, in room: String = Self.room, bot: String = "hubot"
    ) -> String {
        "\(room) \(bot): <\(RelayMark.marking(name))> \(text)"
    }

    // MARK: Commands

    @Test func `help and examples are true`() {
        #expect(TestRobot(name: "hubot", Relay()).brokenExamples() == [])
    }

    @Test func `an admin relays two rooms, and ends it`() async {
        let bot = await start("hubot")
        let names = "irc:#dev, xmpp:\(Self.room)"
        #expect(
            await bot.robot.hears(Self.command, from: "root")
                == [.reply("OK, from now on I relay messages between these rooms: \(names).")])
        let note =
            "From now on I relay what is said here: \(names) (set up by root). "
            + "To end that here, a moderator can say \"hubot stop relaying here\"."
        #expect(irc.takeSaid() == ["#dev hubot: \(note)"])
        #expect(xmpp.takeSaid() == ["\(Self.room) hubot: \(note)"])
        #expect(await bot.robot.hears(Self.command, from: "root") == [.reply("I relay these already.")])
        #expect(await bot.robot.hears("hubot relays", from: "root") == [.text("\(names) (set up by root)")])

        await irc.say("hello", by: "ada", in: "#dev")
        await settle(bot)
        #expect(xmpp.takeSaid() == [relayed("hello", by: "ada")])
        await xmpp.say("hi", by: "bob", in: Self.room)
        await settle(bot)
        forget()

        #expect(
            await bot.robot.hears("hubot stop relaying irc:#dev", from: "root")
                == [.reply("OK, irc:#dev isn't relayed any more.")])
        #expect(irc.takeSaid() == ["#dev hubot: I don't relay irc:#dev any more (root)."])
        forget()
        await irc.say("hello", by: "ada", in: "#dev")
        await settle(bot)
        #expect(xmpp.takeSaid() == [])
        #expect(await bot.robot.hears("hubot relays", from: "root") == [.reply("I relay no rooms.")])
        #expect(
            await bot.robot.hears("hubot stop relaying irc:#dev", from: "root")
                == [.reply("I don't relay irc:#dev.")])
    }

    @Test func `only admins, and moderators who are in both rooms, may set it up`() async throws {
        let bot = await start("hubot")
        let refusal = [Utterance.reply("You need the moderator role for that.")]
        #expect(await bot.robot.hears(Self.command, from: "ada") == refusal)
        #expect(await bot.robot.hears("hubot relays", from: "ada") == refusal)
        let ada = User(id: User.ID(adapter: "test", value: "ada"), name: "ada")
        try await bot.robot.robot.set(role: "moderator", of: ada, to: true)
        #expect(
            await bot.robot.hears(Self.command, from: "ada")
                == [.reply("Only those who are in irc:#dev, and my admins, may have me speak there.")])
        #expect(
            await bot.robot.hears("hubot relay irc:#elsewhere with irc:#dev", from: "root")
                == [.reply("I'm not in irc:#elsewhere: an admin can have me join it.")])
        #expect(
            await bot.robot.hears("hubot relay irc:#dev with slack:dev", from: "root")
                == [.reply("I'm not on a network called slack. I'm on: test, irc, xmpp.")])
        #expect(await bot.robot.hears("hubot relays", from: "root") == [.reply("I relay no rooms.")])
    }

    @Test func `on XMPP, the name of a channel needs its network`() async {
        let bot = await start("hubot")
        await xmpp.say("hubot relay #dev with xmpp:\(Self.room)", by: "root", in: Self.room)
        await settle(bot)
        let hint = "#dev isn't a room on XMPP. For the channel on IRC, write irc:#dev."
        #expect(xmpp.takeSaid().last == "\(Self.room) hubot: root: \(hint)")
        #expect(irc.takeSaid() == [])
    }

    @Test func `relays survive a restart`() async {
        let brain = Brain(store: MemoryStore())
        let first = await start("hubot", brain: brain)
        _ = await first.robot.hears(Self.command, from: "root")
        let second = await start("marvin", brain: brain)
        await settle(first, second)
        forget()
        await second.irc.receive(.text("hello"), from: "ada", in: "#dev")
        await settle(second)
        #expect(xmpp.takeSaid() == [relayed("hello", by: "ada", bot: "marvin")])
    }

    // MARK: What is relayed

    @Test func `commands, answers, actions, corrections, topics and several lines are shown`() async {
        let bot = await startRelaying()
        await irc.say("hubot ping", by: "ada", in: "#dev")
        await settle(bot)
        #expect(irc.takeSaid() == ["#dev ada: hubot ping", "#dev hubot: ada: PONG"])
        #expect(xmpp.takeSaid() == [relayed("hubot ping", by: "ada"), relayed("ada: PONG", by: "hubot")])

        await bot.irc.receive(.text("waves"), from: "ada", in: "#dev", isAction: true)
        await settle(bot)
        await bot.irc.receive(.topic("tea"), from: "ada", in: "#dev")
        await settle(bot)
        await bot.irc.receive(.text("helo"), from: "ada", in: "#dev", isCorrection: true)
        await settle(bot)
        await irc.say("one\n\n  two", by: "ada", in: "#dev")
        await settle(bot)
        let action = "\(Self.room) hubot: * \(RelayMark.marking("ada"))"
        #expect(
            xmpp.takeSaid() == [
                "\(action) waves", "\(action) set the topic: tea", relayed("helo (edited)", by: "ada"),
                relayed("one\n|   two", by: "ada")
            ])
        await xmpp.say("/me waves", by: "bob", in: Self.room)
        await settle(bot)
        #expect(irc.takeSaid().last == "#dev hubot: * \(RelayMark.marking("bob")) waves")
    }

    @Test func `a text that the robot replaces is shown again`() async {
        let bot = await start("hubot")
        _ = await bot.robot.hears("hubot relay here with irc:#dev", from: "root")
        await settle(bot)
        forget()
        _ = await bot.robot.hears("hubot bake", from: "ada")
        await settle(bot)
        #expect(
            irc.takeSaid() == [
                relayed("hubot bake", by: "ada", in: "#dev"), relayed("Baking", by: "hubot", in: "#dev"),
                relayed("Done (edited)", by: "hubot", in: "#dev")
            ])
    }

    @Test func `a file of the robot is shown as its text, or by name`() async {
        let bot = await start("hubot")
        _ = await bot.robot.hears("hubot relay here with irc:#dev", from: "root")
        for command in ["minutes", "chart"] {
            await settle(bot)
            _ = await bot.robot.hears("hubot \(command)", from: "ada")
        }
        await settle(bot)
        let lines = irc.takeSaid()
        for text in ["Tea at 4", "chart.png"] {
            #expect(lines.contains(relayed(text, by: "hubot", in: "#dev")), "\(lines)")
        }
    }

    @Test func `what only some members of a room get isn't relayed, nor what is said in other rooms`() async {
        let bot = await startRelaying()
        await bot.irc.receive(.text("psst"), from: "ada", in: "#dev", status: "@")
        await bot.irc.receive(.text("psst"), from: "ada", in: "#ops")
        await settle(bot)
        #expect(xmpp.takeSaid() == [])
    }

    @Test func `reactions, retractions and new names aren't relayed`() async {
        let bot = await startRelaying()
        let id = Message.ID(adapter: "irc", value: "1")
        await bot.irc.receive(.reaction(Message.Reaction(to: id, added: ["👍"])), from: "ada", in: "#dev")
        await bot.irc.receive(.retraction(of: id), from: "ada", in: "#dev")
        await bot.irc.receive(.profile(Message.ProfileChange(formerName: "al")), from: "ada", in: "#dev")
        await bot.irc.receive(.text("hello"), from: "ada", in: "#dev")
        await settle(bot)
        #expect(xmpp.takeSaid() == [relayed("hello", by: "ada")])
    }

    @Test func `who came and who left is one line`() async {
        let bot = await startRelaying()
        for user in ["ada", "bob", "eve"] { await bot.irc.receive(.enter, from: user, in: "#dev") }
        await bot.irc.receive(.leave(reason: nil), from: "eve", in: "#dev")
        await bot.irc.receive(.leave(reason: "bye"), from: "carol", in: "#dev")
        await settle(bot)
        #expect(xmpp.takeSaid() == [])
        _ = await bot.robot.advance(by: .seconds(61))
        let names = ["ada", "bob", "carol"].map(RelayMark.marking)
        #expect(
            xmpp.takeSaid() == ["\(Self.room) hubot: * \(names[0]), \(names[1]) came in; \(names[2]) left"])
        _ = await bot.robot.advance(by: .minutes(5))
        #expect(xmpp.takeSaid() == [])
    }

    // MARK: Loops and rights

    @Test func `no robot runs or answers what is relayed`() async {
        let (bot, other) = (await startRelaying(), await start("marvin"))
        await irc.say("marvin ping", by: "ada", in: "#dev")
        await irc.say("please launch", by: "ada", in: "#dev")
        await settle(bot, other)
        // Each robot has answered on IRC, and none on XMPP.
        let spoken = irc.takeSaid()
        #expect(spoken.filter { $0 == "#dev marvin: ada: PONG" }.count == 1)
        #expect(spoken.filter { $0.hasSuffix(": liftoff") }.count == 2)
        #expect(xmpp.takeSaid().filter { !$0.hasPrefix("\(Self.room) hubot: <") } == [])

        // It takes the robot's own name in a room to be heard there.
        await xmpp.say("marvin ping", by: "bob", in: Self.room)
        await settle(bot, other)
        #expect(xmpp.takeSaid().filter { $0 == "\(Self.room) marvin: bob: PONG" }.count == 1)
    }

    @Test func `two robots that relay the same rooms make no loop`() async {
        let (bot, other) = (await startRelaying(), await startRelaying("marvin"))
        await settle(bot, other)
        forget()
        for number in 0..<20 {
            await irc.say("line \(number)", by: "ada", in: "#dev")
            await settle(bot, other)
        }
        let lines = xmpp.takeSaid()
        #expect(lines.count == 40)
        for name in ["hubot", "marvin"] {
            let expected = (0..<20).map { relayed("line \($0)", by: "ada", bot: name) }
            #expect(lines.filter { $0.hasPrefix("\(Self.room) \(name): ") } == expected)
        }
        #expect(irc.takeSaid().count == 20)
    }

    @Test func `a thousand lines each way come in order, with another robot in both rooms`() async {
        let (bot, other) = (await startRelaying(), await start("marvin"))
        for number in 0..<1_000 {
            await irc.say("i\(number)", by: "ada\(number % 7)", in: "#dev")
            await xmpp.say("x\(number)", by: "bob\(number % 5)", in: Self.room)
            if number % 20 == 19 { await settle(bot, other) }
        }
        await settle(bot, other)
        #expect(
            xmpp.takeSaid().filter { $0.hasPrefix("\(Self.room) hubot: ") }
                == (0..<1_000).map { relayed("i\($0)", by: "ada\($0 % 7)") })
        #expect(
            irc.takeSaid().filter { $0.hasPrefix("#dev hubot: ") }
                == (0..<1_000).map { relayed("x\($0)", by: "bob\($0 % 5)", in: "#dev") })
        #expect(irc.total + xmpp.total < 4_010)
    }

    @Test func `what another bridge brings back without the mark isn't relayed again`() async {
        let bot = await startRelaying()
        await irc.say("hello", by: "ada", in: "#dev")
        await settle(bot)
        await irc.say("[xmpp] <hubot> <ada> hello", by: "bridge", in: "#dev")
        await irc.say("<eve> hello", by: "bridge", in: "#dev")
        await settle(bot)
        #expect(xmpp.takeSaid() == [relayed("hello", by: "ada"), relayed("<eve> hello", by: "bridge")])
    }

    // MARK: Slow networks

    @Test func `while a network can't keep up, lines wait, and then share a message`() async {
        let bot = await startRelaying()
        bot.xmpp.setQueued(10)
        for text in ["one", "two"] { await irc.say(text, by: "ada", in: "#dev") }
        await irc.say("three", by: "bob", in: "#dev")
        await settle(bot)
        #expect(xmpp.takeSaid() == [])
        _ = await bot.robot.advance(by: .seconds(2))
        #expect(xmpp.takeSaid() == [])
        bot.xmpp.setQueued(0)
        _ = await bot.robot.advance(by: .seconds(2))
        let (ada, bob) = (RelayMark.marking("ada"), RelayMark.marking("bob"))
        #expect(xmpp.takeSaid() == ["\(Self.room) hubot: <\(ada)> one\n<\(ada)> two\n<\(bob)> three"])
        await irc.say("four", by: "bob", in: "#dev")
        await irc.say("five", by: "bob", in: "#dev")
        await settle(bot)
        #expect(xmpp.takeSaid() == [relayed("four", by: "bob"), relayed("five", by: "bob")])
    }

    @Test func `if too much waits, those who say most lose lines, and their room learns it`() async {
        let bot = await startRelaying()
        bot.xmpp.setQueued(10)
        for text in ["one", "two"] { await irc.say(text, by: "bob", in: "#dev") }
        for number in 0..<600 { await irc.say("\(number)", by: "mallory", in: "#dev") }
        await irc.say("three", by: "bob", in: "#dev")
        await settle(bot)
        bot.xmpp.setQueued(0)
        _ = await bot.robot.advance(by: .minutes(2))
        let text = xmpp.takeSaid().joined(separator: "\n")
        for word in ["one", "two", "three", "400"] { #expect(text.contains("> \(word)"), "\(word)") }
        #expect(!text.contains("> 599"))
        let report = "#dev hubot: I couldn't relay everything to xmpp:\(Self.room): "
        #expect(irc.takeSaid().contains { $0.hasPrefix(report) })
    }

    @Test func `lines that wait when a relay ends aren't shown`() async {
        let bot = await startRelaying()
        bot.xmpp.setQueued(10)
        await irc.say("hello", by: "ada", in: "#dev")
        await settle(bot)
        _ = await bot.robot.hears("hubot stop relaying irc:#dev", from: "root")
        bot.xmpp.setQueued(0)
        _ = await bot.robot.advance(by: .minutes(2))
        #expect(xmpp.takeSaid() == ["\(Self.room) hubot: I don't relay irc:#dev any more (root)."])
    }

    @Test func `during an outage lines wait, for five minutes at most`() async {
        let bot = await startRelaying()
        bot.xmpp.setDown(true)
        await irc.say("one", by: "ada", in: "#dev")
        await settle(bot)
        _ = await bot.robot.advance(by: .minutes(4))
        await irc.say("two", by: "ada", in: "#dev")
        await settle(bot)
        _ = await bot.robot.advance(by: .minutes(2))
        #expect(xmpp.takeSaid() == [])
        bot.xmpp.setDown(false)
        for _ in 0..<2 { _ = await bot.robot.advance(by: .minutes(1)) }
        #expect(xmpp.takeSaid() == [relayed("two", by: "ada")])
        let report = "I couldn't relay everything to xmpp:\(Self.room): 1 line from here wasn't shown there."
        #expect(irc.takeSaid().last == "#dev hubot: \(report)")
    }
}
