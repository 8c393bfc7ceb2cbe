import HeybotSupport

/// Reads JSON Feed, versions 1 and 1.1 (https://www.jsonfeed.org/version/1.1/).
enum JSONFeedReader {
    static func feed(in document: String) throws(FeedError) -> Feed {
        guard let json = JSONValue(document) else { throw .invalidJSON }
        let version = json["version"].stringValue ?? ""
        guard version.hasPrefix("https://jsonfeed.org/version/") || version.hasPrefix("http://jsonfeed.org/version/")
        else { throw .notAFeed }
        var head = ItemDraft()
        head.set(.title, json["title"].stringValue)
        return Feed(title: head.item?.title, items: json["items"].elements.compactMap(item))
    }

    private static func item(_ json: JSONValue) -> Feed.Item? {
        var draft = ItemDraft()
        // Version 1 allows numbers.
        draft.set(.id, json["id"].stringValue ?? json["id"].integerValue.map { "\($0)" })
        draft.set(.title, json["title"].stringValue)
        draft.set(.link, json["url"].stringValue ?? json["external_url"].stringValue)
        draft.set(.date, json["date_published"].stringValue)
        draft.set(.summary, json["summary"].stringValue)
        draft.set(.content, json["content_text"].stringValue)
        if let html = json["content_html"].stringValue {
            let beginning = FeedBytes.prefix(html.utf8, ItemDraft.Field.content.limit)
            draft.set(.content, FeedText(String(decoding: beginning, as: UTF8.self), isHTML: true))
        }
        draft.isIDLink = true
        return draft.item
    }
}
