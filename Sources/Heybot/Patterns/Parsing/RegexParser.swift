extension RegexAST {
    /// The syntax of a pattern.
    package enum Dialect: Hashable, Sendable {
        /// Swift's, as printed by `Regex.patternSource`: normalized, with the options around it. Only a plain pattern may be
        /// written differently; see ``ParsedPattern/isPlain``.
        case swift
        /// JavaScript's: the source of a RegExp with these flags.
        case javaScript(flags: String)
    }

    /// Parses a pattern.
    ///
    /// Returns nil if it is longer than 16 KB, has groups nested more than 64 deep, or contains anything whose meaning isn't
    /// certain.
    ///
    /// - Parameter ignoresCase: Whether case is ignored unless the pattern sets that itself.
    package init?(_ text: String, dialect: Dialect, ignoresCase: Bool = false) {
        guard let pattern = ParsedPattern(text, dialect: dialect, ignoresCase: ignoresCase) else { return nil }
        self = pattern.tree
    }
}

/// Parses the text of a pattern into a tree.
///
/// Its functions return nil if they don't understand the text.
struct RegexParser {
    /// The greatest length of a pattern, in bytes of UTF-8.
    static let maxLength = 16_384
    /// The greatest nesting depth of groups and classes.
    static let maxDepth = 64

    /// The options in force.
    ///
    /// If it isn't certain whether an option is set, the parser assumes the value with more matches.
    struct Options {
        var ignoresCase = false
        var isMultiline = false
        /// Whether spaces may be ignored.
        var isExtended = false
        var hasASCIIDigits = false
        var hasASCIIWords = false
        /// Whether repetitions are reluctant by default, and eager with `?`.
        var isReluctant = false

        /// The options if either set may be in force.
        func or(_ other: Self) -> Self {
            Self(
                ignoresCase: ignoresCase || other.ignoresCase, isMultiline: isMultiline || other.isMultiline,
                isExtended: isExtended || other.isExtended, hasASCIIDigits: hasASCIIDigits && other.hasASCIIDigits,
                hasASCIIWords: hasASCIIWords && other.hasASCIIWords, isReluctant: other.isReluctant)
        }
    }

    let text: [UInt8]
    let isSwift: Bool
    /// Whether the pattern has JavaScript's flag `u` or `v`.
    var isUnicode = false
    /// Whether the pattern has JavaScript's flag `v`.
    var hasSets = false
    var options = Options()
    var position = 0
    var depth = 0
    /// Whether what has been parsed is plain; see ``ParsedPattern/isPlain``.
    var isPlain = true
    /// The capturing groups so far.
    var captures: [ParsedPattern.Capture] = []

    init?(_ text: String, dialect: RegexAST.Dialect, ignoresCase: Bool) {
        options.ignoresCase = ignoresCase
        switch dialect {
        case .swift:
            guard let text = PatternByteEncoding.inSwift(text) else { return nil }
            self.text = text
            isSwift = true
        case .javaScript(let flags):
            isSwift = false
            for flag in flags.utf8 {
                switch flag {
                case UInt8(ascii: "i"): options.ignoresCase = true
                case UInt8(ascii: "m"): options.isMultiline = true
                case UInt8(ascii: "u"): isUnicode = true
                case UInt8(ascii: "v"): hasSets = true
                case UInt8(ascii: "d"), UInt8(ascii: "g"), UInt8(ascii: "s"), UInt8(ascii: "y"): break
                default: return nil
                }
            }
            if hasSets { isUnicode = true }
            self.text = PatternByteEncoding.inJavaScript(text, isUnicode: isUnicode)
        }
    }

    var isAtEnd: Bool { position >= text.count }
    /// The next byte; nil at the end.
    var next: UInt8? { position < text.count ? text[position] : nil }

    func next(after distance: Int) -> UInt8? {
        position + distance < text.count ? text[position + distance] : nil
    }

    /// Consumes a text if it comes next.
    mutating func consume(_ word: StaticString) -> Bool {
        let isNext = word.withUTF8Buffer { word in
            position + word.count <= text.count && text[position..<position + word.count].elementsEqual(word)
        }
        if isNext { position += word.utf8CodeUnitCount }
        return isNext
    }

    /// Parses alternatives, up to a closing parenthesis or the end.
    mutating func readAlternatives() -> RegexAST? {
        guard depth < Self.maxDepth else { return nil }
        depth += 1
        defer { depth -= 1 }
        // Swift has a limit of its own.
        if depth > Self.maxDepth / 2 { isPlain = false }
        let outer = options
        let firstCapture = captures.count
        guard let first = readSequence() else { return nil }
        guard next == UInt8(ascii: "|") else { return first }
        var branches = [first]
        while consume("|") {
            // An option set in one branch may stay in force in the next.
            options = outer.or(options)
            guard let branch = readSequence() else { return nil }
            branches.append(branch)
        }
        makeCapturesOptional(from: firstCapture)
        return .alternatives(branches)
    }

    /// Parses one branch.
    private mutating func readSequence() -> RegexAST? {
        var items: [RegexAST] = []
        // Whether the last item is a literal character, which a combining mark after it would change. Such a mark can only be an
        // escape: in the text itself the two would be one character already.
        var endsInLiteral = false
        while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
            let isEscape = byte == UInt8(ascii: "\\")
            if isSwift, isEscape, consume("\\Q") {
                isPlain = false
                guard readQuote(into: &items) else { return nil }
                endsInLiteral = true
                continue
            }
            let firstCapture = captures.count
            guard let (item, isLiteral) = readItem() else { return nil }
            // Options, or an empty group.
            if case .empty = item, !isAtQuantifier { continue }
            if isEscape, isLiteral, endsInLiteral { joinLast(of: &items, with: item) }
            guard let repeated = readQuantifier(item) else { return nil }
            if let repeated { noteRepetition(repeated, of: item, firstCapture) }
            endsInLiteral = isLiteral && repeated == nil
            items.append(repeated ?? item)
        }
        return items.count == 1 ? items[0] : items.isEmpty ? .empty : .sequence(items)
    }

    /// Records what a quantifier means for the captures in its item, and whether Swift accepts it there.
    private mutating func noteRepetition(_ repeated: RegexAST, of item: RegexAST, _ firstCapture: Int) {
        if case .repetition(_, least: 0, most: _, _) = repeated { makeCapturesOptional(from: firstCapture) }
        switch item {
        case .empty, .start, .end, .boundary, .lookaround: isPlain = false
        default: break
        }
    }

    /// Records that a match may be without the captures from this one on.
    private mutating func makeCapturesOptional(from first: Int) {
        for index in first..<captures.count { captures[index].isOptional = true }
    }

    /// Joins a literal character with a combining mark: in Swift they are one character, which may be written in other ways.
    private func joinLast(of items: inout [RegexAST], with item: RegexAST) {
        guard isSwift, case .character(let mark) = item, mark.hasOthers,
            case .character(var characters) = items.last
        else { return }
        characters.hasOthers = true
        characters.hasClusters = true
        items[items.count - 1] = .character(characters)
    }

    /// Parses quoted text, up to `\E`.
    private mutating func readQuote(into items: inout [RegexAST]) -> Bool {
        while let byte = next {
            // What a quantifier after a quote applies to isn't certain.
            if consume("\\E") { return !isAtQuantifier }
            position += 1
            items.append(literal(byte))
        }
        return false
    }

    /// A literal character.
    func literal(_ mark: UInt8) -> RegexAST {
        guard mark == PatternByteEncoding.lineBreak else {
            return .character(PatternByteEncoding.characters(mark, ignoresCase: options.ignoresCase))
        }
        return .sequence([
            .character(PossibleCharacters(ascii: ByteSet(ascii: "\r"), hasOthers: false)),
            .character(PossibleCharacters(ascii: ByteSet(ascii: "\n"), hasOthers: false))
        ])
    }

    /// Parses one item without its quantifier; returns whether it is a literal character.
    private mutating func readItem() -> (RegexAST, isLiteral: Bool)? {
        guard let byte = next else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "^"): return (options.isMultiline ? .boundary : .start, false)
        case UInt8(ascii: "$"): return (options.isMultiline ? .boundary : .end, false)
        case UInt8(ascii: "."): return (.character(.any), false)
        case UInt8(ascii: "("): return readGroup().map { ($0, false) }
        case UInt8(ascii: "["): return readClass().map { (.character($0), false) }
        case UInt8(ascii: "\\"): return readEscape()
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"): return nil
        case UInt8(ascii: "{"):
            // In JavaScript's legacy syntax, a brace that isn't a quantifier is a literal.
            position -= 1
            guard !isSwift, !isUnicode, readCounts() == nil else { return nil }
            position += 1
            return (literal(byte), true)
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            return isSwift || isUnicode ? nil : (literal(byte), true)
        case UInt8(ascii: " "), UInt8(ascii: "#"), 0x09...0x0d, PatternByteEncoding.lineBreak:
            return options.isExtended ? nil : (literal(byte), true)
        default: return (literal(byte), true)
        }
    }
}
