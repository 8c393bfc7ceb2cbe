extension Duration {
    /// Returns the earlier of two times; nil if there is neither.
    package static func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}
