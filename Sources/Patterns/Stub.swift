extension PatternTree {
    package enum Dialect { case swift, javaScript(flags: String) }
    package init?(_ text: String, _ dialect: Dialect, ignoresCase: Bool = false) { return nil }
    package func ambiguity() -> String? { nil }
}
extension Needs { package init(of tree: PatternTree?) { self = .none } }
