import Heybot
import HeybotTesting
import StandardScripts
import Testing

/// Which room's poll a command means.
@Suite(.timeLimit(.minutes(15))) struct PollRoomTests {
    private static func makeRobot(_ network: PrivateNetwork, admin: String = "irc:root") -> TestRobot {
        TestRobot(name: "hubot", admins: [admin], settings: ["TIME_ZONE": "UTC"], networks: [network], Polls())
    }

    @Test func `from elsewhere, only those who are in the room and admins see a poll and vote`() async {
        let irc = PrivateNetwork("irc")
        let robot = Self.makeRobot(irc)
        _ = await irc.hears("hubot poll lunch: pizza, curry", from: "alice", in: "#dev")
        for command in ["polls in #dev", "vote 1 in #dev"] {
            #expect(await irc.hears(command, from: "alice") == ["I don't see you in #dev."])
        }
        irc.setMembers(["alice"], of: "#dev")
        #expect(await irc.hears("vote 1 in #dev", from: "alice") == ["Poll 1: you vote for pizza."])
        #expect(await irc.hears("polls in #dev", from: "alice").first?.hasPrefix("Poll 1: lunch (1 vote") == true)
        for (user, isAnonymous) in [("bob", false), ("alice", true)] {
            #expect(
                await irc.hears("vote 2 in #dev", from: user, isAnonymous: isAnonymous) == ["I don't see you in #dev."])
        }
        #expect(await irc.hears("polls in #dev", from: "root").first?.hasPrefix("Poll 1: lunch (1 vote") == true)
        #expect(robot.loggedProblems == [])
    }

    @Test func `by its words, one can vote from elsewhere too`() async {
        let irc = PrivateNetwork("irc")
        irc.setMembers(["alice"], of: "#dev")
        let robot = Self.makeRobot(irc)
        _ = await irc.hears("hubot poll lunch: pizza, curry in a hurry", from: "alice", in: "#dev")
        #expect(await irc.hears("vote curry in #dev", from: "alice") == ["Poll 1: you vote for curry in a hurry."])
        #expect(
            await irc.hears("vote pizza in poll 1 in #dev", from: "alice")
                == ["Poll 1: you vote for pizza now, and no longer for curry in a hurry."])
        withExtendedLifetime(robot) {}
    }

    @Test func `in private, the only room with a poll is meant, and a question names the rooms`() async {
        let xmpp = PrivateNetwork("xmpp")
        let (dev, ops) = ("dev@conference.example.org", "ops@conference.example.org")
        let (ada, bob) = ("ada@example.org", "bob@example.org")
        xmpp.setMembers([ada, bob], of: dev)
        let robot = Self.makeRobot(xmpp, admin: "xmpp:root@example.org")
        func says(_ text: String, from user: String = "ada@example.org") async -> [String] {
            await xmpp.hears(text, from: user)
        }
        let none = ["I see you in no room with an open poll. If there is one, name its room, as in: vote 1 in <room>"]
        #expect(await says("vote 1") == none)
        _ = await xmpp.hears("hubot poll lunch: pizza, curry", from: bob, in: dev)
        #expect(await says("vote 1") == ["Poll 1: you vote for pizza."])
        #expect(await says("vote curry") == ["Poll 1: you vote for curry now, and no longer for pizza."])
        for room in ["dev", "DEV", dev, "xmpp:\(dev)"] {
            #expect(await says("vote 2 in \(room)") == ["Poll 1: you vote for curry."], "\(room)")
        }
        #expect(await says("vote curry in \(dev)") == ["Poll 1: you vote for curry."])
        #expect(await says("polls").first?.hasPrefix("Poll 1: lunch (1 vote, ") == true)
        #expect(await says("vote 1 in poll 3") == ["There is no open poll 3. Open are: 1 (lunch)."])
        // Somebody who isn't in the room learns nothing of it; an admin needn't be there.
        #expect(await says("vote 1", from: "eve@example.org") == none)
        #expect(await says("vote 1 in dev", from: "eve@example.org") == ["I don't see you in dev."])
        #expect(await says("polls", from: "root@example.org").first?.hasPrefix("Poll 1: lunch") == true)

        _ = await xmpp.hears("hubot poll place: here, there", from: bob, in: dev)
        #expect(
            await says("vote 1") == [
                "Which poll? Say it as in \"vote 1 in poll 2\" or \"end poll 2\". Open are: 1 (lunch), 2 (place)."
            ])
        #expect(await says("vote 1 in poll 2") == ["Poll 2: you vote for here."])

        xmpp.setMembers([ada], of: ops)
        _ = await xmpp.hears("hubot poll tea: green, black", from: ada, in: ops)
        let question = "In which room? Polls are open in xmpp:\(dev), xmpp:\(ops). Add the room, as in: "
        #expect(await says("vote 1") == ["\(question)vote 1 in xmpp:\(dev)"])
        #expect(await says("vote 2 in poll 1") == ["\(question)vote 1 in poll 1 in xmpp:\(dev)"])
        #expect(await says("polls") == ["\(question)polls in xmpp:\(dev)"])
        #expect(await says("vote 2 in poll 2") == ["Poll 2: you vote for there now, and no longer for here."])
        #expect(await says("vote 1 in poll 1 in ops") == ["Poll 1: you vote for green."])
        withExtendedLifetime(robot) {}
    }

    @Test func `a choice can be named with the short name of its room`() async {
        let irc = PrivateNetwork("irc")
        for room in ["#dev", "#ops"] { irc.setMembers(["alice"], of: room) }
        let robot = Self.makeRobot(irc)
        _ = await irc.hears("hubot poll place: stay in dev, go out", from: "alice", in: "#dev")
        _ = await irc.hears("hubot poll lunch: pizza, curry", from: "alice", in: "#ops")
        #expect(await irc.hears("vote curry in ops", from: "alice") == ["Poll 1: you vote for curry."])
        #expect(
            await irc.hears("vote pizza in poll 1 in OPS", from: "alice")
                == ["Poll 1: you vote for pizza now, and no longer for curry."])
        #expect(await irc.hears("vote stay in dev", from: "alice") == ["Poll 1: you vote for stay in dev."])
        #expect(
            await irc.hears("hubot vote stay in dev", from: "alice", in: "#dev")
                == ["Poll 1: you vote for stay in dev."])
        #expect(
            await irc.hears("hubot vote go out in dev", from: "alice", in: "#ops")
                == ["Poll 1: you vote for go out now, and no longer for stay in dev."])
        #expect(
            await irc.hears("vote curry in ops", from: "eve") == [
                "I see you in no room with an open poll. If there is one, name its room, as in: vote 1 in <room>"
            ])
        withExtendedLifetime(robot) {}
    }

    @Test func `a poll can be ended in private, as one votes there`() async {
        let irc = PrivateNetwork("irc")
        for room in ["#dev", "#ops"] { irc.setMembers(["alice", "bob"], of: room) }
        let robot = Self.makeRobot(irc)
        #expect(
            await irc.hears("end poll", from: "alice") == [
                "I see you in no room with an open poll. If there is one, name its room, as in: end poll in <room>"
            ])
        _ = await irc.hears("hubot poll lunch: pizza, curry", from: "alice", in: "#dev")
        #expect(await irc.hears("end poll", from: "bob") == ["Only alice and my admins may end poll 1."])
        #expect(await irc.hears("end poll in #dev", from: "eve") == ["I don't see you in #dev."])
        _ = await irc.hears("hubot poll tea: green, black", from: "alice", in: "#ops")
        #expect(
            await irc.hears("end poll", from: "alice") == [
                "In which room? Polls are open in irc:#dev, irc:#ops. Add the room, as in: end poll in irc:#dev"
            ])
        #expect(await irc.hears("end poll 1 in ops", from: "alice") == ["OK, I'm counting the votes of poll 1."])
        #expect(await irc.hears("end poll", from: "alice") == ["OK, I'm counting the votes of poll 1."])
        _ = irc.takeDelivered()
        _ = await robot.advance(by: .seconds(1))
        #expect(
            irc.takeDelivered().sorted() == [
                "#dev: Poll 1 is over: lunch\nNobody has voted.", "#ops: Poll 1 is over: tea\nNobody has voted."
            ])
    }

    @Test func `of several rooms with the same short name, one has to be named`() async {
        let xmpp = PrivateNetwork("xmpp")
        let (dev, other) = ("dev@a.example.org", "dev@b.example.org")
        let ada = "ada@example.org"
        for room in [dev, other] { xmpp.setMembers([ada], of: room) }
        let robot = Self.makeRobot(xmpp, admin: "xmpp:root@example.org")
        for room in [dev, other] { _ = await xmpp.hears("hubot poll lunch: pizza, curry", from: ada, in: room) }
        let question = "In which room? Polls are open in xmpp:\(dev), xmpp:\(other). Add the room, as in: "
        #expect(await xmpp.hears("vote 2 in dev", from: ada) == ["\(question)vote 1 in xmpp:\(dev)"])
        #expect(await xmpp.hears("vote 2 in \(other)", from: ada) == ["Poll 1: you vote for curry."])
        #expect(await xmpp.hears("vote 2 in dev", from: "eve@example.org") == ["I don't see you in dev."])
        withExtendedLifetime(robot) {}
    }

    @Test func `people of another network can't see a room's polls`() async {
        let irc = PrivateNetwork("irc")
        let robot = TestRobot(
            name: "hubot", admins: ["test:root"], settings: ["TIME_ZONE": "UTC"], networks: [irc], Polls())
        for command in ["polls in irc:#dev", "vote 1 in irc:#dev"] {
            #expect(
                await robot.hears("hubot \(command)").map(\.content) == ["I don't see you in irc:#dev."])
        }
        #expect(await irc.hears("poll lunch: a, b", from: "ada") == ["Start polls in the room that is to vote."])
        #expect(
            await irc.hears("vote 1", from: "ada")
                == [
                    "I see you in no room with an open poll. If there is one, name its room, as in: vote 1 in <room>"
                ])
    }
}
