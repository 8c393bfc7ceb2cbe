extension RegexParser {
    /// Parses a group, from after the opening parenthesis to its end.
    mutating func readGroup() -> RegexAST? {
        let outer = options
        guard consume("?") else {
            // (*…) is a directive.
            if next == UInt8(ascii: "*") { return nil }
            captures.append(ParsedPattern.Capture(name: nil))
            return readBody(outer)
        }
        if consume(":") { return readBody(outer) }
        if consume("=") { return readBody(outer).map { .lookaround($0, isNegative: false) } }
        if consume("!") { return readBody(outer).map { .lookaround($0, isNegative: true) } }
        if consume("<=") { return readLookbehind(outer, isNegative: false) }
        if consume("<!") { return readLookbehind(outer, isNegative: true) }
        if consume("<") { return readNamedGroup(outer) }
        guard isSwift else { return nil }
        if consume(">") { return readBody(outer).map { .atomic($0) } }
        isPlain = false
        guard readOptions() else { return nil }
        // Options without a body are in force until the end of the enclosing group.
        if consume(")") { return isAtQuantifier ? nil : .empty }
        return consume(":") ? readBody(outer) : nil
    }

    /// Parses a lookbehind, which Swift 6.3 rejects.
    private mutating func readLookbehind(_ outer: Options, isNegative: Bool) -> RegexAST? {
        isPlain = false
        return readBody(outer).map { .lookaround($0, isNegative: isNegative) }
    }

    /// Parses a named group, from its name to its end.
    private mutating func readNamedGroup(_ outer: Options) -> RegexAST? {
        let start = position
        guard readName(upTo: ">") else { return nil }
        let bytes = text[start..<position - 1]
        let name = String(decoding: bytes, as: UTF8.self)
        // Swift rejects a name that begins with a digit, or that two groups have.
        let isRejected = bytes.first.map(ByteSet.digits.contains) ?? true
        if isRejected || captures.contains(where: { $0.name == name }) { isPlain = false }
        captures.append(ParsedPattern.Capture(name: name))
        return readBody(outer)
    }

    /// Parses the rest of a group, and restores the options after it.
    private mutating func readBody(_ outer: Options) -> RegexAST? {
        guard let body = readAlternatives(), consume(")") else { return nil }
        options = outer
        return body
    }

    /// Parses a name of ASCII letters, digits, `_` and non-ASCII characters, and the delimiter after it.
    mutating func readName(upTo end: StaticString) -> Bool {
        let start = position
        while let byte = next, byte >= 0x80 || ByteSet.word.contains(byte) { position += 1 }
        return position > start && consume(end)
    }

    /// Parses option letters, such as `i`, `i-s`, `-m` or `^i`.
    ///
    /// - Returns: False if a letter is unknown.
    private mutating func readOptions() -> Bool {
        // It isn't certain which options it resets to, so options that allow more matches stay set.
        let isReset = consume("^")
        if isReset { options = options.or(Options()) }
        var isOn = true
        while let byte = next, byte != UInt8(ascii: ")"), byte != UInt8(ascii: ":") {
            position += 1
            switch byte {
            case UInt8(ascii: "-"):
                guard isOn, !isReset else { return false }
                isOn = false
            case UInt8(ascii: "i"): options.ignoresCase = isOn
            case UInt8(ascii: "m"): options.isMultiline = isOn
            case UInt8(ascii: "x"): options.isExtended = isOn
            case UInt8(ascii: "D"): options.hasASCIIDigits = isOn
            case UInt8(ascii: "W"): options.hasASCIIWords = isOn
            case UInt8(ascii: "P"):
                options.hasASCIIDigits = isOn
                options.hasASCIIWords = isOn
            case UInt8(ascii: "U"): options.isReluctant = isOn
            // Whether groups capture, what `.`, `\s` and `\b` match, and what a character is makes no difference: the parser
            // always assumes the value with more matches.
            case UInt8(ascii: "n"), UInt8(ascii: "s"), UInt8(ascii: "S"), UInt8(ascii: "w"), UInt8(ascii: "u"),
                UInt8(ascii: "X"):
                break
            default: return false
            }
        }
        return true
    }
}
