/// The start of an element in a feed.
struct XMLFeedElement {
    /// The names of the attributes that matter, as Expat writes them.
    static let attributes: Set<String> = ["href", "rel", "type", "isPermaLink", rdfAbout]

    private static let rdfAbout = "http://www.w3.org/1999/02/22-rdf-syntax-ns#\u{1}about"

    let name: XMLFeedName
    let attributes: [String: String]

    /// The address that RSS 1.0 identifies an item by.
    var about: String? { attributes[Self.rdfAbout] }
}

/// The name of an element, with what its namespace means.
struct XMLFeedName: Hashable {
    /// The namespaces of feeds.
    enum Space: Hashable {
        /// No namespace, as in RSS 0.91 to 2.0.
        case plain
        /// RSS 0.9 and 1.0, and RSS 2.0 in a namespace.
        case rss
        case rdf, atom, dublinCore, content
        case other
    }

    let space: Space
    let local: String

    /// Parses a name as Expat writes it: after its namespace and a separator, if it has one.
    init(written: String) {
        guard let separator = written.firstIndex(of: "\u{1}") else {
            (space, local) = (Space.plain, written)
            return
        }
        space = Self.spaces[String(written[..<separator])] ?? .other
        local = String(written[written.index(after: separator)...])
    }

    init(_ space: Space, _ local: String) { (self.space, self.local) = (space, local) }

    private static let spaces: [String: Space] = [
        "http://purl.org/rss/1.0/": .rss, "http://backend.userland.com/rss2": .rss,
        "http://my.netscape.com/rdf/simple/0.9/": .rss,
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": .rdf, "http://www.w3.org/2005/Atom": .atom,
        "http://purl.org/atom/ns#": .atom, "http://purl.org/dc/elements/1.1/": .dublinCore,
        "http://purl.org/rss/1.0/modules/content/": .content
    ]
}
