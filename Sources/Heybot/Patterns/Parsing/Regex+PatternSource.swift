extension Regex {
    /// The pattern as text, for `RegexAST`; nil if it can't be printed faithfully.
    ///
    /// A regex built with RegexBuilder is printed without the groups it needs (`Optionally { /ab/ }` as `ab?`). So only a single
    /// regex literal, or a regex made from a string, with options around it, has a text.
    package var patternSource: String? {
        guard var node = Mirror(reflecting: self).descendant("program", "tree", "root") else { return nil }
        for _ in 0..<32 {
            guard let (label, value) = Mirror(reflecting: node).children.first else { return nil }
            if label == "convertedRegexLiteral" { return _literalPattern }
            // A group that only sets options.
            guard label == "nonCapturingGroup", let inner = Mirror(reflecting: value).descendant(1) else { return nil }
            node = inner
        }
        return nil
    }
}
