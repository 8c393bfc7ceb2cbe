extension RegexAST {
    /// A short text that the tree matches, not empty if possible; "…" if it would be long.
    var example: String { limitedExample ?? "…" }

    private var limitedExample: String? {
        let limit = 40
        switch self {
        case .empty, .start, .end, .boundary, .lookaround, .anything: return ""
        case .character(let characters): return characters.example.map { String($0) }
        case .sequence(let parts):
            var text = ""
            for part in parts {
                guard let more = part.limitedExample, text.utf8.count + more.utf8.count <= limit else { return nil }
                text += more
            }
            return text
        case .alternatives(let parts):
            var found: String?
            for part in parts where found?.isEmpty ?? true { found = part.limitedExample ?? found }
            return found
        case .repetition(let part, let least, let most, _):
            guard most != 0 else { return "" }
            guard let text = part.limitedExample else { return least > 0 ? nil : "" }
            guard !text.isEmpty else { return "" }
            let count = max(least, 1)
            return count <= limit / text.utf8.count ? String(repeating: text, count: count) : nil
        case .atomic(let part): return part.limitedExample
        }
    }
}
