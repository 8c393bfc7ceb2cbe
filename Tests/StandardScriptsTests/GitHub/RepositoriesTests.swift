import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct RepositoriesTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", web: web, Repositories())
    }

    private static func search(_ words: String) -> String {
        "https://api.github.com/search/repositories?q=\(words)&per_page=1"
    }

    /// Shaped after https://docs.github.com/en/rest/search/search#search-repositories.
    private static func found(
        name: String = "ada/engine", stars: Int = 1_843, language: String = #""Swift""#,
        description: String = #""Computes tables""#, url: String = "https://github.com/ada/engine"
    ) -> StubHTTPClient.Answer {
        .json(
            """
            {"total_count": 40, "incomplete_results": false, "items": [{
                "id": 3081286, "node_id": "MDEw", "name": "engine", "full_name": "\(name)", "private": false,
                "owner": {"login": "ada", "id": 1}, "html_url": "\(url)", "description": \(description), "fork": false,
                "stargazers_count": \(stars), "watchers_count": \(stars), "language": \(language), "score": 1.0
            }]}
            """)
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test func `the best repository is shown`() async throws {
        web.answer(Self.search("analytical%20engine"), Self.found())
        #expect(
            await robot.hears("hubot github me analytical engine")
                == [.reply("ada/engine (1843 stars, Swift): Computes tables - https://github.com/ada/engine")])
        let headers = try #require(web.requests.last).headers
        #expect(headers["Authorization"] == nil)
        #expect(headers["Accept"] == "application/vnd.github+json")
        #expect(headers["X-GitHub-Api-Version"] == "2022-11-28")
    }

    @Test func `missing fields are left out`() async {
        web.answer(Self.search("x"), Self.found(stars: 1, language: "null", description: "null"))
        #expect(
            await robot.hears("hubot github me x") == [.reply("ada/engine (1 star): https://github.com/ada/engine")])
        web.answer(Self.search("x"), Self.found(stars: 0, language: "null", description: "null", url: "file:///etc"))
        #expect(await robot.hears("hubot github me x") == [.reply("ada/engine (0 stars)")])
    }

    @Test func `a token is sent`() async throws {
        web.answer("http://git.local/api/v3/search/repositories?q=x&per_page=1", Self.found())
        let settings = ["GITHUB_TOKEN": "t0ken", "GITHUB_URL": "http://git.local/api/v3/"]
        let robot = TestRobot(name: "hubot", settings: settings, web: web, Repositories())
        _ = await robot.hears("hubot github me x")
        #expect(try #require(web.requests.last).headers["Authorization"] == "Bearer t0ken")
    }

    @Test(arguments: [
        StubHTTPClient.Answer.json(#"{"total_count": 0, "incomplete_results": false, "items": []}"#),
        .json(#"{"message": "Validation Failed"}"#, status: 422)
    ])
    func `an empty result is reported`(_ answer: StubHTTPClient.Answer) async {
        web.answer(Self.search("user%3Anobody"), answer)
        #expect(await robot.hears("hubot github me user:nobody") == [.reply("I found nothing for user:nobody.")])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer(Self.search("x"), fault.answer)
        #expect(await robot.hears("hubot github me x") == [.reply(fault.spoken("api.github.com"))])
    }

    @Test func `hostile responses are shown in one line`() async {
        web.answer(
            Self.search("x"), Self.found(name: #"a\u202e/b\n"#, language: #""\u0007C""#, description: #""d\r\nQUIT""#))
        #expect(
            await robot.hears("hubot github me x")
                == [.reply("a/b (1843 stars, C): d QUIT - https://github.com/ada/engine")])
        let long = String(repeating: "x", count: 100_000)
        web.answer(Self.search("x"), Self.found(name: long, language: "\"\(long)\"", description: "\"\(long)\""))
        let said = await robot.hears("hubot github me x")
        #expect(said.first.map { $0.content.count < 500 } == true)
    }

    @Test func `hostile words stay words`() async {
        web.answer(Self.search("%22a%22%20%26per_page%3D9%25"), .json(#"{"items": []}"#))
        #expect(
            await robot.hears(#"hubot github me "a" &per_page=9%"#)
                == [.reply(#"I found nothing for "a" &per_page=9%."#)])
        #expect(
            await robot.hears("hubot github me " + String(repeating: "x", count: 201))
                == [.reply("That's too long to look for: use at most 200 characters.")])
        #expect(await robot.hears("hubot github me") == [])
        #expect(await robot.hears("hubot github me a\nb") == [])
    }
}

/// The announcements of mentioned issues.
@Suite struct IssueUnfurlingTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", settings: ["GITHUB_UNFURL": "true"], web: web, Repositories())
    }

    private static func url(_ number: Int) -> String {
        "https://api.github.com/repos/ada/engine/issues/\(number)"
    }

    /// Shaped after https://docs.github.com/en/rest/issues/issues#get-an-issue.
    private static func issue(
        title: String = "The cogs jam", state: String = "open", user: String = #"{"login": "grace", "id": 2}"#,
        more: String = ""
    ) -> StubHTTPClient.Answer {
        .json(
            """
            {
                "id": 1, "url": "https://api.github.com/repos/ada/engine/issues/12", "number": 12,
                "html_url": "https://github.com/ada/engine/issues/12", "state": "\(state)", "title": "\(title)",
                "body": "They do.", "user": \(user), "labels": [], "locked": false, "comments": 0\(more)
            }
            """)
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test(arguments: [
        "see ada/engine#12", "ada/engine#12.", "(Ada/Engine#12)", "see ada/engine#12, ada/engine#12 again"
    ])
    func `an issue is shown`(_ text: String) async throws {
        web.answer(Self.url(12), Self.issue())
        #expect(
            await robot.hears(text)
                == [
                    .text("ada/engine#12: The cogs jam (open issue by grace) - https://github.com/ada/engine/issues/12")
                ])
        #expect(try #require(web.requests.last).deadline == .seconds(8))
    }

    @Test(arguments: [("null", "open"), (#""2026-01-02T03:04:05Z""#, "merged")])
    func `a pull request is shown`(_ merged: String, _ state: String) async {
        web.answer(
            Self.url(12), Self.issue(user: "null", more: #", "pull_request": {"url": "x", "merged_at": \#(merged)}"#))
        #expect(
            await robot.hears("ada/engine#12") == [
                .text("ada/engine#12: The cogs jam (\(state) pull request) - https://github.com/ada/engine/issues/12")
            ])
    }

    @Test func `it is silent unless it is enabled`() async {
        let robot = TestRobot(name: "hubot", web: web, Repositories())
        #expect(await robot.hears("ada/engine#12") == [])
    }

    @Test(arguments: [
        "ada/engine", "engine#12", "#12", "ada/engine#", "ada/engine#0", "ada/engine#x1", "ada/engine#12x",
        "https://github.com/ada/engine#12", "https://ada/engine#12", "../engine#12", "ada/..#12", "ada/x.git#12",
        "ada/engine#1234567890", "ada/engine #12", "-ada/engine#12", "ada/engine#١٢", "ada//engine#12"
    ])
    func `texts without an issue are ignored`(_ text: String) async {
        #expect(await robot.hears(text) == [])
    }

    @Test func `two per message are announced, and none again for ten minutes`() async {
        for number in 1...2 { web.answer(Self.url(number), Self.issue()) }
        #expect(await robot.hears("ada/engine#1 ada/engine#2 ada/engine#3").count == 2)
        #expect(await robot.hears("ada/engine#2") == [])
        web.answer(Self.url(2), Self.issue())
        #expect(await robot.hears("ada/engine#2", in: "#other").count == 1)
        _ = await robot.advance(by: .minutes(10))
        web.answer(Self.url(2), Self.issue())
        #expect(await robot.hears("ada/engine#2").count == 1)
    }

    @Test func `a room gets at most twenty announcements in that time`() async {
        for number in 1...20 {
            web.answer(Self.url(number), Self.issue())
            #expect(await robot.hears("ada/engine#\(number)").count == 1)
        }
        #expect(await robot.hears("ada/engine#21") == [])
    }

    @Test(arguments: [404, 410]) func `missing issues are silent`(_ status: Int) async {
        web.answer(Self.url(12), .json(#"{"message": "Not Found"}"#, status: status))
        #expect(await robot.hears("ada/engine#12") == [])
        #expect(robot.loggedProblems == [])
    }

    @Test(arguments: Fault.allCases) func `failures are silent`(_ fault: Fault) async {
        web.answer(Self.url(12), fault.answer)
        #expect(await robot.hears("ada/engine#12") == [])
        #expect(robot.loggedProblems == [])
    }

    @Test func `a hostile title is shown in one line`() async {
        web.answer(Self.url(12), Self.issue(title: #"a\u0007\u202e\nQUIT :b"#))
        #expect(await robot.hears("ada/engine#12").first?.content.hasPrefix("ada/engine#12: a QUIT :b (open") == true)
        web.answer(Self.url(13), Self.issue(title: String(repeating: "x", count: 100_000)))
        #expect(await robot.hears("ada/engine#13").first.map { $0.content.count < 300 } == true)
    }

    @Test(.timeLimit(.minutes(15))) func `long messages are read quickly`() async {
        for piece in ["a", "a-", "a/", "a.", "a/a.", "a#", "#1"] {
            #expect(await robot.hears(String(repeating: piece, count: 10_000) + " #") == [])
        }
    }
}
