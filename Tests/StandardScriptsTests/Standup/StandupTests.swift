import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

/// Standups of a room on the network `test`, whose people are on IRC.
@Suite(.timeLimit(.minutes(15))) struct StandupTests {
    private let irc = PrivateNetwork("irc")
    private let brain = Brain(store: MemoryStore())
    private let robot: TestRobot

    init() { robot = Self.makeRobot(irc, brain) }

    private static func makeRobot(
        _ irc: PrivateNetwork, _ brain: Brain, settings: [String: String] = [:]
    ) -> TestRobot {
        TestRobot(
            name: "hubot", admins: ["test:root"], brain: brain,
            settings: settings.merging(["TIME_ZONE": "UTC"]) { own, _ in own }, networks: [irc], Diagnostics(), Facts(),
            Help(), Standup())
    }

    private func says(_ text: String, from user: String = "root") async -> [String] {
        await robot.hears("hubot \(text)", from: user).map(\.content)
    }

    private func plan(_ people: String = "irc:ada, irc:grace") async {
        _ = await says("standup every weekday at 9:30: \(people)")
    }

    private static let question =
        "Standup of test:#test: what have you done, what will you do, and is anything in your way? Answer here; if "
        + "your answer looks like a command, begin it with \"standup:\"."
    private static let thanks =
        "Thanks, I'll post that in test:#test. To add to it, say \"standup: <more>\"; to take it back, "
        + "\"standup: nothing\"."
    private static let over =
        "The standup of test:#test is over, so I haven't added that. "
        + "The next one is on Tuesday, 2 January at 09:30 (UTC)."
    private static let noPlan =
        "There is no standup in this room. An admin makes one by saying: standup every weekday at 9:30: ada, grace"
    private static let hint = "I don't understand that. Say \"help\" to see what I can do."

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test func `people are asked in private, and the room gets the answers and the names of the others`() async {
        #expect(
            await says("standup every weekday at 9:30: irc:ada, irc:grace and irc:bob") == [
                "The standup is every weekday at 09:30, with ada, grace, bob, next on Monday, 1 January at 09:30 (UTC)."
            ])
        #expect(await robot.advance(by: .hours(9) + .minutes(29)) == [])
        #expect(irc.takeDelivered() == [])
        #expect(await robot.advance(by: .minutes(2)) == [])
        #expect(irc.takeDelivered() == ["ada", "grace", "bob"].map { "\($0): \(Self.question)" })

        #expect(await irc.hears("I fixed the parser", from: "ada") == [Self.thanks])
        #expect(await irc.hears("standup: and the lexer", from: "ada") == ["Added."])
        #expect(await irc.hears("standup: ping\nthe servers", from: "grace") == [Self.thanks])
        #expect(
            await says("standup") == [
                "The standup is every weekday at 09:30, with ada, grace, bob, next on Tuesday, 2 January at 09:30 (UTC). "
                    + "It's going on: 2 of 3 have answered; I'm waiting for bob."
            ])
        #expect(
            await robot.advance(by: .minutes(30)).map(\.utterance) == [
                .text("Standup:\nada: I fixed the parser / and the lexer\ngrace: ping the servers\nNo answer: bob")
            ])
        #expect(await irc.hears("too late", from: "bob") == [Self.over])
        #expect(await irc.hears("standup: too late", from: "bob") == [Self.over])
        #expect(await irc.hears("all quiet here", from: "ada") == [Self.hint])
        _ = irc.takeDelivered()
        #expect(await robot.advance(by: .hours(23) + .minutes(40)) == [])
        #expect(irc.takeDelivered().count == 3)
        #expect(robot.loggedProblems == [])
    }

    @Test(arguments: [
        "create standup every weekday at 9:30 in irc:#dev: ada, grace",
        "standup in irc:#dev every weekday at 9:30: irc:ada and grace",
        "set up a standup every weekday in irc:#dev at 9:30: ada, grace"
    ])
    func `a standup is set up for a room of another network, with the people there`(_ command: String) async {
        irc.setMembers(["ada", "grace"], of: "#dev")
        #expect(
            await says(command) == [
                "The standup of irc:#dev is every weekday at 09:30, with ada, grace, "
                    + "next on Monday, 1 January at 09:30 (UTC)."
            ])
        #expect(await robot.advance(by: .hours(9) + .minutes(31)) == [])
        let question = Self.question.replacing("test:#test", with: "irc:#dev")
        #expect(irc.takeDelivered() == ["ada: \(question)", "grace: \(question)"])
        _ = await irc.hears("I fixed the parser", from: "ada")
        _ = irc.takeDelivered()
        #expect(await robot.advance(by: .minutes(30)) == [])
        #expect(irc.takeDelivered() == ["#dev: Standup:\nada: I fixed the parser\nNo answer: grace"])
        #expect(await says("standup") == [Self.noPlan])
    }

    @Test func `an admin manages the standup of another room`() async {
        irc.setMembers(["ada", "bob"], of: "#dev")
        _ = await says("standup every weekday at 9:30 in irc:#dev: ada")
        #expect(await says("add bob to standup in irc:#dev") == ["bob is in the standup now."])
        #expect(await says("standup in irc:#dev").first?.hasPrefix("The standup of irc:#dev is every weekday") == true)
        for command in ["standup", "start standup", "end standup", "remove bob from standup", "remove x from standup"] {
            #expect(
                await says("\(command) in irc:#dev", from: "mallory")
                    == ["Only the people of the standup and my admins may do that."], "\(command)")
        }
        for command in ["standup every day in irc:#dev: ada", "add x to standup in irc:#dev"] {
            #expect(await says(command, from: "mallory") == ["Only my admins may use that."], "\(command)")
        }
        irc.show("bob", as: nil)
        #expect(await says("start standup in irc:#dev") == ["OK, I'll post the answers by 00:30."])
        #expect(
            irc.takeDelivered().last
                == "#dev: bob: I can't reach you in private for the standup. Tell me here: standup: <what you do>")
        #expect(await says("end standup in irc:#dev") == ["OK, here is what I know."])
        _ = await robot.advance(by: .seconds(1))
        #expect(irc.takeDelivered() == ["#dev: Standup: nobody has answered (ada, bob)."])
        #expect(await says("end standup in irc:#dev") == ["No standup is going on in irc:#dev."])
        #expect(await says("remove bob from standup in irc:#dev") == ["bob isn't in the standup any more."])
        #expect(await says("remove standup in irc:#dev") == ["OK, there are no more standups in irc:#dev."])
        #expect(
            await says("standup in irc:#dev") == [
                "There is no standup in irc:#dev. "
                    + "An admin makes one by saying: standup every weekday at 9:30 in irc:#dev: ada, grace"
            ])
    }

    @Test func `commands work while an answer is awaited`() async {
        await plan()
        _ = await says("start standup")
        #expect(await irc.hears("ping", from: "ada") == ["PONG"])
        #expect(await irc.hears("all quiet here", from: "carol") == [Self.hint])
        #expect(await irc.hears("standup: I'm here", from: "carol") == ["No standup is waiting for you."])
        _ = await robot.advance(by: .minutes(31))
        #expect(robot.said(in: "#test").last == .text("Standup: nobody has answered (ada, grace)."))
    }

    @Test func `only the first answer needs no mark, and an answer can be taken back`() async {
        await plan()
        _ = await says("start standup")
        #expect(await irc.hears("I fixed the parser", from: "ada") == [Self.thanks])
        #expect(await irc.hears("all quiet here", from: "ada") == [Self.hint])
        #expect(await irc.hears("standup: Nothing", from: "ada") == ["OK, I won't post your answer in test:#test."])
        #expect(await irc.hears("all quiet here", from: "ada") == [Self.hint])
        #expect(
            await says("standup").first?.hasSuffix("0 of 2 have answered; I'm waiting for ada, grace.") == true)
        #expect(await irc.hears("standup: reviews", from: "ada") == [Self.thanks])
        // There is no answer to take back.
        #expect(await irc.hears("standup: nothing", from: "grace") == [Self.thanks])
        _ = await robot.advance(by: .minutes(2))
        #expect(robot.said(in: "#test").last == .text("Standup:\nada: reviews\ngrace: nothing"))
    }

    @Test func `an answer that has been taken back isn't posted`() async {
        await plan()
        _ = await says("start standup")
        _ = await irc.hears("one", from: "ada")
        _ = await irc.hears("two", from: "grace")
        _ = await irc.hears("standup: nothing", from: "ada")
        _ = await robot.advance(by: .minutes(2))
        #expect(robot.said(in: "#test").last == .text("Standup:\ngrace: two\nNo answer: ada"))
    }

    @Test func `a question for Facts is an answer while the first one is awaited, but forget is never one`() async {
        _ = await says("remember parser is the old one")
        await plan()
        _ = await says("start standup")
        #expect(await irc.hears("what is parser?", from: "ada") == [Self.thanks])
        #expect(await irc.hears("what is parser?", from: "ada") == ["parser is the old one"])
        #expect(await irc.hears("what is parser?", from: "carol") == ["parser is the old one"])
        #expect(await irc.hears("forget lexer", from: "grace") == ["I don't know anything about lexer."])
        #expect(await irc.hears("forget lexer?", from: "grace") == ["I don't know anything about lexer."])
        #expect(await irc.hears("forget parser", from: "grace") == ["OK, I've forgotten that parser is the old one"])
        _ = await says("end standup")
        #expect(
            await robot.advance(by: .seconds(1)).map(\.utterance.content)
                == ["Standup:\nada: what is parser?\nNo answer: grace"])
    }

    @Test func `when everybody has answered, a minute is left to add something`() async {
        await plan()
        #expect(await says("start standup") == ["OK, I'll post the answers by 00:30."])
        _ = await robot.advance(by: .seconds(1))
        #expect(await says("start standup") == ["The standup is going on already."])
        _ = await irc.hears("one", from: "ada")
        _ = await irc.hears("two", from: "grace")
        #expect(await robot.advance(by: .seconds(50)) == [])
        #expect(await irc.hears("standup: three", from: "ada") == ["Added."])
        #expect(
            await robot.advance(by: .seconds(20)).map(\.utterance.content) == ["Standup:\nada: one / three\ngrace: two"]
        )
        #expect(await robot.advance(by: .hours(1)) == [])
    }

    @Test func `a standup can be ended early`() async {
        await plan()
        #expect(await says("end standup") == ["No standup is going on here."])
        _ = await says("start standup")
        _ = await irc.hears("one", from: "ada")
        #expect(await says("end standup") == ["OK, here is what I know."])
        #expect(
            await robot.advance(by: .seconds(1)).map(\.utterance.content) == ["Standup:\nada: one\nNo answer: grace"])
        #expect(await robot.advance(by: .hours(1)) == [])
    }

    @Test(arguments: [false, true])
    func `what people have answered is posted before the standup is removed, once`(_ isEnded: Bool) async throws {
        await plan()
        _ = await says("start standup")
        _ = await irc.hears("one", from: "ada")
        if isEnded {
            _ = await says("end standup")
            #expect(await says("end standup") == ["It's over already, and I'm about to post the answers."])
        }
        #expect(
            await says("remove standup") == ["OK, I'll post the answers, and then there are no more standups here."])
        for command in ["remove standup", "standup", "end standup", "add irc:bob to standup"] {
            #expect(await says(command) == [Self.noPlan])
        }
        #expect(await irc.hears("standup: two", from: "ada") == ["No standup is waiting for you."])
        #expect(
            await says("standup every day at 10:00: irc:bob")
                == ["I haven't posted the answers of the last standup yet. Try again in a minute."])
        #expect(
            await robot.advance(by: .seconds(1)).map(\.utterance.content) == ["Standup:\nada: one\nNo answer: grace"])
        #expect(try await brain.keys(of: "standup.plans", atMost: 10) == [])
        _ = irc.takeDelivered()
        #expect(await robot.advance(by: .hours(25)) == [])
        #expect(irc.takeDelivered() == [])
        #expect(await says("standup every day at 10:00: irc:bob").first?.hasPrefix("The standup is every day") == true)
    }

    @Test func `answers that couldn't be posted yet survive the removal`() async throws {
        let flaky = FlakyAdapter("irc", silent: ["#dev"])
        let robot = TestRobot(
            name: "hubot", admins: ["test:root"], brain: brain, settings: ["TIME_ZONE": "UTC"], networks: [flaky],
            Standup())
        _ = await robot.hears("hello", from: "root")
        let room = Room.ID(adapter: "irc", value: "#dev")
        let ada = User(id: User.ID(adapter: "irc", value: "ada"), name: "ada")
        let place = Standup.Place(room: room, plan: "one")
        let zone = try #require(IANATimeZone(named: "UTC"))
        let times = try ZonedRecurrence("every day at 9:00", in: zone, at: robot.robot.date)
        let (book, start) = (Standup.Book(brain: brain), robot.robot.date)
        _ = try await book.set(Standup.Plan(id: "one", room: room, times: times, people: [ada]))
        _ = try await Standup.hold(place, at: start, length: 60, robot.robot)
        _ = try await book.change(room) { plan in
            plan.change(start) { _ = $0.add("one", from: [ada], at: start) }
        }
        _ = await robot.advance(by: .minutes(2))
        #expect(flaky.said.filter { $0.hasPrefix("#dev") } == [])
        let removed = try await book.remove(room, at: robot.robot.date)
        #expect(removed.isPosted && !removed.wasOpen)
        flaky.recover()
        _ = await robot.advance(by: .hours(2))
        #expect(flaky.said.filter { $0.hasPrefix("#dev") } == ["#dev: Standup:\nada: one"])
        #expect(try await brain.keys(of: "standup.plans", atMost: 10) == [])
    }

    @Test func `who missed a standup learns that for an hour, and their questions are answered`() async {
        _ = await says("remember parser is the old one")
        await plan()
        _ = await robot.advance(by: .hours(9) + .minutes(31))
        _ = await robot.advance(by: .minutes(30))
        #expect(await irc.hears("what is parser?", from: "ada") == ["parser is the old one"])
        #expect(await irc.hears("one", from: "ada") == [Self.over])
        _ = await robot.advance(by: .minutes(60))
        #expect(await irc.hears("two", from: "ada") == [Self.hint])
        #expect(await irc.hears("standup: two", from: "ada") == ["No standup is waiting for you."])
    }

    @Test func `only admins may start one within an hour of the last one`() async {
        await plan("test:alice")
        func start(_ user: String) async -> Bool {
            let answer = await says("start standup", from: user)
            _ = await says("end standup", from: user)
            _ = await robot.advance(by: .seconds(1))
            return answer.first?.hasPrefix("OK, I'll post the answers by ") == true
        }
        #expect(await start("alice"))
        #expect(
            await says("start standup", from: "alice")
                == ["The last standup began less than an hour ago. Only my admins may hold one so soon."])
        #expect(await start("root"))
        #expect(await start("alice") == false)
        _ = await robot.advance(by: .minutes(60))
        #expect(await start("alice"))
    }

    @Test func `only its people and admins may hold it, and only admins set it up`() async {
        await plan()
        for command in ["start standup", "end standup"] {
            #expect(
                await says(command, from: "mallory") == ["Only the people of the standup and my admins may do that."])
        }
        for command in ["standup every day at 9:00: irc:ada", "remove standup", "add irc:bob to standup"] {
            #expect(await says(command, from: "mallory") == ["Only my admins may use that."])
        }
        #expect(await says("remove irc:ada from standup", from: "mallory") == ["Only my admins may remove others."])
        #expect(await says("standup", from: "mallory").first?.hasPrefix("The standup is every weekday") == true)
    }

    @Test func `people are added and removed`() async {
        await plan("irc:ada")
        #expect(await says("add irc:bob to standup") == ["bob is in the standup now."])
        #expect(await says("add irc:bob to standup") == ["bob is in the standup already."])
        #expect(await says("remove ada from the standup") == ["ada isn't in the standup any more."])
        #expect(await says("remove ada from the standup").first?.contains("ada") == true)
        #expect(
            await says("remove bob from standup") == ["bob is the last one. To end it for good, say: remove standup"])
        _ = await says("start standup")
        #expect(irc.takeDelivered() == ["bob: \(Self.question)"])
    }

    @Test func `a person who can't be reached in private is asked in the room`() async {
        await plan()
        irc.show("grace", as: nil)
        let advice = "grace: I can't reach you in private for the standup. Tell me here: standup: <what you do>"
        #expect(await says("start standup") == ["OK, I'll post the answers by 00:30.\n\(advice)"])
        #expect(irc.takeDelivered() == ["ada: \(Self.question)"])
        _ = await says("end standup")
        _ = await robot.advance(by: .seconds(1))
        _ = await robot.advance(by: .hours(9) + .minutes(31))
        #expect(robot.said(in: "#test").last == .text(advice))
    }

    @Test func `a person whose network refuses the question is asked in the room`() async {
        let robot = Self.makeRobot(PrivateNetwork("irc", isDown: true), Brain(store: MemoryStore()))
        _ = await robot.hears("hubot standup every day at 9:00: irc:ada", from: "root")
        let advice = "ada: I can't reach you in private for the standup. Tell me here: standup: <what you do>"
        #expect(
            await robot.hears("hubot start standup", from: "root").map(\.content)
                == ["OK, I'll post the answers by 00:30.\n\(advice)"])
        #expect(robot.loggedProblems.contains { $0.contains("can't send a direct message to irc:ada") })
    }

    @Test func `an anonymous user with the name of a person can't answer`() async {
        await plan()
        _ = await says("start standup")
        #expect(await irc.hears("it's me", from: "ada", isAnonymous: true) == [Self.hint])
    }

    @Test func `a standup survives a restart, and is posted once`() async {
        await plan()
        _ = await says("start standup")
        _ = await irc.hears("one", from: "ada")
        let newIRC = PrivateNetwork("irc")
        let second = Self.makeRobot(newIRC, brain)
        #expect(await newIRC.hears("two", from: "grace") == [Self.thanks])
        #expect(await second.advance(by: .minutes(31)).map(\.utterance.content) == ["Standup:\nada: one\ngrace: two"])
        #expect(newIRC.takeDelivered() == ["grace: \(Self.thanks)"])
        #expect(await robot.advance(by: .minutes(32)) == [])
    }

    @Test func `if the robot comes back much later, it says so instead`() async {
        await plan()
        let second = Self.makeRobot(PrivateNetwork("irc"), brain)
        // It has started, so that the timer fires while the clock waits for it.
        _ = await second.hears("hi")
        second.clock.advance(by: .hours(12))
        _ = await second.advance(by: .minutes(1))
        #expect(
            second.said(in: "#test")
                == [.text("I was away at the time of the standup. To hold it now, say: start standup")])
    }

    @Test func `how long people can answer is a setting`() async {
        let irc = PrivateNetwork("irc")
        let robot = Self.makeRobot(irc, Brain(store: MemoryStore()), settings: ["STANDUP_MINUTES": "5"])
        _ = await robot.hears("hubot standup every day at 9:00: irc:ada", from: "root")
        #expect(
            await robot.hears("hubot start standup", from: "root").map(\.content)
                == ["OK, I'll post the answers by 00:05."])
        #expect(await robot.advance(by: .minutes(6)).count == 1)
    }

    @Test func `a new plan replaces the old one, and a removed one is over`() async {
        await plan()
        _ = await says("standup every day at 10:00: irc:bob")
        _ = await robot.advance(by: .hours(9) + .minutes(59))
        #expect(irc.takeDelivered() == [])
        _ = await robot.advance(by: .minutes(2))
        #expect(irc.takeDelivered() == ["bob: \(Self.question)"])
        #expect(
            await says("standup every day at 11:00: irc:ada")
                == ["The standup is going on. Say \"end standup\" first."])
        #expect(await says("remove standup") == ["OK, there are no more standups here."])
        #expect(await robot.advance(by: .hours(25)) == [])
        #expect(irc.takeDelivered() == [])
        #expect(await says("standup").first?.hasPrefix("There is no standup in this room.") == true)
    }

    @Test(arguments: [
        ("standup tomorrow at 9: irc:ada", "How often?"), ("standup every weekday at 9:30", "Say when, and whom"),
        ("standup soon: irc:ada", "When?"),
        ("standup every day at 9:00: irc:ada, irc:ada", "ada is in that list twice."),
        ("standup every day at 9:00: nobody", "I don't know anyone called nobody.")
    ])
    func `what isn't a plan is refused with the reason`(_ command: String, _ reason: String) async {
        let answer = await says(command).first
        #expect(answer?.hasPrefix(reason) == true, "\(answer ?? "")")
    }

    @Test func `an answer has 600 characters at most`() {
        let ada = User(id: User.ID(adapter: "irc", value: "ada"), name: "ada")
        var round = Standup.Round(start: .distantPast, end: .distantFuture, people: [ada])
        for _ in 0..<10 { _ = round.add(String(repeating: "x", count: 500), from: [ada], at: .distantPast) }
        #expect(round.report.count == "Standup:\nada: ".count + 600)
    }
}
