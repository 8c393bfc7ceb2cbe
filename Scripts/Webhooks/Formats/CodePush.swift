import HeybotSupport

extension Webhooks {
    /// Commits that were pushed to a branch, or a branch or tag that was created or deleted.
    struct CodePush {
        /// The name of the user who pushed.
        let user: String
        /// The full name, such as `refs/heads/main`.
        let ref: String
        let isCreated: Bool
        let isDeleted: Bool
        /// The number of commits, of which the payload may have only some.
        let count: Int
        /// The commits' titles, oldest first.
        let titles: [String]
        /// The link, with a space in front, or empty.
        let link: String

        /// Whether all digits of a hash are zero, as for a ref that doesn't exist.
        static func isNoCommit(_ hash: JSONValue) -> Bool {
            hash.text?.utf8.allSatisfy { $0 == UInt8(ascii: "0") } ?? false
        }

        /// The texts to post; empty if there is nothing to show.
        var texts: [String] {
            if let tag = name(after: "refs/tags/") {
                return ["\(user) \(isDeleted ? "deleted" : "pushed") tag \(tag)\(isDeleted ? "" : link)"]
            }
            guard let branch = name(after: "refs/heads/") else { return [] }
            if isDeleted { return ["\(user) deleted branch \(branch)"] }
            guard let first = titles.first else {
                return isCreated ? ["\(user) created branch \(branch)\(link)"] : []
            }
            let commits = "\(count) commit\(count == 1 ? "" : "s")"
            let did = isCreated ? "created branch \(branch) with \(commits)" : "pushed \(commits) to \(branch)"
            let rest = count > 1 ? " (+\(count - 1) more)" : ""
            let more = titles.dropFirst().prefix(2).joined(separator: " · ")
            let second = more.isEmpty ? [] : ["then: \(more)\(count > 3 ? " · …" : "")"]
            return ["\(user) \(did): \(first)\(rest)\(link)"] + second
        }

        private func name(after prefix: String) -> String? {
            ref.hasPrefix(prefix) ? Webhooks.safeLine(ref.dropFirst(prefix.count), limit: 80) : nil
        }
    }
}
