/// An item of a feed that is being read.
struct ItemDraft {
    /// The parts of an item with a text.
    enum Field {
        case title, link, id, date, summary, content

        /// The maximum length in bytes.
        var limit: Int {
            switch self {
            case .title, .link: 2_000
            case .id, .summary, .content: 4_000
            case .date: 100
            }
        }

        /// Returns a text without spaces at its ends, cut to the limit; nil if nothing is left.
        ///
        /// A link that is too long is left out, because a part of it is another address.
        func text(of bytes: some Collection<UInt8>) -> String? {
            if self == .link, bytes.count > limit { return nil }
            return FeedBytes.trimmed(FeedBytes.prefix(bytes, limit))
        }
    }

    private var texts: [Field: FeedText] = [:]
    /// Whether the id is the address of the item's page if nothing else is.
    var isIDLink = false

    /// Sets a field, unless it has a value.
    mutating func set(_ field: Field, _ text: FeedText?) {
        if let text, texts[field] == nil { texts[field] = text }
    }

    /// Sets a field to plain text, unless it has a value.
    mutating func set(_ field: Field, _ text: String?) {
        guard let text, let trimmed = field.text(of: text.utf8) else { return }
        set(field, FeedText(trimmed, isHTML: false))
    }

    /// The finished item; nil if it has nothing to show.
    var item: Feed.Item? {
        let ownID = texts[.id]?.text
        var link = texts[.link]?.text
        if link == nil, isIDLink, let ownID, ownID.hasPrefix("http://") || ownID.hasPrefix("https://") {
            link = Field.link.text(of: ownID.utf8)
        }
        let summary = texts[.summary] ?? texts[.content]
        guard texts[.title] != nil || link != nil || summary != nil else { return nil }
        let words = texts[.title]?.text ?? summary?.text ?? ""
        let id = ownID ?? link ?? "\(words)\n\(texts[.date]?.text ?? "")"
        return Feed.Item(id: id, title: texts[.title], link: link, summary: summary, date: texts[.date]?.text)
    }
}
