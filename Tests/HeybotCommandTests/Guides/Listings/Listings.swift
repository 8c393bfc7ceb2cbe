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
            let answer = try await res.ask("Really? (yes/no)", within: .minutes(5))
            guard answer.lowercased() == "yes" else { throw Refusal("OK, the party is on.") }
            for try await (name, _) in res.brain.entries(Self.guests) {
                try await res.brain.forget(Self.guests, name)
            }
            try await res.reply("It's off.")
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
    @Test func `the neighbors come after three hours`() async {
        #expect(await robot.hears("hubot begin", in: "#party") == [.text("Music!")])
        #expect(await robot.advance(by: .hours(2)) == [])
        _ = await robot.advance(by: .hours(1))
        #expect(robot.said(in: "#party").last == .text("The neighbors are at the door."))
    }

    @Test func `the rest of the party`() async {
        #expect(await robot.hears("I will tableflip") == [.text("(╯°□°)╯︵ ┻━┻")])
        #expect(await robot.hears("hubot open the window slowly") == [.emote("opens the window")])
        #expect(await robot.enters("ada") == [.text("Welcome, ada!")])
        #expect(await robot.hears(String(repeating: "x", count: 501)) == [.reply("That was 501 characters.")])
        #expect(await robot.hears("hubot begin", from: "spammer") == [])
        #expect(await robot.advance(by: .hours(24)).map(\.utterance) == [.text("Still no party today.")])
        #expect(robot.loggedProblems == [])
    }
}
