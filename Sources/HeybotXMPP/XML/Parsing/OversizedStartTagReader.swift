/// Keeps the name and a few attributes of a start tag that exceeds a limit, in constant memory: they say which occupant of
/// which room the stanza is about, and whether it matters at all.
struct OversizedStartTagReader {
    private enum Part {
        case elementName
        /// After a name or a value.
        case between
        case attributeName
        case value(quote: UInt8, isKept: Bool)
    }

    private static let from = Array("from".utf8)
    private static let xmlns = Array("xmlns".utf8)
    private static let kept = [from, xmlns, Array("id".utf8), Array("type".utf8)]
    /// In bytes.
    private static let longestName = 1_024
    /// In bytes, as written: the longest address (RFC 7622), with each of its bytes as `&quot;`.
    private static let longestValue = 6 * 3_071

    private var part = Part.elementName
    private var elementName: [UInt8] = []
    /// The name of the current attribute, or its beginning.
    private var name: [UInt8] = []
    /// The value of the current attribute, if it is one of those to keep.
    private var value: [UInt8] = []
    private var attributes: [UInt8] = []
    /// The names of the attributes that have been kept.
    ///
    /// A second one of the same name, which XML doesn't allow, isn't kept.
    private var keptNames: [[UInt8]] = []
    private var namespace: [UInt8] = []
    private var isNameReadable = true
    private var isSenderReadable = true

    /// Reads a byte between `<` and `>`.
    mutating func read(_ byte: UInt8) {
        let isSpace = XMLWhitespace.contains(byte)
        switch part {
        case .elementName where isSpace || byte == UInt8(ascii: "/"): part = .between
        case .elementName:
            isNameReadable = isNameReadable && elementName.count < Self.longestName
            if isNameReadable { elementName.append(byte) }
        case .between where byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\""):
            part = .value(quote: byte, isKept: Self.kept.contains(name))
        case .between where isSpace || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "/"): break
        case .between:
            name = [byte]
            part = .attributeName
        case .attributeName where isSpace || byte == UInt8(ascii: "="): part = .between
        // The names to keep are shorter.
        case .attributeName: if name.count <= Self.xmlns.count { name.append(byte) }
        case .value(byte, let isKept):
            if isKept, !keptNames.contains(name) { keepAttribute(byte) }
            (part, name) = (.between, [])
            value.removeAll(keepingCapacity: true)
        case .value(_, isKept: true): if value.count <= Self.longestValue { value.append(byte) }
        case .value(_, isKept: false): break
        }
    }

    private mutating func keepAttribute(_ quote: UInt8) {
        keptNames.append(name)
        if value.count > Self.longestValue {
            switch name {
            case Self.xmlns: isNameReadable = false
            case Self.from:
                // The room is enough to know whose presence it may be.
                if let slash = value.firstIndex(of: UInt8(ascii: "/")) {
                    value.removeSubrange(slash...)
                } else {
                    isSenderReadable = false
                }
            default: break
            }
            guard value.count <= Self.longestValue else { return }
        }
        let attribute = [UInt8(ascii: " ")] + name + [UInt8(ascii: "="), quote] + value + [quote]
        if name == Self.xmlns { namespace += attribute } else { attributes += attribute }
    }

    /// Returns an element with the same name and only the kept attributes, in a stream with this opening tag.
    ///
    /// - Returns: Nil if its sender isn't known; without a name if that isn't known.
    func element(after opening: [UInt8]) -> (name: QualifiedName?, element: Element)? {
        guard isSenderReadable else { return nil }
        let named = opening + "<".utf8 + elementName + namespace + attributes + "/>".utf8
        if isNameReadable, let element = Self.parse(named) {
            return (QualifiedName(element.name, element.namespace), element)
        }
        // Its prefix may be declared in the tag.
        return Self.parse(opening + "<x".utf8 + attributes + "/>".utf8).map { (nil, $0) }
    }

    /// The tag is parsed like any other, so that there is only one way to read values, prefixes and namespaces.
    private static func parse(_ bytes: [UInt8]) -> Element? {
        let limits = StreamLimits(headerBytes: .max, tagBytes: 262_144, nameBytes: .max, attributes: .max)
        var events: [StreamEvent] = []
        do throws(StreamParserError) {
            try XMLStreamParser(limits: limits, restartsAfter: []).feed(bytes[...], into: &events)
        } catch { return nil }
        guard events.count == 2, case .element(let element)? = events.last else { return nil }
        return element
    }
}
