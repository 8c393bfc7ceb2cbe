import Heybot
import HeybotTesting
import Testing

// The listings of the guide to the HTTP client, except Weather.

struct Librarian: Script {
    struct Book: Codable {
        let title: String
    }

    let key: String
    let password: String

    func register(on robot: inout RobotBuilder) {
        let (key, password) = (key, password)

        robot.respond(/add (.+)$/) { res in
            let book = Book(title: String(res.match.1))
            try await res.http.post("https://books.example.org/books", .json(book), auth: .bearer(key)).checked()
            try await res.reply("It's on the shelf.")
        }

        robot.respond(/order (.+)$/) { res in
            let order: HTTPRequestBody = .form(["title": String(res.match.1), "copies": "1"])
            try await res.http.post(
                "https://shop.example.org/orders", order, auth: .basic(user: "marvin", password: password)
            ).checked()
            try await res.reply("It's on its way.")
        }

        robot.respond(/has (.+)$/) { res in
            let answer = try await res.http.get("https://books.example.org/books/\(percentEncoded(res.match.1))")
            try await res.reply(answer.status == 404 ? "No." : try answer.checked().text)
        }

        robot.respond(/read (.+)$/) { res in
            var request = HTTPRequest(.get, String(res.match.1), addresses: .publicOnly)
            request.deadline = .seconds(5)
            request.limit = 100_000
            request.redirects = 2
            let page = try await res.http.send(request).checked().text
            try await res.reply("It begins: \(page.prefix(40))")
        }

        robot.respond(/is (\S+) there$/) { res in
            do {
                try await res.http.head(String(res.match.1), addresses: .publicOnly).checked()
                try await res.reply("Yes.")
            } catch let error as HTTPError where error.code == .timeout || error.code == .status(503) {
                try await res.reply("Not just now.")
            }
        }
    }
}

@Suite struct LibrarianTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", web: web, Librarian(key: "key", password: "password"))
    }

    @Test func `requests can be inspected`() async throws {
        web.answer(.post, "https://books.example.org/books", .text("", status: 201))
        #expect(await robot.hears("hubot add Emma") == [.reply("It's on the shelf.")])
        let request = try #require(web.requests.last)
        #expect(request.headers["Authorization"] == "Bearer key")
        #expect(request.body?.type == "application/json")
        #expect(request.body.map { String(decoding: $0.bytes, as: UTF8.self) } == #"{"title":"Emma"}"#)
    }
}

extension LibrarianTests {
    @Test func `a form is sent with a password`() async throws {
        web.answer(.post, "https://shop.example.org/orders", .text(""))
        #expect(await robot.hears("hubot order Emma & Me") == [.reply("It's on its way.")])
        let request = try #require(web.requests.last)
        #expect(request.headers["Authorization"] == "Basic bWFydmluOnBhc3N3b3Jk")
        #expect(request.body == .form(["title": "Emma & Me", "copies": "1"]))
    }

    @Test func `404 needn't be an error`() async {
        web.answer(.get, "https://books.example.org/books/Emma%2F2", .text("", status: 404))
        #expect(await robot.hears("hubot has Emma/2") == [.reply("No.")])
        web.answer(.get, "https://books.example.org/books/Emma", .text("Two copies."))
        #expect(await robot.hears("hubot has Emma") == [.reply("Two copies.")])
    }

    @Test func `URLs from users are restricted to public addresses`() async throws {
        web.answer(.get, "https://example.org/", .text("Once upon a time"))
        #expect(await robot.hears("hubot read https://example.org/") == [.reply("It begins: Once upon a time")])
        let request = try #require(web.requests.last)
        #expect(request.addresses == .publicOnly)
        #expect(request.deadline == .seconds(5))
        #expect(request.limit == 100_000)
        #expect(request.redirects == 2)
    }

    @Test func `some errors are handled`() async {
        web.answer(.head, "https://example.org/", .failure(.timeout))
        #expect(await robot.hears("hubot is https://example.org/ there") == [.reply("Not just now.")])
        web.answer(.head, "https://example.org/", .text("", status: 503))
        #expect(await robot.hears("hubot is https://example.org/ there") == [.reply("Not just now.")])
        web.answer(.head, "https://example.org/", .text(""))
        #expect(await robot.hears("hubot is https://example.org/ there") == [.reply("Yes.")])
    }
}
