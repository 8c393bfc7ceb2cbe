/// An HTML token, as in a browser's tokenizer.
enum Token: Hashable {
    case start(String, [Attribute])
    case end(String)
    case text(String)
    /// A comment or a document type, and whatever else begins with `<!` or `<?`.
    case other(String)

    struct Attribute: Hashable {
        var name: String
        var value: String
    }

    /// Splits markup into tokens; nil if a tag or a quote doesn't end.
    static func all(in html: String) -> [Token]? {
        var tokenizer = Tokenizer(rest: Array(html.unicodeScalars)[...])
        return tokenizer.tokens()
    }
}

/// The states of HTML's tokenizer that a page without errors can reach, and those that hostile text would like to reach.
private struct Tokenizer {
    var rest: ArraySlice<Unicode.Scalar>

    mutating func tokens() -> [Token]? {
        var tokens: [Token] = []
        while let scalar = rest.first {
            let next = rest.dropFirst().first
            if scalar == "<", let next, next == "/" || next == "!" || next == "?" || next.properties.isAlphabetic {
                guard let token = markup() else { return nil }
                tokens.append(token)
                if case .start(let name, _) = token, ["script", "style", "title"].contains(name) {
                    let text = take { $0.starts(with: "</\(name)".unicodeScalars) }
                    tokens.append(.text(name == "title" ? Self.decoded(text) : text))
                }
            } else {
                let first = String(rest.removeFirst())
                tokens.append(.text(Self.decoded(first + take { $0.first == "<" })))
            }
        }
        return tokens
    }

    /// Reads up to the first byte for which the predicate is true.
    private mutating func take(until isEnd: (ArraySlice<Unicode.Scalar>) -> Bool) -> String {
        var end = rest.startIndex
        while end < rest.endIndex, !isEnd(rest[end...]) { end += 1 }
        let text = rest[..<end]
        rest = rest[end...]
        return String(String.UnicodeScalarView(text))
    }

    /// From `<` to `>`.
    private mutating func markup() -> Token? {
        rest.removeFirst()
        guard let first = rest.first else { return nil }
        if first == "!" || first == "?" {
            let text = take { $0.first == ">" }
            return rest.popFirst() == nil ? nil : .other(text)
        }
        let isEnd = first == "/"
        if isEnd { rest.removeFirst() }
        let name = take { Self.isSpace($0.first) || $0.first == "/" || $0.first == ">" }.lowercased()
        var attributes: [Token.Attribute] = []
        while let scalar = rest.first, scalar != ">" {
            if Self.isSpace(scalar) || scalar == "/" {
                rest.removeFirst()
            } else if let attribute = attribute() {
                attributes.append(attribute)
            } else {
                return nil
            }
        }
        guard rest.popFirst() != nil else { return nil }
        return isEnd ? .end(name) : .start(name, attributes)
    }

    private mutating func attribute() -> Token.Attribute? {
        let name = take { Self.isSpace($0.first) || $0.first == "/" || $0.first == ">" || $0.first == "=" }
        guard rest.first == "=" else { return Token.Attribute(name: name, value: "") }
        rest.removeFirst()
        guard let quote = rest.first, quote == "\"" || quote == "'" else {
            return Token.Attribute(name: name, value: take { Self.isSpace($0.first) || $0.first == ">" })
        }
        rest.removeFirst()
        let value = take { $0.first == quote }
        return rest.popFirst() == nil ? nil : Token.Attribute(name: name, value: Self.decoded(value))
    }

    private static func isSpace(_ scalar: Unicode.Scalar?) -> Bool {
        scalar == " " || scalar == "\n" || scalar == "\t" || scalar == "\u{c}"
    }

    private static let references: [(String, String)] = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")
    ]

    /// The text with those references decoded that the page may have; others make it another text.
    private static func decoded(_ text: String) -> String {
        var rest = Array(text.unicodeScalars)[...]
        var decoded = String.UnicodeScalarView()
        while let scalar = rest.first {
            if scalar == "&", let (name, value) = references.first(where: { rest.starts(with: $0.0.unicodeScalars) }) {
                decoded.append(contentsOf: value.unicodeScalars)
                rest.removeFirst(name.unicodeScalars.count)
            } else {
                decoded.append(scalar == "&" ? "\u{fffd}" : scalar)
                rest.removeFirst()
            }
        }
        return String(decoded)
    }
}
