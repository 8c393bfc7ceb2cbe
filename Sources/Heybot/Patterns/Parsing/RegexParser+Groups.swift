extension RegexParser {
    /// Parses a group, from after the opening parenthesis to its end.
    mutating func readGroup() -> RegexAST? {
        let outer = options
        guard consume("?") else {
            // (*…) is a directive.
            return next == UInt8(ascii: "*") ? nil : readBody(outer)
        }
        if consume(":") { return readBody(outer) }
        if consume("=") { return readBody(outer).map { .lookaround($0, isNegative: false) } }
        if consume("!") { return readBody(outer).map { .lookaround($0, isNegative: true) } }
        if consume("<=") { return readBody(outer).map { .lookaround($0, isNegative: false) } }
        if consume("<!") { return readBody(outer).map { .lookaround($0, isNegative: true) } }
        if consume("<") { return readName(upTo: ">") ? readBody(outer) : nil }
        guard isSwift else { return nil }
        if consume(">") { return readBody(outer).map { .atomic($0) } }
        guard readOptions() else { return nil }
        // Options without a body are in force until the end of the enclosing group.
        if consume(")") { return isAtQuantifier ? nil : .empty }
        return consume(":") ? readBody(outer) : nil
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
