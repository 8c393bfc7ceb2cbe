import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

/// Reminders in private, on other networks, for people who are away, and after an absence of the robot.
///
/// `test` has no private messages, `irc` and `xmpp` have. The clock begins on Monday, 1 January 2001, at 0:00 UTC.
@Suite(.timeLimit(.minutes(15))) struct ReminderDeliveryTests {
    private let irc = PrivateNetwork("irc")
    private let xmpp = PrivateNetwork("xmpp")
    private let brain = Brain(store: MemoryStore())
    private let robot: TestRobot

    init() {
        robot = TestRobot(
            name: "hubot", admins: ["test:root"], brain: brain, settings: ["TIME_ZONE": "UTC"], networks: [irc, xmpp],
            Diagnostics(), OnCall(), Reminders())
    }

    private func says(_ text: String, from user: String = "alice", in room: String = "#test") async -> [String] {
        await robot.hears("hubot \(text)", from: user, in: room).map(\.content)
    }

    // MARK: In private, and elsewhere

    @Test func `what is asked for in private is said in private`() async {
        #expect(
            await irc.hears("remind me in 20 minutes to stretch", from: "ada")
                == ["OK, I'll remind you at 00:20 (UTC). (Reminder 1)"])
        _ = irc.takeDelivered()
        #expect(await robot.words(in: .minutes(20)) == [])
        #expect(irc.takeDelivered() == ["ada: Reminder: stretch"])
        #expect(
            await irc.hears("snooze 5 minutes", from: "ada")
                == ["OK, I'll remind you again at 00:25 (UTC). (Reminder 2)"])
    }

    @Test func `a person is reminded on another network`() async {
        #expect(
            await says("remind grace@example.org in 20 minutes that tea is ready")
                == ["I don't know anyone called grace@example.org."])
        _ = await xmpp.hears("ping", from: "grace@example.org")
        #expect(
            await says("remind xmpp:grace@example.org in 20 minutes that tea is ready")
                == ["OK, I'll remind grace@example.org in private at 00:20 (UTC). (Reminder 1)"])
        // By the name alone, because the robot knows it now.
        #expect(
            await says("remind grace@example.org in 20 minutes that it is cold")
                == ["OK, I'll remind grace@example.org in private at 00:20 (UTC). (Reminder 2)"])
        _ = xmpp.takeDelivered()
        #expect(await robot.words(in: .minutes(20)) == [])
        #expect(irc.takeDelivered() == [])
        #expect(
            xmpp.takeDelivered().sorted() == [
                "grace@example.org: Reminder from alice: it is cold",
                "grace@example.org: Reminder from alice: tea is ready"
            ])
    }

    @Test func `nobody gets a reminder by taking an address as a name`() async {
        _ = await xmpp.hears("ping", from: "mallory", called: "ada@example.org")
        #expect(
            await says("remind ada@example.org tomorrow at 9:00 to eat")
                == ["I don't know anyone called ada@example.org."])
        _ = await xmpp.hears("ping", from: "ada@example.org", called: "Ada")
        #expect(
            await says("remind ada@example.org in private tomorrow at 9:00 to eat")
                == ["OK, I'll remind Ada (xmpp:ada@example.org) in private tomorrow at 09:00 (UTC). (Reminder 1)"])
    }

    @Test func `a person who was seen is reminded when they are back`() async throws {
        _ = await says("ping")
        let ada = User(id: User.ID(adapter: "irc", value: "ada"), name: "Ada")
        let dev = Room(id: Room.ID(adapter: "irc", value: "#dev"))
        let message = Message(
            id: Message.ID(adapter: "irc", value: "s"), user: ada, room: dev, content: .text("bye"),
            time: robot.robot.date)
        let (log, records) = (SightingLog(), SightingRecords(brain: robot.robot.brain))
        log.setOptedOut(OptOuts())
        log.record(try #require(Sighting(of: message, at: robot.robot.date)))
        try await records.write(log, at: robot.robot.date, UserAndRoomTimeZones(usual: nil))
        let answer = await says("remind ada when she's back to call me").first
        #expect(answer == "OK, I'll remind Ada in private when they are back. (Reminder 1)")
    }

    @Test func `nobody snoozes a reminder of a room in which they aren't any more`() async {
        irc.setMembers(["mallory"], of: "#dev")
        _ = await irc.hears("hubot remind me in 1 minute to shout", from: "mallory", in: "#dev")
        _ = await robot.words(in: .minutes(1))
        #expect(irc.takeDelivered().last == "#dev: Reminder: shout")
        irc.setMembers([], of: "#dev")
        #expect(
            await irc.hears("snooze 1 minute", from: "mallory")
                == ["Only those who are in irc:#dev, and my admins, may have me speak there."])
    }

    @Test func `a reminder from elsewhere names the account of its author`() async {
        _ = await irc.hears("ping", from: "bob")
        #expect(
            await irc.hears("remind bob in 3 minutes to send me the password", from: "mallory", called: "grace")
                == ["OK, I'll remind bob in private at 00:03 (UTC). (Reminder 1)"])
        _ = irc.takeDelivered()
        _ = await robot.words(in: .minutes(3))
        #expect(irc.takeDelivered() == ["bob: Reminder from grace (irc:mallory): send me the password"])
        _ = await irc.hears("snooze 5 minutes", from: "bob")
        _ = irc.takeDelivered()
        _ = await robot.words(in: .minutes(5))
        #expect(irc.takeDelivered() == ["bob: Reminder from grace (irc:mallory): send me the password"])
    }

    @Test func `somebody who isn't logged in has no more reminders under further names`() async {
        for number in 1...50 {
            let answers = await irc.hears(
                "remind me in \(number) hours to eat", from: "eve\(number)", isAnonymous: true, origin: "e@example.org")
            #expect(answers.first?.hasPrefix("OK, ") == true)
        }
        #expect(
            await irc.hears("remind me in 1 hour to eat", from: "eva", isAnonymous: true, origin: "e@example.org")
                == ["You have 50 reminders, and that's all I can keep. To see them, say: reminders."])
        let other = await irc.hears(
            "remind me in 1 hour to eat", from: "eva", isAnonymous: true, origin: "f@example.org")
        #expect(other.first?.hasPrefix("OK, ") == true)
    }

    // MARK: Nuisances

    @Test func `nobody is pestered in private`() async {
        _ = await irc.hears("ping", from: "grace")
        #expect(
            await says("remind irc:grace every 30 minutes to eat")
                == ["I remind others in private once an hour at most."])
        for hour in 10...12 {
            #expect(await says("remind irc:grace every day at \(hour):00 to eat").first?.hasPrefix("OK, ") == true)
        }
        #expect(
            await says("remind irc:grace every day at 15:00 to eat")
                == ["You have 3 repeated reminders for them, and that's all I can keep."])
        // Other people, reminders that come once, and one's own aren't affected.
        #expect(await says("remind irc:grace every day at 15:00 to eat", from: "bob").first?.hasPrefix("OK, ") == true)
        #expect(await says("remind irc:grace tomorrow at 9:00 to eat").first?.hasPrefix("OK, ") == true)
        #expect(await irc.hears("remind me every 5 minutes to breathe", from: "grace").first?.hasPrefix("OK, ") == true)
    }

    @Test func `a person can stop another one's reminders, and admins can cancel all of an author`() async {
        _ = await irc.hears("ping", from: "bob")
        _ = await irc.hears("remind bob tomorrow at 9:00 to eat", from: "mallory", called: "grace")
        _ = await irc.hears("remind bob every day at 9:00 to eat", from: "mallory", called: "grace")
        _ = await irc.hears("remind me tomorrow at 9:00 to eat", from: "mallory", called: "grace")
        _ = await irc.hears("remind bob tomorrow at 9:00 to eat", from: "carol")
        #expect(
            await irc.hears("stop reminders from Grace", from: "bob")
                == ["OK, I've canceled 2 reminders from Grace."])
        #expect(
            await irc.hears("stop reminders from grace", from: "bob")
                == ["There are no reminders from grace for you."])
        #expect(
            await irc.hears("stop reminders from irc:carol", from: "bob")
                == ["OK, I've canceled 1 reminder from irc:carol."])

        _ = await irc.hears("remind bob tomorrow at 9:00 to eat", from: "mallory", called: "grace")
        #expect(await says("cancel all reminders of irc:mallory") == ["Only my admins may use that."])
        #expect(
            await says("cancel all reminders of irc:mallory", from: "root")
                == ["OK, I've canceled 2 reminders of mallory."])
        #expect(
            await says("cancel all reminders of irc:mallory", from: "root") == ["mallory has made no reminders."])
    }

    // MARK: Strangers

    private static func stranger(_ name: String) -> [String] {
        [
            "I don't know \(name). I remind people in private if they have talked to me, or are in a room with me. "
                + "To have it wait until they talk to me, add: when they're back"
        ]
    }

    @Test func `nobody can have the robot write to strangers`() async {
        let strangers = Self.stranger("grace@example.org")
        for time in ["in 20 minutes", "every day at 9:00", "in private tomorrow at 9:00"] {
            #expect(await says("remind xmpp:grace@example.org \(time) to eat") == strangers, "\(time)")
        }
        // Also not in private, on the stranger's own network, or as an admin.
        #expect(await xmpp.hears("remind xmpp:grace@example.org in 20 minutes to eat", from: "eve") == strangers)
        #expect(await says("remind xmpp:grace@example.org in 20 minutes to eat", from: "root") == strangers)
        _ = xmpp.takeDelivered()
        #expect(await says("reminders").first?.hasPrefix("You have no reminders.") == true)
        #expect(await robot.words(until: .hours(34)) == [])
        #expect(xmpp.takeDelivered() == [])
    }

    @Test func `a stranger who talks to the robot gets what waits for them`() async {
        #expect(
            await says("remind xmpp:grace@example.org when she's back to call me")
                == ["OK, I'll remind grace@example.org in private when they are back. (Reminder 1)"])
        _ = await robot.words(in: .hours(1))
        #expect(xmpp.takeDelivered() == [])
        _ = await xmpp.hears("hi", from: "grace@example.org")
        _ = await robot.words(in: .seconds(5))
        #expect(xmpp.takeDelivered() == ["grace@example.org: Reminder from alice: call me (asked at 00:00)"])
    }

    @Test func `people whom the robot sees, has seen, or who have linked accounts, aren't strangers`() async throws {
        let ada = User(id: User.ID(adapter: "xmpp", value: "ada@example.org"), name: "ada")
        _ = await says("ping")
        #expect(try await !robot.robot.knows(ada))
        xmpp.setPresent(["ada@example.org"])
        #expect(try await robot.robot.knows(ada))
        xmpp.setPresent([])
        #expect(try await !robot.robot.knows(ada))

        let nick = User(id: User.ID(adapter: "irc", value: "ada"), name: "ada")
        let accounts = PersonalAccounts(brain: brain)
        // One side alone proves nothing.
        #expect(try await !accounts.link(nick, to: ada))
        #expect(try await !robot.robot.knows(ada))
        #expect(try await accounts.link(ada, to: nick))
        #expect(try await robot.robot.knows(ada))

        let bob = User(id: User.ID(adapter: "test", value: "bob"), name: "bob")
        let other = TestRobot(name: "hubot", settings: ["TIME_ZONE": "UTC"], Seen())
        _ = await other.hears("hello", from: "carol")
        #expect(try await !other.robot.knows(bob))
        _ = await other.hears("hello", from: "bob")
        _ = await other.advance(by: .minutes(2))
        #expect(try await other.robot.knows(bob))
    }

    // MARK: Several networks

    @Test func `if a name is known on several networks, the robot asks for one`() async {
        _ = await irc.hears("ping", from: "grace")
        _ = await xmpp.hears("ping", from: "grace")
        #expect(await says("remind grace in 20 minutes to eat") == ["Which grace? Write irc:grace or xmpp:grace."])
        #expect(
            await says("remind irc:grace in 20 minutes to eat")
                == ["OK, I'll remind grace in private at 00:20 (UTC). (Reminder 1)"])
    }

    @Test func `a user whom the network first showed by name only is one person`() async {
        let (nick, address) = ("dev@x/bob", "bob@example.org")
        _ = await xmpp.hears("hubot ping", from: nick, called: "bob", in: "dev@x", isAnonymous: true)
        _ = await xmpp.hears("hubot ping", from: address, called: "bob", in: "dev@x")
        let question = "Which bob? Write xmpp:bob@example.org or xmpp:dev@x/bob."
        func asks(_ request: String) async -> [String] {
            await xmpp.hears("hubot remind bob in 20 minutes to \(request)", from: "ada@example.org", in: "dev@x")
        }
        // If neither is there, either may be meant.
        #expect(await says("remind bob in 20 minutes to eat") == [question])
        #expect(await asks("eat") == [question])

        xmpp.setPresent([address])
        xmpp.setMembers([address], of: "dev@x", called: [address: "bob"])
        #expect(
            await says("remind bob in 20 minutes to eat")
                == ["OK, I'll remind bob (xmpp:bob@example.org) in private at 00:20 (UTC). (Reminder 1)"])
        #expect(await asks("rest") == ["OK, I'll remind bob at 00:20 (UTC). (Reminder 2)"])

        // Somebody else who is there may be meant.
        xmpp.setPresent([nick, address])
        #expect(await says("remind bob in 20 minutes to read") == [question])
        #expect(await asks("read") == [question])

        // The user with an account is in another room only.
        xmpp.setPresent([address])
        xmpp.setMembers(["ada@example.org"], of: "dev@x")
        #expect(await asks("write") == [question])
    }

    @Test func `for a room's name without its sign, the robot asks whether the room is meant`() async {
        irc.setRooms(["#dev"])
        #expect(
            await irc.hears("remind dev at 9:00 to eat", from: "ada")
                == ["I don't know anyone called dev. Did you mean irc:#dev?"])
        #expect(
            await irc.hears("remind ops at 9:00 to eat", from: "ada") == ["I don't know anyone called ops."])
        #expect(
            await says("remind test at 9:00 to eat")
                == ["I don't know anyone called test. Did you mean test:#test?"])
    }

    @Test func `private reminders are listed in private only`() async {
        _ = await irc.hears("remind me in 20 minutes to stretch", from: "ada")
        #expect(
            await irc.hears("reminders", from: "ada") == ["1: you, at 00:20 (UTC): stretch"])
        _ = await says("remind irc:ada tomorrow at 9 to eat")
        #expect(await says("reminders") == ["You have 1 reminder elsewhere; ask me in private."])
        #expect(await says("cancel reminder 2") == ["I've canceled reminder 2."])
        #expect(await says("cancel reminder 1", from: "root") == ["I've canceled reminder 1."])
    }

    @Test func `a person whom the network doesn't show is reminded when they are back`() async {
        _ = await irc.hears("remind me in 20 minutes to stretch", from: "ada")
        _ = irc.takeDelivered()
        irc.show("ada", as: nil)
        _ = await robot.words(in: .minutes(30))
        #expect(irc.takeDelivered() == [])
        // Somebody else has taken the name.
        irc.show("ada", as: "ada", isAnonymous: true)
        _ = await irc.hears("hi", from: "ada", isAnonymous: true)
        _ = await robot.words(in: .seconds(5))
        #expect(irc.takeDelivered() == [])
        irc.show("ada", as: "ada2")
        _ = await irc.hears("hi", from: "ada")
        _ = await robot.words(in: .seconds(5))
        #expect(irc.takeDelivered() == ["ada2: Reminder: stretch"])
        _ = await irc.hears("hi", from: "ada")
        _ = await robot.words(in: .hours(1))
        #expect(irc.takeDelivered() == [])
    }

    // MARK: People who are away

    @Test func `a reminder can wait until a person says something`() async throws {
        _ = await says("ping", from: "bob")
        #expect(
            await says("remind bob when he's back to call me")
                == ["OK, I'll remind bob when they are back. (Reminder 1)"])
        #expect(await says("reminders") == ["1: bob, when they are back: call me"])
        let book = ReminderBook(robot: robot.robot)
        let waiting = try #require(try await book.entry(number: 1)?.reminder)
        _ = await says("hello", from: "carol")
        #expect(await robot.words(in: .hours(1)) == [])
        // In another room, others could read it.
        _ = await robot.hears("hello", from: "bob", in: "#ops")
        #expect(await robot.words(in: .seconds(5)) == [])
        for _ in 0..<2 { #expect(await robot.hears("hello", from: "bob") == []) }
        #expect(await robot.words(in: .seconds(5)) == ["#test: Reminder from alice: call me (asked at 00:00)"])
        // Another robot may have heard it too, a moment later.
        try await book.deliver(ReminderBook.Return(reminder: waiting, destination: waiting.destination))
        _ = await robot.hears("hello", from: "bob")
        #expect(await robot.words(in: .seconds(5)) == [])
        #expect(await says("reminders").first?.hasPrefix("You have no reminders.") == true)
        #expect(robot.loggedProblems == [])
    }

    @Test func `or until a time, and then until they say something or enter`() async {
        _ = await says("ping", from: "bob")
        #expect(
            await says("remind bob at 9:00 when he's back to call me")
                == ["OK, I'll remind bob at 09:00 (UTC), when they are back. (Reminder 1)"])
        _ = await robot.hears("hello", from: "bob")
        #expect(await robot.words(until: .hours(9)) == [])
        #expect(await robot.words(in: .hours(1)) == [])
        _ = await robot.enters("bob")
        #expect(await robot.words(in: .seconds(5)) == ["#test: Reminder from alice: call me (asked at 00:00)"])
    }

    @Test func `one that recurs waits each time`() async {
        _ = await says("ping", from: "bob")
        _ = await says("remind bob every day at 9:00 when he's back to water the plants")
        for day in 0..<2 {
            #expect(await robot.words(until: .hours(24 * day + 9)) == [])
            _ = await robot.hears("good morning", from: "bob")
            #expect(await robot.words(in: .seconds(5)) == ["#test: Reminder from alice: water the plants"])
            let time = "every day at 09:00 (UTC), next tomorrow at 09:00, when they are back"
            #expect(await says("reminders") == ["1: bob, \(time): water the plants"])
        }
    }

    @Test func `elsewhere the person gets it in private, also on another network of theirs`() async {
        _ = await irc.hears("reach me at xmpp:ada@example.org", from: "ada")
        _ = await xmpp.hears("reach me at irc:ada", from: "ada@example.org")
        _ = await says("remind irc:ada when she's back to call me")
        _ = (irc.takeDelivered(), xmpp.takeDelivered())
        _ = await xmpp.hears("hi", from: "ada@example.org")
        _ = await robot.words(in: .seconds(5))
        #expect(xmpp.takeDelivered() == ["ada@example.org: Reminder from alice: call me (asked at 00:00)"])
        #expect(irc.takeDelivered() == [])
    }

    @Test func `while it can't be delivered, it goes on waiting, and can be canceled`() async throws {
        let down = PrivateNetwork("irc", isDown: true)
        let robot = TestRobot(
            name: "hubot", settings: ["TIME_ZONE": "UTC"], networks: [down], Diagnostics(), Reminders())
        let book = ReminderBook(robot: robot.robot)
        _ = await robot.hears("hubot remind irc:ada when she's back to call me")
        _ = await down.hears("hi", from: "ada")
        _ = await robot.words(in: .hours(4))
        #expect(try await book.entry(number: 1)?.reminder.text == "call me")
        _ = await robot.hears("hubot cancel reminder 1")
        _ = await down.hears("hi", from: "ada")
        let problems = robot.loggedProblems.count
        _ = await robot.words(in: .hours(4))
        #expect(robot.loggedProblems.count == problems)
        #expect(try await book.entry(number: 1) == nil)
    }

    @Test func `who isn't there at the time gets the reminder when they are back, and the answer says so`() async {
        irc.setMembers(["ada", "bob"], of: "#dev")
        _ = await irc.hears("hubot ping", from: "bob", in: "#dev")
        #expect(
            await irc.hears("hubot remind bob in 10 minutes to eat", from: "ada", in: "#dev")
                == ["OK, I'll remind bob at 00:10 (UTC). (Reminder 1)"])
        _ = irc.takeDelivered()
        _ = await robot.words(in: .minutes(10))
        #expect(irc.takeDelivered() == ["#dev: Reminder from ada: eat"])

        irc.setMembers(["ada"], of: "#dev")
        #expect(
            await irc.hears("hubot remind bob in 20 minutes to call me", from: "ada", in: "#dev")
                == ["OK, I'll remind bob at 00:30 (UTC), or when they're next here. (Reminder 2)"])
        _ = irc.takeDelivered()
        _ = await robot.words(in: .hours(24))
        #expect(irc.takeDelivered() == [])
        #expect(
            await irc.hears("hubot reminders", from: "ada", in: "#dev") == ["2: bob, as soon as I see them: call me"])
        _ = irc.takeDelivered()
        irc.setMembers(["ada", "bob"], of: "#dev")
        _ = await irc.hears("hi", from: "bob", in: "#dev")
        _ = await robot.words(in: .seconds(5))
        #expect(irc.takeDelivered() == ["#dev: Reminder from ada: call me (asked yesterday at 00:10)"])
        #expect(robot.loggedProblems == [])
    }

    @Test func `who has gone since they asked gets the reminder when they are back`() async {
        irc.setMembers(["ada", "bob"], of: "#dev")
        _ = await irc.hears("hubot remind me in 10 minutes to eat", from: "bob", in: "#dev")
        irc.setMembers(["ada"], of: "#dev")
        _ = irc.takeDelivered()
        _ = await robot.words(in: .hours(1))
        #expect(irc.takeDelivered() == [])
        irc.setMembers(["ada", "bob"], of: "#dev")
        _ = await irc.hears("hi", from: "bob", in: "#dev")
        _ = await robot.words(in: .seconds(5))
        #expect(irc.takeDelivered() == ["#dev: Reminder: eat"])
    }

    @Test func `the answer says that a private reminder waits for a person whom the network doesn't show`() async {
        _ = await irc.hears("ping", from: "grace")
        irc.show("grace", as: nil)
        #expect(
            await says("remind irc:grace in 20 minutes to eat")
                == ["OK, I'll remind grace in private at 00:20 (UTC), or when I next see them. (Reminder 1)"])
    }

    @Test func `a canceled reminder doesn't wait any more`() async {
        _ = await says("ping", from: "bob")
        _ = await says("remind bob when he's back to call me")
        #expect(await says("cancel reminder 1") == ["I've canceled reminder 1: call me"])
        _ = await robot.hears("hello", from: "bob")
        #expect(await robot.words(in: .seconds(5)) == [])
    }

    @Test func `after 90 days nobody is waited for`() async {
        _ = await says("ping", from: "bob")
        _ = await says("remind bob when he's back to call me")
        _ = await robot.words(until: .hours(90 * 24))
        _ = await robot.hears("hello", from: "bob")
        #expect(await robot.words(in: .seconds(5)) == [])
        #expect(await says("reminders").first?.hasPrefix("You have no reminders.") == true)
    }

    // MARK: Restarts and failures

    /// A second robot with the same brain, in place of the first one, whose clock stands still.
    private func restarted(after time: Duration) async -> TestRobot {
        let second = TestRobot(
            name: "hubot", brain: brain, settings: ["TIME_ZONE": "UTC"], Diagnostics(), Reminders())
        await second.jump(to: time)
        return second
    }

    @Test func `what the robot missed comes late, once`() async {
        _ = await says("remind me in 20 minutes to call ada")
        _ = await says("remind us every hour that time flies")
        let second = await restarted(after: .hours(3) + .minutes(10))
        _ = await second.words(in: .minutes(5))
        #expect(
            second.lines.map(\.utterance.content).sorted() == [
                "Reminder from alice: time flies (That was for 01:00; I was away.)",
                "Reminder: call ada (That was for 00:20; I was away.)"
            ])
        #expect(await second.words(in: .minutes(45)) == ["#test: Reminder from alice: time flies"])
    }

    @Test func `another robot knows for whom reminders wait`() async {
        _ = await says("ping", from: "bob")
        _ = await says("remind bob when he's back to call me")
        let second = await restarted(after: .hours(1))
        _ = await second.hears("hello", from: "bob")
        #expect(await second.words(in: .seconds(5)) == ["#test: Reminder from alice: call me (asked at 00:00)"])
    }

    @Test func `if a reminder can't be delivered, its owner learns that`() async {
        let (dead, working) = (PrivateNetwork("dead", isDown: true), PrivateNetwork("irc"))
        let robot = TestRobot(
            name: "hubot", settings: ["TIME_ZONE": "UTC"], networks: [dead, working], Reminders())
        dead.setPresent(["grace"])
        _ = await working.hears("remind dead:grace in 20 minutes to eat", from: "ada")
        _ = working.takeDelivered()
        _ = await robot.words(in: .hours(4))
        #expect(working.takeDelivered() == ["ada: I couldn't deliver reminder 1 (eat)."])
        #expect(await working.hears("reminders", from: "ada").first?.hasPrefix("You have no reminders.") == true)
    }
}
