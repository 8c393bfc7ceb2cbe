/// What the words before the cursor can be completed to.
enum Completion: Equatable, Sendable {
    /// Nothing goes on like that.
    case none
    /// Takes the place of that many characters before the cursor.
    case replacement(last: Int, String)
    /// It could be any of these, sorted.
    case choices([String])

    /// - Parameters:
    ///   - text: What stands before the cursor.
    ///   - usages: Commands, without the robot's name, as `score <name>`.
    static func of(_ text: String, usages: some Sequence<String>, robotName: String) -> Completion {
        let typed = command(in: text, robotName)
        let folded = typed.lowercased()
        let matches = candidates(usages).filter { $0.lowercased().hasPrefix(folded) }
        guard let first = matches.first else { return .none }
        let common = matches.dropFirst().reduce(first[...]) { common, match in
            common.prefix(commonLength(common, match))
        }
        if common.count > typed.count { return .replacement(last: typed.count, String(common)) }
        return matches.count > 1 ? .choices(matches.map(trimmed)) : .none
    }

    /// Usages with each of the choices in place of a placeholder that has some; after `help`, the first words of all.
    ///
    /// - Parameter choices: By placeholder, without its brackets.
    static func expanded(_ usages: [String], choices: [String: [String]]) -> [String] {
        let heads = Set(usages.compactMap { $0.split(separator: " ").first }.filter { !"<[(|".contains($0.prefix(1)) })
        return usages.flatMap { usage -> [String] in
            let first = usage.prefix { $0 != "<" }
            let placeholder = usage[first.endIndex...].dropFirst().prefix { $0 != ">" }
            var known = choices[String(placeholder)] ?? []
            if first == "help " { known += heads.map(String.init) }
            return [usage] + known.map { "\(first)\($0)" }
        }
    }

    /// The words of each usage up to its first placeholder, sorted; with a space if more must follow.
    private static func candidates(_ usages: some Sequence<String>) -> [String] {
        var byWords: [String: String] = [:]
        for usage in usages {
            let words = usage.prefix { !"<[(|".contains($0) }
            let key = trimmed(words).lowercased()
            let mustGoOn = words.last == " " && usage.dropFirst(words.count).first != "["
            // If one command is the beginning of another, nothing need follow.
            if key.isEmpty || byWords[key]?.last?.isWhitespace == false { continue }
            byWords[key] = trimmed(words) + (mustGoOn ? " " : "")
        }
        return byWords.values.sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
    }

    private static func commonLength(_ one: some StringProtocol, _ other: some StringProtocol) -> Int {
        zip(one, other).prefix { $0.lowercased() == $1.lowercased() }.count
    }

    /// What is typed of the command: without spaces and the robot's name in front.
    private static func command(in text: String, _ robotName: String) -> Substring {
        let words = text.drop(while: \.isWhitespace)
        let name = words.first == "@" ? words.dropFirst() : words
        guard name.lowercased().hasPrefix(robotName.lowercased()) else { return words }
        let rest = name.dropFirst(robotName.count)
        guard let separator = rest.first, separator.isWhitespace || ",:".contains(separator) else { return words }
        return rest.dropFirst().drop(while: \.isWhitespace)
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        guard let end = text.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(text[...end].drop(while: \.isWhitespace))
    }

    /// Lays choices out in columns that fit the width, in order from top to bottom; the first hundred.
    static func columns(_ choices: [String], width: Int, most: Int = 100) -> String {
        let shown = choices.prefix(most)
        let column = (shown.map(\.columns).max() ?? 0) + 2
        let rows = max((shown.count + max(width / column, 1) - 1) / max(width / column, 1), 1)
        var lines = (0..<rows).map { row in
            stride(from: row, to: shown.count, by: rows).reduce(into: "") { line, index in
                if index >= rows { line += String(repeating: " ", count: column - shown[index - rows].columns) }
                line += shown[index]
            }
        }
        if choices.count > most { lines.append("and \(choices.count - most) more") }
        return lines.joined(separator: "\n")
    }
}
