import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

/// Commands that run at a time.
///
/// The clock begins on Monday, 1 January 2001, at 0:00 UTC.
@Suite(.timeLimit(.minutes(15))) struct SchedulesTests {
    private let brain = Brain(store: MemoryStore())
    private let robot: TestRobot

    init() { robot = Self.makeRobot(brain) }

    /// A robot with a command for users with the role `ops`.
    private static func makeRobot(_ brain: Brain) -> TestRobot {
        TestRobot(
            name: "hubot", admins: ["root"], brain: brain, settings: ["TIME_ZONE": "UTC"], Clock(), CustomCommands(),
            Diagnostics(), EightBall(), OnCall(), Reminders(), Say(), Schedules(),
            InlineScript("Vault") { robot in
                robot.respond(/secret$/, help: "secret - Tell", example: "secret", allow: .role("ops")) { res in
                    try await res.send("42")
                }
                robot.respond(/sum up$/, help: "sum up - Ask", example: "sum up") { res in
                    let answer = try await res.ask("What?")
                    try await res.reply("You said \(answer).")
                }
            })
    }

    private func says(_ text: String, from user: String = "alice", in room: String = "#test") async -> [String] {
        await robot.hears("hubot \(text)", from: user, in: room).map(\.content)
    }

    private func set(ops isGiven: Bool, of name: String = "alice") async throws {
        let user = User(id: User.ID(adapter: "test", value: name), name: name)
        try await robot.robot.set(role: "ops", of: user, to: isGiven)
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    // MARK: Running

    @Test func `a command runs again and again`() async {
        #expect(
            await says("every weekday at 9:00 run echo good morning")
                == ["OK, I'll run \"echo good morning\" every weekday at 09:00 (UTC), first at 09:00. (Schedule 1)"])
        for day in 0..<8 {
            let said = await robot.words(until: .hours(24 * day + 9))
            #expect(said == ([5, 6].contains(day) ? [] : ["#test: good morning"]), "\(day)")
        }
        #expect(robot.loggedProblems == [])
    }

    @Test func `the time may follow the command`() async {
        #expect(
            await says("run echo please run it every day at 9:00")
                == ["OK, I'll run \"echo please run it\" every day at 09:00 (UTC), first at 09:00. (Schedule 1)"])
        #expect(
            await says("run echo tea, tomorrow at noon in #dev", from: "root")
                == ["OK, I'll run \"echo tea\" in #dev tomorrow at 12:00 (UTC). (Schedule 2)"])
        #expect(
            await says("run echo tea in #dev at 10:00", from: "root")
                == ["OK, I'll run \"echo tea\" in #dev at 10:00 (UTC). (Schedule 3)"])
        #expect(await says("run ping tomorrow at 5") == ["Do you mean 05:00 or 17:00?"])
        #expect(await says("17:00").first?.hasPrefix("OK, I'll run \"ping\" tomorrow at 17:00") == true)
        #expect(await robot.words(until: .hours(9)) == ["#test: please run it"])
        #expect(await robot.words(until: .hours(10)) == ["#dev: tea"])
    }

    @Test func `what begins with run may be another command`() async {
        _ = await says("when I say run tests on <day> say They run on <day>.")
        #expect(await says("run tests on friday") == ["They run on friday."])
        #expect(await says("run echo tea") == [])
        #expect(await says("run every day at 9:00") == [])
        #expect(
            await says("schedule \"every day at 9:00\" run for your lives")
                == ["OK, I'll run \"echo run for your lives\" every day at 09:00 (UTC), first at 09:00. (Schedule 1)"])
        #expect(await says("cancel schedule 1").first?.hasPrefix("I've canceled schedule 1") == true)
        #expect(await says("schedules").first?.hasPrefix("You have no schedules.") == true)
    }

    @Test func `a command runs once`() async {
        #expect(
            await says("tomorrow at noon run echo lunch")
                == ["OK, I'll run \"echo lunch\" tomorrow at 12:00 (UTC). (Schedule 1)"])
        #expect(await robot.words(until: .hours(36)) == ["#test: lunch"])
        #expect(await robot.words(until: .hours(60)) == [])
        #expect(await says("schedules").first?.hasPrefix("You have no schedules.") == true)
    }

    @Test(arguments: [
        ("\"30 9 * * 1-5\" echo tea", "by cron 30 9 * * 1-5 (UTC), first at 09:30", "tea"),
        ("add \"30 9 * * 1-5\" echo tea", "by cron 30 9 * * 1-5 (UTC), first at 09:30", "tea"),
        ("new “at 9:30” echo tea", "at 09:30 (UTC)", "tea"),
        ("add \"30 9 * * *\" stand up", "by cron 30 9 * * * (UTC), first at 09:30", "stand up")
    ])
    func `Hubot's words work, and a text that isn't a command is said`(
        _ typed: String, _ time: String, _ text: String
    ) async {
        #expect(await says("schedule \(typed)") == ["OK, I'll run \"echo \(text)\" \(time). (Schedule 1)"])
        #expect(await robot.words(until: .hours(9) + .minutes(30)) == ["#test: \(text)"])
    }

    @Test func `a command made in chat runs too`() async {
        _ = await says("when I say tea for <who> run echo tea for <who>")
        #expect(await says("every day at 9:00 run tea for all").first?.hasPrefix("OK, ") == true)
        #expect(await robot.words(until: .hours(9)) == ["#test: tea for all"])
        _ = await says("when I say tea for <who> do nothing")
        #expect(
            await robot.words(until: .hours(33)).first?.contains("I don't know that command here any more.") == true)
        #expect(await robot.words(until: .hours(57)) == [])
    }

    @Test func `Hubot's words change a schedule too`() async {
        _ = await says("schedule add \"30 9 * * *\" tea is ready")
        #expect(await says("schedule upd 1 lunch is ready") == ["OK, schedule 1 has the new command."])
        #expect(await robot.words(until: .hours(9) + .minutes(30)) == ["#test: lunch is ready"])
    }

    @Test func `a new time zone moves nothing that is planned, and the answer says so`() async {
        let answer = "Your time zone is Asia/Tokyo, where it's 09:00."
        #expect(await says("my time zone is Asia/Tokyo", from: "bob") == [answer])
        _ = await says("every day at 9:00 run echo tea")
        _ = await says("remind me at 12:00 to eat")
        _ = await says("remind us at 12:00 to eat")
        let rest = "What's already planned keeps its times:"
        #expect(await says("my time zone is Asia/Tokyo") == ["\(answer) \(rest) 2 reminders, 1 schedule."])
        #expect(
            await says("set the room's timezone to Europe/Rome", from: "root")
                == ["This room's time zone is Europe/Rome, where it's 01:00. \(rest) 1 reminder, 1 schedule."])
        #expect(await says("forget my timezone") == ["Done. \(rest) 2 reminders, 1 schedule."])
        #expect(await robot.words(until: .hours(9)) == ["#test: tea"])
        #expect(await says("my time zone is UTC") == ["Your time zone is UTC, where it's 09:00."])
    }

    @Test func `no command makes or changes a schedule`() async {
        let refusal = "Say that to me yourself: another command can't make or change a schedule."
        _ = await says("when I say boom run in 1 hour run boom")
        _ = await says("when I say crash run schedule \"0 * * * *\" crash")
        _ = await says("when I say other run schedule update 1 ping")
        for command in ["boom", "crash"] { #expect(await says(command) == [refusal]) }
        #expect(await says("schedules").first?.hasPrefix("You have no schedules.") == true)
        _ = await says("every hour run boom")
        #expect(await says("other") == [refusal])
        #expect(await robot.words(until: .hours(1)) == ["#test: \(refusal)"])
        #expect(await says("schedules").first?.split(separator: "\n").count == 1)
    }

    @Test func `a schedule makes no schedule, not even one that another script would know too`() async {
        let robot = TestRobot(name: "hubot", settings: ["TIME_ZONE": "UTC"], Descriptions(), Schedules())
        #expect(await robot.hears("hubot every day at 9:00 run now run x is y").count == 1)
        #expect(
            await robot.words(until: .hours(9))
                == ["#test: Say that to me yourself: another command can't make or change a schedule."])
        #expect(await robot.hears("hubot schedules").first?.content.split(separator: "\n").count == 1)
    }

    @Test func `a command with the word run can be scheduled`() async {
        _ = await says("every day at 9:00 run echo please run the tests")
        #expect(await robot.words(until: .hours(9)) == ["#test: please run the tests"])
    }

    @Test func `what must be confirmed isn't asked at that time`() async {
        _ = await says("when I say tea run echo tea", from: "bob")
        _ = await says("every day at 9:00 run tea")
        #expect(await robot.words(until: .hours(9)) == ["#test: You must confirm that, so say it to me yourself."])
        #expect(await robot.hears("yes") == [])
        _ = await says("tea")
        _ = await robot.hears("yes")
        await robot.robot.inFlight.waitUntilIdle()
        #expect(robot.said(in: "#test").last?.content == "tea")
        #expect(await robot.words(until: .hours(33)) == ["#test: tea"])
    }

    @Test func `it runs in another room, for those who may speak there`() async {
        let refusal = "Only those who are in #dev, and my admins, may have me speak there."
        #expect(await says("every day at 9:00 run echo tea in #dev") == [refusal])
        #expect(await says("schedule #dev \"every day at 9:00\" echo tea") == [refusal])
        #expect(
            await says("every day at 9:00 run echo tea in #dev", from: "root")
                == ["OK, I'll run \"echo tea\" in #dev every day at 09:00 (UTC), first at 09:00. (Schedule 1)"])
        #expect(await robot.words(until: .hours(9)) == ["#dev: tea"])
    }

    @Test func `a command that asks something gets the owner's answer`() async {
        _ = await says("at 9:00 run sum up")
        #expect(await robot.words(until: .hours(9)) == ["#test: What?"])
        #expect(await robot.hears("no", from: "bob") == [])
        #expect(await robot.hears("tea").map(\.content) == ["You said tea."])
    }

    @Test func `it is no answer to a question`() async {
        _ = await says("at 9:00 run echo tea")
        await robot.jump(to: .hours(9) - .seconds(30))
        #expect(await says("sum up") == ["What?"])
        #expect(await robot.words(in: .seconds(60)) == ["#test: tea"])
        #expect(await robot.hears("coffee").map(\.content) == ["You said coffee."])
    }

    // MARK: Rights

    @Test func `it has the owner's rights at that time, and says once if they aren't enough`() async throws {
        // The first message opens the brain.
        _ = await says("ping")
        try await set(ops: true)
        _ = await says("every day at 9:00 run secret")
        #expect(await robot.words(until: .hours(9)) == ["#test: 42"])
        try await set(ops: false)
        #expect(
            await robot.words(until: .hours(33)) == [
                "#test: I can't run \"secret\" (schedule 1) for alice: You need the ops role for that. "
                    + "I'll go on as soon as that changes. To remove it, say: cancel schedule 1"
            ])
        #expect(await robot.words(until: .hours(57)) == [])
        try await set(ops: true)
        #expect(await robot.words(until: .hours(81)) == ["#test: 42"])
        try await set(ops: false)
        #expect(await robot.words(until: .hours(105)).count == 1)
    }

    @Test func `what its owner may not do isn't scheduled`() async throws {
        #expect(await says("every day at 9:00 run secret") == ["You need the ops role for that."])
        #expect(await says("schedule \"every day at 9:00\" secret") == ["You need the ops role for that."])
        #expect(await says("every day at 9:00 run say in #dev tea") == ["Only my admins may use that."])
        #expect(
            await says("every day at 9:00 run dance") == [
                "I don't know the command \"dance\". To have me say something, use: "
                    + "remind #dev every weekday at 9:00 that the day begins"
            ])
        #expect(
            await says("every day at 9:00 run every day at 9:00 run ping") == ["I can't schedule a schedule."])
        #expect(
            await says("every minute run ping") == ["That's too often for me: every five minutes is the most."])
        #expect(await says("schedule \"some day\" ping").first?.hasPrefix("I don't understand \"some day\"") == true)
        let long = String(repeating: "x", count: 1_001)
        #expect(
            await says("every day at 9:00 run echo \(long)")
                == ["That's too long: a command that I run may have 1000 bytes."])
        #expect(await says("schedules").first?.hasPrefix("You have no schedules.") == true)
    }

    @Test func `of an ignored owner nothing runs`() async throws {
        _ = await says("every day at 9:00 run ping")
        try await robot.robot.ignore(User(id: User.ID(adapter: "test", value: "alice"), name: "alice"))
        #expect(await robot.words(until: .hours(9)).first?.contains("for alice: I ignore alice.") == true)
        #expect(await robot.words(until: .hours(33)) == [])
    }

    @Test func `nothing runs while schedules are disabled in the room, or not for the owner`() async throws {
        _ = await says("every day at 9:00 run ping")
        try await robot.robot.turn("Schedules", on: false, in: "#test")
        #expect(await robot.words(until: .hours(9)) == [])
        #expect(
            await says("every day at 9:00 run ping in #test", from: "root", in: "#ops")
                == ["Schedules is disabled in #test."])
        try await robot.robot.turn("Schedules", on: true, in: "#test")
        #expect(await robot.words(until: .hours(33)) == ["#test: PONG"])
        let root = User(id: User.ID(adapter: "test", value: "root"), name: "root")
        try await robot.robot.setAccess(.role("ops"), to: "Schedules", command: nil, by: root)
        #expect(await robot.words(until: .hours(57)) == [])
        try await set(ops: true)
        #expect(await robot.words(until: .hours(81)) == ["#test: PONG"])
    }

    @Test func `a command with the word run isn't a schedule`() async {
        #expect(await says("8ball will we run out of tea?").count == 1)
        #expect(
            await says("remind me in 20 minutes to run home") == ["OK, I'll remind you at 00:20 (UTC). (Reminder 1)"])
        #expect(await says("they run home") == [])
        #expect(await says("schedules").first?.hasPrefix("You have no schedules.") == true)
    }

    @Test func `what can mean two times is asked back`() async {
        #expect(await says("tomorrow at 5 run ping") == ["Do you mean 05:00 or 17:00?"])
        #expect(
            await robot.hears("17:00").map(\.content)
                == ["OK, I'll run \"ping\" tomorrow at 17:00 (UTC). (Schedule 1)"])
    }

    @Test func `a time that is none is asked back too`() async {
        #expect(
            await says("every friday at 25:00 run ping")
                == ["I don't understand the time \"every friday at 25:00\". Which time do you mean?"])
        #expect(await robot.hears("anyone for tea?") == [])
        #expect(
            await says("15:00")
                == ["OK, I'll run \"ping\" every Friday at 15:00 (UTC), first on Friday at 15:00. (Schedule 1)"])
    }

    @Test(arguments: ["by cron 30 9 * * 1-5 run echo tea", "schedule \"by cron 30 9 * * 1-5\" echo tea"])
    func `a cron expression may be introduced`(_ text: String) async {
        #expect(
            await says(text)
                == ["OK, I'll run \"echo tea\" by cron 30 9 * * 1-5 (UTC), first at 09:30. (Schedule 1)"])
    }

    // MARK: Lists

    @Test func `schedules are listed, canceled and changed by their owners`() async {
        _ = await says("tomorrow at noon run echo lunch")
        _ = await says("every day at 9:00 run ping", from: "bob")
        _ = await says("every day at 8:00 run ping", from: "bob", in: "#ops")
        let pingTime = "every day at 09:00 (UTC), next at 09:00"
        let ping = "2: ping, \(pingTime)"
        let lunch = "1: echo lunch, tomorrow at 12:00 (UTC)"
        #expect(await says("schedules") == ["\(ping), for bob\n\(lunch)"])
        // What is for another room isn't shown here.
        let elsewhere = "You have 1 more elsewhere: ask me there, or in private."
        #expect(await says("schedule list", from: "bob") == ["\(ping)\n\(lunch), for alice\n\(elsewhere)"])
        #expect(
            await says("schedules", from: "bob", in: "bob")
                == ["3: ping in #ops, every day at 08:00 (UTC), next at 08:00\n2: ping in #test, \(pingTime)"])
        #expect(
            await says("schedules", in: "#dev") == [
                "There are no schedules for this room. You have 1 elsewhere: ask me there, or in private."
            ])
        #expect(await says("all schedules") == ["Only my admins may see all schedules."])
        #expect(await says("schedule list all", from: "root").first?.split(separator: "\n").count == 3)
        #expect(await says("schedules #ops", from: "root").first?.hasPrefix("3: ping in #ops") == true)

        #expect(await says("cancel schedule 2") == ["You have no schedule 2. To see yours, say: schedules."])
        #expect(await says("schedule update 2 echo tea") == ["You have no schedule 2. To see yours, say: schedules."])
        // Not even an admin may have something run with another user's rights.
        #expect(
            await says("schedule update 2 die", from: "root")
                == ["You have no schedule 2. To see yours, say: schedules."])
        #expect(await says("schedule update 2 die", from: "bob") == ["Only my admins may use that."])
        // The owner may have left the room.
        #expect(
            await says("schedule update 2 echo tea", from: "bob", in: "#ops")
                == ["Only those who are in #test, and my admins, may have me speak there."])
        #expect(await says("schedule update 2 echo tea", from: "bob") == ["OK, schedule 2 has the new command."])
        #expect(await says("schedule cancel 3", from: "root") == ["I've canceled schedule 3: ping."])
        #expect(await robot.words(until: .hours(9)) == ["#test: tea"])
        #expect(await says("cancel schedule 2", from: "bob") == ["I've canceled schedule 2: echo tea."])
        #expect(await robot.words(until: .hours(33)) == [])
        #expect(await robot.words(until: .hours(36)) == ["#test: lunch"])
    }

    @Test func `nobody can have too many`() async {
        for number in 1...20 {
            #expect(await says("in \(number) hours run ping").first?.hasPrefix("OK, ") == true)
        }
        #expect(
            await says("in an hour run ping")
                == ["You have 20 schedules, and that's all I can keep. To see them, say: schedules."])
        #expect(await robot.words(until: .hours(1)) == ["#test: PONG"])
        #expect(await says("in an hour run ping").first?.hasPrefix("OK, ") == true)
    }

    @Test func `nor can all together`() async throws {
        _ = await says("ping")
        let (last, date) = (BrainKey<Int>("schedules.last"), robot.robot.date.addingTimeInterval(3_600))
        // A hundredth of them: those whose numbers end with 01.
        for index in 0..<20 {
            try await brain.remember(last, 100 * index)
            let owner = User(id: User.ID(adapter: "test", value: "u\(index)"), name: "u\(index)")
            let room = Room(id: Room.ID(adapter: "test", value: "#r\(index)"))
            _ = try await ScheduleBook(robot: robot.robot).add(at: date) { number in
                CommandSchedule(
                    number: number, command: "ping", owner: owner, room: room, zone: "UTC", recurrence: nil)
            }
        }
        try await brain.remember(last, 2_000)
        #expect(await says("in an hour run ping") == ["I have too many schedules to keep another one."])
        #expect(await says("in an hour run ping").first?.hasPrefix("OK, ") == true)
    }

    // MARK: Absence

    @Test func `what was missed doesn't run later, and the owner of a single command learns that`() async {
        _ = await says("every hour run echo tick")
        _ = await says("in 30 minutes run echo bell")
        let second = Self.makeRobot(brain)
        await second.jump(to: .hours(3) + .minutes(10))
        _ = await second.words(in: .minutes(5))
        #expect(
            second.lines.map(\.utterance.content)
                == ["I was away at the time for \"echo bell\" (00:30), so I haven't run it."])
        #expect(await second.words(in: .minutes(45)) == ["#test: tick"])
    }
}

/// Schedules on networks with private messages.
@Suite(.timeLimit(.minutes(15))) struct PrivateScheduleTests {
    private let irc = PrivateNetwork("irc")
    private let robot: TestRobot

    init() {
        robot = TestRobot(
            name: "hubot", settings: ["TIME_ZONE": "UTC"], networks: [irc, PrivateNetwork("xmpp")], Diagnostics(),
            Schedules())
    }

    @Test func `what is asked for in private runs in private, under the owner's present name`() async {
        #expect(
            await irc.hears("every day at 9:00 run ping", from: "ada")
                == ["OK, I'll run \"ping\" every day at 09:00 (UTC), first at 09:00. (Schedule 1)"])
        _ = irc.takeDelivered()
        irc.show("ada", as: "ada2")
        _ = await robot.words(until: .hours(9))
        #expect(irc.takeDelivered() == ["ada2: PONG"])
        // Nobody else gets it.
        irc.show("ada", as: "ada", isAnonymous: true)
        _ = await robot.words(until: .hours(33))
        irc.show("ada", as: nil)
        _ = await robot.words(until: .hours(57))
        #expect(irc.takeDelivered() == [])
        irc.show("ada", as: "ada")
        _ = await robot.words(until: .hours(81))
        #expect(irc.takeDelivered() == ["ada: PONG"])
    }

    @Test func `what is private is listed and changed by its owner only`() async {
        _ = await irc.hears("every day at 9:00 run ping", from: "ada")
        let none = "You have no schedules. To make one, say: every weekday at 9:00 run echo good morning"
        // Somebody else has the name now.
        #expect(await irc.hears("schedules", from: "ada", isAnonymous: true) == [none])
        #expect(
            await irc.hears("schedules", from: "ada")
                == ["1: ping, every day at 09:00 (UTC), next at 09:00"])
        #expect(
            await irc.hears("schedule update 1 echo tea", from: "ada") == ["OK, schedule 1 has the new command."])
    }

    @Test func `nobody has rights on another network`() async {
        #expect(
            await irc.hears("every day at 9:00 run ping in xmpp:dev", from: "ada")
                == ["Say that to me on xmpp, so that I know your rights there."])
    }
}

/// The room at the end of a command.
@Suite struct PlacedCommandTests {
    @Test(
        arguments: [
            ("weather in Rome in #dev", "weather in Rome", "#dev"), ("weather in Rome", "weather in Rome", nil),
            ("ping  IN  irc:#dev", "ping", "irc:#dev"),
            ("ping in xmpp:dev@example.org", "ping", "xmpp:dev@example.org"),
            ("ping in smtp:dev", "ping in smtp:dev", nil), ("in #dev", "in #dev", nil), ("ping #dev", "ping #dev", nil),
            ("ping in #", "ping in #", nil), ("echo a\nb in &ops", "echo a\nb", "&ops"), ("ping", "ping", nil),
            ("", "", nil), ("disable Pugs in #dev in #ops", "disable Pugs in #dev", "#ops")
        ] as [(String, String, String?)])
    func `a room after the word in is where the command runs`(_ typed: String, _ command: String, _ room: String?) {
        let placed = PlacedCommand(typed[...], networks: ["irc", "xmpp"])
        #expect(placed.command == command)
        #expect(placed.room.map(String.init) == room)
    }

    @Test func `a long text is no command with a room`() {
        let long = String(repeating: "a\u{301}", count: 20_000) + " in #dev"
        #expect(PlacedCommand(long[...], networks: []).room == nil)
    }
}
