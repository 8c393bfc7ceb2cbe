extension GitHub {
    /// The result of a check of a commit, from any of GitHub's four events.
    struct CheckResult: Sendable {
        enum Outcome: Sendable {
            case failed, passed
            /// The check is running, was canceled, or was skipped.
            case other

            /// Parses a check's conclusion, or a status's state.
            fileprivate init(_ conclusion: String?) {
                switch conclusion {
                case "failure", "error", "timed_out", "startup_failure": self = .failed
                case "success": self = .passed
                default: self = .other
                }
            }
        }

        let outcome: Outcome
        let repository: Repository
        /// The name of the check.
        let name: String
        /// The branch, or the beginning of the commit's hash.
        let place: String
        let commit: String
        let link: PayloadURL?

        init(
            _ conclusion: String?, _ repository: Repository, name: String, branch: String?, commit: String,
            _ link: PayloadURL?
        ) {
            outcome = Outcome(conclusion)
            self.repository = repository
            self.name = String(oneLine: name, limit: 80)
            self.commit = String(oneLine: commit, limit: 64)
            place = String(oneLine: branch ?? String(commit.prefix(7)), limit: 80)
            self.link = link
        }

        /// The key of the check, the same for all commits.
        var key: String { "\(repository.fullName.lowercased()) \(place) \(name)" }

        /// Returns the announcement; nil if there is none: a check that passes again isn't posted unless it failed before.
        ///
        /// - Parameter wasFailing: Whether the previous run failed.
        func announcement(wasFailing: Bool) -> EventAnnouncement? {
            let did: String
            switch outcome {
            case .failed: did = "failed"
            case .passed where wasFailing: did = "is passing again"
            default: return nil
            }
            // A commit has many checks, and most services send several events for each. The id limits them to one line.
            return EventAnnouncement(
                repository, .checks, "the check \"\(name)\" \(did) on \(place)", link,
                id: "\(did) \(repository.fullName) \(commit)")
        }
    }
}
