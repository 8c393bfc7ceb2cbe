/// The completion of the text before the cursor.
enum Completion: Equatable, Sendable {
    /// There is no completion.
    case none
    /// A text that replaces the given number of characters before the cursor.
    case replacement(last: Int, String)
    /// Several candidates, sorted.
    case choices([String])

    /// Returns the completion of a text.
    ///
    /// - Parameters:
    ///   - text: The text before the cursor.
    ///   - usages: The usages of commands, without the robot's name, such as `score <name>`.
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

    /// Returns the usages, with additional ones in which a placeholder is replaced by its choices.
    ///
    /// Only a command whose words before the placeholder are typed has additional ones. `help` is completed with the first words
    /// of all commands.
    ///
    /// - Parameters:
    ///   - choices: The choices by placeholder, without its brackets.
    ///   - text: The text before the cursor.
    static func expanded(
        _ usages: [String], choices: [String: [String]], text: String, robotName: String
    ) -> [String] {
        let typed = command(in: text, robotName).lowercased()
        let heads = Set(usages.compactMap { $0.split(separator: " ").first }.filter { !"<[(|".contains($0.prefix(1)) })
        return usages.flatMap { usage -> [String] in
            let first = usage.prefix { $0 != "<" }
            guard typed.hasPrefix(first.lowercased()) else { return [usage] }
            let placeholder = usage[first.endIndex...].dropFirst().prefix { $0 != ">" }
            var known = choices[String(placeholder)] ?? []
            if first == "help " { known += heads.map(String.init) }
            return [usage] + known.map { "\(first)\($0)" }
        }
    }

    /// The words of each usage before its first placeholder, sorted; with a space at the end if more is required.
    private static func candidates(_ usages: some Sequence<String>) -> [String] {
        var byWords: [String: String] = [:]
        for usage in usages {
            let words = usage.prefix { !"<[(|".contains($0) }
            let key = trimmed(words).lowercased()
            let mustGoOn = words.last == " " && usage.dropFirst(words.count).first != "["
            // If another usage with the same words needs nothing more, neither does this.
            if key.isEmpty || byWords[key]?.last?.isWhitespace == false { continue }
            byWords[key] = trimmed(words) + (mustGoOn ? " " : "")
        }
        return byWords.values.sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
    }

    private static func commonLength(_ one: some StringProtocol, _ other: some StringProtocol) -> Int {
        zip(one, other).prefix { $0.lowercased() == $1.lowercased() }.count
    }

    /// The typed part of the command, without leading spaces and the robot's name.
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

    /// Arranges choices in columns, ordered from top to bottom.
    ///
    /// - Parameter limit: The maximum number of choices to show.
    static func columns(_ choices: [String], width: Int, limit: Int = 100) -> String {
        let shown = choices.prefix(limit)
        let column = (shown.map(\.columns).max() ?? 0) + 2
        let rows = max((shown.count + max(width / column, 1) - 1) / max(width / column, 1), 1)
        var lines = (0..<rows).map { row in
            stride(from: row, to: shown.count, by: rows).reduce(into: "") { line, index in
                if index >= rows { line += String(repeating: " ", count: column - shown[index - rows].columns) }
                line += shown[index]
            }
        }
        if choices.count > limit { lines.append("and \(choices.count - limit) more") }
        return lines.joined(separator: "\n")
    }
}
