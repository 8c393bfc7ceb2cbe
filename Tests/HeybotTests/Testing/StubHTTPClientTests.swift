import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct StubHTTPClientTests {
    private let web = StubHTTPClient()
    private let robot: TestRobot

    init() {
        robot = TestRobot(
            web: web,
            InlineScript {
                $0.hear(/get (\S+)/) { res in
                    try await res.send(try await res.http.get(String(res.match.1), query: ["q": "a b"]).text)
                }
                $0.hear(/post (\S+)/) { res in
                    let answer = try await res.http.post(
                        String(res.match.1), .form(["a": "1"]), auth: .bearer("token"))
                    try await res.send(try answer.json([String: Int].self).description)
                }
                $0.get("/fetch") { request in .text(try await request.http.get("http://b.example/").text) }
            })
    }

    @Test func `expected requests get their responses, once and in order`() async {
        web.answer("http://a.example/?q=a%20b", .text("one"))
        web.answer("http://a.example/?q=a%20b", .text("two"))
        web.answer("http://c.example/", .text("never"))
        #expect(await robot.hears("get http://a.example/") == [.text("one")])
        #expect(await robot.hears("get http://a.example/") == [.text("two")])
        #expect(web.requests.count == 2)
        #expect(web.unconsumed == ["GET http://c.example/"])
    }

    @Test func `requests are recorded`() async {
        web.answer(.post, "http://a.example/", .json(#"{"n": 1}"#))
        #expect(await robot.hears("post http://a.example/") == [.text(#"["n": 1]"#)])
        #expect(web.requests.first?.body == .form(["a": "1"]))
        #expect(web.requests.first?.headers["authorization"] == "Bearer token")
    }

    @Test func `errors and statuses reach the script`() async {
        web.answer(.post, "http://a.example/", .failure(.timeout))
        web.answer(.post, "http://a.example/", .text("no", status: 404))
        #expect(await robot.hears("post http://a.example/") == [.reply("a.example took too long to answer.")])
        #expect(await robot.hears("post http://a.example/") == [.reply("I found nothing at a.example.")])
    }

    @Test func `an unexpected request fails the test, from chat and from a route`() async {
        await withKnownIssue {
            _ = await robot.hears("get http://a.example/")
        } matching: {
            $0.comments.contains { $0.rawValue.contains("GET http://a.example/?q=a%20b") }
        }
        await withKnownIssue { _ = await robot.receives(.get, "/fetch") }
    }
}
