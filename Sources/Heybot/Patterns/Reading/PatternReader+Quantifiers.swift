extension PatternReader {
    /// More repetitions than this are as good as this many.
    private static let mostCounted = 1_000_000

    /// Whether a quantifier may come next.
    var isAtQuantifier: Bool {
        switch next {
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"), UInt8(ascii: "{"): true
        default: false
        }
    }

    /// The item with the quantifier that comes next; `.some(nil)` if there is none.
    mutating func readQuantifier(_ item: PatternTree) -> PatternTree?? {
        let least: Int
        let most: Int?
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
                // JavaScript's older syntax takes it for itself.
                return isSwift || isUnicode ? .none : .some(nil)
            }
            (least, most) = counts
        default: return .some(nil)
        }
        if let most, most < least { return .none }
        var backtracking: PatternTree.Backtracking = options.isReluctant ? .reluctant : .eager
        if take("?") {
            backtracking = options.isReluctant ? .eager : .reluctant
        } else if isSwift, take("+") {
            backtracking = .possessive
        }
        // Another quantifier is an error in both.
        if isAtQuantifier, next != UInt8(ascii: "{") || isSwift || isUnicode { return .none }
        return .repetition(item, least: least, most: most, backtracking)
    }

    /// `{2}`, `{2,}`, `{2,3}`, and in Swift `{,3}`; nil, and nothing taken, if it is none of these.
    mutating func readCounts() -> (least: Int, most: Int?)? {
        let start = position
        if take("{") {
            let least = readNumber()
            let hasComma = take(",")
            let most = hasComma ? readNumber() : least
            if take("}"), least != nil || (isSwift && most != nil) { return (least ?? 0, most) }
        }
        position = start
        return nil
    }

    /// A number in decimal digits, at most about a million.
    mutating func readNumber() -> Int? {
        var number: Int?
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            number = min((number ?? 0) * 10 + Int(byte - UInt8(ascii: "0")), Self.mostCounted)
            position += 1
        }
        return number
    }
}
