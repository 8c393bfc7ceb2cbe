extension Repositories {
    /// A reference to an issue or a pull request, `owner/name#12`.
    struct IssueReference: Hashable, CustomStringConvertible {
        let repository: GitHub.RepositoryName
        let number: Int

        var description: String { "\(repository)#\(number)" }

        /// Returns the distinct references among the first ten matches in a text, in order.
        static func all(in text: String) -> [IssueReference] {
            let pattern = /\b(?<repository>[a-z0-9][a-z0-9_-]{0,38}\/[a-z0-9._-]{1,100})#(?<number>[0-9]{1,9})\b/
                .ignoresCase().wordBoundaryKind(.simple)
            var names: [IssueReference] = []
            for match in text.matches(of: pattern).prefix(10) {
                // A part of a URL or a path doesn't count.
                let isPart = text[..<match.range.lowerBound].last.map { "/.:@#-".contains($0) } ?? false
                guard !isPart, let repository = try? GitHub.RepositoryName(typed: match.repository),
                    let number = Int(match.number), number > 0
                else { continue }
                let name = IssueReference(repository: repository, number: number)
                if !names.contains(name) { names.append(name) }
            }
            return names
        }
    }
}
