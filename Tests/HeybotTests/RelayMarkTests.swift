import HeybotTesting
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(15))) struct RelayMarkTests {
    @Test func `a marked name looks the same, and is recognized`() {
        let name = RelayMark.marking("ada")
        let visible = name.unicodeScalars.filter { $0 != "\u{2060}" }
        #expect(name != "ada" && String(String.UnicodeScalarView(visible)) == "ada")
        #expect(RelayMark.removing(from: "<\(name)> hi") == "<ada> hi")
        #expect(RelayMark.isOn("<\(name)> hello"))
        #expect(RelayMark.isOn("* \(name) waves"))
        #expect(RelayMark.isOn("[irc] <bridge> <\(RelayMark.marking("é"))> hello"))
        #expect(RelayMark.isOn("bridge: <\(name) lovelace> hello"))
        #expect(RelayMark.isOn("<\(RelayMark.marking(""))>"))
        #expect(!RelayMark.isOn("<ada> hello") && !RelayMark.isOn("* ada waves") && !RelayMark.isOn(""))
        #expect(!RelayMark.isOn(String(repeating: "x", count: 1_000) + " <\(name)>"))
        // The mark's three bytes follow `<a`, and must be among the first 400.
        for count in 380...410 {
            #expect(RelayMark.isOn(String(repeating: "x", count: count) + "<\(name)>") == (count + 5 <= 400))
        }
    }

    @Test func `a copied name and a quotation aren't relayed texts`() {
        let name = RelayMark.marking("ada")
        for said in ["\(name): hello", "I agree with \(name)", "* I agree with \(name)", "a > b, \(name)"] {
            #expect(!RelayMark.isOn(said), "\(said)")
        }
        #expect(!RelayMark.isOn("> <\(name)> are you there?\nYes, I am."))
        #expect(!RelayMark.isOn("Who has said this?\n<\(name)> hello"))
    }

    @Test func `no listener gets what is relayed, and observers do`() async {
        let script = InlineScript { robot in
            robot.hear(/launch/) { try await $0.send("launched") }
            robot.catchAll { try await $0.send("what?") }
            robot.observe { message, robot in
                { try await robot.messageRoom(message.room.id, "seen") }
            }
        }
        let robot = TestRobot(name: "hubot", script)
        #expect(Set(await robot.hears("launch")) == [.text("launched"), .text("seen")])
        let relayed = await robot.hears("<\(RelayMark.marking("ada"))> launch")
        #expect(relayed == [.text("seen")])
    }

    @Test func `what the robot says is observed, except what it relays`() async throws {
        let said = StringRecorder()
        let script = InlineScript { robot in
            robot.respond(/ping/) { try await $0.reply("PONG") }
            robot.respond(/bake/) { try await $0.send("Baking").edit("Done") }
            robot.observeDeliveries { utterance, envelope, isEdit, _ in
                said.add("\(envelope.room.name) \(utterance.content)\(isEdit ? " (edited)" : "")")
            }
        }
        let robot = TestRobot(name: "hubot", script)
        _ = await robot.hears("hubot ping")
        _ = await robot.hears("hubot bake")
        try await robot.robot.messageRoom("#dev", "hello")
        let room = Room(id: Room.ID(adapter: "test", value: "#dev"))
        try await robot.robot.deliverUnobserved(.text("relayed"), to: Envelope(room: room))
        #expect(said.all == ["#test PONG", "#test Baking", "#test Done (edited)", "#dev hello"])
        #expect(robot.said(in: "#dev") == [.text("hello"), .text("relayed")])
    }
}
