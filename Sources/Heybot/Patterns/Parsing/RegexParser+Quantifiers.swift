extension RegexParser {
    /// The limit up to which counts of repetitions are distinguished.
    private static let mostCounted = 1_000_000
    /// The greatest count in a plain pattern.
    private static let mostPlain = 1_000

    /// Whether the next byte may begin a quantifier.
    var isAtQuantifier: Bool {
        switch next {
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"), UInt8(ascii: "{"): true
        default: false
        }
    }

    /// Parses a quantifier, and applies it to an item.
    ///
    /// Returns `.some(nil)` if there is none.
    mutating func readQuantifier(_ item: RegexAST) -> RegexAST?? {
        let least: Int
        let most: Int?
        let start = position
        switch next {
        case UInt8(ascii: "*"):
            (least, most) = (0, nil)
            position += 1
        case UInt8(ascii: "+"):
            (least, most) = (1, nil)
            position += 1
        case UInt8(ascii: "?"):
            (least, most) = (0, 1)
            position += 1
        case UInt8(ascii: "{"):
            guard let counts = readCounts() else {
                // In JavaScript's legacy syntax it is a literal.
                return isSwift || isUnicode ? .none : .some(nil)
            }
            (least, most) = counts
            // Swift reads `<{` as the beginning of an interpolation, and has a limit for counts.
            let isAfterAngle = start > 0 && text[start - 1] == UInt8(ascii: "<")
            if isAfterAngle || max(least, most ?? 0) > Self.mostPlain { isPlain = false }
        default: return .some(nil)
        }
        if let most, most < least { return .none }
        // Swift leaves out what is repeated at most zero times, with its captures.
        if most == 0 { isPlain = false }
        var backtracking: RegexAST.RepetitionBehavior = options.isReluctant ? .reluctant : .eager
        if consume("?") {
            backtracking = options.isReluctant ? .eager : .reluctant
        } else if isSwift, consume("+") {
            backtracking = .possessive
        }
        // A second quantifier is an error in both dialects.
        if isAtQuantifier, next != UInt8(ascii: "{") || isSwift || isUnicode { return .none }
        return .repetition(item, least: least, most: most, backtracking)
    }

    /// Parses `{2}`, `{2,}`, `{2,3}`, and in Swift `{,3}`.
    ///
    /// Returns nil, without consuming anything, if it is none of these.
    mutating func readCounts() -> (least: Int, most: Int?)? {
        let start = position
        if consume("{") {
            let least = readNumber()
            let hasComma = consume(",")
            let most = hasComma ? readNumber() : least
            if consume("}"), least != nil || (isSwift && most != nil) { return (least ?? 0, most) }
        }
        position = start
        return nil
    }

    /// Parses a decimal number, limited to about a million.
    mutating func readNumber() -> Int? {
        var number: Int?
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            number = min((number ?? 0) * 10 + Int(byte - UInt8(ascii: "0")), Self.mostCounted)
            position += 1
        }
        return number
    }
}
