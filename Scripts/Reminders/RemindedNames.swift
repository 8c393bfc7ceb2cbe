/// The names in a command that asks for a reminder, and the words after them, as in `ada, bob and grace at 9:00 to eat`.
struct RemindedNames: Hashable, Sendable {
    /// The maximum number of people whom one command reminds.
    static let most = 10

    /// The number of bytes in which a time at the beginning of a text is looked for.
    private static let longestBeginning = 400

    /// Words with which a request without a name begins: it is for the person who asks.
    private static let beginnings: Set<String> = [
        "about", "at", "every", "in", "next", "on", "that", "to", "today", "tomorrow", "tonight"
    ]

    /// The names as they were typed: perhaps in quotes, and with a comma or a colon after them.
    private(set) var names: [Substring]
    /// The words after the names.
    private(set) var request: Substring

    /// - Parameters:
    ///   - first: The first name.
    ///   - rest: What follows it.
    init(_ first: Substring, _ rest: Substring) {
        let whole = "\(first) \(rest)"[...]
        if Self.beginnings.contains(first.lowercased()), ReminderRequest.isBeginning(whole) {
            names = ["me"]
            request = whole
            return
        }
        names = Self.split(first)
        request = rest
        var last = first
        while names.count <= Self.most, let next = Self.next(in: request, after: last) {
            names += Self.split(next.name)
            last = next.name
            request = next.rest
        }
    }

    /// Splits words such as `ada,bob`; a name in quotes may have commas.
    private static func split(_ word: Substring) -> [Substring] {
        isQuoted(word) ? [word] : word.split(separator: ",")
    }

    private static func isQuoted(_ word: Substring) -> Bool { word.first == "\"" || word.first == "“" }

    /// Returns the name at the beginning of a text that follows another name, and the rest; nil if there is none.
    private static func next(in text: Substring, after last: Substring) -> (name: Substring, rest: Substring)? {
        let conjunction = text.prefixMatch(of: Self.conjunction)
        guard last.last == "," || conjunction != nil && last.last != ":" else { return nil }
        var words = text
        if let conjunction { words = text[conjunction.range.upperBound...] }
        guard let match = words.prefixMatch(of: Self.name) else { return nil }
        let (name, rest) = (match.output.1, words[match.range.upperBound...])
        if conjunction != nil { return (name: name, rest: rest) }
        // After a comma there may be the time or the text too: "me, in 20 minutes, to eat", "me, ada is back at 9".
        if ReminderRequest.isBeginning(words.beginning(bytes: longestBeginning)) { return nil }
        let isName =
            isQuoted(name) || name.last == "," || name.last == ":" || rest.prefixMatch(of: Self.conjunction) != nil
            || ReminderRequest.isBeginning(rest.beginning(bytes: longestBeginning))
        return isName ? (name: name, rest: rest) : nil
    }

    // Computed, because a regex isn't Sendable.

    private static var conjunction: Regex<Substring> { /(?:and|&)\s+/.ignoresCase() }

    private static var name: Regex<(Substring, Substring)> {
        /((?:"[^"]{1,99}"|“[^”]{1,99}”)[,:]?|\S{1,400})\s+/
    }
}
