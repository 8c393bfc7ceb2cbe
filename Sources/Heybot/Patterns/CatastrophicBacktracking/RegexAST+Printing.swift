extension RegexAST {
    /// The tree as a pattern for people to read.
    ///
    /// Groups have no names, `\1` stands for anything, and long patterns are shortened.
    var patternText: String {
        var writer = RegexPrinter()
        writer.write(self, isInSequence: false)
        return writer.text
    }
}

/// Prints a tree as a pattern.
private struct RegexPrinter {
    private static let limit = 60
    private(set) var text = ""
    private var isCut = false

    private mutating func add(_ more: String) {
        guard !isCut else { return }
        if text.count + more.count <= Self.limit {
            text += more
        } else {
            text += "…"
            isCut = true
        }
    }

    mutating func write(_ tree: RegexAST, isInSequence: Bool) {
        guard !isCut else { return }
        switch tree {
        case .empty: if isInSequence { add("(?:)") }
        case .start: add("^")
        case .end: add("$")
        case .boundary: add(#"\b"#)
        case .character(let characters): add(characters.patternText)
        case .anything: add(#"\1"#)
        case .sequence(let parts):
            for part in parts { write(part, isInSequence: true) }
        case .alternatives(let parts):
            if isInSequence { add("(?:") }
            for (index, part) in parts.enumerated() where !isCut {
                if index > 0 { add("|") }
                write(part, isInSequence: false)
            }
            if isInSequence { add(")") }
        case .repetition(let part, let least, let most, let backtracking):
            writeRepeated(part)
            add(Self.quantifier(least, most) + Self.suffix(backtracking))
        case .atomic(let part): writeGroup("(?>", part)
        case .lookaround(let part, let isNegative): writeGroup(isNegative ? "(?!" : "(?=", part)
        }
    }

    private mutating func writeRepeated(_ part: RegexAST) {
        switch part {
        case .character, .anything, .atomic, .lookaround: write(part, isInSequence: true)
        default: writeGroup("(?:", part)
        }
    }

    private mutating func writeGroup(_ opening: String, _ part: RegexAST) {
        add(opening)
        write(part, isInSequence: false)
        add(")")
    }

    private static func quantifier(_ least: Int, _ most: Int?) -> String {
        switch (least, most) {
        case (0, nil): "*"
        case (1, nil): "+"
        case (0, 1): "?"
        case (_, nil): "{\(least),}"
        case (_, least): "{\(least)}"
        case (_, let most?): "{\(least),\(most)}"
        }
    }

    private static func suffix(_ backtracking: RegexAST.RepetitionBehavior) -> String {
        switch backtracking {
        case .eager: ""
        case .reluctant: "?"
        case .possessive: "+"
        }
    }
}
