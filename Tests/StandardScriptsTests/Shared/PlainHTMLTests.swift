import HeybotTesting
import TestServers
import Testing

@testable import StandardScripts

@Suite struct PlainHTMLTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a <b>bold</b> word", "a bold word"), ("one<br>two<br/>three", "one two three"),
        ("<p>one</p><p>two</p>", " one  two "), ("a<!-- no <b> --> c", "a c"), ("a<!-- never ends", "a"),
        ("<script>alert('<b>')</script>after", "after"), ("<STYLE>p { }</STYLE >after", "after"),
        ("3 < 4 > 2", "3 < 4 > 2"), ("a <", "a <"), ("a <b", "a "), ("<>", "<>"), ("<!DOCTYPE html>x", "x"),
        ("&lt;b&gt; &amp; &quot;&apos;", "<b> & \"'"), ("&amp;lt;", "&lt;"), ("&#39;&#x27;&#X1F642;", "''🙂"),
        ("&nosuch; &; & &#; &#x; &#xD800; &#99999999; &amp", "&nosuch; &; & &#; &#x; &#xD800; &#99999999; &amp"),
        ("caf&eacute;&nbsp;&hellip;", "café …"), ("日本<i>語</i>", "日本語")
    ])
    func `it is read as a person sees it`(_ html: String, _ plain: String) {
        #expect(String(plainHTML: html) == plain)
    }

    @Test func `nothing crashes it, and it never grows much`() {
        var chance = SeededGenerator(seed: 1)
        let pieces = [
            "<", ">", "&", ";", "#", "x", "script", "</script", "style", "<!--", "-->", "é", "🙂", " ", "b", "/"
        ]
        for _ in 0..<20_000 {
            let html = (0..<chance.below(30)).map { _ in chance.pick(pieces) }.joined()
            #expect(String(plainHTML: html).utf8.count <= html.utf8.count)
        }
    }
}

@Suite struct CheckedWebURLTests {
    @Test(arguments: ["https://example.org/a?b=c#d", "HTTP://example.org", "https://example.org/%20"])
    func `valid names`(_ text: String) {
        #expect(checkedWebURL(text) == text)
    }

    @Test(arguments: [
        nil, "", "https://", "ftp://example.org", "javascript:alert(1)", "https://example.org/a b",
        "https://exämple.org",
        "https://example.org/\u{202E}", "https://example.org/\n", "//example.org",
        "https://example.org/" + String(repeating: "a", count: 500)
    ])
    func `what isn't`(_ text: String?) {
        #expect(checkedWebURL(text) == nil)
    }
}
