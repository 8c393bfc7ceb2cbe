import Heybot

/// The usage of a command that was made in chat: words, and placeholders for arguments, such as `greet <name>`.
struct CommandTemplate: Hashable, Sendable {
    private enum Part: Hashable {
        /// In the form for comparisons.
        case word(String)
        case placeholder(String)

        var isPlaceholder: Bool { if case .placeholder = self { true } else { false } }
    }

    private static let longest = 100
    private static let mostParts = 12
    /// The number of bytes of a message that are considered.
    private static let longestMessage = 2_000
    /// What may stand for something else in every command.
    static let known: Set<String> = ["user", "room"]

    /// The usage in one line.
    let usage: String
    private let parts: [Part]

    /// Reads a usage that was stored.
    init(stored usage: String) {
        self.usage = usage
        parts = Self.tokens(of: usage).map { token in
            Self.placeholder(token).map(Part.placeholder) ?? .word(Self.folded(token))
        }
    }

    /// Parses a usage from chat.
    ///
    /// - Throws: A ``Refusal`` if it can't be a command.
    init(_ typed: Substring) throws(Refusal) {
        var text = typed.beginning(bytes: Self.longest * 8)
        while let last = text.last, ",:".contains(last) || last.isWhitespace { text.removeLast() }
        self.init(stored: String(oneLine: text.unquoted, limit: Self.longest))
        guard case .word(let first)? = parts.first, first.contains(where: { $0.isLetter || $0.isNumber }) else {
            throw Refusal("A command begins with a word, for example: when I say greet <name> say hello <name>")
        }
        guard usage.last != "…", parts.count <= Self.mostParts else {
            throw Refusal(
                "That's too long: a command has at most \(Self.mostParts) words and \(Self.longest) characters.")
        }
        let hasLooseBracket = parts.contains { (part: Part) -> Bool in
            guard case .word(let word) = part else { return false }
            return word.contains { "<>".contains($0) }
        }
        guard !hasLooseBracket else {
            throw Refusal("Write each placeholder as a word of its own, with letters only, such as <name>.")
        }
        guard Set(placeholders).count == placeholders.count, Self.known.isDisjoint(with: placeholders) else {
            throw Refusal("Give each placeholder a name of its own; <user> and <room> have a meaning already.")
        }
    }

    /// The names of the placeholders, in lower case.
    var placeholders: [String] {
        parts.compactMap { (part: Part) -> String? in
            if case .placeholder(let name) = part { name } else { nil }
        }
    }

    /// The number of its words, without placeholders: of two commands that match, the one with more is meant.
    var wordCount: Int { parts.count - placeholders.count }

    /// What distinguishes it from other commands: the words, and where the placeholders are.
    var key: String {
        let words = parts.map { (part: Part) -> String in
            if case .word(let word) = part { word } else { "<>" }
        }
        return words.joined(separator: " ")
    }

    /// A message that matches.
    var sample: String { key.replacing("<>", with: "x") }

    /// Returns the arguments in a message, by placeholder; nil if it doesn't match.
    ///
    /// An argument is a word, or several up to the next word of the command; the last one is the rest of the message.
    func arguments(in text: String) -> [String: String]? {
        guard text.utf8.count <= Self.longestMessage else { return nil }
        return matched(text[...]) ?? Self.unpunctuated(text).flatMap { matched($0) }
    }

    /// Whether there may be a message that both this and another one match, perhaps with other punctuation at its end.
    func overlaps(_ other: CommandTemplate) -> Bool {
        // The parts of both, by index, that the next word of such a message can belong to.
        var reached: Set<[Int]> = [[0, 0]]
        for (index, part) in parts.enumerated() {
            for (otherIndex, otherPart) in other.parts.enumerated()
            where reached.contains([index, otherIndex]) && Self.canBeSame(part, otherPart) {
                reached.insert([index + 1, otherIndex + 1])
                // A placeholder may stand for further words.
                if part.isPlaceholder { reached.insert([index, otherIndex + 1]) }
                if otherPart.isPlaceholder { reached.insert([index + 1, otherIndex]) }
            }
        }
        return reached.contains([parts.count, other.parts.count])
    }

    private static func canBeSame(_ one: Part, _ other: Part) -> Bool {
        guard case .word(let word) = one, case .word(let otherWord) = other else { return true }
        return (unpunctuated(word) ?? word[...]) == (unpunctuated(otherWord) ?? otherWord[...])
    }

    private func matched(_ text: Substring) -> [String: String]? {
        let words = text.split(whereSeparator: \.isWhitespace)
        var arguments: [String: String] = [:]
        var position = 0
        for (index, part) in parts.enumerated() {
            switch part {
            case .word(let word):
                guard position < words.count, Self.folded(words[position]) == word else { return nil }
                position += 1
            case .placeholder(let name):
                guard position < words.count, let next = end(ofArgumentAt: position, index, words) else { return nil }
                arguments[name] = words[position..<next].joined(separator: " ")
                position = next
            }
        }
        return position == words.count ? arguments : nil
    }

    /// Returns where the argument for a part ends; nil if what follows it in the command doesn't occur.
    private func end(ofArgumentAt start: Int, _ index: Int, _ words: [Substring]) -> Int? {
        guard index + 1 < parts.count else { return words.count }
        var following: [String] = []
        for part in parts[(index + 1)...] {
            guard case .word(let word) = part else { break }
            following.append(word)
        }
        if following.isEmpty { return start + 1 }
        let isLast = index + 1 + following.count == parts.count
        // If the command ends with these words, so does the message.
        if isLast { return words.count - following.count > start ? words.count - following.count : nil }
        return (start + 1..<max(words.count, start + 1)).first { end in
            let next = words[end...].prefix(following.count).map { Self.folded($0) }
            return next == following
        }
    }

    /// Replaces the placeholders in a text.
    ///
    /// - Parameter values: What stands for each placeholder. Placeholders in the values aren't replaced.
    static func fill(_ text: String, with values: [String: String]) -> String {
        var filled = ""
        var end = text.startIndex
        for match in text.matches(of: placeholderPattern) {
            filled += text[end..<match.range.lowerBound]
            filled += values[placeholder(text[match.range]) ?? ""] ?? String(text[match.range])
            end = match.range.upperBound
        }
        return filled + text[end...]
    }

    /// Returns the names of the placeholders in a text.
    static func placeholders(in text: String) -> Set<String> {
        Set(text.matches(of: placeholderPattern).compactMap { placeholder(text[$0.range]) })
    }

    // MARK: Words

    private static var placeholderPattern: Regex<Substring> { /<[A-Za-z][A-Za-z0-9_ \-]{0,29}>/ }

    private static func tokens(of usage: String) -> [Substring] {
        usage.matches(of: /<[A-Za-z][A-Za-z0-9_ \-]{0,29}>(?=\s|$)|\S+/).map { usage[$0.range] }
    }

    /// Returns the name in a placeholder, in lower case; nil if it isn't one.
    private static func placeholder(_ token: Substring) -> String? {
        guard token.wholeMatch(of: placeholderPattern) != nil else { return nil }
        return token.dropFirst().dropLast().lowercased()
    }

    private static func folded(_ word: Substring) -> String { word.lowercased().normalized }

    /// Returns a text without punctuation at its end; nil if it has none.
    private static func unpunctuated(_ text: String) -> Substring? {
        var text = text[...]
        guard let last = text.last, "!?.…".contains(last) else { return nil }
        while let last = text.last, "!?.… ".contains(last) { text.removeLast() }
        return text
    }
}
