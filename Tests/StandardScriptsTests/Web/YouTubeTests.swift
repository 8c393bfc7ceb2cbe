import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct YouTubeTests {
    let web = StubHTTPClient()
    let robot: TestRobot
    let url = "https://www.googleapis.com/youtube/v3/search?part=snippet&type=video&maxResults=15&q=engine"

    init() {
        robot = TestRobot(name: "hubot", settings: ["YOUTUBE_API_KEY": "secret"], web: web, YouTube())
    }

    /// As https://developers.google.com/youtube/v3/docs/search/list has it.
    static func videos(_ videos: (id: String, title: String)...) -> StubHTTPClient.Answer {
        let items = videos.map { video in
            """
            {"kind": "youtube#searchResult", "etag": "x", "id": {"kind": "youtube#video", "videoId": "\(video.id)"},
             "snippet": {"publishedAt": "2026-01-01T00:00:00Z", "channelId": "y", "title": "\(video.title)"}}
            """
        }
        return .json(
            """
            {"kind": "youtube#searchListResponse", "pageInfo": {"totalResults": 1, "resultsPerPage": 15},
             "items": [\(items.joined(separator: ","))]}
            """)
    }

    @Test func `the examples are answered`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test(arguments: [
        "hubot youtube me engine", "hubot youtube engine", "hubot yt me engine", "hubot YT engine"
    ])
    func `a video is shown, and the key is in no URL`(_ message: String) async {
        web.answer(url, Self.videos(("abcDEF_-123", "Ada&#39;s &lt;3 &amp; brass")))
        let words = "Ada's <3 & brass - https://www.youtube.com/watch?v=abcDEF_-123"
        #expect(await robot.hears(message) == [.text(words)])
        #expect(web.requests.map { $0.headers["X-Goog-Api-Key"] } == ["secret"])
        #expect(web.requests.map(\.redirects) == [0])
    }

    @Test func `it is any of those found`() async {
        var shown: Set<String> = []
        for _ in 1...30 {
            web.answer(url, Self.videos(("aaaaaaaaaaa", "a"), ("bbbbbbbbbbb", "b")))
            shown.formUnion(await robot.hears("hubot youtube me engine").map(\.content))
        }
        let place = "https://www.youtube.com/watch?v="
        #expect(shown == ["a - \(place)aaaaaaaaaaa", "b - \(place)bbbbbbbbbbb"])
    }

    @Test(arguments: [
        #"{"items": []}"#, #"{"items": [{"id": {"channelId": "x"}}]}"#,
        #"{"items": [{"id": {"videoId": "../../evil"}}, {"id": {"videoId": "abc&x=1 2#34"}}]}"#,
        #"{"items": [{"id": {"videoId": "abcdefghij\n"}}, {"id": {"videoId": "abcdefghijkl"}}]}"#
    ])
    func `an empty result is reported`(_ answer: String) async {
        web.answer(url, .json(answer))
        #expect(await robot.hears("hubot youtube me engine") == [.reply("I found nothing for engine.")])
    }

    @Test(arguments: Fault.allCases) func `failures are reported without the key`(_ fault: Fault) async {
        web.answer(url, fault.answer)
        #expect(await robot.hears("hubot youtube me engine") == [.reply(fault.spoken("www.googleapis.com"))])
        #expect(!robot.loggedProblems.isEmpty && !robot.loggedProblems.joined().contains("secret"))
    }

    @Test func `hostile titles are shown safely`() async {
        let title = #"<b>\u202E\u0000a\r\n&#10;&#x202E;"# + String(repeating: "x", count: 100_000)
        web.answer(url, Self.videos(("aaaaaaaaaaa", title)))
        let said = await robot.hears("hubot youtube me engine")[0].content
        #expect(said.hasPrefix("a xxx") && said.hasSuffix("x… - https://www.youtube.com/watch?v=aaaaaaaaaaa"))
        #expect(said.count < 160)
    }

    @Test func `a video without a title is shown by its URL`() async {
        web.answer(url, .json(#"{"items": [{"id": {"videoId": "aaaaaaaaaaa"}}]}"#))
        #expect(
            await robot.hears("hubot yt engine") == [.text("https://www.youtube.com/watch?v=aaaaaaaaaaa")])
    }

    @Test func `hostile words stay one value of the query`() async {
        web.answer(
            "https://www.googleapis.com/youtube/v3/search?part=snippet&type=video&maxResults=15"
                + "&q=%22a%22%20%26key%3Dx%20%25", .json(#"{"items": []}"#))
        let words = #"I found nothing for "a" &key=x %."#
        #expect(await robot.hears("hubot youtube me \"a\" &key=x %") == [.reply(words)])
        let long = String(repeating: "x", count: 10_000)
        #expect(await robot.hears("hubot youtube me \(long)")[0].content.hasPrefix("That's too long to look for"))
        #expect(await robot.hears("hubot youtube") == [])
        #expect(await robot.hears("hubot youtube me a\nb") == [])
    }

    @Test func `without settings, it names the one to set`() async {
        let robot = TestRobot(name: "hubot", web: web, YouTube())
        let words =
            "I can't look for videos yet: set HEYBOT_YOUTUBE_API_KEY to a key for the YouTube Data API, "
            + "or HEYBOT_INVIDIOUS_URL to the URL of an Invidious server."
        #expect(await robot.hears("hubot youtube me cats") == [.reply(words)])
        #expect(robot.brokenExamples() == [])
    }
}

@Suite struct InvidiousTests {
    let web = StubHTTPClient()
    let robot: TestRobot
    let url = "https://inv.example.org/api/v1/search?q=engine&type=video"

    init() {
        robot = TestRobot(name: "hubot", settings: ["INVIDIOUS_URL": "https://inv.example.org/"], web: web, YouTube())
    }

    // As https://docs.invidious.io/api/ has it.
    @Test func `a video is shown there`() async {
        web.answer(
            url,
            .json(
                """
                [{"type": "video", "title": "I <3 brass", "videoId": "abcDEF_-123", "author": "Ada", "authorId": "z",
                  "lengthSeconds": 12, "viewCount": 3, "liveNow": false}]
                """))
        let words = "I <3 brass - https://inv.example.org/watch?v=abcDEF_-123"
        #expect(await robot.hears("hubot youtube me engine") == [.text(words)])
    }

    @Test(arguments: ["[]", #"[{"type": "channel", "author": "Ada"}]"#, #"[{"videoId": "a b", "title": "t"}]"#])
    func `an empty result is reported`(_ answer: String) async {
        web.answer(url, .json(answer))
        #expect(await robot.hears("hubot youtube me engine") == [.reply("I found nothing for engine.")])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer(url, fault.answer)
        #expect(await robot.hears("hubot youtube me engine") == [.reply(fault.spoken("inv.example.org"))])
    }

    @Test func `only the first ones are chosen from`() async {
        let videos = (10...29).map { #"{"title": "\#($0)", "videoId": "aaaaaaaaa\#($0)"}"# }
        for _ in 1...40 {
            web.answer(url, .json("[\(videos.joined(separator: ","))]"))
            let said = await robot.hears("hubot yt engine")[0].content
            #expect(Int(said.prefix(2)).map { $0 < 25 } == true)
        }
    }

    @Test func `a key comes first`() async {
        let robot = TestRobot(
            name: "hubot", settings: ["INVIDIOUS_URL": "https://inv.example.org", "YOUTUBE_API_KEY": "k"], web: web,
            YouTube())
        web.answer(
            "https://www.googleapis.com/youtube/v3/search?part=snippet&type=video&maxResults=15&q=engine",
            YouTubeTests.videos(("aaaaaaaaaaa", "a")))
        let words = "a - https://www.youtube.com/watch?v=aaaaaaaaaaa"
        #expect(await robot.hears("hubot youtube me engine") == [.text(words)])
    }
}
