extension Regex {
    /// The pattern as text, for `RegexAST`; nil if it can't be printed faithfully.
    ///
    /// A regex built with RegexBuilder is printed without the groups it needs (`Optionally { /ab/ }` as `ab?`). So only a single
    /// regex literal, or a regex made from a string, with options around it, has a text.
    package var patternSource: String? {
        // Without the type of its output: for each type that Mirror meets for the first time, the runtime searches the whole
        // program for conformances, which takes longer than everything else here.
        var node: Any = Regex<AnyRegexOutput>(self)
        for name in ["program", "tree", "root"] {
            guard let child = Mirror(reflecting: node).children.first(where: { $0.label == name }) else { return nil }
            node = child.value
        }
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
