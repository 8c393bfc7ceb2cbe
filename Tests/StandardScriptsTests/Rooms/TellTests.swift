import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

/// Messages on three networks: `test` has no private messages, `irc` and `xmpp` have.
@Suite(.timeLimit(.minutes(15))) struct TellTests {
    private let irc = PrivateNetwork("irc")
    private let xmpp = PrivateNetwork("xmpp")
    private let brain = Brain(store: MemoryStore())
    private let robot: TestRobot

    init() {
        robot = Self.makeRobot(brain, [irc, xmpp])
    }

    private static func makeRobot(_ brain: Brain, _ networks: [any Adapter]) -> TestRobot {
        TestRobot(
            name: "hubot", admins: ["test:root"], brain: brain, settings: ["TIME_ZONE": "UTC"], networks: networks,
            Diagnostics(), OnCall(), Seen(), Tell())
    }

    private func says(_ text: String, from user: String = "alice", in room: String = "#test") async -> [String] {
        let said = user == room ? text : "hubot \(text)"
        return await robot.hears(said, from: user, in: room).map(\.content)
    }

    private func mailbox(_ key: String) async throws -> Mailbox? {
        try await brain.recall(BrainCollection<Mailbox>("tell.mailboxes"), key)
    }

    // MARK: Passing on

    @Test func `somebody gets a message when they next speak, once`() async throws {
        #expect(
            await says("tell ada the build is green")
                == ["OK, I'll tell anyone called ada when they next speak or come in."])
        #expect(await robot.hears("hello", from: "bob") == [])
        _ = await robot.advance(by: .hours(25))
        #expect(
            await robot.hears("hello", from: "ADA")
                == [.reply("a message from alice, yesterday at 00:00: the build is green")])
        #expect(await robot.hears("hello", from: "ADA") == [])
        #expect(try await brain.keys(of: "tell.mailboxes", atMost: 10) == [])
    }

    @Test(arguments: [
        "tell ada when she's back that the build is green", "tell ada when he is here: the build is green",
        "tell ada that when they’re back, the build is green", "tell ada the build is green when she's back.",
        "tell ada the build is green, as soon as you see her", "tell ada once she speaks again the build is green"
    ])
    func `words that say that somebody is back aren't part of the message`(_ command: String) async {
        #expect(
            await says(command)
                == ["OK, I'll tell anyone called ada \"the build is green\" when they next speak or come in."])
        #expect(
            await robot.hears("hello", from: "ada")
                == [.reply("a message from alice, at 00:00: the build is green")])
    }

    @Test func `words about others are part of the message, and a condition alone is none`() async {
        let answer = ["OK, I'll tell anyone called ada when they next speak or come in."]
        #expect(await says("tell ada when I'm back we can talk") == answer)
        #expect(await says("tell ada bob knows when the train is here") == answer)
        #expect(await says("tell ada when she's back") == ["What should I say to them?"])
        let letters = await robot.hears("hello", from: "ada").first?.content ?? ""
        #expect(letters.contains("when I'm back we can talk") && letters.contains("when the train is here"))
    }

    @Test func `somebody gets a message when they come in`() async {
        _ = await says("tell ada: the build is green")
        #expect(await robot.leaves("ada") == [])
        #expect(await robot.enters("ada") == [.reply("a message from alice, at 00:00: the build is green")])
        #expect(await robot.enters("ada") == [])
    }

    @Test func `several messages come together, in the order in which they were left`() async {
        _ = await says("tell ada one")
        _ = await says("tell ada that two", from: "bob")
        #expect(
            await robot.hears("hello", from: "ada") == [
                .reply("a message from alice, at 00:00: one\na message from bob, at 00:00: two")
            ])
    }

    @Test func `several people get the same message`() async {
        #expect(
            await says("tell ada,@bob, lunch is ready, come")
                == ["OK, I'll tell anyone called ada or bob when they next speak or come in."])
        let line = Utterance.reply("a message from alice, at 00:00: lunch is ready, come")
        #expect(await robot.hears("hello", from: "bob") == [line])
        #expect(await robot.hears("hello", from: "ada") == [line])
    }

    @Test func `it survives a restart`() async {
        _ = await says("tell ada hello")
        let later = Self.makeRobot(brain, [])
        #expect(await later.hears("hi", from: "ada") == [.reply("a message from alice, at 00:00: hello")])
        withExtendedLifetime((robot, later)) {}
    }

    @Test func `another robot with the same brain passes it on, within half a minute`() async {
        let other = Self.makeRobot(brain, [])
        #expect(await other.hears("hi", from: "ada") == [])
        _ = await says("tell ada hello")
        _ = await other.advance(by: .seconds(30))
        #expect(await other.hears("hi", from: "ada") == [.reply("a message from alice, at 00:00: hello")])
        #expect(await robot.hears("hi", from: "ada") == [])
        withExtendedLifetime((robot, other)) {}
    }

    // MARK: Where

    @Test func `what was said in a room stays there, or comes in private`() async {
        _ = await says("tell ada the code is 1234", in: "#ops")
        #expect(await robot.hears("hello", from: "ada", in: "#test") == [])
        #expect(
            await robot.hears("hello", from: "ada", in: "ada")
                == [.reply("A message from alice, at 00:00: the code is 1234")])
        _ = await says("tell ada again", in: "#ops")
        #expect(
            await robot.hears("hello", from: "ada", in: "#ops") == [.reply("a message from alice, at 00:00: again")])
    }

    @Test func `what was said in private comes in private`() async {
        _ = await says("ping", from: "ada")
        #expect(
            await says("tell ada that the cake is a lie", in: "alice")
                == ["OK, I'll tell ada in private when they next speak or come in."])
        #expect(await robot.hears("hello", from: "ada") == [])
        #expect(
            await robot.hears("hello", from: "ada", in: "ada")
                == [.reply("A message from alice, at 00:00: the cake is a lie")])
    }

    @Test func `nothing private is for anyone who takes a name`() async throws {
        #expect(
            await says("tell ada the cake is a lie", in: "alice") == [
                "I can't tell who ada is, so I won't pass on a private message. "
                    + "Say it in a room, or give me their account."
            ])
        #expect(try await brain.keys(of: "tell.mailboxes", atMost: 10) == [])
        // Here nobody may have an account.
        #expect(
            await irc.hears("tell ada hello", from: "bob", isAnonymous: true)
                == ["OK, I'll tell anyone called ada in private when they next speak or come in."])
    }

    @Test func `an address means the account, and nobody who has it as a name`() async throws {
        #expect(
            await says("tell ada@example.org hello") == [
                "I know no network with addresses like ada@example.org. Say their name."
            ])
        let other = Self.makeRobot(brain, [AddressNetwork()])
        #expect(
            await other.hears("hubot tell Ada@example.org hello").map(\.content)
                == ["OK, I'll tell ada@example.org (mail:ada@example.org) when they next speak or come in."])
        #expect(await other.hears("hi", from: "ada@example.org") == [])
        #expect(try await mailbox("mail:ada@example.org")?.letters.map(\.text) == ["hello"])
        withExtendedLifetime(other) {}
    }

    @Test func `elsewhere, an author with another name is shown with the account`() async {
        _ = await irc.hears("ping", from: "bob")
        _ = await irc.hears("tell bob send me the password", from: "mallory", called: "grace")
        #expect(
            await irc.hears("hi", from: "bob")
                == ["A message from grace (irc:mallory), at 00:00: send me the password"])
    }

    @Test func `what somebody has left isn't passed on once the robot ignores them`() async throws {
        _ = await says("tell ada send me the password", from: "mallory")
        _ = await says("tell ada lunch is ready")
        _ = await says("tell bob send me the password", from: "mallory")
        try await robot.robot.ignore(User(id: User.ID(adapter: "test", value: "mallory"), name: "mallory"))
        #expect(
            await robot.hears("hi", from: "ada") == [.reply("a message from alice, at 00:00: lunch is ready")])
        #expect(await robot.hears("hi", from: "bob") == [])
        #expect(try await brain.keys(of: "tell.mailboxes", atMost: 10) == [])
    }

    @Test func `an account on another network gets it, and nobody with the same nick does`() async {
        #expect(
            await says("tell irc:ada hello") == ["OK, I'll tell ada (irc:ada) when they next speak or come in."])
        #expect(await irc.hears("hi", from: "ada", isAnonymous: true) == [])
        #expect(await xmpp.hears("hi", from: "ada") == [])
        #expect(await robot.hears("hi", from: "ada") == [])
        #expect(await irc.hears("hi", from: "ada") == ["A message from alice, at 00:00: hello"])
        #expect(await irc.hears("hi", from: "ada") == [])
    }

    @Test func `any account that somebody has linked gets it`() async throws {
        #expect(await irc.hears("reach me at xmpp:ada@example.org", from: "ada").count == 1)
        #expect(await xmpp.hears("reach me at irc:ada", from: "ada@example.org").count == 1)
        _ = await says("tell irc:ada hello")
        #expect(await xmpp.hears("hi", from: "ada@example.org") == ["A message from alice, at 00:00: hello"])
        #expect(await irc.hears("hi", from: "ada") == [])
    }

    @Test func `somebody whom the robot knows on another network only is meant`() async throws {
        _ = await irc.hears("ping", from: "grace")
        #expect(
            await says("tell grace hello") == ["OK, I'll tell grace (irc:grace) when they next speak or come in."])
        _ = await xmpp.hears("ping", from: "grace")
        #expect(await says("tell grace hello") == ["Which grace? Write irc:grace or xmpp:grace."])
        #expect(await irc.hears("hi", from: "grace") == ["A message from alice, at 00:00: hello"])
    }

    @Test func `a message that can't be sent is kept`() async throws {
        let down = PrivateNetwork("irc", isDown: true)
        let other = Self.makeRobot(brain, [down])
        #expect(await other.hears("hubot tell irc:grace hello").count == 1)
        #expect(await down.hears("hi", from: "grace") == [])
        let kept = try #require(try await mailbox("irc:grace")?.letters.first)
        #expect(kept.text == "hello" && kept.leaseEnd == nil)
        #expect(other.loggedProblems.contains { $0.contains("script=Tell") })
        withExtendedLifetime(other) {}
    }

    // MARK: Lists and limits

    @Test func `somebody can list their messages, and withdraw them`() async {
        #expect(await says("messages I left") == ["No message of yours is waiting."])
        _ = await says("tell ada one")
        _ = await says("tell bob two", in: "#ops")
        _ = await says("tell ada three", from: "carl")
        #expect(await says("messages I left?") == ["ada: one\nand 1 more"])
        #expect(await says("messages I've left", in: "alice") == ["ada: one\nbob: two"])
        #expect(await says("messages I left", in: "#else") == ["2 from elsewhere; ask me in private."])
        #expect(await says("don't tell ada") == ["OK, I've thrown your message for ada away."])
        #expect(await says("don’t tell ada anything") == ["No message of yours is waiting for ada."])
        #expect(
            await robot.hears("hello", from: "ada") == [.reply("a message from carl, at 00:00: three")])
    }

    @Test func `an anonymous user can't list or withdraw what the account with the same id has left`() async {
        _ = await irc.hears("tell xmpp:ada hello", from: "bob")
        for command in ["messages I left", "don't tell xmpp:ada"] {
            let answer = await irc.hears(command, from: "bob", isAnonymous: true).first
            #expect(answer?.hasPrefix("No message of yours is waiting") == true)
        }
        #expect(await irc.hears("messages I left", from: "bob") == ["ada: hello"])
        _ = await irc.hears("tell xmpp:ada hello", from: "carl", isAnonymous: true)
        #expect(await irc.hears("messages I left", from: "carl", isAnonymous: true) == ["ada: hello"])
    }

    @Test func `an admin throws away what somebody, or everybody, has left`() async throws {
        for name in ["ada", "bob"] { _ = await says("tell \(name) hello", from: "mallory") }
        _ = await says("tell ada lunch is ready")
        #expect(await says("remove messages by mallory") == ["Only my admins may use that."])
        #expect(
            await says("remove messages by Mallory", from: "root") == ["OK, I've thrown the 2 messages away."])
        #expect(
            await says("remove messages by test:mallory", from: "root") == ["No message by test:mallory is waiting."])
        #expect(try await mailbox("name test:ada")?.letters.map(\.text) == ["lunch is ready"])
        #expect(
            await says("remove messages by everyone", from: "root") == ["OK, I've thrown the message away."])
        #expect(try await brain.keys(of: "tell.mailboxes", atMost: 10) == [])
    }

    @Test func `a message to a name waits for two weeks`() async throws {
        _ = await says("ping", from: "grace")
        _ = await says("tell ada hello")
        _ = await says("tell grace hello")
        robot.clock.advance(by: .hours(15 * 24))
        #expect(await robot.hears("hi", from: "ada") == [])
        #expect(await robot.hears("hi", from: "grace").count == 1)
        #expect(try await brain.keys(of: "tell.mailboxes", atMost: 10) == [])
    }

    @Test func `the messages of an anonymous user with many names are limited`() async throws {
        _ = await robot.hears("hello")
        let office = PostOffice()
        func leave(_ number: Int) async throws {
            let letter = Mailbox.Letter(
                number: 0, author: User.ID(adapter: "irc", value: "guest\(number)"), authorName: "guest\(number)",
                origin: "mallory@host", room: nil, text: "hello", date: robot.robot.date)
            let recipient = MessageRecipient(named: "name\(number)", on: "irc", robot.robot)
            try await office.add(letter, for: [recipient], brain)
        }
        for number in 1...20 { try await leave(number) }
        await #expect(throws: Refusal.self) { try await leave(21) }
    }

    @Test func `the number of messages and their length are limited`() async {
        for number in 1...5 { _ = await says("tell ada \(number)") }
        #expect(await says("tell ada 6") == ["5 messages from you are waiting for ada already."])
        for name in ["bob", "carl", "dave"] {
            for number in 1...5 { _ = await says("tell \(name) \(number)") }
        }
        #expect(
            await says("tell erin hello") == [
                "20 messages from you are waiting already, and I keep 20 at most. To see them, say \"messages I left\"."
            ])
        #expect(
            await says("tell erin \(String(repeating: "x", count: 501))", from: "bob")
                .contains("That's too long: I can remember 500 characters."))
        #expect(await says("tell erin \u{202E}\u{200B}", from: "fred") == ["What should I say to them?"])
    }

    @Test(arguments: ["everyone", "them", "@"])
    func `a message needs a person`(_ name: String) async {
        #expect(await says("tell \(name) hello") == ["Whom should I tell? Say their name."])
    }

    @Test func `the robot and the author don't get messages`() async {
        #expect(await says("tell hubot hello") == ["You're telling me already."])
        #expect(await says("tell alice hello") == ["You know that already."])
        #expect(await says("tell me a joke") == [])
        #expect(await says("tell us a joke") == [])
    }

    @Test func `one robot at a time delivers a letter, until its lease ends`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        let author = User(id: User.ID(adapter: "test", value: "alice"), name: "alice")
        var box = Mailbox(
            for: MessageRecipient(User(id: User.ID(adapter: "test", value: "ada"), name: "ada"), robot.robot))
        try box.add(
            Mailbox.Letter(number: 0, author: author.id, authorName: "alice", room: nil, text: "hello", date: date))
        #expect(box.take(at: date) { _ in false } == [])
        let taken = box.take(at: date) { _ in true }
        #expect(taken.map(\.text) == ["hello"])
        #expect(box.take(at: date.addingTimeInterval(119)) { _ in true } == [])
        #expect(box.withdraw(by: [author], at: date.addingTimeInterval(119)) == 0)
        #expect(box.take(at: date.addingTimeInterval(121)) { _ in true }.count == 1)
        box.putBack(taken)
        #expect(box.take(at: date.addingTimeInterval(122)) { _ in true }.count == 1)
        box.remove(taken)
        #expect(box.isEmpty)
    }
}

/// A network whose users' ids are addresses.
private struct AddressNetwork: ConfiguredUserRecognition {
    private struct InvalidAddress: Error {}

    let name = "mail"
    var status: AdapterStatus { .up(since: .distantPast) }

    func userID(named name: String) throws -> String {
        guard name.contains("@") else { throw InvalidAddress() }
        return name.lowercased()
    }

    func run(_ inbox: Inbox) async throws {
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}
}
