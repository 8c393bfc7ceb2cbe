extension PatternReader {
    /// From behind an opening parenthesis to its end.
    mutating func readGroup() -> PatternTree? {
        let outer = options
        guard take("?") else {
            // (*…) is a directive.
            return next == UInt8(ascii: "*") ? nil : readBody(outer)
        }
        if take(":") { return readBody(outer) }
        if take("=") { return readBody(outer).map { .lookaround($0, isNegative: false) } }
        if take("!") { return readBody(outer).map { .lookaround($0, isNegative: true) } }
        if take("<=") { return readBody(outer).map { .lookaround($0, isNegative: false) } }
        if take("<!") { return readBody(outer).map { .lookaround($0, isNegative: true) } }
        if take("<") { return readName(upTo: ">") ? readBody(outer) : nil }
        guard isSwift else { return nil }
        if take(">") { return readBody(outer).map { .atomic($0) } }
        guard readOptions() else { return nil }
        // Options without a body hold until the end of the group they are in.
        if take(")") { return isAtQuantifier ? nil : .empty }
        return take(":") ? readBody(outer) : nil
    }

    /// The rest of a group, after which the options are those of before.
    private mutating func readBody(_ outer: Options) -> PatternTree? {
        guard let body = readAlternatives(), take(")") else { return nil }
        options = outer
        return body
    }

    /// A name of ASCII letters, digits and `_`, or others beyond ASCII, and the sign behind it.
    mutating func readName(upTo end: StaticString) -> Bool {
        let start = position
        while let byte = next, byte >= 0x80 || ByteSet.word.contains(byte) { position += 1 }
        return position > start && take(end)
    }

    /// Option letters, as `i`, `i-s`, `-m` or `^i`; false if one isn't known.
    private mutating func readOptions() -> Bool {
        // It isn't certain what it goes back to: so options that make for more matches stay as they are.
        let isReset = take("^")
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
            // Whether groups capture, what `.`, `\s` and `\b` match and what a character is change nothing here: every
            // reading is the one with more matches.
            case UInt8(ascii: "n"), UInt8(ascii: "s"), UInt8(ascii: "S"), UInt8(ascii: "w"), UInt8(ascii: "u"),
                UInt8(ascii: "X"):
                break
            default: return false
            }
        }
        return true
    }
}
