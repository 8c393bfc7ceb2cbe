import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite(.timeLimit(.minutes(15))) struct DescriptionsTests {
    let robot = TestRobot(name: "hubot", admins: ["root"], Diagnostics(), Ignore(), Descriptions(), Roles())

    /// The robot knows those who talked with it.
    private func meet(_ names: String...) async {
        for name in names { _ = await robot.hears("hubot ping", from: name) }
    }

    private func says(_ text: String, from user: String = "alice") async -> [String] {
        await robot.hears("hubot \(text)", from: user).map(\.content)
    }

    // MARK: Who is who

    @Test func `it stores, shows and deletes descriptions of people`() async {
        await meet("ada")
        #expect(await says("ada is our hero.") == ["OK, ada is our hero."])
        #expect(await says("@Ada is Our Hero") == ["I know."])
        #expect(await says("ada is late") == ["OK, ada is late."])
        #expect(await says("who is ada") == ["ada is our hero, late."])
        #expect(await says("who's @ada ??") == ["ada is our hero, late."])
        #expect(await says("ada is not late!") == ["OK, ada is no longer late."])
        #expect(await says("ada is not late") == ["I know."])
        #expect(await says("who is ada?") == ["ada is our hero."])
        #expect(await says("ada is not our hero") == ["OK, ada is no longer our hero."])
        #expect(await says("who is ada") == ["I don't know anything about ada yet."])
    }

    @Test func `it stores descriptions of itself and of the asker too`() async {
        #expect(await says("who are you") == [])
        #expect(await says("who is hubot?") == ["I'm a chat bot. Say \"hubot help\" to see what I can do."])
        #expect(await says("hubot is a marvel") == ["OK, I am a marvel."])
        #expect(await says("who is you") == ["I am a marvel."])
        #expect(await says("hubot is not a marvel") == ["OK, I am no longer a marvel."])
        #expect(await says("who is me") == ["I don't know anything about alice yet."])
    }

    @Test func `unknown and ambiguous names are reported`() async {
        let unknown = "I don't know anyone called zoe. I know the people who are here, or who have talked to me."
        #expect(await says("who is zoe") == [unknown])
        #expect(await says("zoe is our hero") == [unknown])
        await meet("ada", "adam", "adele")
        #expect(await says("who is ad") == ["Which ad? I know ada, adam, adele."])
        #expect(await says("ada is a lady") == ["OK, ada is a lady."])
    }

    @Test(arguments: [
        "what is this", "that is nice", "the build is red", "where is ada?", "is", "ada is", "is here", "it is ada",
        "calc me what is love", "what is 2 + 2", "what time is it", "where is Berlin", "remember wifi is hunter2",
        "this is fun", "who's on call", "who is there?", "ada is .", "ada is on call for ops until friday",
        "ada is not on call", "who is oncall now?"
    ])
    func `sentences that aren't about people are passed on`(_ text: String) async {
        let robot = TestRobot(
            name: "hubot", Diagnostics(), Descriptions(),
            InlineScript { $0.catchAll { try await $0.send("left") } })
        _ = await robot.hears("hubot ping", from: "ada")
        #expect(await robot.hears("hubot \(text)") == [.text("left")])
    }

    @Test func `the number of descriptions is limited`() async {
        await meet("ada")
        for number in 0..<20 { #expect(await says("ada is \(number)") == ["OK, ada is \(number)."]) }
        #expect(await says("ada is more") == ["I already know 20 things about ada, and that\'s all I can keep."])
        let long = String(repeating: "x", count: 5_000)
        #expect(await says("alice is \(long)").joined().count < 250)
        #expect(await says("who is \(long)").joined().count < 150)
    }

    // MARK: Roles

    @Test func `admins give roles, and take them back`() async {
        await meet("ada")
        #expect(await says("ada has deployer role") == ["Only my admins may use that."])
        #expect(await says("ada has the Deployer role", from: "root") == ["ada (test:ada) now has the deployer role."])
        #expect(await says("@ada has deployer role", from: "root") == ["ada (test:ada) already has the deployer role."])
        #expect(await says("what roles does ada have?") == ["ada's roles: deployer."])
        #expect(await says("what role do I have", from: "ada") == ["Your roles: deployer."])
        #expect(await says("what roles do i have") == ["You have no roles."])
        #expect(await says("who has deployer role?") == ["deployer: ada."])
        #expect(
            await says("ada doesn’t have the deployer role", from: "root") == [
                "ada (test:ada) no longer has the deployer role."
            ])
        #expect(await says("ada does not have deployer role", from: "root") == ["ada doesn't have that role."])
        #expect(await says("who has deployer role") == ["deployer: nobody."])
    }

    @Test func `only admins in the settings can make admins`() async {
        await meet("ada", "bob")
        #expect(await says("ada has admin role", from: "root") == ["ada (test:ada) now has the admin role."])
        #expect(await says("bob has deployer role", from: "ada") == ["bob (test:bob) now has the deployer role."])
        let refusal = "Only the admins named in my settings (HEYBOT_AUTH_ADMIN) can give or revoke the admin role."
        #expect(await says("bob has ADMIN role", from: "ada") == [refusal])
        #expect(await says("ada doesn't have admin role", from: "ada") == [refusal])
        #expect(
            await says("who has admin role") == [
                "admin: ada, the admins named in my settings, and the user at my terminal."
            ])
        #expect(
            await says("root doesn't have admin role", from: "root")
                == [
                    "I can't revoke that role from chat: root is an admin by my settings, or is the user at my terminal."
                ])
        #expect(
            await says("ada doesn't have admin role", from: "root") == ["ada (test:ada) no longer has the admin role."])
        #expect(await says("bob has x role", from: "ada") == ["Only my admins may use that."])
    }

    // MARK: Ignoring

    @Test func `an ignored user gets no answer until the robot stops ignoring them`() async {
        await meet("mallory", "root")
        #expect(await says("ignore mallory") == ["Only my admins may use that."])
        #expect(await says("ignore mallory", from: "root") == ["I'm ignoring mallory (test:mallory) now."])
        #expect(await says("ignore mallory", from: "root") == ["I'm already ignoring mallory (test:mallory)."])
        #expect(await says("ping", from: "mallory") == [])
        #expect(await says("who do you ignore?") == ["mallory."])
        #expect(await says("ignore root", from: "root") == ["You can't make me ignore you."])
        #expect(await says("ignore nobody", from: "root") == ["I don't know anyone called nobody."])
        #expect(await says("listen to mallory", from: "root") == ["I'm listening to mallory again."])
        #expect(await says("listen to mallory", from: "root") == ["I wasn't ignoring mallory."])
        #expect(await says("ping", from: "mallory") == ["PONG"])
        #expect(await says("who do you ignore") == ["Nobody."])
    }

    @Test func `an admin by role ignores no other admin, and is ignored by those whom the settings name`() async {
        await meet("ada", "bob", "root", "boss")
        _ = await says("ada has admin role", from: "root")
        _ = await says("bob has admin role", from: "root")
        let refusal = "bob is an admin. Only the admins named in my settings can make me ignore an admin."
        #expect(await says("ignore bob", from: "ada") == [refusal])
        #expect(await says("ignore bob", from: "root") == ["I'm ignoring bob (test:bob) now."])
        #expect(await says("ping", from: "bob") == [])
    }

    // MARK: Who is it really

    /// A robot on a network where some users have accounts, and others, with a leading `!`, are anonymous.
    private func onNetwork() -> TestRobot {
        let network = InlineScript("Network") { robot in
            robot.receiveMiddleware { message, _ in
                var message = message
                let id = message.user.id.value
                message.user.isAnonymous = id.hasPrefix("!")
                // As `ada as mallory`: the account, and the current nick.
                let words = id.split(separator: " as ")
                message.user = User(
                    id: User.ID(adapter: "test", value: String(words[0])),
                    name: String(words.last ?? "").replacing("!", with: ""), isAnonymous: message.user.isAnonymous)
                return message
            }
        }
        return TestRobot(
            name: "hubot", admins: ["root"], network, Diagnostics(), Ignore(), Descriptions(), Roles())
    }

    @Test func `an anonymous user gets no role`() async {
        let robot = onNetwork()
        _ = await robot.hears("hubot ping", from: "!ada")
        let refusal = Utterance.reply(
            "I can't verify who ada is. Ask them to log in to their account on test. "
                + "If that network has no accounts, Heybot's guide to test describes other ways to verify users."
        )
        #expect(await robot.hears("hubot ada has deployer role", from: "root") == [refusal])
        #expect(await robot.hears("hubot test:!ada has admin role", from: "root") == [refusal])
        #expect(robot.robot.rolesAndIgnoredUsers == [])
    }

    @Test func `a prefix of a name isn't enough`() async {
        let robot = onNetwork()
        _ = await robot.hears("hubot ping", from: "adalbert")
        for words in ["ada has deployer role", "ada doesn't have deployer role", "ignore ada", "listen to ada"] {
            #expect(
                await robot.hears("hubot \(words)", from: "root") == [.reply("I don't know anyone called ada.")])
        }
    }

    @Test func `a user with another user's id as a name doesn't get their role`() async {
        let robot = onNetwork()
        _ = await robot.hears("hubot ping", from: "mallory as bob@example.org")
        for name in ["bob@example.org", "test:bob@example.org", "TEST:bob@example.org"] {
            #expect(
                await robot.hears("hubot \(name) has ops role", from: "root")
                    == [.reply("I don't know anyone called \(name).")])
        }
        _ = await robot.hears("hubot ping", from: "mallory as bob")
        #expect(
            await robot.hears("hubot bob has ops role", from: "root")
                == [.reply("I need to be sure who you mean. Use their id: test:mallory.")])
        #expect(robot.robot.rolesAndIgnoredUsers == [])
    }

    @Test func `who is gone isn't meant by a name that an authenticated user has now, unless ignored`() async {
        let xmpp = PrivateNetwork("xmpp")
        let robot = TestRobot(
            name: "hubot", admins: ["xmpp:root@example.org"], networks: [xmpp], Diagnostics(), Ignore(), Roles())
        // Keeps the robot running until the end of the test.
        _ = await robot.hears("hello")
        let (nick, address) = ("dev@x/bob", "bob@example.org")
        _ = await xmpp.hears("hubot ping", from: nick, called: "bob", in: "dev@x", isAnonymous: true)
        _ = await xmpp.hears("hubot ping", from: address, called: "bob", in: "dev@x")
        xmpp.setMembers([address], of: "dev@x", called: [address: "bob"])
        xmpp.setPresent([address])
        func asks(_ command: String) async -> [String] {
            await xmpp.hears("hubot \(command)", from: "root@example.org", in: "dev@x")
        }
        #expect(
            await asks("bob has ops role")
                == ["I need to be sure who you mean. Use their id: xmpp:bob@example.org."])
        #expect(await asks("ignore xmpp:\(nick)") == ["I'm ignoring bob (xmpp:dev@x/bob) now."])
        #expect(await asks("listen to bob") == ["Which bob? Write xmpp:bob@example.org or xmpp:dev@x/bob."])
        _ = await asks("listen to xmpp:\(nick)")
        #expect(await asks("ignore bob") == ["I'm ignoring bob (xmpp:bob@example.org) now."])
        withExtendedLifetime(robot) {}
    }

    @Test func `users with the same name are distinguished by id`() async {
        let robot = onNetwork()
        _ = await robot.hears("hubot ping", from: "mallory as ada")
        #expect(
            await robot.hears("hubot ada has admin role", from: "root")
                == [.reply("I need to be sure who you mean. Use their id: test:mallory.")])
        _ = await robot.hears("hubot ping", from: "ada")
        #expect(
            await robot.hears("hubot ignore ada", from: "root")
                == [.reply("Which ada? Write test:ada or test:mallory.")])
        #expect(
            await robot.hears("hubot ignore test:mallory", from: "root")
                == [.reply("I'm ignoring ada (test:mallory) now.")])
        #expect(
            await robot.hears("hubot test:ada has admin role", from: "root")
                == [.reply("ada (test:ada) now has the admin role.")])
        #expect(
            await robot.hears("hubot who is ada") == [.reply("Which ada? I know ada (test:ada), ada (test:mallory).")])
    }
}
