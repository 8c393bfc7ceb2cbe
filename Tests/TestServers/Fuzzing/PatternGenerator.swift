import HeybotTesting

/// Makes random patterns, and messages that are near to matching them.
///
/// Not every pattern is one an engine takes. What is repeated without end has little choice in it, so that matching
/// stays fast.
public struct PatternGenerator: Sendable {
    public enum Dialect: Sendable {
        case swift
        case javaScript
    }

    private var random: SeededGenerator
    private let dialect: Dialect
    private var groups = 0

    public init(seed: UInt64, dialect: Dialect = .swift) {
        random = SeededGenerator(seed: seed)
        self.dialect = dialect
    }

    /// A number in the range.
    public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// True once in so many times.
    public mutating func isOnce(in times: Int) -> Bool { Int.random(in: 1...times, using: &random) == 1 }

    private mutating func one(of choices: [String]) -> String { choices[number(0...choices.count - 1)] }

    // MARK: Patterns

    private static let words = [
        "deploy", "status", "ask", "kick", "look", "risk", "Task", "build", "me", "help", "k8s", "sk", "image", "s",
        "K", "a;b", "x`y", "ship it", "on", "ok"
    ]
    private static let odd = [
        "\u{e9}", "e\u{301}", "\\u00e9", "e\\u0301", "k\\u0301", "\u{212a}", "\u{17f}", "\u{37e}", "\u{1fef}",
        "\\u212a",
        "\\u017f", "\u{1f44d}", "\u{1f44d}\u{1f3fd}", "\r\n", "\\r\\n", "\\n", "\\r", "\u{df}", "\u{130}", "\u{3a3}",
        "\u{feff}", "\u{a0}", "\\u0301", ";\u{301}", "\u{ac00}", "\\u1100\\u1161", "1\u{fe0f}\u{20e3}"
    ]
    private static let shorthands = ["\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "."]
    private static let swiftShorthands = [
        "\\h", "\\v", "\\R", "\\X", "\\H", "\\V", "\\p{L}", "\\P{Lu}", "\\p{Nd}", "[[:alpha:]]", "[[:digit:]]",
        "[[:^space:]]", "[[:upper:]]", "\\p{ascii}"
    ]
    private static let anchors = ["^", "$", "\\b", "\\B"]
    private static let swiftAnchors = ["\\A", "\\z", "\\Z"]

    public mutating func pattern() -> String {
        groups = 0
        switch number(1...20) {
        case 1:
            return "^" + one(of: ["\\s", "\\d", "[a-k]", "[^;]", "[k;]", "\\w", "[^\\r\\n]"]) + one(of: ["*", "+", ""])
                + "$"
        case 2: return "^" + alternatives(depth: 1, isRepeated: false) + "$"
        case 3:
            return one(of: ["\\b[A-Z]{2,}-\\d+\\b", "(\\w+)\\+\\+", "\\d{5,}", "[ks]\\d", "\u{e9}+", "#\\d+", "\\s-\\s"]
            )
        case 4: return "^(?:" + one(of: Self.words) + "|" + one(of: Self.words) + ")$"
        default: return alternatives(depth: number(0...3), isRepeated: false)
        }
    }

    private mutating func alternatives(depth: Int, isRepeated: Bool) -> String {
        if isRepeated, isOnce(in: 3) {
            return [one(of: Self.words), one(of: Self.words), ""].prefix(number(2...3)).joined(separator: "|")
        }
        let count = isOnce(in: 4) && !isRepeated ? number(2...3) : 1
        return (0..<count).map { _ in sequence(depth: depth, isRepeated: isRepeated) }.joined(separator: "|")
    }

    private mutating func sequence(depth: Int, isRepeated: Bool) -> String {
        if isOnce(in: 25) { return "" }
        return (0..<number(1...4)).map { _ in item(depth: depth, isRepeated: isRepeated) }.joined()
    }

    private mutating func item(depth: Int, isRepeated: Bool) -> String {
        switch number(1...24) {
        case 1...9:
            let word = one(of: Self.words)
            return isOnce(in: 5) ? word + quantifier(isRepeated: isRepeated) : word
        case 10: return one(of: Self.odd) + (isOnce(in: 4) ? quantifier(isRepeated: isRepeated) : "")
        case 11...12: return shorthand() + quantifier(isRepeated: isRepeated)
        case 13: return one(of: dialect == .swift ? Self.anchors + Self.swiftAnchors : Self.anchors)
        case 14...15: return characterClass() + (isOnce(in: 2) ? quantifier(isRepeated: isRepeated) : "")
        case 16: return one(of: ["\\.", "\\+", "\\-", "\\/", "\\*", "#", " ", "-", ",", "\\(", "!", "\\?", "@", ":"])
        case 17 where dialect == .swift: return swiftItem(depth: depth)
        default: return depth > 0 ? group(depth: depth - 1, isRepeated: isRepeated) : one(of: Self.words)
        }
    }

    private mutating func shorthand() -> String {
        one(of: dialect == .swift && isOnce(in: 3) ? Self.swiftShorthands : Self.shorthands)
    }

    private mutating func swiftItem(depth: Int) -> String {
        let word = one(of: Self.words)
        switch number(1...6) {
        case 1: return one(of: ["(?i)", "(?-i)", "(?^i)", "(?m)", "(?W)", "(?D)", "(?P)", "(?s)", "(?n)", "(?U)"])
        case 2: return "\\Q" + word + one(of: ["", ".", "+", "(", "\\", "[k]", "\u{e9}"]) + "\\E"
        case 3: return "(?x: " + word + " \\  [ k s ] \\# )"
        case 4: return "(?#" + word + ")"
        case 5: return "(?x)" + word + " # k\n"
        default: return "\\x{4b}\\x73"
        }
    }

    private mutating func quantifier(isRepeated: Bool) -> String {
        var quantifiers = ["{2}", "{0}", "{1}"]
        if !isRepeated {
            quantifiers += ["?", "?", "{1,3}", "{0,2}", "{0,1}", "?", "*", "+", "+", "{0,}", "{2,}", "*", "{1,}"]
        }
        let quantifier = one(of: quantifiers)
        if dialect == .swift, isOnce(in: 12) { return quantifier + "+" }
        return isOnce(in: 6) ? quantifier + "?" : quantifier
    }

    private mutating func characterClass() -> String {
        var members = [
            "a", "k", "s", "K", "S", ";", "`", "e", "x", "0", "_", " ", "\\-", "\\]", "a-f", "j-l", "R-T", "0-9", "A-Z",
            "\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "\u{e9}", "\u{212a}", "\u{17f}", "\u{37e}", "\\u00e9", "\\n",
            "\\r",
            "\u{e0}-\u{ff}", "k-\u{e9}", "\\.", "\\^", "&"
        ]
        if dialect == .swift {
            members += ["[ks]", "[^k-s]", "[:alpha:]", "[a-z]&&[^k]", "\\p{L}", "[a-z]--[k]", "\\Q^k]\\E", "\\&\\&[k]"]
        }
        let body = (0..<number(1...3)).map { _ in one(of: members) }.joined()
        return (isOnce(in: 3) ? "[^" : "[") + body + "]"
    }

    private mutating func group(depth: Int, isRepeated: Bool) -> String {
        var kinds = ["(?:", "(?:", "(?:", "(", "(", "(?=", "(?!"]
        if dialect == .swift {
            kinds += ["(?>", "(?i:", "(?-i:", "(?i-s:", "(?^:", "(?W:", "(?m:", "(?D:", "(?P:", "(?S:"]
        } else {
            kinds += ["(?<=", "(?<!"]
        }
        if isOnce(in: 10) {
            groups += 1
            kinds = ["(?<g\(groups)>"]
        }
        let kind = one(of: kinds)
        let isLookaround = ["(?=", "(?!", "(?<=", "(?<!"].contains(kind)
        let quantifier = !isLookaround && isOnce(in: 3) ? quantifier(isRepeated: isRepeated) : ""
        let isEndless = quantifier.contains { "*+,?".contains($0) }
        return kind + alternatives(depth: depth, isRepeated: isRepeated || isEndless) + ")" + quantifier
    }
}
