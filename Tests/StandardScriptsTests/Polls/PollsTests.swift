import Foundation
import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite(.timeLimit(.minutes(15))) struct PollsTests {
    private let brain = Brain(store: MemoryStore())
    private let robot: TestRobot

    init() { robot = Self.makeRobot(brain) }

    private static func makeRobot(_ brain: Brain) -> TestRobot {
        TestRobot(name: "hubot", admins: ["root"], brain: brain, settings: ["TIME_ZONE": "UTC"], Polls())
    }

    private static func makeRobot(
        _ irc: PrivateNetwork, _ brain: Brain = Brain(store: MemoryStore())
    ) -> TestRobot {
        TestRobot(
            name: "hubot", admins: ["irc:root"], brain: brain, settings: ["TIME_ZONE": "UTC"], networks: [irc], Polls())
    }

    private func says(_ text: String, from user: String = "alice", in room: String = "#test") async -> [String] {
        await robot.hears("hubot \(text)", from: user, in: room).map(\.content)
    }

    private static let noPoll = "No poll is open here. To start one, say: poll lunch: pizza, curry"

    @Test(arguments: ["lunch", "lunch pizza, curry"])
    func `a poll without a colon says how to write it`(_ order: String) async {
        let answer = "Write the choices after a colon, as in: poll lunch until 12:30: pizza, curry"
        #expect(await says("poll \(order)") == [answer])
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test func `people vote, change their votes, and the room gets the result after a day`() async {
        #expect(
            await says("poll lunch: pizza, curry, soup") == [
                """
                Poll 1: lunch
                1. pizza
                2. curry
                3. soup
                Tell me: vote <number>. It ends on Tuesday, 2 January at 00:00 (UTC).
                """
            ])
        #expect(await says("vote 1") == ["Poll 1: you vote for pizza."])
        #expect(await says("vote for cur", from: "bob") == ["Poll 1: you vote for curry."])
        #expect(await says("vote Soup", from: "carol") == ["Poll 1: you vote for soup."])
        #expect(await says("vote 2") == ["Poll 1: you vote for curry now, and no longer for pizza."])
        #expect(await says("vote 2") == ["Poll 1: you vote for curry."])
        #expect(
            await says("polls") == [
                """
                Poll 1: lunch (3 votes, until Tuesday, 2 January at 00:00 (UTC))
                1. pizza
                2. curry: alice, bob
                3. soup: carol
                """
            ])
        #expect(await robot.advance(by: .hours(23)) == [])
        #expect(
            await robot.advance(by: .hours(2)).map(\.utterance) == [
                .text(
                    """
                    Poll 1 is over: lunch
                    curry: 2 (alice, bob)
                    soup: 1 (carol)
                    pizza: 0
                    curry wins with 2 of 3 votes.
                    """)
            ])
        #expect(await robot.advance(by: .minutes(10)) == [])
        #expect(robot.loggedProblems == [])
    }

    @Test func `a poll ends at the time that its author names`() async {
        _ = await says("poll lunch for 20 minutes: pizza, curry")
        _ = await says("vote 2")
        _ = await says("vote 1", from: "bob")
        _ = await robot.advance(by: .minutes(21))
        #expect(
            robot.said(in: "#test").last
                == .text(
                    "Poll 1 is over: lunch\npizza: 1 (bob)\ncurry: 1 (alice)\n"
                        + "It's a tie: pizza, curry, 1 of 2 votes each."))
    }

    @Test func `its author and admins can end it early, and others can't`() async {
        _ = await says("poll lunch: pizza, curry")
        _ = await says("poll shall we go out?", from: "bob")
        #expect(await says("end poll 1", from: "bob") == ["Only alice and my admins may end poll 1."])
        #expect(await says("end poll 1") == ["OK, I'm counting the votes of poll 1."])
        #expect(await says("end poll 1") == ["There is no open poll 1. Open are: 2 (shall we go out?)."])
        #expect(await says("vote 1 in poll 1") == ["Poll 1 is over: lunch\nNobody has voted."])
        #expect(
            await robot.advance(by: .seconds(1)).map(\.utterance.content)
                == ["Poll 1 is over: lunch\nNobody has voted."])
        #expect(await says("close the poll", from: "root") == ["OK, I'm counting the votes of poll 2."])
        _ = await robot.advance(by: .seconds(1))
        #expect(robot.said(in: "#test").last == .text("Poll 2 is over: shall we go out?\nNobody has voted."))
        // Their timers are gone too.
        #expect(await robot.advance(by: .hours(25)) == [])
    }

    @Test func `where nobody could vote in private, there is no secret poll`() async {
        #expect(
            await robot.hears("hubot secret poll boss: ada, grace").map(\.content)
                == ["I can't see who is in this room, so nobody could vote in private. Start an open poll."])
    }

    @Test func `somebody who votes from two places has one vote`() async {
        let irc = PrivateNetwork("irc")
        let robot = Self.makeRobot(irc)
        _ = await irc.hears("hubot poll lunch: pizza, curry", from: "ada", in: "#dev")
        func vote(_ choice: Int, from user: String, at origin: String) async {
            _ = await irc.hears("hubot vote \(choice)", from: user, in: "#dev", isAnonymous: true, origin: origin)
        }
        await vote(1, from: "bob", at: "one")
        await vote(2, from: "alice", at: "two")
        await vote(1, from: "bob", at: "two")
        let states = await irc.hears("hubot polls", from: "bob", in: "#dev")
        #expect(states.first?.contains("(1 vote, ") == true, "\(states)")
        withExtendedLifetime(robot) {}
    }

    @Test func `in a secret poll, people vote in private, and only the numbers are posted`() async {
        let irc = PrivateNetwork("irc")
        irc.setMembers(["alice", "bob", "carol"], of: "#dev")
        let robot = Self.makeRobot(irc)
        #expect(
            await irc.hears("hubot secret poll boss: ada, grace", from: "alice", in: "#dev") == [
                """
                Secret poll 1: boss
                1. ada
                2. grace
                Tell me in private: vote <number> in irc:#dev. It ends on Tuesday, 2 January at 00:00 (UTC).
                """
            ])
        #expect(
            await irc.hears("hubot vote 1", from: "alice", in: "#dev")
                == ["Poll 1 is secret. Vote in private: vote <number> in irc:#dev"])
        #expect(await irc.hears("vote 2 in #dev", from: "alice") == ["Poll 1: you vote for grace."])
        #expect(
            await irc.hears("vote 1 in #dev", from: "alice")
                == ["Poll 1: you vote for ada now, and no longer for grace."])
        #expect(await irc.hears("vote 2 in poll 1 in #dev", from: "bob") == ["Poll 1: you vote for grace."])
        #expect(await irc.hears("vote 1 in irc:#dev", from: "carol") == ["Poll 1: you vote for ada."])
        #expect(
            await irc.hears("hubot polls", from: "bob", in: "#dev")
                == ["Secret poll 1: boss (3 votes, until Tuesday, 2 January at 00:00 (UTC))\n1. ada\n2. grace"])
        _ = await robot.advance(by: .hours(25))
        #expect(
            irc.takeDelivered().last
                == "#dev: Poll 1 is over: boss\nada: 2\ngrace: 1\nada wins with 2 of 3 votes.")
    }

    @Test func `an anonymous user who changes the nick has one vote`() async {
        let irc = PrivateNetwork("irc")
        let robot = Self.makeRobot(irc)
        func vote(_ choice: Int, _ nick: String, _ origin: String?) async {
            _ = await irc.hears("hubot vote \(choice)", from: nick, in: "#dev", isAnonymous: true, origin: origin)
        }
        _ = await irc.hears("hubot poll lunch: pizza, curry", from: "alice", in: "#dev")
        await vote(2, "m", "m@example.org")
        await vote(1, "m2", "m@example.org")
        await vote(2, "m3", "m@example.org")
        await vote(1, "bob", "bob@example.org")
        await vote(1, "carol", nil)
        await vote(2, "carol", nil)
        _ = await robot.advance(by: .hours(25))
        #expect(
            irc.takeDelivered().last
                == "#dev: Poll 1 is over: lunch\ncurry: 2 (m3, carol)\npizza: 1 (bob)\ncurry wins with 2 of 3 votes.")
    }

    @Test func `the brain has only hashes of secret voters, and of where anonymous ones are`() async throws {
        let irc = PrivateNetwork("irc")
        let robot = Self.makeRobot(irc, brain)
        irc.setMembers(["roberta"], of: "#dev")
        _ = await irc.hears("hubot secret poll boss: ada, grace", from: "alice", in: "#dev")
        #expect(await irc.hears("vote 1 in #dev", from: "roberta") == ["Poll 1: you vote for ada."])
        _ = await irc.hears("hubot poll lunch: pizza, curry", from: "alice", in: "#dev")
        _ = await irc.hears(
            "hubot vote 1 in poll 2", from: "carol", in: "#dev", isAnonymous: true, origin: "c@example.org")
        let room = Room.ID(adapter: "irc", value: "#dev")
        let polls = try await Polls.PollBook(brain: brain).polls(in: room)
        #expect(polls.map(\.votes.count) == [1, 1])
        let text = String(decoding: try JSONEncoder().encode(polls), as: UTF8.self)
        #expect(text.contains("carol"))
        #expect(!text.contains("roberta"))
        #expect(!text.contains("c@example.org"))
        #expect(robot.loggedProblems == [])
    }

    @Test func `of several polls, the only one with such a choice is meant`() async {
        _ = await says("poll lunch: pizza, curry")
        _ = await says("poll shall we go out?")
        #expect(await says("vote curry") == ["Poll 1: you vote for curry."])
        #expect(await says("vote yes") == ["Poll 2: you vote for yes."])
    }

    @Test func `a number means the poll that had it, also after its end`() async {
        _ = await says("poll lunch for 20 minutes: pizza, curry")
        _ = await robot.advance(by: .minutes(21))
        #expect(await says("poll tea: green, black").first?.hasPrefix("Poll 2: tea") == true)
        #expect(await says("vote 1 in poll 1").first?.contains("lunch") == true)
        #expect(await says("vote 1") == ["Poll 2: you vote for green."])
    }

    @Test func `of several polls, one has to be named, and a room has five at most`() async {
        _ = await says("poll lunch: pizza, curry")
        let second = await says("poll place: here, there").first
        #expect(second?.contains("Tell me: vote <number> in poll 2.") == true)
        #expect(
            await says("vote 1") == [
                "Which poll? Say it as in \"vote 1 in poll 2\" or \"end poll 2\". Open are: 1 (lunch), 2 (place)."
            ])
        #expect(await says("vote 2 in poll 2") == ["Poll 2: you vote for there."])
        #expect(await says("vote 3 in poll 2") == ["Poll 2 has the choices 1 to 2."])
        #expect(await says("vote 0 in poll 2") == ["Poll 2 has the choices 1 to 2."])
        for number in 3...5 { _ = await says("poll \(number): a, b") }
        #expect(
            await says("poll more: a, b") == ["5 polls are open here. End one first, as in: end poll 1"])
        _ = await says("end poll 3")
        _ = await robot.advance(by: .seconds(1))
        #expect(await says("poll more: a, b").first?.hasPrefix("Poll 6: more") == true)
        #expect(await says("poll elsewhere: a, b", in: "#dev").first?.hasPrefix("Poll 1: elsewhere") == true)
    }

    @Test func `a choice that doesn't exist is refused`() async {
        _ = await says("poll lunch: pizza, pasta, curry")
        #expect(await says("vote pa") == ["Poll 1: you vote for pasta."])
        #expect(await says("vote sushi!") == ["Poll 1 has no choice sushi!. Vote by number, from 1 to 3."])
        #expect(await says("vote p") == ["Several choices of poll 1 begin with p. Vote by number, from 1 to 3."])
        #expect(await says("vote 4") == ["Poll 1 has the choices 1 to 3."])
    }

    @Test func `people vote as they write`() async {
        _ = await says("poll \"Lunch?\" \"ham, eggs\", Swift?, 30")
        #expect(await says("vote \"HAM, eggs\"") == ["Poll 1: you vote for ham, eggs."])
        #expect(
            await says("vote for swift?") == ["Poll 1: you vote for Swift? now, and no longer for ham, eggs."])
        #expect(await says("vote Ham!") == ["Poll 1: you vote for ham, eggs now, and no longer for Swift?."])
        #expect(await says("vote 30", from: "bob") == ["Poll 1: you vote for 30."])
        _ = await says("poll When? 9:30 or 10:00")
        #expect(await says("vote 9:30 in poll 2") == ["Poll 2: you vote for 9:30."])
        #expect(
            await says("vote 10 in poll #2", from: "bob") == ["Poll 2 has the choices 1 to 2."])
    }

    @Test func `who votes too late learns the result, for a week`() async throws {
        _ = await says("poll lunch: pizza, curry")
        _ = await says("vote 2")
        _ = await says("end poll")
        let result = "Poll 1 is over: lunch\ncurry: 1 (alice)\npizza: 0\ncurry wins with the only vote."
        #expect(await says("vote 1", from: "bob") == [result])
        #expect(await robot.advance(by: .seconds(1)).map(\.utterance.content) == [result])
        #expect(await says("vote 1", from: "bob") == [result])
        #expect(await says("vote 1 in poll 1", from: "bob") == [result])
        #expect(await says("vote 1 in poll 2", from: "bob") == [Self.noPoll])
        #expect(await says("vote 1", in: "#dev") == [Self.noPoll])
        // Another poll is meant now.
        _ = await says("poll place for 10 minutes: here, there")
        #expect(await says("vote 1", from: "bob") == ["Poll 2: you vote for here."])
        _ = await robot.advance(by: .minutes(11))
        #expect(await says("vote 1").first?.hasPrefix("Poll 2 is over: place\nhere: 1 (bob)\n") == true)
        _ = await robot.advance(by: .hours(7 * 24))
        #expect(await says("vote 1") == [Self.noPoll])
    }

    @Test func `the results of several polls are kept, and their numbers aren't used again`() async {
        _ = await says("poll lunch: pizza, curry")
        _ = await says("poll place: here, there")
        for number in [2, 1] {
            _ = await says("end poll \(number)")
            _ = await robot.advance(by: .seconds(1))
        }
        let place = ["Poll 2 is over: place\nNobody has voted."]
        #expect(await says("vote 1 in poll 2") == place)
        #expect(await says("vote 1 in poll 1") == ["Poll 1 is over: lunch\nNobody has voted."])
        #expect(await says("poll tea: green, black").first?.hasPrefix("Poll 3: tea") == true)
        #expect(await says("vote 1 in poll 2") == place)
    }

    @Test func `the only result that a former version kept isn't lost`() async throws {
        struct Outcome: Codable, Sendable {
            let number: Int
            let result: String
            let end: Date
        }
        _ = await says("polls")
        let former = Outcome(number: 4, result: "Poll 4 is over: tea", end: Date(timeIntervalSinceReferenceDate: 0))
        try await brain.remember(BrainCollection<Outcome>("polls.outcomes"), "test:#test", former)
        #expect(await says("vote 1") == ["Poll 4 is over: tea"])
        #expect(await says("poll lunch: pizza, curry").first?.hasPrefix("Poll 5: lunch") == true)
        _ = await says("end poll")
        _ = await robot.advance(by: .seconds(1))
        #expect(await says("vote 1 in poll 4") == ["Poll 4 is over: tea"])
        #expect(await says("vote 1 in poll 5") == ["Poll 5 is over: lunch\nNobody has voted."])
    }

    @Test(arguments: ["poll", "polls", "show the poll", "poll?"])
    func `the open polls are shown`(_ command: String) async {
        #expect(await says(command) == [Self.noPoll])
        _ = await says("poll lunch: pizza, curry")
        #expect(
            await says(command)
                == ["Poll 1: lunch (0 votes, until Tuesday, 2 January at 00:00 (UTC))\n1. pizza\n2. curry"])
    }

    @Test func `a poll can last up to 90 days`() async {
        #expect(await says("poll lunch for 91 days: a, b") == ["A poll can last up to 90 days."])
        #expect(await says("poll lunch for 90 days: a, b").count == 1)
    }

    @Test func `polls survive a restart, and of two robots one posts the result`() async {
        _ = await says("poll lunch for 20 minutes: pizza, curry")
        _ = await says("vote 1")
        // It reads the same brain, and its clock begins again.
        let second = Self.makeRobot(brain)
        #expect(await second.hears("hubot vote 2", from: "bob").map(\.content) == ["Poll 1: you vote for curry."])
        #expect(await second.advance(by: .minutes(21)).count == 1)
        #expect(second.said(in: "#test").last?.content.contains("pizza: 1 (alice)\ncurry: 1 (bob)") == true)
        #expect(await robot.advance(by: .minutes(21)) == [])
        #expect(await says("polls") == [Self.noPoll])
    }

    @Test func `if the script is disabled in the room, nothing is posted there`() async throws {
        _ = await says("poll lunch for 20 minutes: pizza, curry")
        try await robot.robot.turn("Polls", on: false, in: "test:#test")
        #expect(await robot.advance(by: .minutes(30)) == [])
    }
}
