/// Finds the end of an element that is over a limit, without keeping any of it.
///
/// It takes constant memory and linear time, however long, deep or wide the element is. It only follows the structure of
/// well-formed XML: that names match and that characters are allowed isn't checked, since nothing of it is used.
struct ElementSkipper {
    private enum State {
        case text
        /// After `<`.
        case markup
        /// In a start tag; whether the byte before was a `/`.
        case startTag(isAfterSlash: Bool)
        /// In a value of a start tag, up to this quote.
        case value(quote: UInt8)
        case endTag
        /// After `<!` and so many bytes of `[CDATA[`.
        case cdataOpening(Int)
        /// In a CDATA section, after so many `]`, at most 2.
        case cdata(brackets: Int)
    }

    private static let cdataOpening = Array("[CDATA[".utf8)

    private var state = State.text
    /// The number of elements that are open; 0 only before the start tag of the one that is skipped.
    private var depth: Int

    /// - Parameter depth: The number of elements that are open, the one that is skipped included.
    init(depth: Int) {
        self.depth = depth
    }

    /// Reads on.
    ///
    /// - Returns: How many of the bytes belong to the element; nil if it doesn't end in them.
    /// - Throws: If it has something in it that XMPP doesn't allow (RFC 6120 section 11.1).
    mutating func skip(_ bytes: some Collection<UInt8>) throws(StreamParserError) -> Int? {
        var count = 0
        for byte in bytes {
            count += 1
            if try endsElement(byte) { return count }
        }
        return nil
    }

    private mutating func endsElement(_ byte: UInt8) throws(StreamParserError) -> Bool {
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
}
