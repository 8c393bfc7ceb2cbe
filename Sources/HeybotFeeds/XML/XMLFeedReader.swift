/// Makes a feed of the elements and texts of an XML document: RSS 0.9 to 2.0, and Atom (RFC 4287).
struct XMLFeedReader {
    private enum Format {
        case rss, rdf, atom

        /// The format that a document's first element means; nil if it isn't a feed.
        init?(_ root: XMLFeedName) {
            switch (root.space, root.local) {
            case (.plain, "rss"), (.rss, "rss"): self = .rss
            case (.rdf, "RDF"): self = .rdf
            case (.atom, "feed"): self = .atom
            default: return nil
            }
        }
    }

    /// A text that is being read.
    private struct OpenText {
        /// The item's field; nil for the feed's title.
        let field: ItemDraft.Field?
        let depth: Int
        let isHTML: Bool
        var bytes: [UInt8] = []

        var limit: Int { (field ?? .title).limit }
    }

    /// The maximum number of items that are read.
    private static let mostItems = 20_000

    private var format: Format?
    /// The number of open elements.
    private var depth = 0
    private var title: FeedText?
    private var items: [Feed.Item] = []
    /// The open item, and the number of open elements with it.
    private var open: (draft: ItemDraft, depth: Int)?
    private var text: OpenText?

    /// The feed as far as it was read.
    var feed: Feed { Feed(title: title, items: items) }

    /// Reads the start of an element.
    ///
    /// - Throws: ``FeedError`` if the first element isn't one of a feed.
    mutating func start(_ element: XMLFeedElement) throws(FeedError) {
        depth += 1
        let name = element.name
        guard let format else {
            guard let known = Format(name) else {
                throw name.local.lowercased() == "html" ? FeedError.webPage : FeedError.notAFeed
            }
            self.format = known
            return
        }
        if text != nil {
            // Markup in a text separates words.
            text?.bytes.append(UInt8(ascii: " "))
        } else if let itemDepth = open?.depth {
            if depth == itemDepth + 1 { startField(element, format) }
        } else if isItem(name, format) {
            guard items.count < Self.mostItems else { return }
            var draft = ItemDraft()
            draft.set(.id, element.about)
            open = (draft, depth)
        } else if title == nil, depth == (format == .atom ? 2 : 3), isOfFeed(name, format), name.local == "title" {
            text = OpenText(field: nil, depth: depth, isHTML: isHTML(element, format))
        }
    }

    /// Reads the end of the element that was opened last.
    mutating func end() {
        if let ended = text, ended.depth == depth {
            text = nil
            let read = (ended.field ?? .title).text(of: ended.bytes)
            let value = read.map { FeedText($0, isHTML: ended.isHTML) }
            if let field = ended.field { open?.draft.set(field, value) } else { title = title ?? value }
        }
        if let ended = open, ended.depth == depth {
            open = nil
            if let item = ended.draft.item { items.append(item) }
        }
        depth -= 1
    }

    /// Reads a piece of text.
    mutating func characters(_ bytes: some Collection<UInt8>) {
        // One more than allowed, so that an excess is noticed.
        guard let room = text.map({ $0.limit + 1 - $0.bytes.count }), room > 0 else { return }
        text?.bytes.append(contentsOf: bytes.prefix(room))
    }

    // MARK: Meanings

    private func isItem(_ name: XMLFeedName, _ format: Format) -> Bool {
        switch format {
        case .rss, .rdf: 2...3 ~= depth && isOfFeed(name, format) && name.local == "item"
        case .atom: depth == 2 && name == XMLFeedName(.atom, "entry")
        }
    }

    /// Whether an element belongs to the format itself, and not to an extension.
    private func isOfFeed(_ name: XMLFeedName, _ format: Format) -> Bool {
        format == .atom ? name.space == .atom : name.space == .plain || name.space == .rss
    }

    private func isHTML(_ element: XMLFeedElement, _ format: Format) -> Bool {
        // RSS doesn't say, and most titles are HTML.
        format != .atom || element.attributes["type"] == "html" || element.attributes["type"] == "text/html"
    }

    /// Begins to read a field of the open item, if the element is one.
    private mutating func startField(_ element: XMLFeedElement, _ format: Format) {
        let name = element.name
        if format == .atom, name == XMLFeedName(.atom, "link") {
            let relation = element.attributes["rel"] ?? "alternate"
            if relation == "alternate" { open?.draft.set(.link, element.attributes["href"]) }
            return
        }
        guard let field = Self.field(name, isOfFeed: isOfFeed(name, format)) else { return }
        if field == .id, format != .atom {
            open?.draft.isIDLink = element.attributes["isPermaLink"]?.lowercased() != "false"
        }
        let canBeHTML = field == .title || field == .summary || field == .content
        text = OpenText(field: field, depth: depth, isHTML: canBeHTML && isHTML(element, format))
    }

    private static func field(_ name: XMLFeedName, isOfFeed: Bool) -> ItemDraft.Field? {
        switch (name.space, name.local) {
        case (.dublinCore, "date"): return .date
        case (.content, "encoded"): return .content
        default: break
        }
        guard isOfFeed else { return nil }
        switch name.local {
        case "title": return .title
        case "link": return .link
        case "guid", "id": return .id
        case "pubDate", "published", "updated": return .date
        case "description", "summary": return .summary
        case "content": return .content
        default: return nil
        }
    }
}
