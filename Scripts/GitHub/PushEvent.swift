extension GitHub {
    /// Commits were pushed, or a branch or a tag was created, deleted or moved.
    struct PushEvent: Decodable, Sendable {
        struct Commit: Decodable, Sendable {
            let message: FirstLine
        }

        struct Pusher: Decodable, Sendable {
            let name: String
        }

        private let ref: String
        private let created: Bool
        private let deleted: Bool
        private let forced: Bool
        private let compare: PayloadURL
        private let commits: [Commit]
        private let pusher: Pusher
        private let repository: Repository

        /// The announcement; nil if there is nothing to show.
        var announcement: EventAnnouncement? {
            let who = String(oneLine: pusher.name, limit: 50)
            if let tag = name(after: "refs/tags/") {
                // A deleted tag has nothing to compare.
                return deleted
                    ? EventAnnouncement(repository, .pushes, "\(who) deleted tag \(tag)")
                    : EventAnnouncement(
                        repository, .pushes, "\(who) \(created ? "pushed" : "moved") tag \(tag)", compare)
            }
            guard let branch = name(after: "refs/heads/") else { return nil }
            if deleted { return EventAnnouncement(repository, .pushes, "\(who) deleted branch \(branch)") }
            guard let first = commits.first else {
                guard created || forced else { return nil }
                return EventAnnouncement(
                    repository, .pushes, "\(who) \(created ? "created branch" : "force-pushed") \(branch)", compare)
            }
            let count = "\(commits.count) commit\(commits.count == 1 ? "" : "s")"
            let what =
                created
                ? "created branch \(branch) with \(count)"
                : "\(forced ? "force-pushed" : "pushed") \(count) to \(branch)"
            let rest = commits.count > 1 ? " (+\(commits.count - 1) more)" : ""
            return EventAnnouncement(
                repository, .pushes, "\(who) \(what): \(first.message)\(rest)", compare, more: more)
        }

        /// A line with the second and the third commit.
        private var more: String? {
            let titles = commits.dropFirst().prefix(2).map(\.message.description)
            return titles.isEmpty
                ? nil : "then: \((titles + (commits.count > 3 ? ["…"] : [])).joined(separator: " · "))"
        }

        private func name(after prefix: String) -> String? {
            ref.hasPrefix(prefix) ? String(oneLine: ref.dropFirst(prefix.count), limit: 80) : nil
        }
    }
}
