extension PatternTree {
    /// Whose syntax a pattern is in.
    package enum Dialect: Hashable, Sendable {
        /// Swift's, as a regex literal is printed by `Regex.literalText`: normalised, with the options around it.
        case swift
        /// JavaScript's, the source of a RegExp with these flags.
        case javaScript(flags: String)
    }

    /// Reads a pattern.
    ///
    /// Nil if it is longer than 16 KB, has groups nested more than 64 deep, or has anything in it of which it isn't
    /// certain what it means.
    /// - Parameter ignoresCase: Whether case doesn't matter if the pattern itself says nothing about it.
    package init?(_ text: String, dialect: Dialect, ignoresCase: Bool = false) {
        guard text.utf8.count <= PatternReader.longest,
            var reader = PatternReader(text, dialect: dialect, ignoresCase: ignoresCase),
            let tree = reader.readAlternatives(), reader.isAtEnd
        else { return nil }
        self = tree
    }
}

/// Goes through a pattern's text and makes a tree of it.
///
/// What it returns is nil if it doesn't understand the text.
struct PatternReader {
    /// The longest text that is read, in bytes of UTF-8.
    static let longest = 16_384
    /// How many groups or classes may be within each other.
    static let deepest = 64

    /// What the options in force make of the syntax.
    ///
    /// Each is as wide as it may be: if it isn't certain whether an option is on, the reading is the one with more
    /// matches.
    struct Options {
        var ignoresCase = false
        var isMultiline = false
        /// Spaces may mean nothing.
        var isExtended = false
        var hasASCIIDigits = false
        var hasASCIIWords = false
        /// Repetitions take as little as there must be, with `?` as much as there is.
        var isReluctant = false

        /// What holds if it may be either of the two.
        func or(_ other: Self) -> Self {
            Self(
                ignoresCase: ignoresCase || other.ignoresCase, isMultiline: isMultiline || other.isMultiline,
                isExtended: isExtended || other.isExtended, hasASCIIDigits: hasASCIIDigits && other.hasASCIIDigits,
                hasASCIIWords: hasASCIIWords && other.hasASCIIWords, isReluctant: other.isReluctant)
        }
    }

    let text: [UInt8]
    let isSwift: Bool
    /// JavaScript's flags u and v.
    var isUnicode = false
    var hasSets = false
    var options = Options()
    var position = 0
    var depth = 0

    init?(_ text: String, dialect: PatternTree.Dialect, ignoresCase: Bool) {
        options.ignoresCase = ignoresCase
        switch dialect {
        case .swift:
            guard let text = PatternText.inSwift(text) else { return nil }
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
            self.text = PatternText.inJavaScript(text, isUnicode: isUnicode)
        }
    }

    var isAtEnd: Bool { position >= text.count }
    /// What comes next; nil at the end.
    var next: UInt8? { position < text.count ? text[position] : nil }

    func next(after distance: Int) -> UInt8? {
        position + distance < text.count ? text[position + distance] : nil
    }

    /// Takes these if they come next.
    mutating func take(_ word: StaticString) -> Bool {
        let isNext = word.withUTF8Buffer { word in
            position + word.count <= text.count && text[position..<position + word.count].elementsEqual(word)
        }
        if isNext { position += word.utf8CodeUnitCount }
        return isNext
    }

    /// Up to a closing parenthesis or the end.
    mutating func readAlternatives() -> PatternTree? {
        guard depth < Self.deepest else { return nil }
        depth += 1
        defer { depth -= 1 }
        let outer = options
        guard let first = readSequence() else { return nil }
        guard next == UInt8(ascii: "|") else { return first }
        var branches = [first]
        while take("|") {
            // An option set in one branch may go on in the next.
            options = outer.or(options)
            guard let branch = readSequence() else { return nil }
            branches.append(branch)
        }
        return .alternatives(branches)
    }

    /// One branch.
    private mutating func readSequence() -> PatternTree? {
        var items: [PatternTree] = []
        // Whether the last item is one character that means itself: a mark behind it makes another of it. The mark must
        // be an escape: in the text itself the two would be one character already.
        var endsInLiteral = false
        while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
            if isSwift, take("\\Q") {
                guard readQuote(into: &items) else { return nil }
                endsInLiteral = true
                continue
            }
            let isEscape = byte == UInt8(ascii: "\\")
            guard let (item, isLiteral) = readItem() else { return nil }
            // Options, or a group with nothing in it.
            if case .empty = item, !isAtQuantifier { continue }
            if isEscape, isLiteral, endsInLiteral { joinLast(of: &items, with: item) }
            guard let repeated = readQuantifier(item) else { return nil }
            endsInLiteral = isLiteral && repeated == nil
            items.append(repeated ?? item)
        }
        return items.count == 1 ? items[0] : items.isEmpty ? .empty : .sequence(items)
    }

    /// In Swift a character with a mark behind it is one, which may be written in other ways.
    private func joinLast(of items: inout [PatternTree], with item: PatternTree) {
        guard isSwift, case .character(let mark) = item, mark.hasOthers,
            case .character(var characters) = items.last
        else { return }
        characters.hasOthers = true
        characters.hasClusters = true
        items[items.count - 1] = .character(characters)
    }

    /// What stands for itself up to `\E`.
    private mutating func readQuote(into items: inout [PatternTree]) -> Bool {
        while let byte = next {
            // A repetition of a quote isn't certain.
            if take("\\E") { return !isAtQuantifier }
            position += 1
            items.append(literal(byte))
        }
        return false
    }

    /// A character that means itself.
    func literal(_ mark: UInt8) -> PatternTree {
        guard mark == PatternText.lineBreak else {
            return .character(PatternText.characters(mark, ignoresCase: options.ignoresCase))
        }
        return .sequence([
            .character(CharacterClass(ascii: ByteSet(ascii: "\r"), hasOthers: false)),
            .character(CharacterClass(ascii: ByteSet(ascii: "\n"), hasOthers: false))
        ])
    }

    /// One item without its quantifier, and whether it is a character that means itself.
    private mutating func readItem() -> (PatternTree, isLiteral: Bool)? {
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
            // JavaScript's older syntax takes a brace that is no quantifier for itself.
            position -= 1
            guard !isSwift, !isUnicode, readCounts() == nil else { return nil }
            position += 1
            return (literal(byte), true)
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            return isSwift || isUnicode ? nil : (literal(byte), true)
        case UInt8(ascii: " "), UInt8(ascii: "#"), 0x09...0x0d, PatternText.lineBreak:
            return options.isExtended ? nil : (literal(byte), true)
        default: return (literal(byte), true)
        }
    }
}
