import CCurl
import Heybot
import Testing

@testable import CurlClient

/// The request that follows a redirect.
struct RedirectTests {
    init() throws {
        var reason = [CChar](repeating: 0, count: 512)
        try #require(heybot_curl_load(&reason, reason.count))
    }

    private func request(_ method: HTTPMethod = .get, _ url: String = "http://example.org/a") -> HTTPRequest {
        let headers: HTTPHeaders = [
            "Accept": "*/*", "Authorization": "Bearer secret", "Content-Language": "en", "Cookie": "a=b",
            "Host": "elsewhere.example", "Proxy-Authorization": "Basic secret", "X-Goog-Api-Key": "secret",
            "PRIVATE-TOKEN": "secret", "content-type": "text/x"
        ]
        return HTTPRequest(method, url, headers: headers, body: method == .get ? nil : .text("hello"))
    }

    private func names(_ request: HTTPRequest?) -> [String] { request?.headers.fields.map(\.name) ?? [] }

    // MARK: Method and body

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
        (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (303, "PUT", "GET"), (303, "DELETE", "GET"),
        (307, "PATCH", "PATCH"), (308, "PUT", "PUT"), (301, "HEAD", "HEAD"), (303, "HEAD", "HEAD"), (303, "GET", "GET"),
        (303, "REPORT", "GET"), (302, "REPORT", "REPORT")
    ])
    func `the method stays or becomes GET as with browsers`(_ status: Int, _ before: String, _ after: String) throws {
        let request = request(try #require(HTTPMethod(rawValue: before)))
        let next = try #require(try Redirect.next(after: request, status: status, location: "http://example.org/b"))
        #expect(next.url == "http://example.org/b")
        #expect(next.method.rawValue == after)
        let keepsBody = before == after
        #expect(next.body == (keepsBody ? request.body : nil))
        #expect(names(next).contains("content-type") == keepsBody)
        #expect(names(next).contains("Content-Language") == keepsBody)
        #expect(names(next).contains("Accept"))
    }

    // MARK: Who asks

    @Test func `the same origin still gets the credentials`() throws {
        for location in ["http://example.org/b", "http://EXAMPLE.ORG:80/b"] {
            let next = try Redirect.next(after: request(), status: 302, location: location)
            #expect(names(next) == names(request()))
        }
    }

    @Test(arguments: [
        "https://example.org/a", "http://example.org:81/", "http://evil.example/", "http://www.example.org/",
        "http://example.org.evil.example/", "http://example.org@evil.example/"
    ])
    func `another origin doesn't`(_ location: String) throws {
        let next = try Redirect.next(after: request(), status: 307, location: location)
        #expect(names(next) == ["Accept", "Content-Language", "content-type"])
    }

    @Test func `a server doesn't choose the credentials`() throws {
        let next = try Redirect.next(
            after: HTTPRequest(.get, "http://a.example/"), status: 302, location: "http://user:secret@b.example/")
        #expect(next?.url == "http://b.example/")
        #expect(next?.headers == [:])
    }

    // MARK: Where it may lead

    @Test(arguments: [200, 300, 304, 305, 306, 399, 404])
    func `other statuses are answers`(_ status: Int) throws {
        #expect(try Redirect.next(after: request(), status: status, location: "http://example.org/b") == nil)
    }

    @Test func `without a place it's an answer`() throws {
        #expect(try Redirect.next(after: request(), status: 302, location: nil) == nil)
    }

    @Test func `there are as many as are allowed`() throws {
        var request = request()
        request.redirects = 2
        for step in 1...2 {
            request = try #require(
                try Redirect.next(after: request, status: 302, location: "http://example.org/\(step)"))
        }
        #expect(request.redirects == 0)
        #expect(throws: HTTPError(.redirects, host: "example.org", "too many redirects")) {
            try Redirect.next(after: request, status: 302, location: "http://example.org/3")
        }
        request.redirects = -1
        #expect(throws: HTTPError.self) {
            try Redirect.next(after: request, status: 302, location: "http://example.org/3")
        }
    }

    @Test func `redirects never lead from https to http`() throws {
        #expect(throws: HTTPError(.redirects, host: "example.org", "it redirects from https to http")) {
            try Redirect.next(
                after: request(.get, "https://example.org/"), status: 301, location: "http://example.org/")
        }
        #expect(try Redirect.next(after: request(), status: 301, location: "https://example.org/") != nil)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://example.org/", "", "x", "http://", "http://a b/", "javascript:0"])
    func `redirects lead to http and https only`(_ location: String) {
        #expect(throws: HTTPError(.redirects, host: "example.org", "it redirects to a URL that isn't http or https")) {
            try Redirect.next(after: request(), status: 302, location: location)
        }
    }

    @Test func `all else stays as it was`() throws {
        var request = request(.put)
        request.deadline = .seconds(3)
        request.limit = 5
        request.addresses = .publicOnly
        var next = try #require(
            try Redirect.next(after: request, status: 308, location: "http://example.org/b"))
        #expect(next.redirects == request.redirects - 1)
        next.redirects = request.redirects
        next.url = request.url
        #expect(next == request)
    }
}
