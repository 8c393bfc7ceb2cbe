import Synchronization

/// The pattern of a listener, which several tasks can match with at the same time.
///
/// If its text is known and can stand for it (``ParsedPattern/isPlain``), its regex is made when a message first needs it.
/// Otherwise it keeps the regex it was made with.
final class ListenerPattern<Output>: RegexOwner {
    /// A regex as listeners match with it: it ignores case unless `caseSensitive`, and `\b` is the simple word boundary of
    /// other engines.
    ///
    /// `Regex` isn't Sendable in Swift 6.3, because it may contain custom parsers. This box is safe because the regex is
    /// passed `sending`, kept private and never changed, and the only thing that matching changes in it, the lazily compiled
    /// program, is set atomically.
    private final class PreparedRegex: @unchecked Sendable {
        let regex: Regex<Output>

        init(_ regex: sending Regex<Output>, caseSensitive: Bool) {
            self.regex = (caseSensitive ? regex : regex.ignoresCase()).wordBoundaryKind(.simple)
        }
    }

    /// Makes the regex, whenever it is needed and there is none.
    ///
    /// Several threads may call the closure at once. That is safe because it is either the literal in a listener's registration,
    /// which captures nothing, or makes a regex from a text.
    private struct RegexFactory: @unchecked Sendable {
        let make: () throws -> Regex<Output>

        init(_ make: sending @escaping () throws -> Regex<Output>) { self.make = make }
    }

    /// The pattern's text; nil if it was built with RegexBuilder from parts that can't be printed.
    let text: String?
    /// What every matching text contains.
    let requirements: MatchRequirements
    /// Why matching could take exponential time; nil if it can't.
    let backtrackingRisk: BacktrackingRisk?
    private let isCaseSensitive: Bool
    /// A text that matches as a whole, in lower case unless the pattern is case-sensitive: `ping` for `ping$`.
    ///
    /// Nil if the pattern has more than letters, digits and spaces, or captures.
    private let exactText: [UInt8]?
    private let recent: RecentRegexes
    /// Nil if the pattern keeps the regex it was made with.
    private let factory: RegexFactory?
    /// The regex if it is never dropped: the text can't stand for it, or most messages need it.
    private let permanent = AtomicLazyReference<PreparedRegex>()
    /// The regex if it may be dropped; nil while only the text is needed.
    private let droppable = Mutex<PreparedRegex?>(nil)

    private init(
        _ text: String?, _ parsed: ParsedPattern?, _ factory: RegexFactory?, _ permanent: PreparedRegex?,
        caseSensitive: Bool, _ recent: RecentRegexes
    ) {
        self.text = text
        requirements = MatchRequirements(of: parsed?.tree)
        backtrackingRisk = parsed?.tree.backtrackingRisk()
        isCaseSensitive = caseSensitive
        exactText = Output.self == Substring.self && parsed?.isPlain == true ? Self.exactText(text, caseSensitive) : nil
        self.recent = recent
        self.factory = factory
        if let permanent { _ = self.permanent.storeIfNil(permanent) }
    }

    /// The pattern of a regex literal whose text is known.
    ///
    /// The literal isn't evaluated until a message needs it, unless the text isn't plain.
    convenience init(
        literal text: String, _ literal: sending @escaping () -> Regex<Output>, caseSensitive: Bool,
        in recent: RecentRegexes
    ) {
        if let parsed = ParsedPattern(text, dialect: .swift, ignoresCase: !caseSensitive), parsed.isPlain {
            self.init(text, parsed, RegexFactory(literal), nil, caseSensitive: caseSensitive, recent)
        } else {
            self.init(literal(), caseSensitive: caseSensitive, in: recent)
        }
    }

    /// The pattern of a regex.
    convenience init(_ regex: sending Regex<Output>, caseSensitive: Bool, in recent: RecentRegexes) {
        let literal = regex.patternSource
        let text = literal ?? regex._literalPattern
        let parsed = literal.flatMap { ParsedPattern($0, dialect: .swift, ignoresCase: !caseSensitive) }
        if let text, let parsed, parsed.isCertain(as: Output.self) {
            self.init(text, parsed, Self.factory(text), nil, caseSensitive: caseSensitive, recent)
        } else {
            let permanent = PreparedRegex(regex, caseSensitive: caseSensitive)
            self.init(text, parsed, nil, permanent, caseSensitive: caseSensitive, recent)
        }
    }

    /// The pattern of a text.
    ///
    /// - Throws: Swift's error if the text isn't a pattern with this output.
    convenience init(text: String, caseSensitive: Bool, in recent: RecentRegexes) throws {
        let parsed = ParsedPattern(text, dialect: .swift, ignoresCase: !caseSensitive)
        if let parsed, parsed.isCertain(as: Output.self) {
            self.init(text, parsed, Self.factory(text), nil, caseSensitive: caseSensitive, recent)
        } else {
            self.init(try Regex(text, as: Output.self), caseSensitive: caseSensitive, in: recent)
        }
    }

    private static func factory(_ text: String) -> RegexFactory {
        RegexFactory { try Regex(text, as: Output.self) }
    }

    /// Whether the pattern has its regex at the moment.
    var hasRegex: Bool { permanent.load() != nil || droppable.withLock { $0 != nil } }

    /// The first match anywhere in the text.
    func search(_ text: String) throws -> Output? {
        try regex()?.firstMatch(in: text)?.output
    }

    /// The match at the beginning of the text, which doesn't end within a character of the text that it is part of.
    func prefix(_ text: Substring) throws -> Output? {
        // Many commands are a word or two, which takes a tenth of the time to compare.
        if let exactText, isSame(text, exactText), let output = text as? Output { return output }
        return try regex()?.prefixMatch(in: text)?.output
    }

    private func isSame(_ text: Substring, _ exactText: [UInt8]) -> Bool {
        text.utf8.count == exactText.count
            && zip(text.utf8, exactText).allSatisfy { byte, expected in
                byte == expected || !isCaseSensitive && byte | 0x20 == expected && expected >= 0x61
            }
    }

    private static func exactText(_ text: String?, _ isCaseSensitive: Bool) -> [UInt8]? {
        guard var bytes = text?.utf8[...] else { return nil }
        if bytes.first == UInt8(ascii: "^") { bytes.removeFirst() }
        if bytes.last == UInt8(ascii: "$") { bytes.removeLast() }
        let isLiteral = bytes.allSatisfy { byte in
            byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7a || byte >= 0x30 && byte <= 0x39 || byte == 0x20
        }
        guard isLiteral, !bytes.isEmpty else { return nil }
        return bytes.map { !isCaseSensitive && $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }
    }

    func dropRegex() { droppable.withLock { $0 = nil } }

    /// The regex, made if there is none; nil only for a pattern without a factory, which always has one.
    private func regex() throws -> Regex<Output>? {
        if let made = permanent.load() { return made.regex }
        if let made = droppable.withLock({ $0 }) { return made.regex }
        guard let factory else { return nil }
        let new = PreparedRegex(try factory.make(), caseSensitive: isCaseSensitive)
        // Dropped, it would be made again for almost every message.
        if requirements.areMetByMostTexts { return permanent.storeIfNil(new).regex }
        // Another task may have made it meanwhile.
        let (made, isNew) = droppable.withLock { droppable -> (PreparedRegex, Bool) in
            if let made = droppable { return (made, false) }
            droppable = new
            return (new, true)
        }
        if isNew { recent.insert(self) }
        return made.regex
    }
}
