/// Reads phrases from tokens, by recursive descent.
///
/// Each method takes the longest phrase of its kind from the current position, and returns nil without moving if there is none.
struct PhraseParser {
    let tokens: [Token]
    /// The index of the next token.
    var position: Int
    /// Whether a number alone is an hour.
    let allowsBareHours: Bool

    init(_ tokens: [Token], at position: Int, allowsBareHours: Bool) {
        (self.tokens, self.position, self.allowsBareHours) = (tokens, position, allowsBareHours)
    }

    /// Takes a whole phrase, after which a word begins or the text ends.
    mutating func phrase() -> DatePhrase? {
        guard canBegin else { return nil }
        let repeated: DatePhrase? = attempt { parser in
            let phrase = parser.recurrence()
            return parser.canEnd ? phrase : nil
        }
        if let repeated { return repeated }
        return attempt { parser in
            guard let phrase = parser.once(), parser.canEnd else { return nil }
            return .once(phrase)
        }
    }

    /// Takes a day, a time of day, or both, or a length of time from now.
    private mutating func once() -> OncePhrase? {
        var phrase = OncePhrase()
        if now() { phrase.duration = CalendarDuration() }
        while takePart(of: &phrase) {}
        return phrase == OncePhrase() ? nil : phrase
    }

    /// Takes the next part of a phrase that the phrase doesn't have yet.
    private mutating func takePart(of phrase: inout OncePhrase) -> Bool {
        let start = position
        if phrase != OncePhrase() { _ = take(",") }
        if takeDay(of: &phrase) || takeClock(of: &phrase) { return true }
        let isAfterDay = phrase.day != nil || phrase.duration != nil
        if phrase.part == nil, !isExact(phrase.duration), let part = partOfDay(isAfterDay: isAfterDay) {
            phrase.part = part
            return true
        }
        position = start
        return false
    }

    private mutating func takeDay(of phrase: inout OncePhrase) -> Bool {
        guard phrase.day == nil, phrase.duration == nil else { return false }
        let start = position
        if let (day, part) = dayAndPart() {
            if part == nil || phrase.part == nil {
                phrase.day = day
                phrase.part = part ?? phrase.part
                return true
            }
            position = start
        }
        guard phrase.clock == nil, phrase.part == nil, let duration = durationFromNow() else { return false }
        phrase.duration = duration
        return true
    }

    private mutating func takeClock(of phrase: inout OncePhrase) -> Bool {
        guard phrase.clock == nil, !isExact(phrase.duration) else { return false }
        let start = position
        let isFollowing = phrase != OncePhrase()
        guard let (clock, part) = self.clock(isFollowing: isFollowing) else { return false }
        guard part == nil || phrase.part == nil else {
            position = start
            return false
        }
        phrase.clock = clock
        phrase.part = part ?? phrase.part
        phrase.offset = offset()
        return true
    }

    /// Whether a length of time is so exact that no time of day can follow.
    private func isExact(_ duration: CalendarDuration?) -> Bool {
        guard let duration else { return false }
        return duration.seconds != 0 || duration == CalendarDuration()
    }

    private mutating func now() -> Bool { take("now") || take("right", "now") || take("immediately") }

    /// Takes `UTC`, `GMT`, `Z` or an offset such as `+02:00`, and returns it in seconds.
    private mutating func offset() -> Int? {
        if takeAny(["utc", "gmt"]) != nil || takeGlued("z") { return 0 }
        return attempt { parser in
            let isWest = parser.takeGlued("-")
            guard isWest || parser.takeGlued("+"), let hours = parser.twoGluedDigits(), hours < 24 else { return nil }
            guard parser.takeGlued(":"), let minutes = parser.twoGluedDigits(), minutes < 60 else { return nil }
            return (hours * 60 + minutes) * (isWest ? -60 : 60)
        }
    }

    // MARK: Tokens

    /// The next token.
    var next: Token? { token(0) }

    /// Returns the token a number of tokens after the current position.
    func token(_ distance: Int) -> Token? {
        let index = position + distance
        return tokens.indices.contains(index) ? tokens[index] : nil
    }

    /// Parses something, and moves back if it isn't there.
    mutating func attempt<Value>(_ parse: (inout PhraseParser) -> Value?) -> Value? {
        let start = position
        if let value = parse(&self) { return value }
        position = start
        return nil
    }

    /// Takes words that follow each other.
    mutating func take(_ words: String...) -> Bool {
        for (index, word) in words.enumerated() where token(index)?.text != word { return false }
        position += words.count
        return true
    }

    /// Takes one of some words.
    mutating func takeAny(_ words: Set<String>) -> String? {
        guard let word = next?.text, words.contains(word) else { return nil }
        position += 1
        return word
    }

    /// Takes a character with no space before it.
    mutating func takeGlued(_ text: String) -> Bool { next?.isGlued == true && take(text) }

    /// Takes a number of digits, without a space before it if `isGlued`.
    mutating func number(_ range: ClosedRange<Int>, isGlued: Bool = false) -> Int? {
        guard let token = next, let number = token.number, range ~= number else { return nil }
        guard token.isGlued || !isGlued else { return nil }
        position += 1
        return number
    }

    /// Takes two digits with no space before them.
    mutating func twoGluedDigits() -> Int? {
        next?.text.utf8.count == 2 ? number(0...99, isGlued: true) : nil
    }

    // MARK: Where phrases begin and end

    /// Whether a phrase can begin at the current position.
    var canBegin: Bool {
        guard let token = next, token.isGlued, position > 0 else { return next != nil }
        return Self.openings.contains(tokens[position - 1].text)
    }

    /// Whether a phrase can end at the current position.
    var canEnd: Bool { isEnd(at: position) }

    private func isEnd(at index: Int) -> Bool {
        tokens[min(index, tokens.count)...].prefix { $0.isGlued }.allSatisfy { Self.closings.contains($0.text) }
    }

    private static let openings: Set<String> = ["(", "[", "\"", "'", "“", "‘", "`"]
    static let closings: Set<String> = [",", ".", ";", ":", "!", "?", ")", "]", "\"", "'", "”", "’", "`", "…"]
}
