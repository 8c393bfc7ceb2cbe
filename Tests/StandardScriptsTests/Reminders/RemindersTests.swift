import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

/// The commands for reminders on one network, without private messages.
///
/// The clock begins on Monday, 1 January 2001, at 0:00 UTC.
@Suite(.timeLimit(.minutes(15))) struct RemindersTests {
    private let robot = TestRobot(
        name: "hubot", admins: ["root"], settings: ["TIME_ZONE": "UTC"], Clock(), Descriptions(), Diagnostics(),
        OnCall(), Reminders())

    private func says(_ text: String, from user: String = "alice", in room: String = "#test") async -> [String] {
        await robot.hears("hubot \(text)", from: user, in: room).map(\.content)
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    // MARK: Making

    @Test(arguments: [
        ("me in 20 minutes to call ada", "at 00:20", "call ada"),
        ("me to water the plants in 2 hours", "at 02:00", "water the plants"),
        ("me tomorrow at 9 to write", "tomorrow at 09:00", "write"),
        ("me on friday 17:30 about the party", "on Friday at 17:30", "the party"),
        ("me: in 20 minutes: tea", "at 00:20", "tea"), ("me tomorrow to buy milk", "tomorrow at 09:00", "buy milk"),
        ("me on 3 March at noon that spring is near", "on 3 March at 12:00", "spring is near"),
        ("me in an hour to say that ada is on call", "at 01:00", "say that ada is on call")
    ])
    func `a reminder is confirmed, and said when it is due`(_ request: String, _ time: String, _ text: String) async {
        #expect(await says("remind \(request)") == ["OK, I'll remind you \(time) (UTC). (Reminder 1)"])
        let due = try? await ReminderBook(robot: robot.robot).entry(number: 1)?.date
        guard let due else {
            Issue.record("there is no reminder")
            return
        }
        #expect(await robot.words(until: .seconds(due.timeIntervalSinceReferenceDate)) == ["#test: Reminder: \(text)"])
        #expect(robot.lines.last?.utterance == .reply("Reminder: \(text)"))
        #expect(robot.lines.last?.envelope.user?.name == "alice")
        #expect(await says("reminders").first?.hasPrefix("You have no reminders.") == true)
        #expect(robot.loggedProblems == [])
    }

    @Test func `it comes at its second`() async {
        _ = await says("remind me in 20 minutes to call ada")
        #expect(await robot.words(in: .seconds(1_199)) == [])
        #expect(await robot.words(in: .seconds(1)) == ["#test: Reminder: call ada"])
        #expect(await robot.words(in: .hours(1)) == [])
    }

    @Test func `someone else is reminded, and learns by whom`() async {
        _ = await says("ping", from: "bob")
        #expect(
            await says("remind @bob tomorrow at 9 that the review begins")
                == ["OK, I'll remind bob tomorrow at 09:00 (UTC). (Reminder 1)"])
        #expect(await says("remind zoe tomorrow at 9 to wake up") == ["I don't know anyone called zoe."])
        #expect(await robot.words(until: .hours(33)) == ["#test: Reminder from alice: the review begins"])
        #expect(robot.lines.last?.envelope.user?.name == "bob")
    }

    @Test func `several people are reminded at once`() async {
        for name in ["bob", "carol"] { _ = await says("ping", from: name) }
        #expect(
            await says("remind bob, carol and me tomorrow at 9:00 to eat")
                == ["OK, I'll remind bob, carol and you tomorrow at 09:00 (UTC). (Reminders 1, 2 and 3)"])
        #expect(
            await says("remind bob and @bob tomorrow at 9:00 to write")
                == ["OK, I'll remind bob tomorrow at 09:00 (UTC). (Reminder 4)"])
        let text = "#test: Reminder from alice: eat"
        #expect(
            await robot.words(until: .hours(33)).sorted()
                == [text, text, "#test: Reminder from alice: write", "#test: Reminder: eat"])
        #expect(Set(robot.lines.suffix(4).map { $0.envelope.user?.name }) == ["bob", "carol", "alice"])
        #expect(robot.loggedProblems == [])
    }

    @Test func `of several people, all are reminded or none`() async {
        for name in ["bob", "carol"] { _ = await says("ping", from: name) }
        #expect(await says("remind bob and zoe at 9:00 to eat") == ["I don't know anyone called zoe."])
        #expect(await says("remind bob, zoe at 9:00 to eat") == ["I don't know anyone called zoe."])
        #expect(
            await says("remind us and bob at 9:00 to eat")
                == ["I can remind several people, or one room, at once. For a room, say it again."])
        let many = (0...10).map { "u\($0)" }.joined(separator: ",")
        #expect(
            await says("remind \(many) at 9:00 to eat")
                == ["That's too many people for me: I can remind 10 at once."])
        #expect(
            await says("remind , at 9:00 to eat")
                == ["Remind whom? Say it as in: remind ada tomorrow at 9:00 to call me."])
        for hour in 10...12 { _ = await says("remind bob every day at \(hour):00 to eat") }
        #expect(
            await says("remind carol and bob every day at 15:00 to eat")
                == ["You have 3 repeated reminders for them, and that's all I can keep."])
        #expect(await says("reminders", from: "carol").first?.hasPrefix("You have no reminders.") == true)
    }

    @Test func `without a name, the reminder is for the person who asks`() async {
        #expect(await says("remind to eat in 5m") == ["OK, I'll remind you at 00:05 (UTC). (Reminder 1)"])
        #expect(await says("remind at 5 PM to go home") == ["OK, I'll remind you at 17:00 (UTC). (Reminder 2)"])
    }

    @Test func `a room is reminded again and again`() async {
        #expect(
            await says("remind us every weekday at 9:30 that standup begins")
                == ["OK, I'll remind this room every weekday at 09:30 (UTC), first at 09:30. (Reminder 1)"])
        for day in 0..<8 {
            let said = await robot.words(until: .hours(24 * day + 9) + .minutes(30))
            #expect(said == ([5, 6].contains(day) ? [] : ["#test: Reminder from alice: standup begins"]), "\(day)")
        }
        #expect(robot.lines.last?.utterance == .text("Reminder from alice: standup begins"))
        #expect(
            await says("reminders for here")
                == ["1: this room, every weekday at 09:30 (UTC), next tomorrow at 09:30: standup begins"])
        _ = await says("cancel reminder 1")
        #expect(await robot.words(until: .hours(24 * 8 + 10)) == [])
    }

    @Test func `only admins have it speak in a room where they aren't`() async {
        let refusal = "Only those who are in #dev, and my admins, may have me speak there."
        #expect(await says("remind #dev tomorrow at 9 that it rains") == [refusal])
        #expect(await says("reminders for #dev") == [refusal])
        #expect(
            await says("remind #dev at 9:00 that it rains", from: "root")
                == ["OK, I'll remind #dev at 09:00 (UTC). (Reminder 1)"])
        #expect(await robot.words(until: .hours(9)) == ["#dev: Reminder from root: it rains"])
    }

    @Test func `times are in the time zone of the person, or of the room that is reminded`() async {
        _ = await says("my time zone is Asia/Tokyo")
        #expect(
            await says("remind me at 12:00 to eat") == ["OK, I'll remind you at 12:00 (JST). (Reminder 1)"])
        #expect(await says("remind us at 12:00 to eat")[0].contains("at 12:00 (JST)"))
        _ = await says("set the room's timezone to Europe/Rome", from: "root")
        #expect(await says("remind us at 12:00 to eat")[0].contains("at 12:00 (CET)"))
        #expect(await robot.words(until: .hours(3)).count == 2)
        #expect(await robot.words(until: .hours(11)).count == 1)
    }

    @Test func `what recurs stays at its time of day when daylight saving time begins`() async {
        _ = await says("set the room's timezone to Europe/Rome", from: "root")
        // 23 March 2001; daylight saving time begins on the 25th.
        robot.clock.advance(by: .hours(81 * 24 + 12))
        _ = await says("remind us every day at 9:00 to eat")
        #expect(await robot.words(until: .hours(82 * 24 + 8)).count == 1)
        #expect(await robot.words(until: .hours(83 * 24 + 7)).count == 1)
        #expect(await robot.words(until: .hours(83 * 24 + 8)) == [])
    }

    @Test func `of an ignored owner, and where reminders are disabled, none is delivered`() async throws {
        _ = await says("remind us in 20 minutes that tea is ready", from: "mallory")
        _ = await says("remind us every day at 9:00 that the day begins", from: "mallory")
        let mallory = User(id: User.ID(adapter: "test", value: "mallory"), name: "mallory")
        try await robot.robot.ignore(mallory)
        #expect(await robot.words(in: .minutes(20)) == [])
        #expect(await robot.words(until: .hours(9)) == [])
        try await robot.robot.ignore(mallory, false)
        #expect(
            await says("reminders", from: "mallory")
                == ["2: this room, every day at 09:00 (UTC), next tomorrow at 09:00: the day begins"])
        try await robot.robot.turn("Reminders", on: false, in: "#test")
        #expect(await robot.words(until: .hours(33)) == [])
        try await robot.robot.turn("Reminders", on: true, in: "#test")
        #expect(await robot.words(until: .hours(57)) == ["#test: Reminder from mallory: the day begins"])
        #expect(robot.loggedProblems == [])
    }

    // MARK: Questions

    @Test func `what can mean two times is asked back`() async {
        #expect(
            await says("remind me tomorrow at 5 to call grace") == ["Do you mean 05:00 or 17:00?"])
        // The answer needs no name, and only the author's counts.
        #expect(await robot.hears("17:00", from: "bob") == [])
        #expect(
            await robot.hears("17:00").map(\.content)
                == ["OK, I'll remind you tomorrow at 17:00 (UTC). (Reminder 1)"])
        #expect(await robot.words(until: .hours(41)) == ["#test: Reminder: call grace"])
    }

    @Test func `a time that is missing is asked back`() async {
        let question = ["When? Say it as in: in 20 minutes, tomorrow at 9:00, or every weekday at 9:30."]
        #expect(await says("remind me to eat") == question)
        #expect(await says("dunno") == question)
        #expect(
            await robot.hears("in an hour").map(\.content) == ["OK, I'll remind you at 01:00 (UTC). (Reminder 1)"])
        #expect(await robot.words(until: .hours(1)) == ["#test: Reminder: eat"])
    }

    @Test(arguments: [("next fryday to eat", "next fryday"), ("to eat on wendesday", "on wendesday")])
    func `a misspelled day is named in the question`(_ typed: String, _ day: String) async {
        let question = "I don't understand the time \"\(day)\". Which time do you mean?"
        #expect(await says("remind me \(typed)") == [question])
        #expect(
            await robot.hears("in an hour").map(\.content) == ["OK, I'll remind you at 01:00 (UTC). (Reminder 1)"])
        #expect(await robot.words(until: .hours(1)) == ["#test: Reminder: eat"])
    }

    @Test func `a time that is over is asked back, and the user may give up`() async {
        let questions = await says("remind me yesterday at 9 to eat")
        #expect(questions.first?.hasSuffix("is over. Which time do you mean?") == true)
        #expect(await robot.hears("never mind").map(\.content) == ["OK, never mind."])
        #expect(await says("reminders").first?.hasPrefix("You have no reminders.") == true)
        _ = await says("remind me yesterday at 9 to eat")
        _ = await says("huh")
        #expect(await says("what?") == ["I don't understand that as a time, so I've left it."])
    }

    @Test(arguments: ["yes", "tomorrow"])
    func `if a time of today is over, tomorrow is proposed`(_ answer: String) async {
        _ = await says("reminders")
        robot.clock.advance(by: .hours(12))
        #expect(
            await says("remind me today at 9:00 to eat")
                == ["\"today at 9:00\" is over. Do you mean tomorrow at 9:00?"])
        #expect(
            await robot.hears(answer).map(\.content)
                == ["OK, I'll remind you tomorrow at 09:00 (UTC). (Reminder 1)"])
        #expect(await robot.words(until: .hours(33)) == ["#test: Reminder: eat"])
    }

    private let left = "You went on to something else, so I've left that."

    @Test func `what is said to others is no answer, and a command closes the question`() async {
        let question = ["When? Say it as in: in 20 minutes, tomorrow at 9:00, or every weekday at 9:30."]
        #expect(await says("remind me to eat") == question)
        #expect(await robot.hears("bob, are you there?") == [])
        #expect(await says("ping") == [left, "PONG"])
        await robot.robot.inFlight.waitUntilIdle()
        #expect(await robot.hears("in an hour") == [])
        #expect(await says("reminders").first?.hasPrefix("You have no reminders.") == true)
        #expect(await says("remind me to eat") == question)
        #expect(await robot.hears("tea, anyone?") == [])
        #expect(
            await says("in an hour") == ["OK, I'll remind you at 01:00 (UTC). (Reminder 1)"])
        #expect(await robot.words(until: .hours(1)) == ["#test: Reminder: eat"])
        #expect(robot.loggedProblems == [])
    }

    @Test func `in private, everything is said to the robot`() async {
        let question = ["When? Say it as in: in 20 minutes, tomorrow at 9:00, or every weekday at 9:30."]
        func says(_ text: String) async -> [String] {
            await robot.hears(text, from: "alice", in: "alice").map(\.content)
        }
        #expect(await says("remind me to eat") == question)
        #expect(await says("dunno") == question)
        #expect(await says("ping") == [left, "PONG"])
        #expect(await says("in an hour") == [])
    }

    @Test func `what looks like a time and is none is asked back, and isn't left in the text`() async {
        #expect(
            await says("remind me friday at 25:00 to eat")
                == ["I don't understand the time \"friday at 25:00\". Which time do you mean?"])
        #expect(
            await robot.hears("15:00").map(\.content)
                == ["OK, I'll remind you on Friday at 15:00 (UTC). (Reminder 1)"])
        #expect(
            await says("remind me 61 * * * * to sleep") == [
                "I don't understand \"61\" as the minute of a cron expression: say 0 to 59, *, a list or a range."
            ])
        #expect(
            await robot.hears("by cron 0 22 * * *").map(\.content)
                == ["OK, I'll remind you by cron 0 22 * * * (UTC), first at 22:00. (Reminder 2)"])
        #expect(await robot.words(until: .hours(22)) == ["#test: Reminder: sleep"])
        #expect(await robot.words(until: .hours(4 * 24 + 15)).last == "#test: Reminder: eat")
    }

    @Test func `a cron expression may be introduced`() async {
        let time = "by cron 0 9 * * 1-5 (UTC), first at 09:00."
        #expect(
            await says("remind us by cron 0 9 * * 1-5 that the day begins")
                == ["OK, I'll remind this room \(time) (Reminder 1)"])
        #expect(
            await says("remind us 0 9 * * 1-5 that the day begins")
                == ["OK, I'll remind this room \(time) (Reminder 2)"])
    }

    @Test func `what can't be a reminder is refused`() async {
        #expect(
            await says("remind me in 20 minutes to")
                == ["Remind you of what? Say it as in: remind me in 20 minutes to call ada."])
        for time in ["every minute", "0,30,31 9 * * *", "* 1 * * *"] {
            #expect(
                await says("remind me \(time) to breathe")
                    == ["That's too often for me: every five minutes is the most."], "\(time)")
        }
        let long = String(repeating: "x", count: 501)
        #expect(
            await says("remind me in 20 minutes to \(long)")
                == ["That's too long for a reminder: 500 characters are the most."])
        #expect(await says("remind me in 20 minutes to \(long.dropLast())").first?.hasPrefix("OK, ") == true)
        #expect(
            await says("remind bob in private tomorrow at 9 to eat") == ["I don't know anyone called bob."])
        #expect(
            await says("remind me in private tomorrow at 9 to eat") == ["I can't send direct messages on test."])
        #expect(
            await says("remind us when they are back to eat")
                == ["I can wait for a person, but not for a room."])
    }

    @Test func `nobody can have too many`() async {
        for number in 1...50 {
            #expect(await says("remind me in \(number) hours to eat").first?.hasPrefix("OK, ") == true)
        }
        #expect(
            await says("remind me tomorrow at 9 to eat")
                == ["You have 50 reminders, and that's all I can keep. To see them, say: reminders."])
        #expect(await says("reminders").first?.split(separator: "\n").count == 21)
        #expect(await says("reminders").first?.hasSuffix("\n… and 30 more") == true)
        #expect(await robot.words(until: .hours(1)).count == 1)
        #expect(await says("remind me tomorrow at 9 to eat").first?.hasPrefix("OK, ") == true)
    }

    @Test func `a room can't have too many that recur`() async {
        for number in 0..<20 {
            let answers = await says("remind us every day at 9:\(number + 10) to eat", from: "user\(number)")
            #expect(answers.first?.hasPrefix("OK, ") == true)
        }
        #expect(
            await says("remind us every day at 9:00 to eat")
                == ["There are 20 repeated reminders for that room, and that's all I can keep."])
        #expect(await says("remind us tomorrow at 9:00 to eat").first?.hasPrefix("OK, ") == true)
    }

    @Test func `all together can't have too many either`() async throws {
        // The first message opens the brain.
        _ = await says("ping")
        let (brain, last) = (robot.robot.brain, BrainKey<Int>("reminders.last"))
        let date = robot.robot.date.addingTimeInterval(3_600)
        // A hundredth of them: those whose numbers end with 01.
        for index in 0..<200 {
            try await brain.remember(last, 100 * index)
            let owner = User(id: User.ID(adapter: "test", value: "u\(index)"), name: "u\(index)")
            _ = try await ReminderBook(robot: robot.robot).add(at: date) { number in
                Reminder(
                    number: number, text: "eat", owner: owner, origin: nil, author: nil, place: nil,
                    destination: .person(owner, room: nil), zone: "UTC", recurrence: nil, waits: false)
            }
        }
        try await brain.remember(last, 20_000)
        let refusal = ["I have too many reminders to keep another one."]
        #expect(await says("remind me tomorrow at 9 to eat") == refusal)
        #expect(await says("reminders").first?.hasPrefix("You have no reminders.") == true)
        _ = await says("cancel reminder 1", from: "root")
        try await brain.remember(last, 20_000)
        #expect(await says("remind me tomorrow at 9 to eat").first?.hasPrefix("OK, ") == true)
    }

    // MARK: Lists and snoozing

    @Test func `reminders are listed, and canceled by those whom they concern`() async {
        _ = await says("ping", from: "bob")
        _ = await says("remind me tomorrow at 9 to write")
        _ = await says("remind bob in 20 minutes to call ada")
        let lines = ["2: bob, at 00:20 (UTC): call ada\n1: you, tomorrow at 09:00 (UTC): write"]
        for text in ["reminders", "list my reminders", "what will you remind me about?", "reminder list"] {
            #expect(await says(text) == lines, "\(text)")
        }
        #expect(await says("reminders", from: "bob") == ["2: you, at 00:20 (UTC): call ada"])
        let unknown = "To see yours, say: reminders."
        #expect(await says("cancel reminder 1", from: "bob") == ["You have no reminder 1. \(unknown)"])
        #expect(await says("cancel reminder 7") == ["You have no reminder 7. \(unknown)"])
        #expect(await says("forget reminder #2", from: "bob") == ["I've canceled reminder 2: call ada"])
        #expect(await says("delete reminder 1", from: "root") == ["I've canceled reminder 1: write"])
        #expect(await robot.words(until: .hours(33)) == [])
    }

    @Test func `all reminders that a person has made can be canceled at once`() async {
        _ = await says("ping", from: "bob")
        #expect(await says("cancel all reminders") == ["You have made no reminders."])
        _ = await says("remind me tomorrow at 9:00 to write")
        _ = await says("remind bob in 20 minutes to call ada")
        _ = await says("remind alice tomorrow at 9:00 to eat", from: "bob")
        _ = await says("remind me in 30 minutes to fire bob", in: "#sec")
        #expect(
            await says("cancel all my reminders")
                == ["OK, I've canceled 3 reminders: 2 (call ada), 4 and 1 (write)."])
        #expect(await says("reminders") == ["3: you, tomorrow at 09:00 (UTC): eat"])
        #expect(await robot.words(until: .hours(2)) == [])
        for number in 1...12 { _ = await says("remind me in \(number) hours to eat", from: "carol") }
        let answer = await says("cancel all reminders", from: "carol").first
        #expect(answer?.hasPrefix("OK, I've canceled 12 reminders: 5 (eat), 6 (eat), ") == true)
        #expect(answer?.hasSuffix(" 14 (eat) and 2 more.") == true)
        #expect(await says("reminders", from: "carol").first?.hasPrefix("You have no reminders.") == true)
    }

    @Test func `a room's reminders are listed for all who are in it, with the reader's times`() async {
        _ = await says("remind us every day at 9:00 that the day begins", from: "bob")
        _ = await says("remind us at 12:00 to eat", from: "bob")
        let day = "1: this room, every day at 09:00 (UTC), next at"
        #expect(
            await says("reminders", from: "bob")
                == ["\(day) 09:00: the day begins\n2: this room, at 12:00 (UTC): eat"])
        _ = await says("my time zone is Asia/Tokyo")
        #expect(
            await says("reminders")
                == ["\(day) 18:00 (JST): the day begins\n2: this room, at 21:00 (JST): eat"])
        #expect(await says("reminders", in: "#ops").first?.hasPrefix("You have no reminders.") == true)
        #expect(await says("reminders", in: "alice").first?.hasPrefix("You have no reminders.") == true)
    }

    @Test func `a list cuts long texts`() async {
        _ = await says("remind me at 12:00 to \(String(repeating: "x", count: 400))")
        let line = await says("reminders").first
        #expect(line?.hasPrefix("1: you, at 12:00 (UTC): xxx") == true)
        #expect(line?.hasSuffix("x…") == true)
        #expect(line.map { $0.count < 150 } == true)
    }

    @Test func `in a room, what is neither for it nor was asked for in it is only counted`() async {
        _ = await says("remind me in 20 minutes to fire bob", in: "#sec")
        _ = await says("remind me in 30 minutes to eat")
        #expect(
            await says("reminders") == ["2: you, at 00:30 (UTC): eat\n1 more elsewhere; ask me in private."])
        #expect(await says("reminders", in: "#ops") == ["You have 2 reminders elsewhere; ask me in private."])
        #expect(
            await says("reminders", in: "alice")
                == ["1: you in #sec, at 00:20 (UTC): fire bob\n2: you in #test, at 00:30 (UTC): eat"])
        #expect(await says("cancel reminder 1") == ["I've canceled reminder 1."])
        _ = await says("remind #dev at 9:00 that it rains", from: "root")
        #expect(await says("reminders", from: "root") == ["3: #dev, at 09:00 (UTC): it rains"])
        #expect(
            await says("reminders", from: "root", in: "#ops")
                == ["You have 1 reminder elsewhere; ask me in private."])
    }

    @Test func `a reminder can be snoozed by the person who got it`() async {
        #expect(await says("snooze") == ["I haven't reminded you of anything since yesterday."])
        _ = await says("remind me in 20 minutes to call ada")
        _ = await robot.words(in: .minutes(20))
        #expect(await says("snooze", from: "bob") == ["I haven't reminded you of anything since yesterday."])
        for _ in 0..<2 {
            #expect(await says("snooze") == ["OK, I'll remind you again at 00:30 (UTC). (Reminder 2)"])
        }
        #expect(await robot.words(in: .minutes(10)) == ["#test: Reminder: call ada"])
        #expect(
            await says("snooze until tomorrow at 9")
                == ["OK, I'll remind you again tomorrow at 09:00 (UTC). (Reminder 3)"])
        #expect(await robot.words(until: .hours(33)) == ["#test: Reminder: call ada"])
        #expect(await says("snooze every day") == ["Until when? Say it as in: snooze 10 minutes."])
        robot.clock.advance(by: .hours(25))
        #expect(await says("snooze 5") == ["I haven't reminded you of anything since yesterday."])
    }

    @Test func `snoozing again moves the same reminder, never somebody else's`() async {
        _ = await says("remind me in 10 minutes to call ada")
        _ = await says("remind us in 20 minutes that tea is ready", from: "bob")
        _ = await robot.words(in: .minutes(20))
        // The last one was the room's.
        #expect(await says("snooze") == ["OK, I'll remind this room again at 00:30 (UTC). (Reminder 3)"])
        #expect(
            await says("snooze 20 minutes")
                == ["OK, I'll remind this room again at 00:40 (UTC). (Reminder 3)"])
        // Another one doesn't move it.
        #expect(
            await says("snooze 5 minutes", from: "carol")
                == ["OK, I'll remind this room again at 00:25 (UTC). (Reminder 4)"])
        #expect(await robot.words(in: .minutes(15)) == ["#test: Reminder from bob: tea is ready"])
        #expect(await robot.words(in: .minutes(10)) == ["#test: Reminder from bob: tea is ready"])
    }

    @Test func `each person snoozes what came last for them`() async {
        _ = await says("remind us in 10 minutes that tea is ready", from: "bob")
        _ = await says("remind me in 20 minutes to call ada")
        _ = await robot.words(in: .minutes(20))
        #expect(await says("snooze") == ["OK, I'll remind you again at 00:30 (UTC). (Reminder 3)"])
        let room = "OK, I'll remind this room again at 00:30 (UTC)."
        #expect(await says("snooze", from: "bob") == ["\(room) (Reminder 4)"])
        // What was canceled is made again.
        _ = await says("cancel reminder 4", from: "bob")
        #expect(await says("snooze", from: "bob") == ["\(room) (Reminder 5)"])
        #expect(
            await robot.words(in: .minutes(10)).sorted()
                == ["#test: Reminder from bob: tea is ready", "#test: Reminder: call ada"])
    }

    @Test func `what was delivered is forgotten when it can't be snoozed any more`() async throws {
        _ = await says("remind me in 20 minutes to call ada")
        _ = await robot.words(in: .minutes(20))
        #expect(try await robot.robot.brain.keys(of: "reminders.delivered", atMost: 10) == ["user test:alice"])
        await robot.jump(to: .hours(49))
        #expect(try await robot.robot.brain.keys(of: "reminders.delivered", atMost: 10) == [])
    }

    @Test func `one that recurs goes on when it is snoozed`() async {
        _ = await says("remind us every day at 9:00 that the day begins")
        _ = await robot.words(until: .hours(9))
        #expect(
            await says("snooze for 2h", from: "bob")
                == ["OK, I'll remind this room again at 11:00 (UTC). (Reminder 2)"])
        #expect(await robot.words(until: .hours(11)) == ["#test: Reminder from alice: the day begins"])
        #expect(await robot.words(until: .hours(33)) == ["#test: Reminder from alice: the day begins"])
    }

    @Test(
        arguments: [
            (nil, "in 10 minutes"), ("10", "10 minutes"), ("for 10 minutes", "10 minutes"), ("till noon", "noon"),
            ("1h", "1h")
        ] as [(String?, String)])
    func `the time of a snooze has short forms`(_ typed: String?, _ time: String) {
        #expect(Reminders.snoozeTime(typed.map { $0[...] }) == time)
    }
}
