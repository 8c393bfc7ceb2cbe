import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

// The guides' listings. A test verifies that each is here, or in another file that is compiled.

struct Party: Script {
    static let guests = BrainCollection<Date>("party.guests")
    static let began = ScriptEvent<String>("party.began")

    func register(on robot: inout RobotBuilder) {
        robot.hear(/\btableflip\b/) { res in
            try await res.send("(╯°□°)╯︵ ┻━┻")
        }

        robot.respond(/open the (?<what>\w+)(?: slowly)?$/) { res in
            try await res.emote("opens the \(res.match.what)")
        }

        robot.enter { res in
            try await res.send("Welcome, \(res.message.user.name)!")
        }

        robot.profile { res in
            guard let name = res.match.formerName else { return }
            try await res.send("So \(name) is \(res.message.user.name) now.")
        }

        robot.listen({ message in message.text.flatMap { $0.count > 500 ? $0.count : nil } }) { res in
            try await res.reply("That was \(res.match) characters.")
        }

        robot.respond(/invite (\w+)$/, help: "invite <name> - Invite a user", example: "invite ada") { res in
            try await res.brain.remember(Self.guests, String(res.match.1), res.robot.date)
            try await res.reply("\(res.match.1) is invited.")
        }

        robot.respond(/guests$/, help: "guests - List who is invited", example: "guests") { res in
            var names: [String] = []
            for try await (name, _) in res.brain.entries(Self.guests) { names.append(name) }
            try await res.reply(names.isEmpty ? "Nobody." : names.sorted().joined(separator: ", "))
        }

        robot.respond(/who is (\w+)$/) { res in
            guard let date = try await res.brain.recall(Self.guests, String(res.match.1)) else { throw SkipListener() }
            try await res.reply("A guest since \(date).")
        }

        robot.respond(
            /call it off$/, help: "call it off - Forget the guests", example: "call it off", allow: .admins,
            cooldown: .perRoom(.minutes(1))
        ) { res in
            guard try await res.ask("Really?", for: .yesOrNo) else { throw Refusal("OK, the party is on.") }
            for try await (name, _) in res.brain.entries(Self.guests) {
                try await res.brain.forget(Self.guests, name)
            }
            try await res.reply("It's off.")
        }

        robot.respond(/order pizza$/, help: "order pizza - Order pizza", example: "order pizza") { res in
            let size = try await res.ask("Which size?", choices: ["small", "large", "family"])
            let count = try await res.ask("How many?", for: .number(in: 1...20))
            let isVegan = try await res.ask("Are there vegans?", for: .yesOrNo)
            try await res.reply("\(count) \(size), \(isVegan ? "without" : "with") cheese.")
        }

        robot.respond(/bake$/, help: "bake - Bake a cake", example: "bake") { res in
            let sent = try await res.reply("The cake is in the oven.")
            try await sent.react("🎂")
            res.after(.minutes(40)) { try await sent.edit("The cake is done.") }
        }

        robot.respond(/dinner$/, help: "dinner - Call the guests", example: "dinner") { res in
            res.typing()
            let sent = try await res.send(tracked: "Dinner is ready!")
            let isKnown = try await sent.delivered()
            try await res.send(isKnown ? "They know." : "They may not know yet.")
        }

        robot.reaction { res in
            if res.match.added.contains("🎂") { try await res.send("There is more cake in the kitchen.") }
        }

        robot.hear(/\bcake\b/, onEdit: true) { res in
            try await res.send(res.message.correction == nil ? "Did you say cake?" : "Oh, you meant cake!")
        }

        robot.respond(/guest list$/, help: "guest list - Get the guest list as a file", example: "guest list") { res in
            var list = ""
            for try await (name, _) in res.brain.entries(Self.guests) { list += "\(name)\n" }
            try await res.send(Attachment(name: "guests.txt", type: "text/plain", bytes: Array(list.utf8)))
        }

        robot.hear(/\bread this\b/) { res in
            guard let file = res.message.attachments.first else { throw SkipListener() }
            let bytes = try await file.read(upTo: 100_000, with: res.http)
            try await res.reply("It has \(String(decoding: bytes, as: UTF8.self).count) characters.")
        }

        robot.respond(/begin$/, help: "begin - Begin the party", example: "begin") { res in
            await res.robot.emit(Self.began, res.message.room.name)
            res.after(.hours(3)) { try await res.send("The neighbors are at the door.") }
        }

        robot.on(Self.began) { room, robot in
            try await robot.messageRoom(room, "Music!")
        }

        robot.every(.hours(24)) { robot in
            try await robot.messageRoom("#party", "Still no party today.")
        }

        robot.receiveMiddleware { message, _ in
            message.user.name == "spammer" ? nil : message
        }
    }
}

@Suite struct PartyTests {
    let robot = TestRobot(name: "hubot", admins: ["root"], Party())

    @Test func `a party is called off after a second thought`() async {
        _ = await robot.hears("hubot invite ada")
        #expect(await robot.hears("hubot guests") == [.reply("ada")])

        #expect(await robot.hears("hubot call it off") == [.reply("Only my admins may use that.")])
        #expect(await robot.hears("hubot call it off", from: "root") == [.reply("Really? (yes/no)")])
        #expect(await robot.hears("yes", from: "root") == [.reply("It's off.")])
        #expect(await robot.hears("hubot guests") == [.reply("Nobody.")])
    }
}

extension PartyTests {
    @Test func `there is pizza`() async {
        let question = Utterance.reply("Which size? (1) small, (2) large, (3) family")
        #expect(await robot.hears("hubot order pizza") == [question])
        #expect(await robot.hears("2") == [.reply("How many?")])
        #expect(await robot.hears("3") == [.reply("Are there vegans? (yes/no)")])
        #expect(await robot.hears("no") == [.reply("3 large, with cheese.")])
    }

    @Test func `the guest list is a file`() async {
        _ = await robot.hears("hubot invite ada")
        let list = Attachment(name: "guests.txt", type: "text/plain", bytes: Array("ada\n".utf8))
        #expect(await robot.hears("hubot guest list") == [.attachment(list)])
        #expect(await robot.hears("read this") == [])
    }

    @Test func `the neighbors come after three hours`() async {
        #expect(await robot.hears("hubot begin", in: "#party") == [.text("Music!")])
        #expect(await robot.advance(by: .hours(2)) == [])
        _ = await robot.advance(by: .hours(1))
        #expect(robot.said(in: "#party").last == .text("The neighbors are at the door."))
    }

    @Test func `the guests are called`() async {
        let answers = await robot.hears("hubot dinner")
        #expect(answers == [.text("Dinner is ready!"), .text("They know.")])
        #expect(robot.typing == [TestRobot.ShownTyping(isTyping: true, room: "#test")])
        robot.deliver(upTo: nil)
        #expect(await robot.hears("hubot dinner").last == .text("They may not know yet."))
    }

    @Test func `there is a cake`() async {
        #expect(await robot.hears("hubot bake") == [.reply("The cake is in the oven.")])
        #expect(await robot.advance(by: .minutes(40)).isEmpty)
        #expect(robot.changes.map(\.change) == [.react("🎂"), .edit(.reply("The cake is done."))])
        let cake = Message.ID(adapter: "test", value: "sent-1")
        #expect(
            await robot.sees(reaction: Message.Reaction(to: cake, added: ["🎂"]))
                == [.text("There is more cake in the kitchen.")])
        #expect(await robot.hears("cake?") == [.text("Did you say cake?")])
        #expect(await robot.hears(correction: "No, cake!") == [.text("Oh, you meant cake!")])
    }

    @Test func `the rest of the party`() async {
        #expect(await robot.hears("I will tableflip") == [.text("(╯°□°)╯︵ ┻━┻")])
        #expect(await robot.hears("hubot open the window slowly") == [.emote("opens the window")])
        #expect(await robot.enters("ada") == [.text("Welcome, ada!")])
        #expect(await robot.renames("ada", to: "countess") == [.text("So ada is countess now.")])
        #expect(await robot.hears(String(repeating: "x", count: 501)) == [.reply("That was 501 characters.")])
        #expect(await robot.hears("hubot begin", from: "spammer") == [])
        #expect(await robot.advance(by: .hours(24)).map(\.utterance) == [.text("Still no party today.")])
        #expect(robot.loggedProblems == [])
    }
}
