import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite(.timeLimit(.minutes(15))) struct FactsTests {
    private let robot = TestRobot(name: "hubot", admins: ["root"], Facts(), Quotes())

    private func says(_ text: String, from user: String = "alice") async -> [String] {
        await robot.hears("hubot \(text)", from: user).map(\.content)
    }

    // MARK: Remembering

    @Test(arguments: [
        "what are deploys", "what are deploys?", "When are the deploys??", "deploys?", "the Deploys ?",
        "remember deploys", "what about deploys?", "tell me about deploys.", "explain deploys", "what do deploys mean?"
    ])
    func `a fact is remembered, and said when asked for`(_ question: String) async {
        #expect(await says("remember that the deploys are on tuesday") == ["OK: deploys are on tuesday"])
        #expect(await says(question, from: "bob") == ["deploys are on tuesday"])
    }

    @Test func `with a subject its other names are forgotten, and the answer says so`() async {
        _ = await says("remember deploys are on tuesday")
        _ = await says("remember releases are the same as deploys")
        #expect(
            await says("forget deploys") == [
                "OK, I've forgotten that deploys are on tuesday, and its other names: releases"
            ])
    }

    @Test func `a fact can be replaced and forgotten`() async {
        #expect(await says("remember wifi is hunter2") == ["OK: wifi is hunter2"])
        #expect(await says("remember WiFi is Hunter2") == ["I know."])
        #expect(
            await says("remember the wifi = \"https://example.org/\"")
                == ["OK: wifi is https://example.org/ (Until now: WiFi is Hunter2)"])
        #expect(await says("what is wifi?") == ["wifi is https://example.org/"])
        #expect(await says("forget the wifi!") == ["OK, I've forgotten that wifi is https://example.org/"])
        #expect(await says("forget wifi") == ["I don't know anything about wifi."])
        #expect(await says("what is wifi?") == [])
    }

    @Test(arguments: ["the wifi", "WIFI?", "about our wifi.", "\"the wifi\"?", "“Wifi”"])
    func `a fact is forgotten by the subject with which it is found`(_ subject: String) async {
        _ = await says("remember the wifi is hunter2")
        #expect(await says("forget \(subject)") == ["OK, I've forgotten that wifi is hunter2"])
        #expect(await says("what is wifi?") == [])
    }

    @Test(arguments: ["remember  wifi   is    hunter2 ", "remember that wifi is\nhunter2\n", "remember wifi = hunter2"])
    func `blanks and line breaks don't count`(_ text: String) async {
        #expect(await says(text) == ["OK: wifi is hunter2"])
        #expect(await says("what is the  wifi?") == ["wifi is hunter2"])
    }

    @Test func `for a similar subject, the known one is suggested`() async {
        _ = await says("remember wifi password is hunter2")
        _ = await says("remember deploys are on tuesday")
        _ = await says("remember tea is hot")
        for question in ["what is wifi passwrod?", "wifi password2?", "what is the wifi?", "what's password"] {
            let asked = Fact.subject(FactQuestion.subject(of: question) ?? "", saidBy: Self.user)
            #expect(
                await says(question) == ["I don't know anything about \(asked). Do you mean wifi password?"],
                "\(question)")
        }
        #expect(await says("when is deploy?") == ["I don't know anything about deploy. Do you mean deploys?"])
        #expect(await says("forget deploy") == ["I don't know anything about deploy. Do you mean deploys?"])
        for question in ["what is lunch?", "what is tee?", "what is up?", "what is deplo?", "wifi password, please?"] {
            #expect(await says(question) == [], "\(question)")
        }
    }

    private static let user = User(id: User.ID(adapter: "test", value: "alice"), name: "alice")

    @Test func `who replaces or forgets another's fact learns what it was`() async {
        _ = await says("remember lunch is at noon")
        #expect(
            await says("remember lunch is at one", from: "bob")
                == ["OK: lunch is at one (Until now: lunch is at noon)"])
        #expect(await says("forget lunch", from: "carol") == ["OK, I've forgotten that lunch is at one"])
    }

    @Test func `who teaches a fact in private learns that everyone can ask for it`() async {
        let irc = PrivateNetwork("irc")
        let robot = TestRobot(name: "hubot", networks: [irc], Facts())
        #expect(
            await irc.hears("remember wifi is hunter2", from: "ada")
                == ["OK: wifi is hunter2 (Everyone can ask me for that.)"])
        #expect(
            await irc.hears("hubot remember wifi is hunter3", from: "ada", in: "#dev")
                == ["OK: wifi is hunter3 (Until now: wifi is hunter2)"])
        #expect(await robot.hears("hubot wifi?") == [.text("wifi is hunter3")])
    }

    @Test func `a thing can have other names`() async {
        #expect(
            await says("remember wlan is the same as wifi") == ["I don't know anything about wifi."])
        _ = await says("remember wifi is hunter2")
        #expect(await says("remember WLAN is the same as the wifi") == ["OK: WLAN is the same as wifi"])
        #expect(await says("remember radio is the same as wlan") == ["OK: radio is the same as wlan"])
        #expect(await says("what is radio?") == ["wifi is hunter2"])
        #expect(
            await says("remember wifi is the same as radio") == ["Those are two names for the same thing already."])
        _ = await says("forget wlan")
        #expect(await says("what is radio?") == [])
        #expect(await says("what is wifi?") == ["wifi is hunter2"])
        _ = await says("remember wlan is the same as wifi")
        _ = await says("forget wifi")
        #expect(await says("facts").first?.hasPrefix("I don't know any facts yet.") == true)
    }

    @Test func `my is the user who says it`() async {
        #expect(await says("remember my birthday is in May") == ["OK: alice's birthday is in May"])
        #expect(await says("when is my birthday?") == ["alice's birthday is in May"])
        #expect(await says("when is my birthday?", from: "bob") == [])
        #expect(await says("what is alice's birthday", from: "bob") == ["alice's birthday is in May"])
    }

    @Test func `facts are listed and searched`() async {
        _ = await says("remember deploys are on tuesday")
        _ = await says("remember an audit is on Tuesday too")
        _ = await says("remember lunch is at noon")
        #expect(await says("facts") == ["I remember facts about: audit, deploys, lunch"])
        #expect(await says("what do you remember?") == ["I remember facts about: audit, deploys, lunch"])
        #expect(
            await says("facts about TUESDAY") == ["audit is on Tuesday too\ndeploys are on tuesday"])
        #expect(await says("what do you know about tuesday audit?") == ["audit is on Tuesday too"])
        #expect(await says("facts about tea") == ["I don't know anything about tea."])
    }

    // MARK: Not answering for others

    @Test func `a question that another command answers isn't answered twice`() async {
        let clock = InlineScript("Zebra") { robot in
            robot.respond(/what is the time/) { try await $0.send("noon") }
            robot.respond(/what is (\d+)/) { _ in throw SkipListener() }
        }
        let robot = TestRobot(name: "hubot", Facts(), clock)
        _ = await robot.hears("hubot remember time is money")
        _ = await robot.hears("hubot remember 42 is the answer")
        #expect(await robot.hears("hubot what is the time?") == [.text("noon")])
        #expect(await robot.hears("hubot what is time?") == [.text("time is money")])
        #expect(await robot.hears("hubot what is 42?") == [.text("42 is the answer")])
        #expect(await robot.hears("what is time?") == [])
    }

    @Test func `quotes stay quotes`() async {
        #expect(await says("remember ada: it is the bug") == ["Got it: that's quote 1."])
        #expect(await says("remember that ada said it is the bug") == ["I know that one: it's quote 1."])
        #expect(
            await says("remember standup is at 9: bring coffee") == ["OK: standup is at 9: bring coffee"])
        #expect(await says("forget quote 1") == ["Quote 1 is gone."])
    }

    @Test(arguments: [
        "what is wifi", "wifi?", "remember", "remember the milk", "who are you?", "forget me", "forget quote",
        "forget my timezone", "forget this room's time zone", "what is up", "?", "", "what is wifi\nand tea?"
    ])
    func `what it doesn't know is passed on`(_ text: String) async {
        let robot = TestRobot(
            name: "hubot", Facts(),
            InlineScript("Zebra") { robot in
                robot.respond(/forget (?:me|my timezone|this room's time zone)$/) { try await $0.send("left") }
                robot.catchAll { try await $0.send("left") }
            })
        #expect(await robot.hears("hubot \(text)") == [.text("left")])
    }

    // MARK: Limits

    @Test func `a subject must be a name, and a fact short`() async {
        #expect(
            await says("remember it is late") == [
                "What do you mean by \"it\"? Say the name of the thing, so that I can find it again."
            ])
        #expect(
            await says("remember \(String(repeating: "x", count: 80)) is long") == [
                "Remember what? Use at most 60 characters for the name of the thing."
            ])
        let long = String(repeating: "x", count: 500)
        #expect(await says("remember a is \(long)").count == 1)
        #expect(await says("remember a is \(long)x") == ["That's too long: a fact has at most 500 characters."])
        #expect(await says("remember b is c\n\u{202E}d") == ["OK: b is c d"])
        #expect(
            await says("remember b is \u{202E}\u{200B}") == [
                "Remember what? For example, say \"remember lunch is at noon\"."
            ])
    }

    @Test func `the number of facts of one person is limited`() async {
        for number in 1...200 { _ = await says("remember fact\(number) is true") }
        #expect(
            await says("remember more is true") == [
                "You've taught me 200 facts already. Please let me forget some first."
            ])
        #expect(await says("remember fact1 is false") == ["OK: fact1 is false (Until now: fact1 is true)"])
        #expect(await says("remember more is true", from: "bob") == ["OK: more is true"])
        #expect(await says("facts")[0].hasSuffix(" and 101 more"))
    }
}
