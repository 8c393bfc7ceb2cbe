extension Substring {
    /// Returns the beginning of a text, up to a number of bytes.
    ///
    /// The length in bytes is known in advance, whereas a single character may be as long as the whole text.
    func beginning(bytes: Int) -> Substring {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes)
        // Back to the beginning of a scalar.
        while end > startIndex, utf8[end] & 0b1100_0000 == 0b1000_0000 { end = utf8.index(before: end) }
        return self[..<end]
    }
}

extension StringProtocol {
    /// The text in Unicode normalization form C.
    ///
    /// Equal texts then have equal bytes, as keys of the brain must.
    var normalized: String {
        // The only way in the standard library; public, despite its underscore, on all platforms.
        String(decoding: String(self)._nfcCodeUnits, as: UTF8.self)
    }
}

extension Substring {
    /// The text without surrounding blanks and double quotes.
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
