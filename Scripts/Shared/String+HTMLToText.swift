extension String {
    /// Extracts the text of HTML: without tags and comments, and with character references decoded.
    ///
    /// The result is still foreign text: use `String(oneLine:limit:)` to make it safe for chat. The content of `script` and
    /// `style` is dropped. Numeric references and common named ones are decoded. The time is linear in the text's length.
    init(plainHTML html: some StringProtocol) {
        let html = Array(html.utf8)
        var plain: [UInt8] = []
        var position = 0
        while position < html.count {
            switch html[position] {
            case UInt8(ascii: "<"):
                let end = Self.endOfTag(html, position)
                // A < that begins no tag is text: "3 < 4".
                if end == position { plain.append(html[position]) }
                if Self.isBreak(html[position..<end]) { plain.append(UInt8(ascii: " ")) }
                position = end == position ? position + 1 : end
            case UInt8(ascii: "&"):
                let (scalar, end) = Self.reference(html, position)
                plain += Array(String(Character(scalar)).utf8)
                position = end
            default:
                plain.append(html[position])
                position += 1
            }
        }
        self = String(decoding: plain, as: UTF8.self)
    }

    /// Returns the end of the tag, comment, or `script` or `style` element at an index; the index itself if there is none.
    private static func endOfTag(_ html: [UInt8], _ start: Int) -> Int {
        guard start + 1 < html.count, isLetter(html[start + 1]) || "/!?".utf8.contains(html[start + 1]) else {
            return start
        }
        let name = html[(start + 1)...].prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: " ") }
        if name.starts(with: "!--".utf8) {
            return html[start...].firstRange(of: Array("-->".utf8))?.upperBound ?? html.count
        }
        let end = html[start...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? html.count
        let folded = String(decoding: name, as: UTF8.self).lowercased()
        guard ["script", "style"].contains(folded) else { return end }
        // Up to the end tag, which is handled as another tag.
        let endTag = Array("</\(folded)".utf8)
        return html[end...].indices.first { place in
            html[place] == endTag[0] && html[place...].prefix(endTag.count).count == endTag.count
                && zip(html[place...], endTag).allSatisfy { (isLetter($0) ? $0 | 0x20 : $0) == $1 }
        } ?? html.count
    }

    /// Whether a tag separates words.
    private static func isBreak(_ tag: ArraySlice<UInt8>) -> Bool {
        let name = tag.dropFirst().drop { $0 == UInt8(ascii: "/") }.prefix(while: isLetter)
        let breaks = ["br", "p", "div", "li", "ul", "ol", "tr", "td", "th", "dd", "dt", "h"]
        return breaks.contains(String(decoding: name, as: UTF8.self).lowercased())
    }

    /// Decodes the character reference at an index, and returns its end; an ampersand if it isn't one.
    private static func reference(_ html: [UInt8], _ start: Int) -> (Unicode.Scalar, Int) {
        let longest = 12
        let name = html[(start + 1)...].prefix(longest)
            .prefix { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "#") }
        let end = name.endIndex
        guard end < html.count, html[end] == UInt8(ascii: ";") else { return ("&", start + 1) }
        let text = String(decoding: name, as: UTF8.self)
        let scalar: Unicode.Scalar?
        if text.hasPrefix("#x") || text.hasPrefix("#X") {
            scalar = UInt32(text.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        } else if text.hasPrefix("#") {
            scalar = UInt32(text.dropFirst()).flatMap(Unicode.Scalar.init)
        } else {
            scalar = named[text]
        }
        return scalar.map { ($0, end + 1) } ?? ("&", start + 1)
    }

    private static let named: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
        "hellip": "…", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "laquo": "«", "raquo": "»",
        "copy": "©", "reg": "®", "trade": "™", "deg": "°", "middot": "·", "bull": "•", "times": "×", "euro": "€",
        "pound": "£", "eacute": "é", "egrave": "è", "agrave": "à", "ccedil": "ç", "auml": "ä", "ouml": "ö",
        "uuml": "ü", "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü", "szlig": "ß", "aring": "å", "oslash": "ø", "ntilde": "ñ"
    ]

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
