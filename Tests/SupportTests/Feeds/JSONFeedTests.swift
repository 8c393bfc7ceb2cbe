import HeybotFeeds
import Testing

@Suite struct JSONFeedTests {
    private func items(_ list: String) throws -> [String] {
        let feed = try Feed(#"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": [\#(list)]}"#)
        #expect(feed.title == FeedText("News", isHTML: false))
        return XMLFeedTests.describe(feed)
    }

    @Test(arguments: [
        (
            #"{"id": "1", "url": "https://example.org/1", "title": "One", "summary": "Short"}"#,
            "1 | One | https://example.org/1 | Short"
        ),
        (
            #"{"id": 7, "external_url": "https://example.org/7", "content_html": "<p>Seven</p>"}"#,
            "7 | - | https://example.org/7 | <p>Seven</p>*"
        ),
        (
            #"{"id": "https://example.org/2", "content_text": "Two"}"#,
            "https://example.org/2 | - | https://example.org/2 | Two"
        ),
        (#"{"title": "No id", "date_published": "2001-01-01"}"#, "No id\n2001-01-01 | No id | - | -")
    ])
    func `items are read`(_ json: String, _ item: String) throws {
        #expect(try items(json) == [item])
    }

    @Test func `a link that is too long is left out, and not cut`() throws {
        let link = "https://example.org/" + String(repeating: "a", count: 2_000)
        #expect(try items(#"{"id": "\#(link)", "url": "\#(link)", "title": "One"}"#) == ["\(link) | One | - | -"])
    }

    @Test(arguments: ["{}", "1", "null", #"{"id": 1}"#, #"{"title": 5}"#, #"{"id": {}, "title": "  "}"#])
    func `an item that has nothing to show is left out`(_ json: String) throws {
        #expect(try items(json) == [])
    }

    @Test(arguments: [#"{"version": "1", "items": []}"#, #"{"version": 1}"#, #"{"items": []}"#])
    func `other JSON isn't a feed`(_ document: String) {
        #expect(throws: FeedError.notAFeed) { try Feed(document) }
    }

    @Test func `deeply nested JSON is refused`() {
        #expect(throws: FeedError.invalidJSON) { try Feed(String(repeating: #"{"a":"#, count: 100_000)) }
    }
}
