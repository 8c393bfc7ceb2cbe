/// A pattern that the parser has understood.
struct ParsedPattern {
    /// A capturing group.
    struct Capture {
        /// Its name; nil if it has none.
        let name: String?
        /// Whether a match may be without it, so that its type is an optional.
        var isOptional = false
    }

    /// The pattern as a tree.
    let tree: RegexAST
    /// Whether the pattern is in the plain part of Swift's syntax: printable ASCII without backreferences, options, quotes,
    /// nested classes and rare escapes.
    ///
    /// Swift accepts such a pattern, and a regex that is printed like it is the regex that Swift makes from it. So its text can
    /// stand for the regex. If in doubt, a pattern isn't plain.
    let isPlain: Bool
    /// Its capturing groups, in order.
    let captures: [Capture]

    /// Parses a pattern; see ``RegexAST/init(_:dialect:ignoresCase:)``.
    init?(_ text: String, dialect: RegexAST.Dialect, ignoresCase: Bool = false) {
        guard text.utf8.count <= RegexParser.maxLength,
            var parser = RegexParser(text, dialect: dialect, ignoresCase: ignoresCase),
            let tree = parser.readAlternatives(), parser.isAtEnd
        else { return nil }
        self.tree = tree
        isPlain = parser.isPlain && parser.isSwift && parser.text.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
        captures = parser.captures
    }

    /// Whether it is certain that Swift makes a regex with this output from the pattern's text.
    func isCertain<Output>(as output: Output.Type) -> Bool {
        isPlain && (output == AnyRegexOutput.self || _typeName(output, qualified: true) == outputName)
    }

    /// The name of the output's type: `Swift.Substring`, or a tuple of the whole match and the captures.
    var outputName: String {
        let substring = _typeName(Substring.self, qualified: true)
        guard !captures.isEmpty else { return substring }
        let optional = _typeName(Substring?.self, qualified: true)
        let elements = captures.map { capture in
            (capture.name.map { "\($0): " } ?? "") + (capture.isOptional ? optional : substring)
        }
        return "(" + ([substring] + elements).joined(separator: ", ") + ")"
    }
}
