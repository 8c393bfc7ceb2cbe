import CCurl
import Heybot
import Testing

@testable import CurlClient

/// URLs as libcurl reads them, and what we don't leave to it.
struct WebURLTests {
    init() throws {
        var reason = [CChar](repeating: 0, count: 512)
        try #require(heybot_curl_load(&reason, reason.count))
    }

    @Test(arguments: [
        ("http://example.org", "http://example.org/", "example.org", "80"),
        ("HTTP://ExAmple.ORG:8080/A?B#C", "http://example.org:8080/A?B#C", "example.org", "8080"),
        ("https://example.org:443/a/../b/./c", "https://example.org:443/b/c", "example.org", "443"),
        ("http://[::1]:81/", "http://[::1]:81/", "[::1]", "81"),
        ("http://2130706433/", "http://127.0.0.1/", "127.0.0.1", "80"),
        ("http://0x7f.1/", "http://127.0.0.1/", "127.0.0.1", "80"),
        ("http://bücher.example/ü?ü", "http://xn--bcher-kva.example/%c3%bc?%c3%bc", "xn--bcher-kva.example", "80"),
        ("http://１２７.0.0.1/", "http://127.0.0.1/", "127.0.0.1", "80"),
        ("http://good@evil/", "http://evil/", "evil", "80"),
        ("http://good.example%2f@evil/", "http://evil/", "evil", "80"),
        ("http://a:b@evil?@good/", "http://evil/?@good/", "evil", "80"),
        ("http://evil#@good/", "http://evil/#@good/", "evil", "80"),
        ("http://localhost./", "http://localhost./", "localhost.", "80")
    ])
    func `a URL is one of a host`(_ url: String, _ text: String, _ host: String, _ port: String) throws {
        let read = try #require(WebURL(url))
        #expect((read.text, read.host, read.port) == (text, host, port))
        // Parsing the normalized URL again gives the same.
        let again = try #require(WebURL(read.text))
        #expect((again.text, again.host, again.port) == (text, host, port))
    }

    @Test(arguments: [
        "", "example.org", "//example.org/", "/path", "http:", "http:/x", "http://", "http:///", "http:///x",
        "http://?x",
        "http://:80/", "http://user@/", "file:///etc/passwd", "ftp://example.org/", "gopher://example.org/",
        "javascript:alert(1)", "mailto:a@b", "http://exa mple.org/", "http://example.org/a b", " http://example.org/",
        "http://example.org/ ", "http://example.org/\n", "http://example.org/a\r\nX: y", "http://example.org/\0",
        "http://example.org/\t", "http://example.org/\u{7f}", "http://exa\u{1}mple.org/", "http://evil\\@good/",
        "http://good\\.evil/", "http://[::1/", "http://[::g]/", "http://example.org:99999/", "http://example.org:0/",
        "http://example.org:x/", "http://exam%00ple.org/", "http://a%2fb/", "http://u:%0d%0a@h/", "http://u%0ax@h/",
        "http://a@b@c/", "httpx://example.org/", "dict://example.org/", "http://ex<a>mple.org/"
    ])
    func `invalid ones are refused`(_ url: String) {
        #expect(WebURL(url) == nil)
    }

    @Test func `giant ones are refused`() {
        #expect(WebURL("http://example.org/" + String(repeating: "a", count: 65_000)) != nil)
        #expect(WebURL("http://example.org/" + String(repeating: "a", count: 65_536)) == nil)
        #expect(WebURL("http://" + String(repeating: "a", count: 20_000_000)) == nil)
    }

    @Test func `the user is removed from the URL and becomes the credentials`() {
        #expect(WebURL("http://us%65r:s%20%40cret@h/")?.user == .basic(user: "user", password: "s @cret"))
        #expect(WebURL("http://user@h/")?.user == .basic(user: "user", password: ""))
        #expect(WebURL("http://user:@h/")?.user == .basic(user: "user", password: ""))
        for url in ["http://h/", "http://@h/", "http://:@h/"] { #expect(WebURL(url)?.user == nil) }
        #expect(WebURL("http://user:secret@h/a?b#c")?.text == "http://h/a?b#c")
    }

    @Test func `an origin is scheme, host and port`() throws {
        let url = try #require(WebURL("http://example.org/"))
        for same in ["http://EXAMPLE.org:80/x?y", "http://user@example.org"] {
            #expect(try url.hasSameOrigin(as: #require(WebURL(same))))
        }
        for other in [
            "https://example.org/", "http://example.org:81/", "http://www.example.org/", "https://example.org:80"
        ] {
            #expect(try !url.hasSameOrigin(as: #require(WebURL(other))))
        }
    }

    @Test(arguments: [
        ("example.org", true), ("localhost.example.org", true), ("8.8.8.8", true), ("[2606:4700::1111]", true),
        ("notlocalhost.example", true), ("internal.example", true), ("intranet", false), ("printer.local", false),
        ("metadata.google.internal", false), ("metadata.google.internal.", false), ("localhost.localdomain", false),
        ("router.home.arpa", false), ("localhost", false), ("LOCALHOST", false), ("localhost.", false),
        ("localhost..", false),
        ("a.localhost", false), ("a.b.localhost.", false), ("127.0.0.1", false), ("127.0.0.1.", false),
        ("2130706433", false), ("[::1]", false), ("[::ffff:10.0.0.1]", false), ("[fe80::1%25eth0]", false),
        ("%31%30.0.0.1", false), ("169.254.169.254", false), ("１０.0.0.1", false)
    ])
    func `some hosts can't be public`(_ host: String, _ may: Bool) throws {
        #expect(try #require(WebURL("http://\(host)/")).mayBePublic(\.isPublic) == may)
    }
}
