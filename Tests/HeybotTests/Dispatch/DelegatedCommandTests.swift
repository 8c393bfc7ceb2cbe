import HeybotTesting
import Testing

@testable import Heybot

/// Commands that the robot runs in the name of a user.
@Suite(.timeLimit(.minutes(15))) struct DelegatedCommandTests {
    private let robot = TestRobot(
        admins: ["root"],
        InlineScript("Talk") { robot in
            robot.respond(/hello$/, help: "hello - Say hello", example: "hello") { res in
                try await res.reply("Hello!")
            }
            robot.respond(/secret$/, help: "secret - Tell a secret", example: "secret", allow: .role("ops")) { res in
                try await res.send("42")
            }
            robot.respond(/ask$/) { res in
                let answer = try await res.ask("What?")
                try await res.reply("You said \(answer).")
            }
            robot.respond(/drop all$/, confirm: "Sure?") { res in try await res.send("gone") }
            robot.respond(/again$/) { res in await res.run("drop all") }
            robot.respond(/both$/) { res in
                await res.run("hello")
                await res.run("secret")
            }
            robot.hear(/cheers/, help: "cheers - Cheer", example: "cheers") { res in try await res.send("Cheers!") }
            robot.hear(/o/) { _ in }
            robot.catchAll { _ in }
        })

    private static let alice = User(id: User.ID(adapter: "test", value: "alice"), name: "alice")

    private func message(_ text: String, from user: User = alice, number: Int = 1) -> Message {
        Message(
            id: Message.ID(adapter: "test", value: "delegated \(number)"), user: user,
            room: Room(id: Room.ID(adapter: "test", value: "#test")), content: .text(text), time: robot.robot.date,
            isAddressed: true)
    }

    private func run(_ text: String, reachesUser: Bool = true) async -> [String] {
        let before = robot.lines.count
        await robot.robot.run(message(text), DelegatedCommand(reachesUser: reachesUser))
        await robot.robot.inFlight.waitUntilIdle()
        return robot.lines.dropFirst(before).map(\.utterance.content)
    }

    @Test func `a command is handled as if its user had said it`() async {
        _ = await robot.hears("hello")
        #expect(await run("hello") == ["Hello!"])
        #expect(robot.lines.last?.envelope.user == Self.alice)
        #expect(robot.lines.last?.room == "#test")
    }

    @Test func `it has the rights that its user has when it is handled`() async throws {
        _ = await robot.hears("hello")
        #expect(await run("secret") == ["You need the ops role for that."])
        try await robot.robot.set(role: "ops", of: Self.alice, to: true)
        #expect(await run("secret") == ["42"])
        _ = try await robot.robot.ignore(Self.alice)
        #expect(await run("hello") == [])
    }

    @Test func `it answers no question, and the user still can`() async {
        #expect(await robot.hears("Heybot ask").map(\.content) == ["What?"])
        #expect(await run("hello") == ["Hello!"])
        #expect(await robot.hears("tea").map(\.content) == ["You said tea."])
    }

    @Test func `it can ask its user itself`() async {
        _ = await robot.hears("hello")
        #expect(await run("ask") == ["What?"])
        #expect(await robot.hears("coffee").map(\.content) == ["You said coffee."])
    }

    @Test func `its user answers it, also where messages have an origin`() async {
        _ = await robot.hears("hello")
        #expect(await run("ask") == ["What?"])
        func says(_ text: String) async -> [String] {
            var answer = message(text, number: 2)
            answer.origin = "alice@example.org"
            answer.isAddressed = false
            let before = robot.lines.count
            await robot.robot.enqueue(InFlightMessage(answer, inFlight: nil))
            await robot.robot.inFlight.waitUntilIdle()
            return robot.lines.dropFirst(before).map(\.utterance.content)
        }
        let long = String(repeating: "b", count: 65_537)
        #expect(await says(long) == ["That message is too long for me: the limit is 64 KB."])
        #expect(await says("coffee") == ["You said coffee."])
    }

    @Test func `its user isn't known as somebody who is there`() async {
        _ = await robot.hears("hello", from: "bob")
        #expect(await run("both").count == 2)
        let names = await robot.robot.users(in: message("hello").room).map(\.name)
        #expect(names.contains("bob") && !names.contains("alice"))
    }

    @Test(arguments: ["drop all", "again"])
    func `what must be confirmed has to be said by its user`(_ command: String) async {
        _ = await robot.hears("hello")
        #expect(await run(command) == ["You must confirm that, so say it to me yourself."])
        #expect(await robot.hears("yes") == [])
        #expect(await robot.hears("Heybot \(command)").map(\.content) == ["Sure? (yes/no)"])
        #expect(await robot.hears("yes").map(\.content) == ["gone"])
    }

    @Test func `what it runs in turn is handled in the name of the same user`() async {
        _ = await robot.hears("hello")
        #expect(await run("both").sorted() == ["Hello!", "You need the ops role for that."])
    }

    @Test func `observers don't get it`() async {
        let robot = TestRobot(
            InlineScript("Talk") { robot in
                robot.observe { message, robot in
                    { try await robot.messageRoom(message.room.id, "observed \(message.text ?? "")") }
                }
            })
        _ = await robot.hears("hello")
        await robot.robot.run(message("hello again"), DelegatedCommand(reachesUser: true))
        await robot.robot.inFlight.waitUntilIdle()
        #expect(robot.lines.map(\.utterance.content) == ["observed hello"])
    }

    @Test func `commands without listeners are known before`() async {
        let robot = TestRobot(
            InlineScript("Chat") { robot in
                robot.listCommands { _, _ in
                    [
                        RuntimeCommand(usage: "lunch", purpose: "Eat", access: .everyone) { $0 == "lunch" },
                        RuntimeCommand(usage: "launch", purpose: "Go", access: .admins) { $0 == "launch" }
                    ]
                }
            })
        _ = await robot.hears("hello")
        #expect(robot.robot.admission(of: message("lunch")) == .admitted(scripts: ["Chat"]))
        #expect(robot.robot.admission(of: message("launch")) == .refused("Only my admins may use that."))
        #expect(robot.robot.admission(of: message("dinner")) == .unknown)
    }

    @Test func `what it would do is known before`() async throws {
        _ = await robot.hears("hello")
        let robot = robot.robot
        #expect(robot.admission(of: message("hello")) == .admitted(scripts: ["Talk"]))
        #expect(robot.admission(of: message("three cheers")) == .admitted(scripts: ["Talk"]))
        #expect(robot.admission(of: message("secret")) == .refused("You need the ops role for that."))
        // A listener without help, and a catch-all, don't make a text a command.
        #expect(robot.admission(of: message("too loud")) == .unknown)
        try await robot.set(role: "ops", of: Self.alice, to: true)
        #expect(robot.admission(of: message("secret")) == .admitted(scripts: ["Talk"]))
        try await robot.turn("Talk", on: false, in: "#test")
        #expect(robot.admission(of: message("hello")) == .unknown)
        try await robot.ignore(Self.alice)
        #expect(robot.admission(of: message("hello")) == .refused("I ignore alice."))
    }
}

/// Private answers to such commands.
@Suite(.timeLimit(.minutes(15))) struct DelegatedPrivateAnswerTests {
    /// An adapter with private messages, which keeps what it delivers.
    private final class WhisperingAdapter: PrivateMessaging {
        let name = "irc"
        let delivered = StringRecorder()

        var status: AdapterStatus { .up(since: .distantPast) }

        func run(_ inbox: Inbox) async throws {
            let (forever, _) = AsyncStream<Never>.makeStream()
            for await _ in forever {}
        }

        func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
            delivered.add("\(envelope.room.name): \(utterance.content)")
        }

        func privateRoom(of user: User) -> Room {
            Room(id: Room.ID(adapter: name, value: user.name), name: user.name, isPrivate: true)
        }
    }

    @Test(arguments: [true, false], ["whisper", "ask for it"])
    func `they are sent only if they reach the user`(_ reachesUser: Bool, _ command: String) async {
        let adapter = WhisperingAdapter()
        let robot = TestRobot(
            networks: [adapter],
            InlineScript("Talk") { robot in
                robot.respond(/whisper$/) { res in try await res.sendPrivately("psst") }
                robot.respond(/ask for it$/) { res in await res.run("whisper") }
            })
        _ = await robot.hears("hello")
        let user = User(id: User.ID(adapter: "irc", value: "ada"), name: "ada")
        let message = Message(
            id: Message.ID(adapter: "irc", value: "1"), user: user,
            room: Room(id: Room.ID(adapter: "irc", value: "#dev")), content: .text(command), time: robot.robot.date,
            isAddressed: true)
        await robot.robot.run(message, DelegatedCommand(reachesUser: reachesUser))
        await robot.robot.inFlight.waitUntilIdle()
        let refusal = "#dev: I can't send ada the answer privately, because I don't see them now."
        #expect(adapter.delivered.all == [reachesUser ? "ada: psst" : refusal])
    }
}
