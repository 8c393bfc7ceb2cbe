extension Regex {
    /// The pattern as text, for `PatternTree`; nil where it can't be printed, or not without losing its meaning.
    ///
    /// What is put together with RegexBuilder is printed without the groups it needs (`Optionally { /ab/ }` as `ab?`).
    /// So only a single regex literal, or a regex made from a string, with options around it counts.
    package var literalText: String? {
        guard var node = Mirror(reflecting: self).descendant("program", "tree", "root") else { return nil }
        for _ in 0..<32 {
            guard let (label, value) = Mirror(reflecting: node).children.first else { return nil }
            if label == "convertedRegexLiteral" { return _literalPattern }
            // Options around it.
            guard label == "nonCapturingGroup", let inner = Mirror(reflecting: value).descendant(1) else { return nil }
            node = inner
        }
        return nil
    }
}
