import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct XKCDTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", web: web, XKCD())
    }

    static let latest = "https://xkcd.com/info.0.json"

    /// As https://xkcd.com/json.html has it.
    static func comic(_ number: Int, _ title: String = "Brass", _ alt: String = "It shines.") -> StubHTTPClient.Answer {
        .json(
            """
            {"month": "10", "num": \(number), "link": "", "year": "2019", "news": "", "safe_title": "\(title)",
             "transcript": "", "alt": "\(alt)", "img": "https://imgs.xkcd.com/comics/\(number).png",
             "title": "<i>\(title)</i>", "day": "25"}
            """)
    }

    @Test func `the examples are answered`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test(arguments: ["hubot xkcd", "hubot xkcd latest", "hubot XKCD Latest"])
    func `the latest is shown`(_ message: String) async {
        web.answer(Self.latest, Self.comic(2220))
        let words = "Brass\nhttps://imgs.xkcd.com/comics/2220.png\nIt shines."
        #expect(await robot.hears(message) == [.text(words)])
    }

    @Test(arguments: ["1", "614", "99999"]) func `one is shown`(_ number: String) async {
        web.answer("https://xkcd.com/\(number)/info.0.json", Self.comic(614))
        let words = "Brass\nhttps://imgs.xkcd.com/comics/614.png\nIt shines."
        #expect(await robot.hears("hubot xkcd \(number)") == [.text(words)])
    }

    @Test func `any is shown, of those there are`() async {
        for number in 1...3 {
            for _ in 1...60 { web.answer("https://xkcd.com/\(number)/info.0.json", Self.comic(number)) }
        }
        var shown: Set<String> = []
        for _ in 1...60 {
            web.answer(Self.latest, Self.comic(3))
            shown.formUnion(await robot.hears("hubot xkcd random").map(\.content))
        }
        #expect(shown.count == 3)
    }

    @Test(arguments: [0, -5, Int.min]) func `a random comic is shown even if the latest number is invalid`(
        _ latest: Int
    ) async {
        web.answer(Self.latest, Self.comic(latest))
        web.answer("https://xkcd.com/1/info.0.json", Self.comic(1, "The first"))
        #expect(await robot.hears("hubot xkcd random")[0].content.hasPrefix("The first"))
    }

    @Test func `any is shown, however many there are`() async {
        web.answer(Self.latest, Self.comic(.max))
        let number = chosen(upTo: 99_999, seed: 0)
        web.answer("https://xkcd.com/\(number)/info.0.json", Self.comic(number, "One of them"))
        #expect(await robot.hears("hubot xkcd random")[0].content.hasPrefix("One of them"))
    }

    @Test func `the one that isn't there is never chosen`() async throws {
        let seed = try #require((0..<10_000 as Range<UInt64>).first { chosen(upTo: 404, seed: $0) == 404 })
        let robot = TestRobot(name: "hubot", web: web, seed: seed, XKCD())
        web.answer(Self.latest, Self.comic(404))
        web.answer("https://xkcd.com/403/info.0.json", Self.comic(403, "The one before"))
        #expect(await robot.hears("hubot xkcd random")[0].content.hasPrefix("The one before"))
    }

    /// The first number that a robot of that seed chooses.
    private func chosen(upTo last: Int, seed: UInt64) -> Int {
        var generator = SeededGenerator(seed: seed)
        return Int.random(in: 1...last, using: &generator)
    }

    @Test func `a missing quote is reported`() async {
        web.answer("https://xkcd.com/404/info.0.json", .text("Not Found", status: 404))
        #expect(await robot.hears("hubot xkcd 404") == [.reply("There's no xkcd number 404.")])
        #expect(robot.loggedProblems == [])
    }

    @Test(arguments: ["0", "-1", "100000", "99999999999999999999999"])
    func `another number is refused`(_ number: String) async {
        #expect(await robot.hears("hubot xkcd \(number)") == [.reply("Comics are numbered from 1 to a few thousand.")])
    }

    @Test(arguments: ["hubot xkcd x", "hubot xkcd 1 2", "hubot xkcd ../1", "hubot xkcd ٣", "hubot xkcd\n1"])
    func `other texts are ignored`(_ message: String) async {
        #expect(await robot.hears(message) == [])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer(Self.latest, fault.answer)
        #expect(await robot.hears("hubot xkcd") == [.reply(fault.spoken("xkcd.com"))])
        web.answer("https://xkcd.com/1/info.0.json", fault.answer)
        #expect(await robot.hears("hubot xkcd 1") == [.reply(fault.spoken("xkcd.com"))])
        web.answer(Self.latest, fault.answer)
        #expect(await robot.hears("hubot xkcd random") == [.reply(fault.spoken("xkcd.com"))])
    }

    @Test func `hostile comics are shown safely`() async {
        let huge = String(repeating: "x", count: 100_000)
        web.answer(
            Self.latest,
            .json(
                #"{"num": 1, "safe_title": "\u202Ea\r\n<b>\#(huge)", "img": "javascript:a", "alt": "\u0000b\n\#(huge)"}"#
            ))
        let lines = await robot.hears("hubot xkcd")[0].content.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("a <b>x") && lines[0].count == 100)
        #expect(lines[1].hasPrefix("b x") && lines[1].count == 600)
    }

    @Test func `a comic with few fields is shown`() async {
        web.answer(Self.latest, .json(#"{"num": 1, "safe_title": "Brass"}"#))
        #expect(await robot.hears("hubot xkcd") == [.text("Brass")])
    }
}
