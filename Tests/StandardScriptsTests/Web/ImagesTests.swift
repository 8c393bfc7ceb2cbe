import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct ImagesTests {
    let web = StubHTTPClient()
    let robot: TestRobot
    let url = "https://api.openverse.org/v1/images/?q=lighthouse"

    init() {
        robot = TestRobot(name: "hubot", web: web, Images())
    }

    /// As https://api.openverse.org/v1/ has it.
    static func pictures(_ urls: String...) -> StubHTTPClient.Answer {
        let results = urls.map { url in
            """
            {"id": "4bc43a04", "title": "A light", "foreign_landing_url": "https://example.org/photo", "url": "\(url)",
             "creator": "Ada", "license": "cc0", "license_version": "1.0", "provider": "example", "mature": false,
             "attribution": "\\"A light\\" by Ada is marked with CC0 1.0.", "fields_matched": ["title"]}
            """
        }
        return .json(
            """
            {"result_count": \(urls.count), "page_count": 1, "page_size": 20, "page": 1,
             "results": [\(results.joined(separator: ","))]}
            """)
    }

    @Test func `the examples are answered`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test(arguments: [
        "hubot image me lighthouse", "hubot image lighthouse", "hubot img me lighthouse", "hubot IMG lighthouse"
    ])
    func `a picture is shown`(_ message: String) async {
        web.answer(url, Self.pictures("https://example.org/a.jpg"))
        #expect(await robot.hears(message) == [.text("https://example.org/a.jpg")])
    }

    @Test func `it is any of those found`() async {
        let all: Set = ["https://example.org/a.jpg", "https://example.org/b.jpg", "https://example.org/c.jpg"]
        var shown: Set<String> = []
        for _ in 1...40 {
            web.answer(url, Self.pictures("https://example.org/a.jpg", "https://example.org/b.jpg", all.max() ?? ""))
            shown.formUnion(await robot.hears("hubot image me lighthouse").map(\.content))
        }
        #expect(shown == all)
    }

    @Test(arguments: ["hubot animate me cat", "hubot animate cat"])
    func `one that moves is shown`(_ message: String) async {
        web.answer(
            "https://api.openverse.org/v1/images/?q=cat&extension=gif", Self.pictures("https://example.org/a.gif"))
        #expect(await robot.hears(message) == [.text("https://example.org/a.gif")])
    }

    @Test(arguments: ["hubot image me lighthouse", "hubot mustache me lighthouse"])
    func `an empty result is reported`(_ message: String) async {
        let robot = TestRobot(
            name: "hubot", settings: ["MUSTACHIFY_URL": "https://mustachio.example.org"], web: web, Images())
        web.answer(url, Self.pictures())
        #expect(await robot.hears(message) == [.reply("I found nothing for lighthouse.")])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer(url, fault.answer)
        #expect(await robot.hears("hubot image me lighthouse") == [.reply(fault.spoken("api.openverse.org"))])
    }

    @Test func `invalid URLs and mature pictures aren't shown`() async {
        web.answer(
            url,
            .json(
                #"""
                {"results": [{"url": "https://e.org/a b.jpg"}, {"url": "javascript:alert(1)"}, {"url": null}, {},
                    {"url": "https://e.org/\u202Egpj.exe"}, {"url": "https://e.org/\#(String(repeating: "x", count: 99_999))"},
                    {"url": "https://e.org/mature.jpg", "mature": true}]}
                """#))
        #expect(await robot.hears("hubot image me lighthouse") == [.reply("I found nothing for lighthouse.")])
    }

    @Test func `hostile words stay one value of the query`() async {
        web.answer("https://api.openverse.org/v1/images/?q=%22a%22%20%26mature%3Dtrue%20%25", Self.pictures())
        let words = #"I found nothing for "a" &mature=true %."#
        #expect(await robot.hears("hubot image me \"a\" &mature=true %") == [.reply(words)])
        let long = String(repeating: "x", count: 10_000)
        for command in ["image", "animate", "mustache"] {
            #expect(await robot.hears("hubot \(command) me \(long)")[0].content.hasPrefix("That's too long"))
            #expect(await robot.hears("hubot \(command)") == [])
            #expect(await robot.hears("hubot \(command) me a\nb") == [])
        }
    }
}

@Suite struct MustacheTests {
    let web = StubHTTPClient()

    static let spellings = ["mustache me", "moustache me", "stache", "mustashe me", "stash me", "mustach"]

    @Test(arguments: spellings) func `without a Mustachio, one is looked for`(_ command: String) async {
        let robot = TestRobot(name: "hubot", web: web, Images())
        web.answer(
            "https://api.openverse.org/v1/images/?q=Ada%20mustache", ImagesTests.pictures("https://example.org/m.jpg"))
        #expect(await robot.hears("hubot \(command) Ada") == [.text("https://example.org/m.jpg")])
    }

    @Test func `without a Mustachio, a picture can't get one`() async {
        let robot = TestRobot(name: "hubot", web: web, Images())
        let words =
            "I can't draw mustaches yet: set HEYBOT_MUSTACHIFY_URL to the URL of a Mustachio server."
        #expect(await robot.hears("hubot mustache me https://example.org/a.jpg") == [.reply(words)])
    }

    @Test(arguments: spellings) func `with one, the first picture gets it`(_ command: String) async {
        let robot = TestRobot(
            name: "hubot", settings: ["MUSTACHIFY_URL": "https://mustachio.example.org/"], web: web, Images())
        web.answer(
            "https://api.openverse.org/v1/images/?q=Ada",
            ImagesTests.pictures("https://example.org/a.jpg?x=1&y=2", "https://example.org/b.jpg"))
        let address = "https://mustachio.example.org?src=https%3A%2F%2Fexample.org%2Fa.jpg%3Fx%3D1%26y%3D2"
        #expect(await robot.hears("hubot \(command) Ada") == [.text(address)])
    }

    @Test func `with one, a URL is asked nowhere`() async {
        let robot = TestRobot(
            name: "hubot", settings: ["MUSTACHIFY_URL": "https://mustachio.example.org"], web: web, Images())
        let address = "https://mustachio.example.org?src=HTTPS%3A%2F%2Fexample.org%2Fa.jpg%3Fx%26src%3D%23"
        #expect(await robot.hears("hubot mustache me HTTPS://example.org/a.jpg?x&src=#") == [.text(address)])
        #expect(web.requests.isEmpty)
    }
}

@Suite struct GoogleImagesTests {
    let web = StubHTTPClient()
    let robot: TestRobot
    let url = "https://www.googleapis.com/customsearch/v1?cx=engine&q=cat&searchType=image&safe=active"

    init() {
        robot = TestRobot(
            name: "hubot", settings: ["GOOGLE_CSE_ID": "engine", "GOOGLE_CSE_KEY": "secret"], web: web, Images())
    }

    // As https://developers.google.com/custom-search/v1/reference/rest/v1/Search has it.
    static let picture = StubHTTPClient.Answer.json(
        """
        {"items": [{"kind": "customsearch#result", "title": "A cat", "link": "https://example.org/cat.png",
                    "mime": "image/png", "image": {"contextLink": "https://example.org/", "height": 10, "width": 10}}]}
        """)

    @Test func `a picture is shown`() async {
        web.answer(url, Self.picture)
        #expect(await robot.hears("hubot image me cat") == [.text("https://example.org/cat.png")])
        #expect(web.requests.map { $0.headers["X-Goog-Api-Key"] } == ["secret"])
    }

    @Test func `so is one that moves`() async {
        web.answer("\(url)&fileType=gif", Self.picture)
        #expect(await robot.hears("hubot animate me cat") == [.text("https://example.org/cat.png")])
    }

    @Test func `an empty result is reported`() async {
        web.answer(url, .json("{}"))
        #expect(await robot.hears("hubot image me cat") == [.reply("I found nothing for cat.")])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer(url, fault.answer)
        #expect(await robot.hears("hubot image me cat") == [.reply(fault.spoken("www.googleapis.com"))])
    }
}
