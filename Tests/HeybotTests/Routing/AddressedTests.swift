import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct AddressedTests {
    @Test func `a message that the service marks as addressed needs no name`() async throws {
        let adapter = ManualAdapter()
        let notes = StringRecorder()
        let script = InlineScript { $0.respond(/ping$/) { notes.add($0.message.text ?? "") } }
        try await withRobot(adapters: [adapter], script) { _ in
            let user = User(id: .init(adapter: adapter.name, value: "ada"), name: "ada")
            let room = Room(id: .init(adapter: adapter.name, value: "#dev"))
            for (number, isAddressed) in [false, true].enumerated() {
                await adapter.handle(
                    Message(
                        id: .init(adapter: adapter.name, value: "\(number)"), user: user, room: room,
                        content: .text("ping"), isAddressed: isAddressed))
            }
        }
        #expect(notes.all == ["ping"])
    }

    @Test func `a message encoded without the mark isn't addressed`() throws {
        let message = Message(
            id: .init(adapter: "a", value: "1"), user: User(id: .init(adapter: "a", value: "u"), name: "u"),
            room: Room(id: .init(adapter: "a", value: "r")), content: .text("hi"), isAddressed: true)
        let data = try JSONEncoder().encode(message)
        #expect(try JSONDecoder().decode(Message.self, from: data) == message)
        let old = String(decoding: data, as: UTF8.self).replacing(#","isAddressed":true"#, with: "")
            .replacing(#""isAddressed":true,"#, with: "")
        #expect(try JSONDecoder().decode(Message.self, from: Data(old.utf8)).isAddressed == false)
    }

    @Test func `an attachment can be sent, and encoded as JSON`() async throws {
        let file = Attachment(name: "chart.png", type: "image/png", bytes: [1, 2, 255], alternative: "https://chart")
        let robot = TestRobot(InlineScript { $0.hear(/chart/) { try await $0.send(file) } })
        #expect(await robot.hears("chart") == [.attachment(file)])
        #expect(Utterance.attachment(file).content == "https://chart")
        let data = try JSONEncoder().encode(Utterance.attachment(file))
        #expect(try JSONDecoder().decode(Utterance.self, from: data) == .attachment(file))
    }

    @Test(arguments: [
        ("Marvin, ping", false, false, true), ("!ping", false, false, true), ("ping", false, false, false),
        ("marvins ping", false, false, false), ("ping", true, false, true), ("ping", false, true, true)
    ])
    func `a script can find out whether a message is addressed`(
        _ text: String, _ isMarked: Bool, _ isPrivate: Bool, _ isForRobot: Bool
    ) async {
        let marking = InlineScript("Marking") { robot in
            robot.receiveMiddleware { message, _ in
                var message = message
                message.isAddressed = isMarked
                return message
            }
            robot.hear(/ping/) { res in try await res.send("\(res.addressed ?? "not for me")") }
        }
        let robot = TestRobot(name: "marvin", alias: "!", marking)
        let said = await robot.hears(text, from: "ada", in: isPrivate ? "ada" : "#test")
        #expect(said == [.text(isForRobot ? "ping" : "not for me")])
    }
}
