import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite(.timeLimit(.minutes(1))) struct PeopleTests {
    let robot = TestRobot(name: "hubot", admins: ["root"], Diagnostics(), Ignore(), People(), Roles())

    /// The robot knows those who talked with it.
    private func meet(_ names: String...) async {
        for name in names { _ = await robot.hears("hubot ping", from: name) }
    }

    private func says(_ text: String, from user: String = "alice") async -> [String] {
        await robot.hears("hubot \(text)", from: user).map(\.content)
    }

    // MARK: Who is who

    @Test func `it learns what people are, tells, and forgets`() async {
        await meet("ada")
        #expect(await says("ada is our hero.") == ["Ok, ada is our hero."])
        #expect(await says("@Ada is Our Hero") == ["I know."])
        #expect(await says("ada is late") == ["Ok, ada is late."])
        #expect(await says("who is ada") == ["ada is our hero, late."])
        #expect(await says("who's @ada ??") == ["ada is our hero, late."])
        #expect(await says("ada is not late!") == ["Ok, ada is no longer late."])
        #expect(await says("ada is not late") == ["I know."])
        #expect(await says("who is ada?") == ["ada is our hero."])
        #expect(await says("ada is not our hero") == ["Ok, ada is no longer our hero."])
        #expect(await says("who is ada") == ["I know nothing of ada."])
    }

    @Test func `of itself it can learn too, and of whoever asks`() async {
        #expect(await says("who are you") == [])
        #expect(await says("who is hubot?") == ["I am what I am."])
        #expect(await says("hubot is a marvel") == ["Ok, I am a marvel."])
        #expect(await says("who is you") == ["I am a marvel."])
        #expect(await says("hubot is not a marvel") == ["Ok, I am no longer a marvel."])
        #expect(await says("who is me") == ["I know nothing of alice."])
    }

    @Test func `whom it doesn't know, or can't tell apart, it says`() async {
        let unknown = "I don't know anybody called zoe. I know whoever is here, or has talked with me."
        #expect(await says("who is zoe") == [unknown])
        #expect(await says("zoe is our hero") == [unknown])
        await meet("ada", "adam", "adele")
        #expect(await says("who is ad") == ["Who is ad? I know ada, adam, adele."])
        #expect(await says("ada is a lady") == ["Ok, ada is a lady."])
    }

    @Test(arguments: [
        "what is this", "that is nice", "the build is red", "where is ada?", "is", "ada is", "is here", "it is ada",
        "calc me what is love", "what is 2 + 2", "what time is it", "where is Berlin", "remember wifi is hunter2",
        "this is fun", "who's on call", "who is there?", "ada is ."
    ])
    func `what isn't about somebody it leaves to others`(_ text: String) async {
        let robot = TestRobot(
            name: "hubot", Diagnostics(), People(), Inline { $0.catchAll { try await $0.send("left") } })
        _ = await robot.hears("hubot ping", from: "ada")
        #expect(await robot.hears("hubot \(text)") == [.text("left")])
    }

    @Test func `there is an end to what it learns`() async {
        await meet("ada")
        for number in 0..<20 { #expect(await says("ada is \(number)") == ["Ok, ada is \(number)."]) }
        #expect(await says("ada is more") == ["I know 20 things of ada: that's enough."])
        let long = String(repeating: "x", count: 5_000)
        #expect(await says("alice is \(long)").joined().count < 250)
        #expect(await says("who is \(long)").joined().count < 150)
    }

    // MARK: Roles

    @Test func `admins give roles, and take them back`() async {
        await meet("ada")
        #expect(await says("ada has deployer role") == ["Only my admins may use that."])
        #expect(await says("ada has the Deployer role", from: "root") == ["ada (test:ada) has the role deployer now."])
        #expect(await says("@ada has deployer role", from: "root") == ["ada (test:ada) has the role deployer already."])
        #expect(await says("what roles does ada have?") == ["ada has deployer."])
        #expect(await says("what role do I have", from: "ada") == ["You have deployer."])
        #expect(await says("what roles do i have") == ["You have no role."])
        #expect(await says("who has deployer role?") == ["deployer: ada."])
        #expect(
            await says("ada doesn’t have the deployer role", from: "root") == [
                "ada (test:ada) has the role deployer no more."
            ])
        #expect(await says("ada does not have deployer role", from: "root") == ["ada doesn't have it."])
        #expect(await says("who has deployer role") == ["deployer: nobody."])
    }

    @Test func `who is an admin is decided by those whom the settings name`() async {
        await meet("ada", "bob")
        #expect(await says("ada has admin role", from: "root") == ["ada (test:ada) has the role admin now."])
        #expect(await says("bob has deployer role", from: "ada") == ["bob (test:bob) has the role deployer now."])
        let refusal = "Only admins whom my settings name (HEYBOT_AUTH_ADMIN) decide who else is one."
        #expect(await says("bob has ADMIN role", from: "ada") == [refusal])
        #expect(await says("ada doesn't have admin role", from: "ada") == [refusal])
        #expect(
            await says("who has admin role") == [
                "admin: ada, those whom my settings name, and whoever is at my keyboard."
            ])
        #expect(
            await says("root doesn't have admin role", from: "root")
                == ["root is an admin by my settings, or at my keyboard, so nobody can take that back in chat."])
        #expect(
            await says("ada doesn't have admin role", from: "root") == ["ada (test:ada) has the role admin no more."])
        #expect(await says("bob has x role", from: "ada") == ["Only my admins may use that."])
    }

    // MARK: Ignoring

    @Test func `who is ignored isn't heard until they are listened to again`() async {
        await meet("mallory", "root")
        #expect(await says("ignore mallory") == ["Only my admins may use that."])
        #expect(await says("ignore mallory", from: "root") == ["I ignore mallory (test:mallory) from now on."])
        #expect(await says("ignore mallory", from: "root") == ["I ignore mallory (test:mallory) already."])
        #expect(await says("ping", from: "mallory") == [])
        #expect(await says("who do you ignore?") == ["mallory."])
        #expect(await says("ignore root", from: "root") == ["Then you couldn't tell me to stop."])
        #expect(
            await says("ignore nobody", from: "root") == [
                "I don't know anybody called nobody."
            ])
        #expect(await says("listen to mallory", from: "root") == ["I listen to mallory again."])
        #expect(await says("listen to mallory", from: "root") == ["I do listen to mallory."])
        #expect(await says("ping", from: "mallory") == ["PONG"])
        #expect(await says("who do you ignore") == ["Nobody."])
    }

    @Test func `an admin by role ignores no other admin, and is ignored by those whom the settings name`() async {
        await meet("ada", "bob", "root", "boss")
        _ = await says("ada has admin role", from: "root")
        _ = await says("bob has admin role", from: "root")
        let refusal = "bob is an admin, so only those whom my settings name can have me do that."
        #expect(await says("ignore bob", from: "ada") == [refusal])
        #expect(await says("ignore bob", from: "root") == ["I ignore bob (test:bob) from now on."])
        #expect(await says("ping", from: "bob") == [])
    }

    // MARK: Who is it really

    /// A robot on a network where some are known by an account and others, with a `!` in front, by what they say only.
    private func onNetwork() -> TestRobot {
        let network = Inline("Network") { robot in
            robot.receiveMiddleware { message, _ in
                var message = message
                let id = message.user.id.value
                message.user.isAnonymous = id.hasPrefix("!")
                // As `ada as mallory`: somebody's account, and what they are called now.
                let words = id.split(separator: " as ")
                message.user = User(
                    id: User.ID(adapter: "test", value: String(words[0])),
                    name: String(words.last ?? "").replacing("!", with: ""), isAnonymous: message.user.isAnonymous)
                return message
            }
        }
        return TestRobot(name: "hubot", admins: ["root"], network, Diagnostics(), Ignore(), People(), Roles())
    }

    @Test func `nobody gets a role under a name that somebody else may take`() async {
        let robot = onNetwork()
        _ = await robot.hears("hubot ping", from: "!ada")
        let refusal = Utterance.reply("Anybody could come back as ada: have them log in on test first.")
        #expect(await robot.hears("hubot ada has deployer role", from: "root") == [refusal])
        #expect(await robot.hears("hubot test:!ada has admin role", from: "root") == [refusal])
        #expect(robot.robot.knownStandings == [])
    }

    @Test func `a name that merely begins so is nobody's`() async {
        let robot = onNetwork()
        _ = await robot.hears("hubot ping", from: "adalbert")
        for words in ["ada has deployer role", "ada doesn't have deployer role", "ignore ada", "listen to ada"] {
            #expect(
                await robot.hears("hubot \(words)", from: "root") == [.reply("I don't know anybody called ada.")])
        }
    }

    @Test func `who calls themselves like somebody else is told apart by the id`() async {
        let robot = onNetwork()
        _ = await robot.hears("hubot ping", from: "mallory as ada")
        #expect(
            await robot.hears("hubot ada has admin role", from: "root")
                == [.reply("To be sure, say who by their id: test:mallory.")])
        _ = await robot.hears("hubot ping", from: "ada")
        #expect(
            await robot.hears("hubot ignore ada", from: "root")
                == [.reply("Which ada? Say test:ada or test:mallory.")])
        #expect(
            await robot.hears("hubot ignore test:mallory", from: "root")
                == [.reply("I ignore ada (test:mallory) from now on.")])
        #expect(
            await robot.hears("hubot test:ada has admin role", from: "root")
                == [.reply("ada (test:ada) has the role admin now.")])
        #expect(
            await robot.hears("hubot who is ada") == [.reply("Who is ada? I know ada (test:ada), ada (test:mallory).")])
    }
}
