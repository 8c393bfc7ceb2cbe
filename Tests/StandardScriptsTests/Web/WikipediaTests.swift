import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct WikipediaTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", web: web, Wikipedia())
    }

    func url(_ words: String, _ wiki: String = "https://en.wikipedia.org") -> String {
        "\(wiki)/w/api.php?action=query&generator=search&gsrsearch=\(words)&gsrlimit=5"
            + "&prop=extracts%7Cinfo%7Cpageprops&exintro=1&explaintext=1&exlimit=max&inprop=url"
            + "&ppprop=disambiguation&redirects=1&format=json&formatversion=2"
    }

    /// As https://www.mediawiki.org/wiki/API:Search and https://www.mediawiki.org/wiki/Extension:TextExtracts have it,
    /// with the pages in the order of their ids.
    static let lovelace = StubHTTPClient.Answer.json(
        """
        {"batchcomplete": true, "query": {"pages": [
            {"pageid": 10, "ns": 0, "title": "Lovelace (film)", "index": 2, "extract": "A film.",
             "fullurl": "https://en.wikipedia.org/wiki/Lovelace_(film)"},
            {"pageid": 974, "ns": 0, "title": "Ada Lovelace", "index": 1, "contentmodel": "wikitext",
             "extract": "She wrote of engines.\\nAnd of numbers.", "pagelanguage": "en",
             "fullurl": "https://en.wikipedia.org/wiki/Ada_Lovelace",
             "editurl": "https://en.wikipedia.org/w/index.php?title=Ada_Lovelace&action=edit"}
        ]}}
        """)

    @Test func `the examples are answered`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test(arguments: ["hubot wiki me ada lovelace", "hubot wiki ada lovelace", "hubot Wikipedia ada  lovelace"])
    func `the best page's beginning and URL are shown`(_ message: String) async {
        web.answer(url("ada%20lovelace"), Self.lovelace)
        let words = "She wrote of engines. And of numbers.\nhttps://en.wikipedia.org/wiki/Ada_Lovelace"
        #expect(await robot.hears(message) == [.text(words)])
    }

    @Test(arguments: [
        ("hubot wiki me in de Ada Lovelace", "https://de.wikipedia.org", "Ada%20Lovelace"),
        ("hubot wiki me in CEB cats", "https://ceb.wikipedia.org", "cats"),
        ("hubot wiki me in the air", "https://en.wikipedia.org", "in%20the%20air"),
        ("hubot wiki me in simple words", "https://en.wikipedia.org", "in%20simple%20words"),
        ("hubot wiki me in de", "https://en.wikipedia.org", "in%20de"),
        ("hubot wiki me in d/ cats", "https://en.wikipedia.org", "in%20d%2F%20cats")
    ])
    func `a language can be chosen`(_ message: String, _ wiki: String, _ words: String) async {
        web.answer(url(words, wiki), Self.lovelace)
        #expect(await robot.hears(message)[0].content.hasPrefix("She wrote"))
    }

    @Test func `another wiki has one language`() async {
        let robot = TestRobot(
            name: "hubot", settings: ["WIKIPEDIA_URL": "https://wiki.example.org/"], web: web, Wikipedia())
        web.answer(url("in%20our%20time", "https://wiki.example.org"), .json(#"{"batchcomplete": true}"#))
        #expect(await robot.hears("hubot wiki me in our time") == [.reply("I found nothing for in our time.")])
    }

    @Test func `a disambiguation page lists some meanings`() async {
        web.answer(
            url("mercury"),
            .json(
                """
                {"batchcomplete": true, "query": {"pages": [
                    {"pageid": 1, "title": "Mercury", "index": 1, "extract": "Mercury most often is:",
                     "fullurl": "https://en.wikipedia.org/wiki/Mercury", "pageprops": {"disambiguation": ""}},
                    {"pageid": 2, "title": "Mercury (element)", "index": 3},
                    {"pageid": 3, "title": "Mercury (planet)", "index": 2},
                    {"pageid": 4, "title": "Mercury (disambiguation)", "index": 4, "pageprops": {"disambiguation": ""}}
                ]}}
                """))
        let words = "Mercury can mean: Mercury (planet), Mercury (element).\nhttps://en.wikipedia.org/wiki/Mercury"
        #expect(await robot.hears("hubot wiki me mercury") == [.text(words)])
    }

    @Test func `a disambiguation page may be the only result`() async {
        web.answer(
            url("mercury"),
            .json(#"{"query": {"pages": [{"title": "Mercury", "pageprops": {"disambiguation": ""}}]}}"#))
        #expect(await robot.hears("hubot wiki me mercury") == [.text("Mercury can mean several things.")])
    }

    @Test func `an empty result is reported`() async {
        web.answer(url("qwrtz"), .json(#"{"batchcomplete": true}"#))
        #expect(await robot.hears("hubot wiki me qwrtz") == [.reply("I found nothing for qwrtz.")])
        #expect(robot.loggedProblems == [])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer(url("cats"), fault.answer)
        #expect(await robot.hears("hubot wiki me cats") == [.reply(fault.spoken("en.wikipedia.org"))])
    }

    // As https://www.mediawiki.org/wiki/API:Errors_and_warnings has it.
    @Test func `an error with status 200 is a failure`() async {
        web.answer(
            url("cats"),
            .json(#"{"error": {"code": "cirrussearch-too-busy-error", "info": "Search is busy.", "docref": "See."}}"#))
        let words = "I can't get an answer from en.wikipedia.org just now."
        #expect(await robot.hears("hubot wiki me cats") == [.reply(words)])
        #expect(robot.loggedProblems.joined().contains("cirrussearch-too-busy-error"))
    }
}

extension WikipediaTests {
    @Test func `hostile pages are shown safely`() async {
        let huge = String(repeating: "a ", count: 50_000)
        web.answer(
            url("cats"),
            .json(
                #"""
                {"query": {"pages": [{"title": "c", "index": 1, "extract": "\u202E\u0007<i>\r\n\#(huge)",
                    "fullurl": "javascript:alert(1)"}]}}
                """#))
        let said = await robot.hears("hubot wiki me cats")[0].content
        #expect(said.hasPrefix("<i> a a") && said.hasSuffix("…") && said.count <= 300)
    }

    @Test func `a page without a text is shown by its title`() async {
        web.answer(url("cats"), .json(#"{"query": {"pages": [{"title": "Cats", "index": 1, "extract": ""}]}}"#))
        #expect(await robot.hears("hubot wiki me cats") == [.text("Cats")])
    }

    @Test func `hostile words stay one value of the query`() async {
        web.answer(url("%22a%22%20%26action%3Dlogin%20%25%20%7C"), .json("{}"))
        let words = #"I found nothing for "a" &action=login % |."#
        #expect(await robot.hears("hubot wiki me \"a\" &action=login % |") == [.reply(words)])
        let long = String(repeating: "x", count: 10_000)
        #expect(await robot.hears("hubot wiki me \(long)")[0].content.hasPrefix("That's too long to look for"))
        #expect(await robot.hears("hubot wiki") == [])
        #expect(await robot.hears("hubot wiki me a\nb") == [])
    }
}
