import Heybot

extension GitHub {
    /// A kind of event that a room can subscribe to.
    enum SubscribableEvent: String, CaseIterable, Sendable {
        case pushes, pulls, issues, releases, reviews, comments, checks, deployments

        /// The default kinds: all except comments, which may be many.
        static let usual = Set(allCases).subtracting([.comments])

        /// Parses a list of kinds, such as `reviews, comments and checks`.
        ///
        /// - Throws: ``Refusal`` if there is no such kind.
        static func kinds(typed: Substring) throws(Refusal) -> Set<SubscribableEvent> {
            let words = typed.lowercased().replacing("pull requests", with: "pulls")
                .split { $0 == "," || $0.isWhitespace }.filter { $0 != "and" }
            if words == ["all"] || words == ["everything"] { return Set(allCases) }
            var kinds: Set<SubscribableEvent> = []
            for word in words {
                guard let kind = SubscribableEvent(rawValue: String(word)) ?? SubscribableEvent(rawValue: "\(word)s")
                else {
                    let known = allCases.map(\.rawValue).joined(separator: ", ")
                    throw Refusal(
                        "I don't know the event \(String(oneLine: word, limit: 30)). Choose from \(known), or all.")
                }
                kinds.insert(kind)
            }
            return kinds
        }

        /// Formats kinds, in the order of their declaration.
        static func list(_ kinds: Set<SubscribableEvent>) -> String {
            allCases.filter(kinds.contains).map(\.rawValue).joined(separator: ", ")
        }
    }
}
