import FoundationEssentials
import Heybot
import HeybotTesting
import Synchronization
import Testing

@testable import StandardScripts

/// Pages and answers to them, on three networks: `test` has no private messages, `irc` and `xmpp` have.
@Suite(.timeLimit(.minutes(15))) struct PagingTests {
    private let irc = PrivateNetwork("irc")
    private let xmpp = PrivateNetwork("xmpp")
    private let brain = Brain(store: MemoryStore())
    private let robots = RobotKeeper()

    /// Keeps robots until the test ends: a robot that nothing refers to stops.
    private final class RobotKeeper: Sendable {
        private let kept = Mutex<[TestRobot]>([])

        func keep(_ robot: TestRobot) -> TestRobot {
            kept.withLock { $0.append(robot) }
            return robot
        }
    }

    private func makeRobot(_ networks: [any Adapter], _ settings: [String: String] = [:]) -> TestRobot {
        let settings = settings.merging(["TIME_ZONE": "UTC"]) { own, _ in own }
        return robots.keep(
            TestRobot(
                name: "hubot", admins: ["test:root"], brain: brain, settings: settings, networks: networks,
                Diagnostics(), OnCall()))
    }

    private func says(_ text: String, from user: String = "root", to robot: TestRobot) async -> [String] {
        await robot.hears("hubot \(text)", from: user).map(\.content)
    }

    /// Makes a robot with a rota of ada and grace, who are on IRC.
    private func makeRobotWithRota(
        _ settings: [String: String] = [:], people: String = "irc:ada, irc:grace"
    ) async -> TestRobot {
        let robot = makeRobot([irc, xmpp], settings)
        _ = await says("on call rota ops: \(people) weekly", to: robot)
        return robot
    }

    private static let firstReport =
        "Page 1: I've paged ada, and will again every 5 minutes until someone says \"ack 1\"."
    private static let message = "Page 1 (ops) from bob in #test: disk full - Say \"ack 1\" to take it."

    @Test func `the person on call gets the page in private, and the room learns that`() async {
        let robot = await makeRobotWithRota()
        #expect(await says("page ops disk full", from: "bob", to: robot) == [Self.firstReport])
        #expect(irc.takeDelivered() == ["ada: \(Self.message)"])
        #expect(xmpp.takeDelivered() == [])
    }

    @Test func `it is repeated until it is acknowledged`() async {
        let robot = await makeRobotWithRota()
        _ = await says("page ops: disk full", from: "bob", to: robot)
        #expect(await robot.advance(by: .minutes(4)) == [])
        #expect(
            await robot.advance(by: .minutes(2)).map(\.utterance) == [.text("Page 1: I've paged ada again (2 of 3).")])
        #expect(irc.takeDelivered() == ["ada: \(Self.message)", "ada: Again: \(Self.message)"])
        #expect(await irc.hears("ack", from: "ada") == ["Thanks, you have page 1 (disk full)."])
        #expect(robot.said(in: "#test").last == .text("ada has taken page 1: disk full"))
        _ = irc.takeDelivered()
        #expect(await robot.advance(by: .minutes(60)) == [])
        #expect(irc.takeDelivered() == [])
        #expect(await says("pages", to: robot) == ["There is no open page."])
    }

    @Test func `after some attempts the next person is paged, and in the end nobody`() async {
        let robot = await makeRobotWithRota(["ONCALL_INTERVAL": "2", "ONCALL_ATTEMPTS": "2"])
        #expect(
            await says("page ops disk full", from: "bob", to: robot)
                == ["Page 1: I've paged ada, and will again every 2 minutes until someone says \"ack 1\"."])
        #expect(
            await robot.advance(by: .minutes(18)).map(\.utterance.content) == [
                "Page 1: I've paged ada again (2 of 2).", "Page 1: ada hasn't answered, so I've paged grace.",
                "Page 1: I've paged grace again (2 of 2).", "Page 1: grace hasn't answered, so I've paged ada.",
                "Page 1: I've paged ada again (2 of 2).", "Page 1: ada hasn't answered, so I've paged grace.",
                "Page 1: I've paged grace again (2 of 2).",
                "Page 1: nobody of ops has answered, so I've stopped: disk full"
            ])
        let recipients = irc.takeDelivered().map { $0.prefix { $0 != ":" } }
        #expect(recipients == ["ada", "ada", "grace", "grace", "ada", "ada", "grace", "grace"])
        #expect(await robot.advance(by: .minutes(30)) == [])
        #expect(await says("ack 1", to: robot) == ["There is no open page 1."])
    }

    @Test func `if the second person takes it, the first one learns that`() async {
        let robot = await makeRobotWithRota(["ONCALL_ATTEMPTS": "1"])
        _ = await says("page ops disk full", from: "bob", to: robot)
        _ = await robot.advance(by: .minutes(6))
        _ = irc.takeDelivered()
        _ = await irc.hears("acknowledge", from: "grace")
        #expect(
            irc.takeDelivered() == [
                "ada: grace has taken page 1: disk full", "grace: Thanks, you have page 1 (disk full)."
            ])
    }

    @Test func `pages survive a restart of the robot`() async {
        let first = await makeRobotWithRota()
        _ = await says("page ops disk full", from: "bob", to: first)
        _ = irc.takeDelivered()
        // It reads the same brain, and its clock begins again.
        let (newIRC, newXMPP) = (PrivateNetwork("irc"), PrivateNetwork("xmpp"))
        let second = makeRobot([newIRC, newXMPP])
        #expect(
            await second.advance(by: .minutes(6)).map(\.utterance)
                == [.text("Page 1: I've paged ada again (2 of 3).")])
        #expect(newIRC.takeDelivered() == ["ada: Again: \(Self.message)"])
        #expect(await newIRC.hears("ack 1", from: "ada") == ["Thanks, you have page 1 (disk full)."])
        #expect(irc.takeDelivered() == [])
    }

    @Test func `a robot takes a step once, also if another one shares its brain`() async {
        let first = await makeRobotWithRota()
        _ = await says("page ops disk full", from: "bob", to: first)
        let second = makeRobot([PrivateNetwork("irc")])
        #expect(await second.advance(by: .minutes(6)).count == 1)
        // The first robot is as late.
        first.clock.advance(by: .minutes(5))
        #expect(await first.advance(by: .minutes(1)) == [])
    }

    @Test func `a person with accounts on two networks gets it on both, once each account has named the other`() async {
        let robot = await makeRobotWithRota()
        let address = "ada@example.org"
        #expect(
            await irc.hears("reach me at xmpp:\(address)", from: "ada")
                == ["Now say \"reach me at irc:ada\" to me from xmpp:ada@example.org, so that I know it's you."])
        _ = await says("page ops one", from: "bob", to: robot)
        #expect(xmpp.takeDelivered() == [])
        #expect(
            await xmpp.hears("reach me at irc:ada", from: address)
                == ["I'll send your pages to xmpp:ada@example.org and irc:ada."])
        _ = (irc.takeDelivered(), xmpp.takeDelivered())
        _ = await says("page ops two", from: "bob", to: robot)
        let message = "Page 2 (ops) from bob in #test: two - Say \"ack 2\" to take it."
        #expect(irc.takeDelivered() == ["ada: \(message)"])
        #expect(xmpp.takeDelivered() == ["\(address): \(message)"])
        // The other account may take it, too.
        #expect(await xmpp.hears("ack 2", from: address) == ["Thanks, you have page 2 (two)."])

        #expect(
            await irc.hears("don't reach me at xmpp:\(address)", from: "ada")
                == ["I won't send your pages to xmpp:ada@example.org any more."])
        _ = (irc.takeDelivered(), xmpp.takeDelivered())
        _ = await says("page ops three", from: "bob", to: robot)
        #expect(xmpp.takeDelivered() == [])
        #expect(irc.takeDelivered().count == 1)
    }

    @Test func `nobody gets another person's pages by naming their account`() async {
        let robot = await makeRobotWithRota()
        _ = await xmpp.hears("reach me at irc:ada", from: "mallory@example.org")
        _ = xmpp.takeDelivered()
        _ = await says("page ops secret", from: "bob", to: robot)
        #expect(xmpp.takeDelivered() == [])
        #expect(await xmpp.hears("ack", from: "mallory@example.org") == ["There is no open page for you."])
        #expect(
            await xmpp.hears("ack 1", from: "mallory@example.org")
                == ["Only the people of ops, the page's author and my admins may take page 1."])
        #expect(await xmpp.hears("pages", from: "mallory@example.org") == ["There is no open page."])
    }

    @Test func `a page follows a new nick, and isn't sent if the nick may be somebody else's`() async {
        let robot = await makeRobotWithRota()
        irc.show("ada", as: "ada_away")
        _ = await says("page ops disk full", from: "bob", to: robot)
        #expect(irc.takeDelivered() == ["ada_away: \(Self.message)"])
        let inRoom = "ada: Page 2 (ops) from bob in #test: two - Say \"ack 2\" to take it."
        irc.show("ada", as: nil)
        #expect(await says("page ops two", from: "bob", to: robot) == [inRoom])
        irc.show("ada", as: "ada", isAnonymous: true)
        #expect(await says("page ops three", from: "bob", to: robot).count == 1)
        #expect(irc.takeDelivered() == [])
    }

    @Test func `an anonymous user with the id of a person on call is somebody else`() async {
        let robot = await makeRobotWithRota()
        _ = await says("page ops disk full", from: "bob", to: robot)
        let unverified = ["I can't verify who you are. Log in to your account on irc, and say it again."]
        for (text, answer) in [
            ("ack", ["There is no open page for you."]), ("pages", ["There is no open page."]),
            ("ack 1", ["Only the people of ops, the page's author and my admins may take page 1."]),
            ("I'm on call for 2 hours", ["Only the people of ops and my admins may change who is on call."]),
            ("reach me at xmpp:mallory@example.org", unverified),
            ("don't reach me at xmpp:ada@example.org", unverified)
        ] {
            #expect(await irc.hears(text, from: "ada", isAnonymous: true) == answer)
        }
        #expect(await irc.hears("ack", from: "ada") == ["Thanks, you have page 1 (disk full)."])
    }

    @Test func `a user who names people learns who is meant, and whom pages can't reach`() async {
        let robot = makeRobot([irc, xmpp])
        irc.show("ann", as: "anna")
        irc.show("zed", as: "zed", isAnonymous: true)
        irc.show("zoe", as: nil)
        #expect(
            await says("on call rota a: irc:ann daily", to: robot) == ["anna is on call for a. anna is irc:ann."])
        #expect(
            await says("on call rota b: irc:zed daily", to: robot) == [
                "zed is on call for b. I can't verify who zed is: anyone with that name would get the pages."
            ])
        #expect(
            await says("on call rota c: irc:zoe daily", to: robot)
                == ["zoe is on call for c. I don't see irc:zoe now: while I don't, the room gets the pages."])
    }

    @Test func `people may change who is on call from each of their accounts`() async {
        _ = await makeRobotWithRota()
        let address = "ada@example.org"
        _ = await irc.hears("reach me at xmpp:\(address)", from: "ada")
        let refusal = ["Only the people of ops and my admins may change who is on call."]
        #expect(await xmpp.hears("swap me with grace", from: address) == refusal)
        _ = await xmpp.hears("reach me at irc:ada", from: address)
        // grace has never talked to this robot.
        #expect(
            await xmpp.hears("swap me with grace", from: address) == [
                "OK. ops: grace until Sunday, 7 January at 09:00 (UTC), "
                    + "ada until Sunday, 14 January at 09:00 (UTC)."
            ])
    }

    @Test func `an address needs a network that the robot is on`() async {
        let robot = await makeRobotWithRota()
        let expected = "Write the network and your id there, such as xmpp:ada@example.org. I'm on: test, irc, xmpp."
        #expect(await says("reach me at ada@example.org", from: "ada", to: robot) == [expected])
        let unknown = "I'm not on a network called slack. I'm on: test, irc, xmpp."
        #expect(await says("reach me at slack:ada", from: "ada", to: robot) == [unknown])
        #expect(await says("reach me at test:ada", from: "ada", to: robot) == ["That's where you are."])
        for number in 1...5 { _ = await says("reach me at irc:ada\(number)", from: "ada", to: robot) }
        #expect(
            await says("reach me at irc:ada6", from: "ada", to: robot)
                == ["I can reach you at 5 more addresses at most."])
        #expect(await says("stop reaching me at irc:grace", from: "ada", to: robot) == ["You haven't named irc:grace."])
    }

    @Test func `without private messages, the room gets the page`() async {
        let robot = await makeRobotWithRota(people: "test:carol")
        #expect(await says("page ops disk full", from: "bob", to: robot) == ["carol: \(Self.message)"])
        #expect(await says("ack", from: "carol", to: robot) == ["Thanks, you have page 1 (disk full)."])
    }

    @Test func `if a network is down, the room gets the page, and the log says so`() async {
        let down = PrivateNetwork("irc", isDown: true)
        let robot = makeRobot([down])
        _ = await says("on call rota ops: irc:ada weekly", to: robot)
        #expect(await says("page ops disk full", from: "bob", to: robot) == ["ada: \(Self.message)"])
        #expect(robot.loggedProblems.contains { $0.hasPrefix("can't send page 1 to irc:ada: ") })
    }

    @Test func `if several pages are possible, the robot asks which one`() async {
        let robot = await makeRobotWithRota()
        #expect(await says("ack", to: robot) == ["There is no open page for you."])
        for text in ["one", "two", "three"] { _ = await says("page ops \(text)", from: "bob", to: robot) }
        #expect(
            await irc.hears("ack", from: "ada")
                == ["Which one: 1 (one), 2 (two), 3 (three)? Say its number, or \"all\"."])
        #expect(await irc.hears("ack #2", from: "ada") == ["Thanks, you have page 2 (two)."])
        #expect(await says("ack 2", from: "bob", to: robot) == ["There is no open page 2."])
        #expect(
            await irc.hears("ack", from: "ada") == ["Which one: 1 (one), 3 (three)? Say its number, or \"all\"."])
        #expect(
            await irc.hears("the last", from: "ada") == ["Please answer with the number of a page, or \"all\"."])
        #expect(await irc.hears("3", from: "ada") == ["Thanks, you have page 3 (three)."])
        for text in ["four", "five"] { _ = await says("page ops \(text)", from: "bob", to: robot) }
        _ = await irc.hears("ack", from: "ada")
        #expect(await irc.hears("all", from: "ada") == ["Thanks, you have page 1 (one), 4 (four), 5 (five)."])
        #expect(await irc.hears("ack all", from: "ada") == ["There is no open page for you."])
    }

    @Test func `the author, an admin and a colleague may take it too`() async {
        let robot = await makeRobotWithRota()
        for text in ["one", "two", "three"] { _ = await says("page ops \(text)", from: "bob", to: robot) }
        #expect(await says("ack 1", from: "bob", to: robot) == ["Thanks, you have page 1 (one)."])
        #expect(await says("ack 2", to: robot) == ["Thanks, you have page 2 (two)."])
        #expect(await irc.hears("ack", from: "grace") == ["Thanks, you have page 3 (three)."])
    }

    @Test func `open pages are listed for those whom they concern`() async {
        let robot = await makeRobotWithRota()
        _ = await says("page ops disk full", from: "bob", to: robot)
        let line = "Page 1 (ops) from bob in #test: disk full - 00:00, paged: ada"
        #expect(await says("pages", from: "mallory", to: robot) == [line])
        #expect(await robot.hears("hubot pages", from: "mallory", in: "#dev") == [.text("There is no open page.")])
        #expect(await robot.hears("hubot pages", from: "bob", in: "#dev") == [.text(line)])
        #expect(await irc.hears("open pages", from: "grace") == [line])
    }

    @Test func `what can't be a page is refused`() async {
        let robot = await makeRobotWithRota()
        #expect(await says("page db disk full", to: robot) == ["There is no rota db. I have: ops."])
        let long = String(repeating: "x", count: Page.longest + 1)
        #expect(await says("page ops \(long)", to: robot)[0].hasPrefix("That's too long for a page"))
        for number in 1...10 { _ = await says("page ops \(number)", from: "bob", to: robot) }
        #expect(
            await says("page ops more", from: "bob", to: robot)
                == ["Too many pages are open. Say \"pages\" to see them, and \"ack <number>\" to close one."])
    }

    @Test func `a page goes on if its rota is removed`() async {
        let robot = await makeRobotWithRota()
        _ = await says("page ops disk full", from: "bob", to: robot)
        _ = await says("remove on call rota ops", to: robot)
        #expect(await robot.advance(by: .minutes(6)).count == 1)
        #expect(irc.takeDelivered().count == 2)
    }

    @Test func `a page in private is reported in private`() async {
        _ = await makeRobotWithRota()
        #expect(await irc.hears("page ops disk full", from: "bob") == [Self.firstReport])
        #expect(
            irc.takeDelivered().first == "ada: Page 1 (ops) from bob: disk full - Say \"ack 1\" to take it.")
    }

    @Test func `the author of a private page learns that a person can't be reached`() async {
        _ = await makeRobotWithRota()
        irc.show("ada", as: nil)
        #expect(await irc.hears("page ops disk full", from: "bob") == ["Page 1: I can't reach ada."])
    }

    @Test func `somebody else who may have the nick of a private page's author learns nothing`() async {
        let robot = await makeRobotWithRota()
        irc.show("bob", as: nil)
        // An answer is for the user who has just said something.
        #expect(await irc.hears("page ops disk full", from: "bob") == [Self.firstReport])
        _ = irc.takeDelivered()
        _ = await robot.advance(by: .minutes(6))
        #expect(
            irc.takeDelivered() == ["ada: Again: Page 1 (ops) from bob: disk full - Say \"ack 1\" to take it."])
        irc.show("bob", as: "bobby")
        _ = await irc.hears("ack", from: "ada")
        #expect(irc.takeDelivered().contains("bobby: ada has taken page 1: disk full"))
    }

    @Test func `a robot on another network leaves the steps to the one in the page's room`() async {
        let first = await makeRobotWithRota()
        _ = await irc.hears("page ops disk full", from: "bob")
        _ = irc.takeDelivered()
        let second = makeRobot([PrivateNetwork("xmpp")])
        #expect(await second.advance(by: .minutes(6)) == [])
        _ = await first.advance(by: .minutes(6))
        #expect(irc.takeDelivered().contains { $0.hasPrefix("ada: Again: ") })
    }
}
