/// Finds the end of an element that exceeds a limit, without keeping more of it than the beginning of its start tag says.
///
/// It takes constant memory and linear time, however long, deep or wide the element is. It only follows the structure of
/// well-formed XML: names and characters aren't checked, because hardly anything of the element is used.
struct ElementSkipper {
    private enum State {
        case text
        /// After `<`.
        case markup
        /// In a start tag; whether the previous byte was a `/`.
        case startTag(isAfterSlash: Bool)
        /// In an attribute's value, up to this quote.
        case value(quote: UInt8)
        case endTag
        /// After `<!` and this many bytes of `[CDATA[`.
        case cdataOpening(Int)
        /// In a CDATA section, after this many `]`, at most 2.
        case cdata(brackets: Int)
    }

    private static let cdataOpening = Array("[CDATA[".utf8)

    private var state = State.text
    /// The number of open elements; 0 only before the start tag of the skipped one.
    private var depth: Int
    /// Reads the start tag of the skipped element; nil if that was read before.
    private(set) var start: OversizedStartTagReader?

    /// - Parameter depth: The number of open elements, including the skipped one.
    init(depth: Int) {
        self.depth = depth
        start = depth == 0 ? OversizedStartTagReader() : nil
    }

    /// Skips bytes.
    ///
    /// - Returns: The number of bytes that belong to the element; nil if it doesn't end in them.
    /// - Throws: If the element contains something that XMPP doesn't allow (RFC 6120 section 11.1).
    mutating func skip(_ bytes: some Collection<UInt8>) throws(StreamParserError) -> Int? {
        var count = 0
        for byte in bytes {
            count += 1
            if try endsElement(byte) { return count }
        }
        return nil
    }

    private mutating func endsElement(_ byte: UInt8) throws(StreamParserError) -> Bool {
        if depth == 0 { readStart(byte) }
        switch (state, byte) {
        case (.text, UInt8(ascii: "<")): state = .markup
        case (.text, _): break
        case (.markup, UInt8(ascii: "/")): state = .endTag
        case (.markup, UInt8(ascii: "!")): state = .cdataOpening(0)
        case (.markup, UInt8(ascii: "?")): throw .restricted("a processing instruction")
        case (.markup, _): state = .startTag(isAfterSlash: false)
        case (.startTag, UInt8(ascii: "'")), (.startTag, UInt8(ascii: "\"")): state = .value(quote: byte)
        case (.startTag, UInt8(ascii: "/")): state = .startTag(isAfterSlash: true)
        case (.startTag(let isEmpty), UInt8(ascii: ">")):
            state = .text
            if isEmpty { return depth == 0 }
            depth += 1
        case (.startTag, _): state = .startTag(isAfterSlash: false)
        case (.value(quote: byte), _): state = .startTag(isAfterSlash: false)
        case (.value, _): break
        case (.endTag, UInt8(ascii: ">")):
            state = .text
            depth -= 1
            return depth <= 0
        case (.endTag, _): break
        case (.cdataOpening(let count), _) where byte == Self.cdataOpening[count]:
            state = count + 1 < Self.cdataOpening.count ? .cdataOpening(count + 1) : .cdata(brackets: 0)
        case (.cdataOpening, _): throw .restricted("a comment")
        case (.cdata(let brackets), UInt8(ascii: "]")): state = .cdata(brackets: min(brackets + 1, 2))
        case (.cdata(brackets: 2), UInt8(ascii: ">")): state = .text
        case (.cdata, _): state = .cdata(brackets: 0)
        }
        return false
    }

    private mutating func readStart(_ byte: UInt8) {
        switch (state, byte) {
        case (.startTag, UInt8(ascii: ">")): break
        case (.markup, _), (.startTag, _), (.value, _): start?.read(byte)
        case (.text, _), (.endTag, _), (.cdataOpening, _), (.cdata, _): break
        }
    }
}
