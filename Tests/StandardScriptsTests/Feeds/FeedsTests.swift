import Foundation
import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite(.timeLimit(.minutes(15))) struct FeedsTests {
    private let web = StubHTTPClient()
    private let brain = Brain(store: MemoryStore())
    private let robot: TestRobot
    private static let url = "https://example.org/feed.xml"

    init() { robot = Self.makeRobot(web, brain) }

    private static func makeRobot(_ web: StubHTTPClient, _ brain: Brain) -> TestRobot {
        TestRobot(name: "hubot", admins: ["root"], brain: brain, settings: ["TIME_ZONE": "UTC"], web: web, Feeds())
    }

    private func says(_ text: String, from user: String = "root", in room: String = "#test") async -> [String] {
        await robot.hears("hubot \(text)", from: user, in: room).map(\.content)
    }

    /// A feed with items that are called by their numbers, the newest one first.
    private static func rss(_ items: ClosedRange<Int>, _ words: String = "Item") -> String {
        let list = items.reversed().map {
            "<item><guid>\($0)</guid><title>\(words) \($0)</title><link>https://example.org/\($0)</link></item>"
        }
        return "<rss version='2.0'><channel><title>News</title>\(list.joined())</channel></rss>"
    }

    private static func answer(_ feed: String, headers: HTTPHeaders = [:]) -> StubHTTPClient.Answer {
        var all: HTTPHeaders = ["Content-Type": "application/rss+xml"]
        all.set(headers)
        return StubHTTPClient.Answer(200, headers: all, feed.utf8)
    }

    /// Follows a feed that has one item.
    private func follow(_ options: String = "", headers: HTTPHeaders = [:]) async {
        web.answer(Self.url, Self.answer(Self.rss(1...1), headers: headers))
        _ = await says("feed add \(Self.url)\(options)")
    }

    /// Advances the clock until the feed has been read once more, and returns what was posted.
    private func readAgain(_ answer: StubHTTPClient.Answer, after minutes: Int = 15) async -> [String] {
        web.answer(Self.url, answer)
        let posted = await robot.advance(by: .minutes(minutes)).map(\.utterance.content)
        #expect(web.unconsumed == [])
        return posted
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    // MARK: Reading

    @Test func `what is new after a feed was added is posted, oldest first, and each item once`() async throws {
        web.answer(Self.url, Self.answer(Self.rss(1...3)))
        #expect(
            await says("feed add \(Self.url)")
                == ["#test follows 1. News (example.org). I'll post what is new from now on."])
        let request = try #require(web.requests.last)
        #expect(request.addresses == .publicOnly)
        #expect(request.limit == 2 << 20)
        #expect(request.redirects == 3)
        #expect(request.deadline == .seconds(15))
        _ = await robot.advance(by: .minutes(1))
        #expect(
            await readAgain(Self.answer(Self.rss(1...5)))
                == ["News: Item 4 - https://example.org/4\nNews: Item 5 - https://example.org/5"])
        #expect(await readAgain(Self.answer(Self.rss(1...5))) == [])
        // An old item that comes back isn't new.
        #expect(await readAgain(Self.answer(Self.rss(4...6))) == ["News: Item 6 - https://example.org/6"])
        #expect(await readAgain(Self.answer(Self.rss(1...6))) == [])
        #expect(robot.loggedProblems == [])
    }

    @Test func `a server is asked only for another version`() async {
        let date = "Mon, 01 Jan 2001 00:00:00 GMT"
        await follow(headers: ["ETag": "\"v1\"", "Last-Modified": date])
        _ = await robot.advance(by: .minutes(1))
        #expect(await readAgain(StubHTTPClient.Answer(304, "".utf8)) == [])
        #expect(web.requests.last?.headers["If-None-Match"] == "\"v1\"")
        #expect(web.requests.last?.headers["If-Modified-Since"] == date)
        #expect(await readAgain(Self.answer(Self.rss(1...2), headers: ["ETag": "\"v2\""])).count == 1)
        #expect(await readAgain(StubHTTPClient.Answer(304, "".utf8)) == [])
        #expect(web.requests.last?.headers["If-None-Match"] == "\"v2\"")
        #expect(web.requests.last?.headers["If-Modified-Since"] == nil)
    }

    @Test func `of many new items, the newest five are shown`() async {
        await follow()
        _ = await robot.advance(by: .minutes(1))
        let posted = await readAgain(Self.answer(Self.rss(1...100))).first ?? ""
        let lines = posted.split(separator: "\n")
        #expect(lines.first == "News: Item 96 - https://example.org/96")
        #expect(lines.count == 6)
        #expect(lines.last == "… and 94 more at example.org")
    }

    @Test func `several robots that share the brain post each item once`() async {
        await follow()
        let otherWeb = StubHTTPClient()
        let second = Self.makeRobot(otherWeb, brain)
        for client in [web, otherWeb] { client.answerOthers(Self.answer(Self.rss(1...2))) }
        for _ in 0..<100 {
            async let one = robot.advance(by: .seconds(20))
            async let two = second.advance(by: .seconds(20))
            _ = await (one, two)
        }
        let posted = (robot.said(in: "#test") + second.said(in: "#test")).map(\.content)
        #expect(posted.filter { $0.contains("Item 2") } == ["News: Item 2 - https://example.org/2"])
    }

    @Test func `a feed is read after a restart`() async {
        await follow()
        let second = Self.makeRobot(web, brain)
        web.answer(Self.url, Self.answer(Self.rss(1...2)))
        #expect(
            await second.advance(by: .minutes(16)).map(\.utterance.content)
                == ["News: Item 2 - https://example.org/2"])
    }

    @Test func `what couldn't be posted is posted later`() async {
        let flaky = FlakyAdapter("irc", silent: ["#dev"])
        let robot = TestRobot(
            name: "hubot", admins: ["test:root"], settings: ["TIME_ZONE": "UTC"], web: web, networks: [flaky], Feeds())
        web.answer(Self.url, Self.answer(Self.rss(1...1)))
        _ = await robot.hears("hubot feed add \(Self.url) in irc:#dev", from: "root")
        web.answerOthers(Self.answer(Self.rss(1...2)))
        _ = await robot.advance(by: .minutes(16))
        #expect(web.requests.count == 2)
        #expect(flaky.said == [])
        flaky.recover()
        _ = await robot.advance(by: .minutes(30))
        #expect(flaky.said == ["#dev: News: Item 2 - https://example.org/2"])
    }

    @Test func `an item that gets another id each time is posted once`() async {
        func rss(_ id: Int, _ dates: [Int]) -> StubHTTPClient.Answer {
            let items = dates.map {
                "<item><guid>\(id)-\($0)</guid><title>Menu</title><pubDate>Mon, 0\($0) Jan 2001</pubDate></item>"
            }
            return Self.answer("<rss><channel><title>News</title>\(items.joined())</channel></rss>")
        }
        web.answer(Self.url, rss(1, [1]))
        _ = await says("feed add \(Self.url)")
        _ = await robot.advance(by: .minutes(1))
        #expect(await readAgain(rss(2, [1])) == [])
        #expect(await readAgain(rss(3, [2, 1])) == ["News: Menu"])
        #expect(await readAgain(rss(4, [2, 1])) == [])
    }

    // MARK: Options

    @Test func `items are chosen by their words`() async {
        await follow(" with swift, c++ without job offer")
        #expect(await says("feeds") == ["1. News (example.org; with swift, c++; without job offer)"])
        let titles = [
            "Swift 7", "Swiftly done", "A job offer: Swift", "Learn C++!", "C is fine", "Job, or: an offer of Swift"
        ]
        let list = titles.map { "<item><title>\($0)</title></item>" }.joined()
        _ = await robot.advance(by: .minutes(1))
        #expect(
            await readAgain(Self.answer("<rss><channel>\(list)</channel></rss>"))
                == ["News: Job, or: an offer of Swift\nNews: Learn C++!\nNews: Swift 7"])
    }

    @Test func `a digest is posted at its times`() async {
        await follow(" digest every day at 9:00")
        #expect(await says("feeds") == ["1. News (example.org; digest every day at 09:00)"])
        web.answerOthers(Self.answer(Self.rss(1...3)))
        #expect(await robot.advance(by: .hours(8)) == [])
        #expect(
            await robot.advance(by: .hours(2)).map(\.utterance.content)
                == ["News: 2 new\n- Item 2 - https://example.org/2\n- Item 3 - https://example.org/3"])
        #expect(await robot.advance(by: .hours(24)) == [])
    }

    @Test func `options are replaced if the feed is added again`() async {
        await follow(" with swift digest")
        #expect(await says("feeds") == ["1. News (example.org; with swift; digest every day at 09:00)"])
        #expect(await says("feed add \(Self.url)") == ["#test follows 1. News (example.org)"])
        _ = await robot.advance(by: .minutes(1))
        #expect(await readAgain(Self.answer(Self.rss(1...2))) == ["News: Item 2 - https://example.org/2"])
    }

    @Test(arguments: [
        ("please", "After the address, you can say"), ("in", "After the address, you can say"),
        ("with", "Name 1 to 10 words"), ("with ,", "Name 1 to 10 words"), ("digest tomorrow", "How often?"),
        ("digest soon", "When?")
    ])
    func `wrong options are refused with the reason`(_ options: String, _ reason: String) async {
        #expect(await says("feed add \(Self.url) \(options)").first?.hasPrefix(reason) == true)
        #expect(web.requests == [])
    }

    // MARK: Commands

    @Test func `feeds are listed and removed, by number or address, in any room`() async {
        for _ in 1...2 { web.answer("https://example.org/a", Self.answer(Self.rss(1...1))) }
        web.answer("https://example.net/b?token=secret", Self.answer("<rss><channel/></rss>"))
        #expect(
            await says("rss add example.org/a in #dev").first?.hasPrefix("#dev follows 1. News (example.org)") == true)
        #expect(
            await says("rss add https://example.net/b?token=secret#part in #dev").first?
                .hasPrefix("#dev follows 2. example.net (example.net)") == true)
        // The addresses may be secret.
        #expect(
            await says("feeds", from: "alice", in: "#dev") == ["1. News (example.org)\n2. example.net (example.net)"])
        #expect(await says("feeds in #dev", from: "alice") == ["Ask me that in the room itself."])
        #expect(await says("feeds in #dev").first?.hasPrefix("1. News") == true)
        #expect(await says("feeds") == ["#test follows no feeds yet. Try: feed add <URL>"])
        #expect(await says("feed remove 1") == ["#test doesn't follow that feed. To list its feeds, say: feeds"])
        #expect(await says("feed remove 1 in #dev") == ["#dev no longer follows News."])
        #expect(
            await says("rss delete https://example.net/b?token=secret", in: "#dev")
                == ["#dev no longer follows example.net."])
        _ = await says("rss add example.org/a")
        #expect(await says("feed remove example.org/a") == ["#test no longer follows News."])
        #expect(await robot.advance(by: .hours(2)) == [])
        #expect(web.requests.count == 3)
    }

    @Test func `only admins add and remove feeds`() async {
        await follow()
        for command in ["feed add example.org/b", "feed remove 1"] {
            #expect(await says(command, from: "alice") == ["Only my admins may use that."])
        }
    }

    @Test func `a room follows 20 feeds at most`() async {
        web.answerOthers(Self.answer(Self.rss(1...1)))
        for number in 1...20 {
            #expect(await says("feed add example.org/\(number)").first?.hasPrefix("#test follows \(number). ") == true)
        }
        #expect(await says("feed add example.org/21") == ["A room can follow 20 feeds at most."])
    }

    @Test(arguments: [
        ("https://ada:secret@example.org/feed", "I can't log in to feeds"), ("feed", "Write the whole address"),
        ("ftp://example.org/feed", "Write the whole address"), ("https://", "Write the whole address"),
        ("https://example.org/\u{e9}", "Write the whole address")
    ])
    func `an address that can't be one of a feed is refused`(_ address: String, _ reason: String) async {
        #expect(await says("feed add \(address)").first?.hasPrefix(reason) == true)
        #expect(web.requests == [])
    }

    @Test(arguments: [
        ("<!DOCTYPE html><p>", "example.org sent a web page, not a feed."),
        ("hello", "example.org sent something that isn't a feed."),
        (
            "<!DOCTYPE rss [<!ENTITY a 'b'>]><rss/>",
            "example.org sent a feed with declarations or entities that I don't accept."
        )
    ])
    func `something else than a feed isn't followed`(_ document: String, _ refusal: String) async {
        web.answer(Self.url, Self.answer(document))
        #expect(await says("feed add \(Self.url)") == [refusal])
        #expect(await says("feeds") == ["#test follows no feeds yet. Try: feed add <URL>"])
    }

    // MARK: Pages that link to a feed

    private static func page(_ links: String, type: String = "text/html") -> StubHTTPClient.Answer {
        StubHTTPClient.Answer(
            200, headers: ["Content-Type": type], "<!DOCTYPE html><head>\(links)</head><p>News</p>".utf8)
    }

    @Test func `of a web page, the feed that it links to is followed`() async {
        let link = "<link rel='alternate' type='application/rss+xml' title='News' href='/feed.xml'>"
        web.answer("https://example.org/news/", Self.page(link))
        web.answer(Self.url, Self.answer(Self.rss(1...1)))
        #expect(
            await says("feed add https://example.org/news/") == [
                "#test follows 1. News (example.org). I'll post what is new from now on. "
                    + "That page links to its feed: \(Self.url)"
            ])
        #expect(web.requests.allSatisfy { $0.addresses == .publicOnly })
        _ = await robot.advance(by: .minutes(1))
        #expect(await readAgain(Self.answer(Self.rss(1...2))) == ["News: Item 2 - https://example.org/2"])
        web.answer("https://example.org/news/", Self.page(link))
        web.answer(Self.url, Self.answer(Self.rss(1...2)))
        #expect(
            await says("feed add https://example.org/news/")
                == ["#test follows that feed already: 1. News (example.org)"])
        #expect(await says("feed remove \(Self.url)") == ["#test no longer follows News."])
    }

    @Test func `a page that links to another page isn't followed`() async {
        let link = "<link rel=alternate type=application/atom+xml href=/other>"
        web.answer("https://example.org/", Self.page(link))
        web.answer("https://example.org/other", Self.page("<link rel=alternate type=application/rss+xml href=/third>"))
        #expect(
            await says("feed add https://example.org/") == ["example.org sent a web page, not a feed."])
    }

    @Test func `a feed that becomes a page fails`() async {
        await follow()
        _ = await robot.advance(by: .minutes(1))
        _ = await readAgain(Self.page("<link rel=alternate type=application/rss+xml href=/third>"))
        #expect(
            await says("feeds")
                == ["1. News (example.org; can't be read since 00:15: example.org sent a web page, not a feed)"])
    }

    @Test(
        arguments: [
            ("<link rel='alternate' type='application/rss+xml' href='/a'>", "https://example.org/a"),
            (
                "<LINK HREF=\"a.xml?x=1&amp;y=2\" TYPE=\"application/atom+xml\" REL=\"Alternate\"/>",
                "https://example.org/news/a.xml?x=1&y=2"
            ),
            ("<link rel=alternate type=application/feed+json href=//example.net/a>", "https://example.net/a"),
            (
                "<link rel='alternate' type='text/html' href='/de'>"
                    + "<link rel='home alternate' type='application/rss+xml'\n href='http://example.net/b'>",
                "http://example.net/b"
            ),
            ("<link rel='stylesheet' type='text/css' href='/a.css'>", nil),
            ("<link rel='alternate' type='application/rss+xml'>", nil),
            ("<link rel='alternate' type='application/rss+xml' href='javascript:alert(1)'>", nil),
            ("<link rel='alternate' type='application/rss+xml' href='https://ada:secret@example.org/a'>", nil),
            ("<link rel='alternate' type='application/rss+xml' href='/\(String(repeating: "x", count: 2_000))'>", nil),
            (String(repeating: "<link ", count: 5_000), nil), ("<link", nil), ("", nil)
        ] as [(String, String?)])
    func `the address of a page's feed is found`(_ html: String, _ address: String?) {
        #expect(Feeds.FeedLink.address(in: html, of: "https://example.org/news/index.html?p=1/2#top") == address)
    }

    private static let advice = "To allow it, for all scripts, set HEYBOT_HTTP_SSRF_GUARD=false."

    @Test func `the guard for addresses and the limit of bytes hold`() async {
        web.answer("https://intranet.example/feed", .failure(.notPublic))
        #expect(
            await says("feed add intranet.example/feed")
                == ["intranet.example isn't a public web address, so I read no feeds there. \(Self.advice)"])
        web.answer("http://localhost:8731/x", .failure(.notPublic))
        #expect(
            await says("feed add http://localhost:8731/x")
                == ["localhost isn't a public web address, so I read no feeds there. \(Self.advice)"])
        web.answer(Self.url, .failure(.tooLong))
        #expect(await says("feed add \(Self.url)") == ["I can't get an answer from example.org just now."])
    }

    @Test func `the declared encoding counts, unless the header names one`() async {
        func feed(_ type: String) -> StubHTTPClient.Answer {
            var bytes = Array("<?xml version='1.0' encoding='iso-8859-1'?><rss><channel><title>caf".utf8)
            bytes.append(0xE9)
            bytes += "</title></channel></rss>".utf8
            return StubHTTPClient.Answer(200, headers: ["Content-Type": type], bytes)
        }
        web.answer("https://example.org/a", feed("application/xml"))
        web.answer("https://example.org/b", feed("application/xml; charset=windows-1251"))
        #expect(await says("feed add example.org/a").first?.contains("café") == true)
        #expect(await says("feed add example.org/b").first?.contains("cafй") == true)
    }

    // MARK: Failures

    @Test func `a feed that fails is requested less often, and the room learns that once`() async {
        await follow()
        _ = await robot.advance(by: .minutes(1))
        #expect(await readAgain(.failure(.timeout)) == [])
        // After 30 minutes, and then after an hour.
        #expect(await robot.advance(by: .minutes(15)) == [])
        #expect(await readAgain(StubHTTPClient.Answer(503, "".utf8)) == [])
        #expect(await robot.advance(by: .minutes(45)) == [])
        #expect(
            await readAgain(Self.answer("<rss>")) == [
                "I can't read the feed News: example.org sent a feed that isn't well-formed XML (line 1: "
                    + "no element found). I'll keep trying, and say when it works again. "
                    + "To remove it, say: feed remove 1"
            ])
        #expect(
            await says("feeds") == [
                "1. News (example.org; can't be read since 00:15: example.org sent a feed that isn't well-formed XML "
                    + "(line 1: no element found))"
            ])
        #expect(await robot.advance(by: .minutes(105)) == [])
        #expect(await readAgain(.failure(.unreachable)) == [])
        #expect(await robot.advance(by: .hours(4) - .minutes(15)) == [])
        #expect(
            await readAgain(Self.answer(Self.rss(1...2)))
                == ["I can read the feed News again.", "News: Item 2 - https://example.org/2"])
        #expect(await says("feeds") == ["1. News (example.org)"])
        #expect(await readAgain(Self.answer(Self.rss(1...2))) == [])
        #expect(web.requests.count == 7)
        #expect(robot.loggedProblems == [])
    }

    @Test func `a feed that recovers early isn't mentioned`() async {
        await follow()
        _ = await robot.advance(by: .minutes(1))
        #expect(await readAgain(.failure(.timeout)) == [])
        #expect(
            await says("feeds")
                == ["1. News (example.org; can't be read since 00:15: example.org took too long to answer)"])
        #expect(await readAgain(Self.answer(Self.rss(1...1)), after: 30) == [])
    }

    @Test func `if the script is disabled in the room, the feed isn't read`() async throws {
        await follow()
        try await robot.robot.turn("Feeds", on: false, in: "test:#test")
        #expect(await robot.advance(by: .hours(1)) == [])
        #expect(web.requests.count == 1)
    }

    @Test func `a digest isn't lost while the script is disabled in the room`() async throws {
        await follow(" digest every day at 9:00")
        web.answerOthers(Self.answer(Self.rss(1...2)))
        _ = await robot.advance(by: .hours(1))
        try await robot.robot.turn("Feeds", on: false, in: "test:#test")
        #expect(await robot.advance(by: .hours(10)) == [])
        try await robot.robot.turn("Feeds", on: true, in: "test:#test")
        #expect(
            await robot.advance(by: .hours(24)).map(\.utterance.content)
                == ["News: 1 new\n- Item 2 - https://example.org/2"])
    }

    // MARK: Hostile texts

    @Test func `texts of a feed are on one line, without markup and mentions of everyone`() async {
        await follow()
        _ = await robot.advance(by: .minutes(1))
        let item = """
            <item><guid>2</guid><title>&lt;b&gt;Bold&lt;/b&gt;&#10;QUIT &amp;#x202e; @everyone \
            \(String(repeating: "x", count: 1_000))</title><link>javascript:alert(1)</link></item>
            """
        let posted = await readAgain(Self.answer("<rss><channel>\(item)</channel></rss>")).first ?? ""
        #expect(posted.hasPrefix("News: Bold QUIT everyone xxx"))
        #expect(posted.hasSuffix("…"))
        #expect(posted.count <= 170)
    }

    @Test(
        arguments: [
            ("https://example.net/a", "https://example.net/a"), ("//example.net/a", "https://example.net/a"),
            ("/a", "https://example.org/a"), ("a?b#c", nil), ("?p=1", nil), ("#1", nil), ("", nil), ("../a", nil),
            ("/caf\u{e9} 1", "https://example.org/caf%C3%A9%201"),
            ("javascript:alert(1)", nil), ("data:text/html,x", nil), ("file:///etc/passwd", nil),
            ("/\(String(repeating: "x", count: 600))", nil)
        ] as [(String, String?)])
    func `addresses in a feed are completed, unless with the feed's path`(_ link: String, _ address: String?) {
        for base in ["https://example.org/SECRET/feed?x=/y", "https://example.org", "https://example.org?x#y"] {
            #expect(Feeds.FeedHeadline.absolute(link, base: base) == address)
        }
    }
}
