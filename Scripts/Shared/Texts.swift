extension Substring {
    /// The first characters of a text, as many as so many bytes hold.
    ///
    /// A text's length in bytes is known without a look at it, whereas a single character may be as long as the text.
    func beginning(bytes: Int) -> Substring {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes)
        // Back to where a scalar begins.
        while end > startIndex, utf8[end] & 0b1100_0000 == 0b1000_0000 { end = utf8.index(before: end) }
        return self[..<end]
    }
}

extension StringProtocol {
    /// The same text in Unicode's normalization form C, which writes `é` with one code point however it was typed.
    ///
    /// Texts that are equal have the same bytes then, as they must if they are keys of the brain.
    var normalized: String {
        // The standard library's only way to it: public, though with an underscore, and the same on all platforms.
        String(decoding: String(self)._nfcCodeUnits, as: UTF8.self)
    }
}

extension Substring {
    /// What somebody typed, without the blanks around it and the double quotes it stands in.
    var unquoted: Substring {
        let text = withoutBlanksAround
        guard text.count > 2, let first = text.first, let last = text.last else { return text }
        let isQuoted = (first, last) == ("\"", "\"") || (first, last) == ("“", "”")
        return isQuoted ? text.dropFirst().dropLast().withoutBlanksAround : text
    }

    private var withoutBlanksAround: Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

/// A URL as a service gave it, if it can be said: one of http or https, of printable ASCII and at most 500 characters.
func webAddress(_ text: String?) -> String? {
    guard let text, text.utf8.count <= 500, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
    let folded = text.lowercased()
    let isWeb = ["http://", "https://"].contains { folded.hasPrefix($0) && folded.utf8.count > $0.utf8.count }
    return isWeb ? text : nil
}
