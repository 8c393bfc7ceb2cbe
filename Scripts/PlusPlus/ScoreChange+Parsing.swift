// Finds the score changes in a chat message.

extension PlusPlus.ScoreChange {
    private static let most = 5
    static let longestReason = 100
    /// The number of characters and of bytes of a message that are considered.
    private static let mostCharacters = 2_000
    private static let mostBytes = 8_000

    // Made once, because Swift parses a literal each time that it is evaluated, which takes a millisecond here. Tasks can share
    // them: matching changes nothing in a regex but its compiled program, which is set atomically.
    nonisolated(unsafe) private static let operators = /(?:\+\+|--)(?=[\s.,!?;:]|$)/
    nonisolated(unsafe) private static let wholeMessage =
        /(?<name>["“(][^"“”()]+["”)]|\S+?)[:,]?(?: (?<sign>\+\+|--|—)| ?—)[.!]?(?<rest>\s.*)?/
    nonisolated(unsafe) private static let reasonAfterOperator =
        /\s+(?:for|because(?: of)?|cause|as|thanks to)\s+(?<reason>.+)/.ignoresCase()

    /// An operator in a text: the name before it, and its end.
    private struct NameWithOperator {
        let name: Substring
        let points: Int
        let end: String.Index
    }

    /// Finds up to five changes in a text.
    ///
    /// The operator must end the word, and follow a name directly: a word, or several in quotes or parentheses. A single
    /// letter isn't a name, so that `c++` stays a language and `i--` code; `c++++` is a point for the language. A name with
    /// `--` must follow white space or begin the text, which excludes `foo=bar--`. A message that consists of a name, a space
    /// and an operator counts too (``whole(_:)``).
    ///
    /// - Parameter text: The text without the robot's name.
    static func all(in text: Substring) -> [Self] {
        let text = text.beginning(bytes: mostBytes).prefix(mostCharacters)
        if let change = whole(text) { return [change] }
        var marks: [NameWithOperator] = []
        for match in text.matches(of: operators) where marks.count < most {
            let isPraise = match.output == "++"
            guard let name = name(before: match.range.lowerBound, in: text) else { continue }
            let before = text[..<name.startIndex]
            guard name.startIndex >= marks.last?.end ?? text.startIndex, before.last.map(isPartOfName) != true else {
                continue
            }
            let last = before.last == "@" ? before.dropLast().last : before.last
            guard isPraise || last?.isWhitespace ?? true else { continue }
            marks.append(NameWithOperator(name: name, points: isPraise ? 1 : -1, end: match.range.upperBound))
        }
        return marks.indices.compactMap { index in
            let mark = marks[index]
            let next = index + 1 < marks.count ? marks[index + 1].name.startIndex : text.endIndex
            return PlusPlus.name(mark.name).map {
                Self(name: $0, points: mark.points, reason: reason(text[mark.end..<next]))
            }
        }
    }

    /// Parses a message that consists of one change: `swift ++`, or `swift— for being slow`, since phones turn `--` into a
    /// dash.
    ///
    /// Inside a sentence, a separate dash is just a dash.
    private static func whole(_ text: Substring) -> Self? {
        guard let match = text.wholeMatch(of: wholeMessage) else { return nil }
        let typed = match.name
        guard name(before: typed.endIndex, in: typed) == typed.drop(while: { $0 == "@" }),
            let name = PlusPlus.name(typed)
        else { return nil }
        let reason = match.rest.flatMap { Self.reason($0) }
        guard reason != nil || match.rest?.allSatisfy(\.isWhitespace) != false else { return nil }
        return Self(name: name, points: match.sign == "++" ? 1 : -1, reason: reason)
    }

    /// Returns the name that ends at an index; nil if there is none.
    private static func name(before end: String.Index, in text: Substring) -> Substring? {
        let before = text[..<end].suffix(PlusPlus.longestName + 2)
        if let last = before.last, let opening = opening[last] {
            let inside = before.dropLast()
            guard let start = inside.lastIndex(of: opening) else { return nil }
            return inside[inside.index(after: start)...].contains(where: isPartOfName) ? before[start...] : nil
        }
        let plusPlus = before.hasSuffix("++") ? 2 : 0
        let stem = before.dropLast(plusPlus)
        let start = stem.lastIndex { !isPartOfName($0) && !inside.contains($0) }.map(stem.index(after:))
        let word = stem[(start ?? stem.startIndex)...].drop { inside.contains($0) }
        guard let last = word.last, isPartOfName(last) else { return nil }
        let isOneLetter = word.count == 1 && last.isASCII && last.isLetter && plusPlus == 0
        guard !isOneLetter, word.count + plusPlus <= PlusPlus.longestName else { return nil }
        return text[word.startIndex..<end]
    }

    private static let opening: [Character: Character] = ["\"": "\"", "”": "“", ")": "("]
    /// The characters that are allowed inside a name, but not at its ends.
    private static let inside: Set<Character> = ["-", ".", "'", "’"]

    private static func isPartOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "#"
            || character.isSymbol && !character.isASCII
    }

    /// Parses the reason after an operator: `for being fast`.
    private static func reason(_ words: Substring) -> String? {
        let said = words.prefixMatch(of: reasonAfterOperator).map { reason(typed: $0.reason) } ?? ""
        return said.isEmpty ? nil : said
    }

    /// Normalizes a reason: without quotes and trailing punctuation.
    static func reason(typed: Substring) -> String {
        var reason = typed.beginning(bytes: longestReason * 8)
        while let last = reason.last, last.isWhitespace || ".,!?;:@".contains(last) { reason.removeLast() }
        if reason.lowercased().hasSuffix(" and") { reason.removeLast(4) }
        return String(oneLine: reason.unquoted, limit: longestReason).normalized
    }
}
