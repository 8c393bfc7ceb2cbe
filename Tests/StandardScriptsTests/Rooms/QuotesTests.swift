import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite struct QuotesTests {
    let brain = Brain(store: MemoryStore())
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", admins: ["root"], brain: brain, Quotes())
    }

    @Test(arguments: [
        "remember ada: it is the bug that found me", "remember that Ada said it is the bug that found me",
        "remember that ada said: “it is the bug that found me”",
        "remember @ada: \"it is the bug\n\tthat found\u{7} me\""
    ])
    func `a quote is stored`(_ words: String) async {
        #expect(await robot.hears("hubot " + words) == [.reply("Got it: that's quote 1.")])
        let answer = await robot.hears("hubot quote me").map { $0.content.replacing("Ada", with: "ada") }
        #expect(answer == ["“it is the bug that found me” (ada, quote 1)"])
    }

    @Test func `numbers go up, and aren't used again`() async {
        for number in 1...3 {
            #expect(
                await robot.hears("hubot remember ada: words \(number)") == [.reply("Got it: that's quote \(number).")])
        }
        _ = await robot.hears("hubot forget quote 3")
        #expect(await robot.hears("hubot remember ada: words") == [.reply("Got it: that's quote 4.")])
    }

    @Test func `a duplicate isn't stored`() async {
        #expect(await robot.hears("hubot remember ada: caf\u{E9} first") == [.reply("Got it: that's quote 1.")])
        #expect(
            await robot.hears("hubot remember Ada: Cafe\u{301}  First") == [.reply("I know that one: it's quote 1.")])
        #expect(await robot.hears("hubot remember bob: caf\u{E9} first") == [.reply("Got it: that's quote 2.")])
    }

    @Test func `every quote comes up`() async {
        for word in ["one", "two", "three"] { _ = await robot.hears("hubot remember ada: \(word)") }
        var said: Set<String> = []
        for _ in 0..<60 { said.formUnion(await robot.hears("hubot quote me").map(\.content)) }
        #expect(said == ["“one” (ada, quote 1)", "“two” (ada, quote 2)", "“three” (ada, quote 3)"])
    }

    @Test func `all words must match`() async {
        _ = await robot.hears("hubot remember ada: tea is ready")
        _ = await robot.hears("hubot remember bob: coffee is ready")
        for words in ["tea", "ready ADA", "Tea Is"] {
            #expect(await robot.hears("hubot quote me \(words)") == [.text("“tea is ready” (ada, quote 1)")])
        }
        #expect(
            await robot.hears("hubot quote me ada coffee") == [.reply("I have no quote with ada coffee in it.")])
        let long = await robot.hears("hubot quote me \(String(repeating: "x", count: 100_000))")
        #expect(long.map(\.content.count).allSatisfy { $0 < 150 } && long.count == 1)
    }

    @Test func `a person's newest quotes are listed`() async throws {
        #expect(await robot.hears("hubot quotes by ada") == [.reply("I have no quote by ada.")])
        for number in 1...12 { _ = await robot.hears("hubot remember Ada: \(number)") }
        _ = await robot.hears("hubot remember bob: \(String(repeating: "x", count: 1_000))")
        let lines = await robot.hears("hubot quotes by @ada")[0].content.split(separator: "\n")
        #expect(lines.first == "“12” (Ada, quote 12)")
        #expect(lines.count == 11 && lines.last == "… and more")
        #expect(await robot.hears("hubot quotes by BOB")[0].content.count < 150)
    }

    @Test func `of thousands only one is sent`() async throws {
        try await brain.open()
        let user = User.ID(adapter: "test", value: "alice")
        for number in 1...3_000 {
            let quote = try Quotes.Quote("words \(number)", by: "ada", addedBy: user, date: .distantPast)
            try await brain.remember(Quotes.quotes, "\(number)", quote)
        }
        #expect(await robot.hears("hubot quote me")[0].content.contains(/^“words \d+” \(ada, quote \d+\)$/))
        #expect(await robot.hears("hubot quotes by ada")[0].content.hasSuffix("\n… and more"))
    }

    @Test func `the user who added a quote may delete it, and so may admins`() async throws {
        for number in 1...2 { _ = await robot.hears("hubot remember ada: words \(number)") }
        #expect(
            await robot.hears("hubot forget quote 1", from: "bob")
                == [.reply("Someone else added quote 1. Ask them, or one of my admins.")])
        #expect(await robot.hears("hubot forget quote #01") == [.reply("Quote 1 is gone.")])
        #expect(await robot.hears("hubot forget quote 2", from: "root") == [.reply("Quote 2 is gone.")])
        for number in ["1", "7", "99999999999999999999"] {
            #expect(await robot.hears("hubot forget quote \(number)") == [.reply("There is no quote \(number).")])
        }
        #expect(
            await robot.hears("hubot quote me")
                == [.reply("I have no quotes yet. To add one, say \"remember ada: hello\".")])
    }

    @Test func `the user who added it and the time are stored`() async throws {
        _ = await robot.advance(by: .hours(1))
        _ = await robot.hears("hubot remember ada: words")
        let quote = try await brain.recall(Quotes.quotes, "1")
        #expect(quote?.addedBy == User.ID(adapter: "test", value: "alice"))
        #expect(quote?.date == robot.robot.date)
    }

    @Test func `an invisible or too long text is refused`() async {
        let thousand = String(repeating: "x", count: 1_000)
        #expect(await robot.hears("hubot remember ada: \(thousand)") == [.reply("Got it: that's quote 1.")])
        #expect(
            await robot.hears("hubot remember ada: \(thousand)x")
                == [.reply("That's too long: a quote has at most 1,000 characters.")])
        #expect(
            await robot.hears("hubot remember ada: \u{202E}\u{200B}")
                == [.reply("Remember what? For example, say \"remember ada: hello\".")])
        #expect(await robot.hears("hubot quote me")[0].content.count < 1_050)
    }

    @Test(arguments: [
        "remember the milk", "remember ada:hello", "remember : x", "remember", "forget quote", "quotes by"
    ])
    func `nothing else is answered`(_ words: String) async {
        #expect(await robot.hears("hubot " + words) == [])
    }
}
