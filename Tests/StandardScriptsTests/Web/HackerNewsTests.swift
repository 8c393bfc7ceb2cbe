import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct HackerNewsTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", web: web, HackerNews())
    }

    static let top = "https://hacker-news.firebaseio.com/v0/topstories.json"

    func url(_ id: Int) -> String { "https://hacker-news.firebaseio.com/v0/item/\(id).json" }

    /// As https://github.com/HackerNews/API has it.
    func tell(_ id: Int, _ title: String = "Brass", _ url: String? = nil, score: Int = 2, comments: Int? = 0) {
        let place = url.map { #", "url": "\#($0)""# } ?? ""
        let descendants = comments.map { #", "descendants": \#($0)"# } ?? ""
        web.answer(
            self.url(id),
            .json(
                """
                {"by": "ada", "id": \(id), "kids": [8952], "score": \(score), "time": 1175714200, "type": "story",
                 "title": "\(title)"\(place)\(descendants)}
                """))
    }

    @Test func `the examples are answered`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test func `the stories are listed in order`() async {
        web.answer(Self.top, .json("[30, 10, 20, 40]"))
        tell(10, "Ask HN: Brass?", "", score: 1, comments: 1)
        tell(20, "We hire &lt;clerks&gt; &amp; more", comments: nil)
        tell(30, "The engine", "https://example.org/engine", score: 111, comments: 71)
        #expect(
            await robot.hears("hubot hn top 3") == [
                .text(
                    """
                    The engine (111 points, 71 comments) - https://example.org/engine
                    Ask HN: Brass? (1 point, 1 comment) - https://news.ycombinator.com/item?id=10
                    We hire <clerks> & more (2 points, 0 comments) - https://news.ycombinator.com/item?id=20
                    """)
            ])
    }

    @Test(arguments: [("hubot hn top", 5), ("hubot HN top 1", 1), ("hubot hn top 10", 10)])
    func `that many are listed`(_ message: String, _ count: Int) async {
        web.answer(Self.top, .json("\(Array(1...500))"))
        for id in 1...count { tell(id) }
        let lines = await robot.hears(message)[0].content.split(separator: "\n")
        #expect(lines.count == count)
        #expect(web.requests.count == count + 1)
    }

    @Test(arguments: ["0", "11", "-1", "99999999999999999999999"])
    func `another number is refused`(_ count: String) async {
        #expect(await robot.hears("hubot hn top \(count)") == [.reply("I can list 1 to 10 stories.")])
    }

    @Test(arguments: ["hubot hn", "hubot hn top x", "hubot hn top 3 4", "hubot hn top ٣", "hubot hn top\n3"])
    func `other texts are ignored`(_ message: String) async {
        #expect(await robot.hears(message) == [])
    }

    @Test func `an empty list of stories is reported`() async {
        web.answer(Self.top, .json("[]"))
        #expect(await robot.hears("hubot hn top") == [.reply("Hacker News has no stories right now.")])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer(Self.top, fault.answer)
        #expect(await robot.hears("hubot hn top") == [.reply(fault.spoken("hacker-news.firebaseio.com"))])
    }

    @Test(arguments: Fault.allCases) func `a story that can't be had is left out`(_ fault: Fault) async {
        web.answer(Self.top, .json("[1, 2, 3, 4]"))
        tell(1)
        web.answer(url(2), fault.answer)
        web.answer(url(3), .json("null"))
        tell(4)
        let lines = await robot.hears("hubot hn top")[0].content.split(separator: "\n")
        #expect(lines.map { $0.suffix(5) } == ["?id=1", "?id=4"])
    }

    @Test(arguments: Fault.allCases) func `if none can be loaded, that is reported`(_ fault: Fault) async {
        web.answer(Self.top, .json("[1, 2]"))
        web.answer(url(1), fault.answer)
        web.answer(url(2), fault.answer)
        #expect(await robot.hears("hubot hn top") == [.reply(fault.spoken("hacker-news.firebaseio.com"))])
    }

    @Test func `hostile stories are shown safely`() async {
        web.answer(Self.top, .json("[1, 2, 3]"))
        tell(1, #"<b>\u202E\u0000a\r\nb"#, "javascript:alert(1)", score: .min, comments: .max)
        tell(2, String(repeating: "x", count: 100_000), "https://example.org/ b")
        tell(3, #"<br>\u200B"#)
        let lines = await robot.hears("hubot hn top")[0].content.split(separator: "\n")
        #expect(lines.count == 2)
        let numbers = "(\(Int.min) points, \(Int.max) comments)"
        #expect(lines[0] == "a b \(numbers) - https://news.ycombinator.com/item?id=1")
        #expect(lines[1].hasSuffix("x… (2 points, 0 comments) - https://news.ycombinator.com/item?id=2"))
        #expect(lines[1].count < 250)
    }
}
