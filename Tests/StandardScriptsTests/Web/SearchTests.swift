import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct SearchTests {
    let web = StubHTTPClient()
    let robot: TestRobot
    let url = "https://searx.example.org/search?q=analytical%20engine&format=json"

    init() {
        robot = TestRobot(
            name: "hubot", settings: ["SEARCH_URL": "https://searx.example.org/"], web: web, Search())
    }

    @Test(arguments: ["search me", "google ME", "search  me "]) func `an empty query isn't sent`(_ words: String)
        async
    {
        let robot = TestRobot(name: "hubot", settings: ["SEARCH_URL": "https://search.example.org"], Search())
        #expect(await robot.hears("hubot \(words)").map(\.content).allSatisfy { $0 == "What should I look for?" })
    }

    @Test func `the examples are answered`() {
        #expect(robot.brokenExamples() == [])
    }

    // As https://docs.searxng.org/dev/search_api.html and the source of SearXNG have it.
    @Test(arguments: [
        "hubot search me analytical engine", "hubot search analytical engine", "hubot google me analytical engine",
        "hubot GOOGLE analytical engine", "hubot search me   analytical   engine"
    ])
    func `the first result is shown`(_ message: String) async {
        web.answer(
            url,
            .json(
                """
                {"query": "analytical engine", "number_of_results": 2, "results": [
                    {"url": "https://example.org/engine", "title": "The engine", "content": "A machine of brass.",
                     "engine": "brave", "engines": ["brave"], "score": 1.0, "category": "general"},
                    {"url": "https://example.net/", "title": "Another", "content": "No.", "score": 0.5}
                ], "answers": [], "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": []}
                """))
        #expect(
            await robot.hears(message) == [.text("The engine - https://example.org/engine\nA machine of brass.")])
    }

    @Test func `a result with only a URL is shown`() async {
        web.answer(url, .json(#"{"results": [{"url": "https://example.org/"}]}"#))
        #expect(await robot.hears("hubot search me analytical engine") == [.text("https://example.org/")])
    }

    @Test func `the snippet is cut`() async {
        let content = String(repeating: "brass ", count: 100)
        web.answer(url, .json(#"{"results": [{"url": "https://e.org/", "title": "t", "content": "\#(content)"}]}"#))
        let said = await robot.hears("hubot search me analytical engine")[0].content
        #expect(said.hasPrefix("t - https://e.org/\nbrass brass"))
        #expect(said.hasSuffix("…") && said.count == "t - https://e.org/\n".count + 200)
    }

    @Test func `an empty result is reported`() async {
        web.answer(url, .json(#"{"query": "analytical engine", "results": []}"#))
        let nothing = [Utterance.reply("I found nothing for analytical engine.")]
        #expect(await robot.hears("hubot search me analytical engine") == nothing)
        #expect(robot.loggedProblems == [])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer(url, fault.answer)
        let spoken = [Utterance.reply(fault.spoken("searx.example.org"))]
        #expect(await robot.hears("hubot search me analytical engine") == spoken)
    }
}

extension SearchTests {
    @Test func `a result with an invalid URL is skipped`() async {
        web.answer(
            url,
            .json(
                #"""
                {"results": [
                    {"url": "javascript:alert(1)", "title": "a"}, {"url": "https://e.org/ x", "title": "b"},
                    {"url": null, "title": "c"}, {"title": "d"},
                    {"url": "https://example.org/", "title": "e\n\u202E<b>\u0007x", "content": "\u0000f\r\ng"}
                ]}
                """#))
        #expect(await robot.hears("hubot search me analytical engine") == [.text("e <b>x - https://example.org/\nf g")])
    }

    @Test func `a huge answer is cut`() async {
        let huge = String(repeating: "x", count: 100_000)
        web.answer(url, .json(#"{"results": [{"url": "https://e.org/", "title": "\#(huge)", "content": "\#(huge)"}]}"#))
        #expect(await robot.hears("hubot search me analytical engine")[0].content.count < 350)
    }

    @Test func `input stays one value of the query`() async {
        let url = "https://searx.example.org/search?q=%22a%22%20%26q%3Db%25%20%23%20%C3%A9&format=json"
        web.answer(url, .json(#"{"results": []}"#))
        #expect(
            await robot.hears("hubot search me \"a\" &q=b% # é") == [.reply(#"I found nothing for "a" &q=b% # é."#)])
    }

    @Test func `an empty, too long or multi-line query isn't sent`() async {
        let long = String(repeating: "x", count: 201)
        let refusal = "That's too long to look for: use at most 200 characters."
        #expect(await robot.hears("hubot search me \(long)") == [.reply(refusal)])
        #expect(await robot.hears("hubot search me \u{202E}\u{200B}") == [.reply("What should I look for?")])
        #expect(await robot.hears("hubot search ") == [])
        #expect(await robot.hears("hubot search me a\nb") == [])
        #expect(web.requests.isEmpty)
    }

    @Test func `without settings, it names the one to set`() async {
        let robot = TestRobot(name: "hubot", settings: ["GOOGLE_CSE_ID": "engine"], web: web, Search())
        let words = "I can't search the web yet: set HEYBOT_SEARCH_URL to the URL of a SearXNG server."
        #expect(await robot.hears("hubot search me cats") == [.reply(words)])
        #expect(robot.brokenExamples() == [])
    }
}

@Suite struct GoogleSearchTests {
    let web = StubHTTPClient()
    let robot: TestRobot
    let url = "https://www.googleapis.com/customsearch/v1?cx=engine&q=cats"

    init() {
        robot = TestRobot(
            name: "hubot", settings: ["GOOGLE_CSE_ID": "engine", "GOOGLE_CSE_KEY": "secret"], web: web, Search())
    }

    // As https://developers.google.com/custom-search/v1/reference/rest/v1/Search has it.
    @Test func `the first Google result is shown, and the key is in no URL`() async {
        web.answer(
            url,
            .json(
                """
                {"kind": "customsearch#search", "searchInformation": {"totalResults": "2"}, "items": [
                    {"kind": "customsearch#result", "title": "Cats", "htmlTitle": "<b>Cats</b>",
                     "link": "https://example.org/cats", "displayLink": "example.org", "snippet": "All of them."},
                    {"kind": "customsearch#result", "title": "More", "link": "https://example.org/more"}
                ]}
                """))
        #expect(await robot.hears("hubot google me cats") == [.text("Cats - https://example.org/cats\nAll of them.")])
        #expect(web.requests.map { $0.headers["X-Goog-Api-Key"] } == ["secret"])
        #expect(web.requests.map(\.redirects) == [0])
    }

    @Test func `an empty result is reported`() async {
        web.answer(url, .json(#"{"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}}"#))
        #expect(await robot.hears("hubot google me cats") == [.reply("I found nothing for cats.")])
    }

    @Test(arguments: Fault.allCases) func `failures are reported without the key`(_ fault: Fault) async {
        web.answer(url, fault.answer)
        #expect(await robot.hears("hubot google me cats") == [.reply(fault.spoken("www.googleapis.com"))])
        #expect(!robot.loggedProblems.isEmpty && !robot.loggedProblems.joined().contains("secret"))
    }

    @Test func `it may be elsewhere, and a SearXNG comes first`() async {
        var settings = [
            "GOOGLE_CSE_ID": "engine", "GOOGLE_CSE_KEY": "secret", "GOOGLE_CSE_URL": "http://127.0.0.1:8080/v1"
        ]
        web.answer("http://127.0.0.1:8080/v1?cx=engine&q=cats", .json("{}"))
        let elsewhere = TestRobot(name: "hubot", settings: settings, web: web, Search())
        #expect(await elsewhere.hears("hubot google me cats") == [.reply("I found nothing for cats.")])

        settings["SEARCH_URL"] = "https://searx.example.org"
        web.answer("https://searx.example.org/search?q=cats&format=json", .json(#"{"results": []}"#))
        let both = TestRobot(name: "hubot", settings: settings, web: web, Search())
        #expect(await both.hears("hubot google me cats") == [.reply("I found nothing for cats.")])
    }
}
