import Testing

@testable import Heybot

/// Requests, and their hosts as errors show them.
struct HTTPRequestTests {
    @Test(arguments: [
        ("http://h/", "http://h/?a=b%20c"), ("http://h/?x", "http://h/?x&a=b%20c"), ("http://h/?", "http://h/?a=b%20c"),
        ("http://h/?x&", "http://h/?x&a=b%20c"), ("http://h/#f?", "http://h/?a=b%20c#f?"),
        ("http://h", "http://h?a=b%20c"),
        ("http://h/?x#f#g", "http://h/?x&a=b%20c#f#g"), ("http://h/#\u{301}", "http://h/?a=b%20c#\u{301}"),
        ("http://h/?\u{301}", "http://h/?\u{301}&a=b%20c")
    ])
    func `a query is added to the one that is there`(_ url: String, _ expected: String) {
        #expect(HTTPRequest(.get, url, query: ["a": "b c"]).url == expected)
        #expect(HTTPRequest(.get, url).url == url)
    }

    @Test func `credentials are sent in the header`() {
        let basic = HTTPRequest(.get, "http://h/", auth: .basic(user: "Aladdin", password: "open sesame"))
        #expect(basic.headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        let bearer = HTTPRequest(.get, "http://h/", headers: ["authorization": "x"], auth: .bearer("abc"))
        #expect(bearer.headers == ["Authorization": "Bearer abc"])
        // No host is better than one that injects a line.
        #expect(HTTPRequest(.get, "http://h/", auth: .bearer("abc\r\nX: y")).headers == [:])
    }

    private static let none = "a URL without a host"

    @Test(arguments: [
        ("http://example.org", "example.org"), ("https://example.org:8080/path?q#f", "example.org"),
        ("https://user:secret@example.org/", "example.org"), ("https://a@b@example.org/", "example.org"),
        ("https://example.org?user@evil", "example.org"), ("https://example.org#@evil", "example.org"),
        ("https://example.org\\@evil/", "example.org"), ("http://[::1]:80/", "[::1]"), ("http://[::1/", "[::1]"),
        ("http://user:se@[::1]@h/", "h"), ("http://example.org/\u{338}@evil/", "example.org"),
        ("http://user:secret\u{301}@example.org:1/", "example.org"), ("http://例え.jp/", "例え.jp"),
        ("", none), ("example.org/secret", none), ("mailto:secret@h", none), ("http:///secret", none),
        ("http://", none),
        ("http://:80/", none), ("http://secret@/", none), ("http://a\r\nb/", none), ("http://a b/", none),
        ("http://a\0b/", none), ("http://a\u{1b}[31m/", none), ("http://a\u{202e}b/", none),
        ("http://a\u{2028}b/", none),
        ("http://a\u{a0}b/", none), ("http://a\u{200b}b/", none)
    ])
    func `a host is shown without secrets, in one line`(_ url: String, _ host: String) {
        #expect(HTTPRequest(.get, url).host == host)
    }

    @Test func `a giant host is cut`() {
        let long = HTTPRequest(.get, "http://" + String(repeating: "a", count: 5_000_000)).host
        #expect(long.utf8.count == 253)
        let marks = HTTPRequest(.get, "http://a" + String(repeating: "\u{301}", count: 5_000_000)).host
        #expect(marks.unicodeScalars.count == 253)
    }
}
