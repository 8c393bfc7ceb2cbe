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
