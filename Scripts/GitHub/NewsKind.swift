import Heybot

extension GitHub {
    /// What news is about; rooms choose of which kinds they are told.
    enum NewsKind: String, CaseIterable, Sendable {
        case pushes, pulls, issues, releases, reviews, comments, checks, deployments

        /// What a room is told that has chosen nothing: all but comments, which may be many.
        static let usual = Set(allCases).subtracting([.comments])

        /// Reads what somebody typed, as `reviews, comments and checks`.
        ///
        /// - Throws: ``Refusal`` if there is no such kind.
        static func kinds(typed: Substring) throws(Refusal) -> Set<NewsKind> {
            let words = typed.lowercased().replacing("pull requests", with: "pulls")
                .split { $0 == "," || $0.isWhitespace }.filter { $0 != "and" }
            if words == ["all"] || words == ["everything"] { return Set(allCases) }
            var kinds: Set<NewsKind> = []
            for word in words {
                guard let kind = NewsKind(rawValue: String(word)) ?? NewsKind(rawValue: "\(word)s") else {
                    let known = allCases.map(\.rawValue).joined(separator: ", ")
                    throw Refusal(
                        "GitHub has no \(String(oneLine: word, limit: 30)) to tell of. Choose from \(known), or all.")
                }
                kinds.insert(kind)
            }
            return kinds
        }

        /// As they are said: in their own order.
        static func list(_ kinds: Set<NewsKind>) -> String {
            allCases.filter(kinds.contains).map(\.rawValue).joined(separator: ", ")
        }
    }
}
