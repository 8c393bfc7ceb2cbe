import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct TitlesTests {
    let web = StubHTTPClient()
    let robot: TestRobot
    private static let url = "https://example.org/page"

    init() {
        robot = TestRobot(name: "hubot", alias: "/", settings: ["TITLES_ON": "true"], web: web, Titles())
    }

    private static func page(
        _ html: String, type: String = "text/html; charset=utf-8", status: Int = 200
    ) -> StubHTTPClient.Answer {
        StubHTTPClient.Answer(status, headers: ["Content-Type": type], html.utf8)
    }

    private func title(of html: String) async -> String? {
        web.answer(Self.url, Self.page(html))
        let said = await robot.hears(Self.url)
        _ = await robot.advance(by: .minutes(10))
        let end = " (example.org)"
        return said.first.flatMap { $0.content.hasSuffix(end) ? String($0.content.dropLast(end.count)) : nil }
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test func `the title of a page is announced`() async throws {
        web.answer(Self.url, Self.page("<!DOCTYPE html><html><head><title>An Example</title></head>"))
        #expect(await robot.hears("look at \(Self.url)") == [.text("“An Example” (example.org)")])
        let request = try #require(web.requests.last)
        #expect(request.addresses == .publicOnly)
        #expect(request.limit == 262_144)
        #expect(request.deadline == .seconds(8))
        #expect(request.headers["Range"] == "bytes=0-262143")
    }

    @Test func `a part of a page is enough, and the host is the final one`() async {
        web.answer(
            Self.url,
            .custom { _ in
                HTTPResponse(
                    url: "https://www.example.net/there", status: 206,
                    headers: ["Content-Type": "application/xhtml+xml"], body: Array("<title>Moved</title>".utf8))
            })
        #expect(await robot.hears(Self.url) == [.text("“Moved” (www.example.net)")])
    }

    @Test(arguments: [
        ("<TITLE lang=en>\n  Two\n lines </TITLE>", "“Two lines”"), ("<title>A &amp; B &#8364;</title>", "“A & B €”"),
        ("<title>Open", "“Open”"), ("<titles>no</titles><title>yes</title>", "“yes”"),
        (#"<meta property="og:title" content="It's Graph"><title> </title>"#, "“It's Graph”"),
        (#"<meta content='A "quoted" one' property=og:title>"#, "“A \"quoted\" one”"),
        (#"<meta name="og:title"><META NAME="og:title" CONTENT="second">"#, "“second”"),
        (#"<meta property="og:title" content="graph"><title>title</title>"#, "“title”"),
        ("<title>a\u{202e}\u{7}b</title>", "“ab”"), ("<title>&#x202e;&#10;QUIT</title>", "“QUIT”"),
        ("<title>\(String(repeating: "x", count: 100_000))</title>", "“\(String(repeating: "x", count: 149))…”")
    ])
    func `titles are found`(_ html: String, _ title: String) async {
        #expect(await self.title(of: html) == title)
    }

    @Test(arguments: [
        "", "<h1>No title</h1>", "<title></title>", "<title", "<title>", "<meta property='og:title' content=>",
        "<meta property='og:title' content='", "<meta", "<title>\u{200b}</title>"
    ])
    func `a page without a title is left alone`(_ html: String) async {
        #expect(await title(of: html) == nil)
    }

    @Test(
        .timeLimit(.minutes(15)),
        arguments: ["<title", "<title ", "<meta ", "<meta og:title", "<", "<!--", "&", "<titl"]
    )
    func `hostile pages are read quickly`(_ piece: String) async {
        _ = await title(of: String(repeating: piece, count: 262_144 / piece.utf8.count))
    }

    @Test(arguments: [
        ("(see https://example.org/a).", "https://example.org/a"), ("<https://example.org/a>", "https://example.org/a"),
        ("HTTP://example.org/A?b=c&d=%20#part", "HTTP://example.org/A?b=c&d=%20"),
        ("https://example.org/Mars_(planet)!", "https://example.org/Mars_(planet)"),
        ("“https://example.org/a”", "https://example.org/a")
    ])
    func `URLs are found in a sentence`(_ text: String, _ url: String) async {
        web.answer(url, Self.page("<title>T</title>"))
        #expect(await robot.hears(text) == [.text("“T” (example.org)")])
    }

    @Test(arguments: [
        "ftp://example.org/", "xhttp://example.org/", "https:/example.org", "http://", "httpx://a",
        "https://example.org/" + String(repeating: ")", count: 100_000)
    ])
    func `other texts aren't treated as URLs`(_ text: String) async {
        #expect(await robot.hears(text) == [])
    }

    @Test func `messages addressed to the robot are ignored`() async {
        #expect(await robot.hears("hubot \(Self.url)") == [])
        #expect(await robot.hears("/open \(Self.url)") == [])
        #expect(await robot.hears(Self.url, from: "bob", in: "bob") == [])
    }

    @Test func `it is silent unless it is enabled`() async {
        #expect(await TestRobot(web: web, Titles()).hears(Self.url) == [])
    }

    @Test func `two per message are announced, and none again for ten minutes`() async {
        let urls = (1...3).map { "https://example.org/\($0)" }
        for url in urls.prefix(2) { web.answer(url, Self.page("<title>T</title>")) }
        #expect(await robot.hears(urls.joined(separator: " ")).count == 2)
        #expect(await robot.hears("\(urls[0])#part") == [])
        web.answer(urls[0], Self.page("<title>T</title>"))
        #expect(await robot.hears(urls[0], in: "#other").count == 1)
        _ = await robot.advance(by: .minutes(10))
        web.answer(urls[0], Self.page("<title>T</title>"))
        #expect(await robot.hears(urls[0]).count == 1)
    }

    @Test(arguments: ["image/png", "text/plain", "application/json", "text/html-ish"])
    func `other content types are ignored`(_ type: String) async {
        web.answer(Self.url, Self.page("<title>T</title>", type: type))
        #expect(await robot.hears(Self.url) == [])
    }

    @Test(arguments: [
        HTTPError.Code.tooLong, .notPublic, .badURL, .timeout, .untrusted, .unreachable, .broken, .redirects
    ])
    func `failures are silent`(_ code: HTTPError.Code) async {
        web.answer(Self.url, .failure(code))
        #expect(await robot.hears(Self.url) == [])
        #expect(robot.loggedProblems == [])
    }

    @Test(arguments: [403, 404, 416, 429, 500]) func `pages of errors are left alone`(_ status: Int) async {
        web.answer(Self.url, Self.page("<title>Forbidden</title>", status: status))
        #expect(await robot.hears(Self.url) == [])
        #expect(robot.loggedProblems == [])
    }

    @Test func `the charset of the header is heeded`() async {
        let html = "<title>caf".utf8 + [0xe9] + "</title>".utf8
        web.answer(
            Self.url, StubHTTPClient.Answer(200, headers: ["Content-Type": "text/html;charset=iso-8859-1"], html))
        #expect(await robot.hears(Self.url) == [.text("“café” (example.org)")])
    }
}
