extension PlusPlus {
    /// A point that was given or taken.
    struct ScoreChange: Hashable {
        /// The name in lower case.
        let name: String
        /// 1 or -1.
        let points: Int
        /// The reason, if one was given.
        let reason: String?
    }

    /// The maximum length of a name in characters; in bytes it is four times as many.
    static let longestName = 100

    /// Normalizes a name as it was typed, such as `@Swift`, `"big boss"` or `(big boss)`; nil if it is too long, or has no
    /// visible characters.
    static func name(_ typed: Substring) -> String? {
        guard typed.utf8.count <= longestName * 5 else { return nil }
        var name = typed.unquoted
        if name.first == "(", name.last == ")", name.count > 2 { name = name.dropFirst().dropLast() }
        if name.first == "@" { name = name.dropFirst() }
        guard name.count <= longestName, name.utf8.count <= longestName * 4 else { return nil }
        let line = String(oneLine: name, limit: longestName).lowercased().normalized
        return line.isEmpty ? nil : line
    }
}
