import HeybotFeeds
import Testing

@Suite struct XMLFeedTests {
    /// Describes the items of a feed: `id | title | link | summary`, a line each; HTML is marked with a star.
    static func describe(_ feed: Feed) -> [String] {
        func text(_ text: FeedText?) -> String { text.map { "\($0.text)\($0.isHTML ? "*" : "")" } ?? "-" }
        return feed.items.map { "\($0.id) | \(text($0.title)) | \($0.link ?? "-") | \(text($0.summary))" }
    }

    private func items(_ document: String) throws -> [String] { Self.describe(try Feed(document)) }

    @Test func `RSS 2_0 is read`() throws {
        let feed = try Feed(
            """
            <?xml version="1.0"?>
            <?xml-stylesheet href="style.xsl"?>
            <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
              xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
              <channel>
                <title>Example &amp; Sons</title>
                <atom:link rel="self" href="https://example.org/feed"/>
                <image><title>Logo</title></image>
                <!-- The newest item. -->
                <item>
                  <title><![CDATA[A <b>bold</b> move]]></title>
                  <media:title>Picture</media:title>
                  <link> https://example.org/2 </link>
                  <guid isPermaLink="false">two</guid>
                  <description>&lt;p&gt;Short&lt;/p&gt;</description>
                  <content:encoded>Long</content:encoded>
                </item>
                <item>
                  <guid>https://example.org/1</guid>
                  <content:encoded>Only content</content:encoded>
                </item>
                <item><title>Untitled date</title><pubDate>Mon, 01 Jan 2001 00:00:00 GMT</pubDate></item>
                <item><category>nothing to show</category></item>
              </channel>
            </rss>
            """)
        #expect(feed.title == FeedText("Example & Sons", isHTML: true))
        #expect(
            Self.describe(feed) == [
                "two | A <b>bold</b> move* | https://example.org/2 | <p>Short</p>*",
                "https://example.org/1 | - | https://example.org/1 | Only content*",
                "Untitled date\nMon, 01 Jan 2001 00:00:00 GMT | Untitled date* | - | -"
            ])
    }

    @Test func `Atom is read`() throws {
        let feed = try Feed(
            """
            <feed xmlns="http://www.w3.org/2005/Atom" xmlns:x="urn:x">
              <title type="text">5 &lt; 6</title>
              <entry>
                <id>urn:2</id>
                <title type="html">A &lt;b&gt;bold&lt;/b&gt; move</title>
                <link rel="enclosure" href="https://example.org/song.ogg"/>
                <link href="/2"/>
                <source><title>Elsewhere</title><id>urn:other</id></source>
                <summary>Short</summary>
                <x:title>Extension</x:title>
              </entry>
              <entry>
                <id>urn:1</id>
                <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>Two</p></div></title>
                <link rel="alternate" href="1.html"/>
              </entry>
            </feed>
            """)
        #expect(feed.title == FeedText("5 < 6", isHTML: false))
        #expect(
            Self.describe(feed) == [
                "urn:2 | A <b>bold</b> move* | /2 | Short", "urn:1 | One Two | 1.html | -"
            ])
    }

    @Test func `RSS 1_0 is read`() throws {
        let found = try items(
            """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
              xmlns:dc="http://purl.org/dc/elements/1.1/">
              <channel rdf:about="https://example.org/"><title>News</title><items/></channel>
              <item rdf:about="https://example.org/#1">
                <title>One</title><link>https://example.org/1</link><dc:date>2001-01-01</dc:date>
              </item>
            </rdf:RDF>
            """)
        #expect(found == ["https://example.org/#1 | One* | https://example.org/1 | -"])
    }

    @Test func `an old feed with a DTD of its format is read`() throws {
        let found = try items(
            """
            <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
              "http://my.netscape.com/publish/formats/rss-0.91.dtd">
            <rss version="0.91"><channel><item><title>One</title></item></channel></rss>
            """)
        #expect(found == ["One\n | One* | - | -"])
    }

    @Test func `empty lines before a feed and control characters in it don't matter`() throws {
        let document = "<?xml version='1.0'?><rss><channel><item><title>a\u{8}\u{0}b</title></item></channel></rss>"
        let found = try items("\n \n\(document)")
        #expect(found == ["ab\n | ab* | - | -"])
    }

    @Test func `of items with the same id, the first one counts`() throws {
        let item = "<item><guid>same</guid><title>T</title></item>"
        #expect(try items("<rss><channel>\(item)\(item)</channel></rss>").count == 1)
    }

    @Test func `the first and the last items of a long feed are kept`() throws {
        let all = (1...1_200).map { "<item><guid>\($0)</guid><title>T</title></item>" }.joined()
        let ids = try Feed("<rss><channel>\(all)</channel></rss>").items.map(\.id)
        #expect(ids == (Array(1...500) + Array(701...1_200)).map { "\($0)" })
    }

    @Test func `texts are cut between two characters`() throws {
        let long = String(repeating: "é", count: 3_000)
        let title = try Feed("<rss><channel><item><title>a\(long)</title></item></channel></rss>").items.first?.title
        #expect(title?.text.utf8.count == 1_999)
        #expect(title?.text.unicodeScalars.contains("\u{FFFD}") == false)
    }

    @Test(arguments: ["<link>LINK</link>", "<guid>LINK</guid>"])
    func `a link that is too long is left out, and not cut`(_ element: String) throws {
        for (length, isKept) in [(2_000, true), (2_001, false), (5_000, false)] {
            let link = "https://example.org/" + String(repeating: "a", count: length - 20)
            let item = "<item><title>T</title>\(element.replacing("LINK", with: link))</item>"
            let items = try Feed("<rss><channel>\(item)</channel></rss>").items
            #expect(items.count == 1)
            #expect(items.first?.link == (isKept ? link : nil), "\(length)")
        }
    }

    // MARK: Refusals

    @Test(arguments: [
        ("", FeedError.notAFeed), ("plain text", .notAFeed), ("<svg/>", .notAFeed), ("<feed/>", .notAFeed),
        ("<!DOCTYPE html><html><body>", .webPage), ("<!doctype html><p>", .webPage), ("  <HTML lang=en>", .webPage),
        ("<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>", .webPage),
        ("{}", .notAFeed), ("{", .invalidJSON)
    ])
    func `something else isn't a feed`(_ document: String, _ error: FeedError) {
        #expect(throws: error) { try Feed(document) }
    }

    @Test(arguments: [
        "<rss><channel></rss>", "<rss>", "<rss><channel>&#0;</channel></rss>", "<rss a='1' a='2'/>", "<rss/><rss/>"
    ])
    func `XML that isn't well-formed is refused with the line`(_ document: String) {
        let error = #expect(throws: FeedError.self) { try Feed(document) }
        guard case .notWellFormed(let line, let reason)? = error else {
            Issue.record("\(document): \(String(describing: error))")
            return
        }
        #expect(line == 1)
        #expect(!reason.isEmpty)
    }

    @Test(arguments: [
        // A billion laughs, an external entity, a parameter entity, an entity that isn't declared.
        #"<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><rss><channel><title>&b;</title></channel></rss>"#,
        #"<!DOCTYPE rss [<!ENTITY a SYSTEM "file:///etc/passwd">]><rss><channel><title>&a;</title></channel></rss>"#,
        #"<!DOCTYPE rss [<!ENTITY % a SYSTEM "http://127.0.0.1/"> %a;]><rss/>"#,
        #"<!DOCTYPE rss [<!ELEMENT rss ANY>]><rss/>"#,
        "<rss><channel><title>a&nbsp;b</title></channel></rss>"
    ])
    func `declarations and entities are refused`(_ document: String) {
        #expect(throws: FeedError.restricted) { try Feed(document) }
    }

    /// Expat copies the address for each attribute with its prefix, so these would take more and more memory or time.
    @Test(arguments: [
        "<rss xmlns:n='LONG' n:a=''/>", "<rss><a xmlns='LONG'/></rss>", "<rss xmlns:n=\n\"LONG\"><a n:b=''/></rss>",
        // Something before them looks like the beginning of a declaration.
        "<rss a='xmlns=\"' b='\"' xmlns:n='LONG'/>", "<rss>xmlns='<a b='' xmlns:n=\"LONG\"/></rss>",
        "<rss>xmlns<a xmlns:n = 'LONG'/></rss>"
    ])
    func `a long address of a namespace is refused`(_ document: String) {
        let long = document.replacing("LONG", with: String(repeating: "u", count: 201))
        #expect(throws: FeedError.restricted) { try Feed(long) }
        let short = document.replacing("LONG", with: String(repeating: "u", count: 200))
        #expect(throws: Never.self) { try Feed(short) }
    }

    @Test func `other long texts with the word xmlns are read`() throws {
        let text =
            "The word xmlns isn't long, xmlns: \(String(repeating: "x", count: 1_000)), and xmlns='u' isn't either"
        #expect(try Feed("<rss><channel><item><title>\(text)</title></item></channel></rss>").items.count == 1)
    }

    @Test func `elements are nested up to 100 levels deep`() throws {
        func nested(_ depth: Int) -> String {
            let start = String(repeating: "<x>", count: depth - 1)
            let end = String(repeating: "</x>", count: depth - 1)
            return "<rss>\(start)\(end)</rss>"
        }
        #expect(try Feed(nested(100)).items == [])
        #expect(throws: FeedError.tooDeep) { try Feed(nested(101)) }
    }

    /// In each, something is repeated until it has 2 MB.
    @Test(
        .timeLimit(.minutes(15)),
        arguments: [
            "<a/>", "<n:a n:b=''/>", "<item/>", "<a>", "&lt;", "<![CDATA[x]]>", "<!--x-->", "a='1' ", "<?x?>", "xmlns",
            "xmlns='"
        ]
    )
    func `the time is linear in the length`(_ piece: String) {
        let long = String(repeating: piece, count: 2_000_000 / piece.utf8.count)
        _ = try? Feed("<rss><channel>\(long)</channel></rss>")
        _ = try? Feed("<rss \(long)/>")
        _ = try? Feed("<rss xmlns:n='\(String(repeating: "u", count: 200))'>\(long)</rss>")
        _ = try? Feed("<rss xmlns:n='\(long)'><n:a/></rss>")
    }

    @Test(
        arguments: [
            (#"<?xml version="1.0" encoding="ISO-8859-1"?><rss/>"#, "iso-8859-1"),
            ("<?xml version='1.0' encoding = 'Windows-1252' ?>", "windows-1252"), ("<?xml version='1.0'?>", nil),
            ("<rss encoding='x'/>", nil), ("", nil), ("<?xml encoding='\u{7}'?>", nil),
            ("<?xml version='1.0' encoding='UTF-16'?>", nil)
        ] as [(String, String?)])
    func `the declared encoding is found`(_ document: String, _ encoding: String?) {
        #expect(Feed.declaredEncoding(Array(document.utf8)) == encoding)
    }
}
