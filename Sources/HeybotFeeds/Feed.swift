/// A feed of news: RSS 0.9 to 2.0, Atom, or JSON Feed.
///
/// Its texts are those of strangers: as long as the limits below allow, and with any characters.
package struct Feed: Hashable, Sendable {
    /// An item of a feed.
    package struct Item: Hashable, Sendable {
        /// Identifies the item in its feed: its own id, or else its address, or else its title and date.
        package let id: String
        /// The title; nil if it has none.
        package let title: FeedText?
        /// The address of its page as written, which may be relative to the feed's address; nil if it has none.
        package let link: String?
        /// Its summary, or the beginning of its content; nil if it has neither.
        package let summary: FeedText?
        /// When it was published or changed, as written; nil if it doesn't say.
        package let date: String?

        /// Creates an item.
        package init(id: String, title: FeedText?, link: String?, summary: FeedText?, date: String?) {
            (self.id, self.title, self.link, self.summary, self.date) = (id, title, link, summary, date)
        }
    }

    /// The maximum number of items that are kept: of a longer feed, the first and the last 500.
    ///
    /// Most feeds begin with the newest item, and some end with it.
    package static let mostItems = 1_000

    /// The feed's own title; nil if it has none.
    package let title: FeedText?
    /// The items, in the document's order, each id once.
    package let items: [Item]

    /// Creates a feed; of items with the same id, the first one is kept.
    package init(title: FeedText?, items: [Item]) {
        var ids: Set<String> = []
        let distinct = items.filter { ids.insert($0.id).inserted }
        let half = Self.mostItems / 2
        self.title = title
        self.items =
            distinct.count > Self.mostItems ? Array(distinct.prefix(half)) + Array(distinct.suffix(half)) : distinct
    }

    /// Reads a document, whose format is recognized by its content.
    ///
    /// - Throws: ``FeedError`` if it isn't a feed, or has a DTD with declarations.
    package init(_ document: String) throws(FeedError) {
        switch document.utf8.first(where: { !FeedBytes.isSpace($0) }) {
        case UInt8(ascii: "<"): self = try XMLFeedParser.feed(in: document)
        case UInt8(ascii: "{"): self = try JSONFeedReader.feed(in: document)
        default: throw .notAFeed
        }
    }
}

/// A text of a feed.
package struct FeedText: Hashable, Sendable {
    /// The text, at most a few thousand bytes.
    package let text: String
    /// Whether it is HTML, and not plain text.
    package let isHTML: Bool

    /// Creates a text.
    package init(_ text: String, isHTML: Bool) {
        (self.text, self.isHTML) = (text, isHTML)
    }
}

/// The reason why a document can't be read as a feed.
package enum FeedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is something else.
    case notAFeed
    /// It is an HTML page.
    case webPage
    /// It isn't well-formed XML, with Expat's reason.
    case notWellFormed(line: Int, reason: String)
    /// It has a DTD with declarations, uses an entity that isn't declared, or declares a namespace with a long address.
    case restricted
    /// Its elements are nested more than 100 levels deep.
    case tooDeep
    /// It isn't valid JSON, or nested more than 50 levels deep.
    case invalidJSON
    /// There isn't enough memory to read it.
    case outOfMemory

    /// What the server did, without a subject: `sent something that isn't a feed`.
    package var description: String {
        switch self {
        case .notAFeed: "sent something that isn't a feed"
        case .webPage: "sent a web page, not a feed"
        case .notWellFormed(let line, let reason): "sent a feed that isn't well-formed XML (line \(line): \(reason))"
        case .restricted: "sent a feed with declarations or entities that I don't accept"
        case .tooDeep: "sent a feed whose elements are nested too deeply"
        case .invalidJSON: "sent a feed that isn't valid JSON"
        case .outOfMemory: "sent a feed that I have no memory for"
        }
    }
}

/// Classes of bytes in feeds, and texts without the spaces around them.
enum FeedBytes {
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    /// Returns a text without spaces at its ends; nil if nothing is left.
    static func trimmed(_ bytes: some Sequence<UInt8>) -> String? {
        var rest = Array(bytes.drop(while: isSpace))
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
    }

    /// Returns the first bytes, without a part of a character at their end.
    static func prefix(_ bytes: some Collection<UInt8>, _ limit: Int) -> [UInt8] {
        var kept = Array(bytes.prefix(limit))
        guard bytes.count > limit else { return kept }
        while let last = kept.last, last & 0b1100_0000 == 0b1000_0000 { kept.removeLast() }
        if let last = kept.last, last >= 0b1100_0000 { kept.removeLast() }
        return kept
    }
}
