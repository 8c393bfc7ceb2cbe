import Synchronization

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
        let link: Link?

        fileprivate init(
            _ conclusion: String?, _ repository: Repository, name: String, branch: String?, commit: String,
            _ link: Link?
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
                repository, .checks, "Check \(name) \(did) on \(place)", link,
                id: "\(did) \(repository.fullName) \(commit)")
        }
    }

    /// A workflow, a check, or a check suite has completed.
    struct CheckCompletedEvent: WebhookEventWithAction, Sendable {
        enum Action: String, Decodable, Sendable { case completed }

        private struct Run: Decodable {
            struct App: Decodable {
                let name: String
            }

            struct Suite: Decodable {
                let branch: String?

                enum CodingKeys: String, CodingKey { case branch = "head_branch" }
            }

            /// Check suites have an app instead of a name.
            let name: String?
            let app: App?
            let conclusion: String?
            let branch: String?
            /// A check has no branch of its own, but its suite does.
            let suite: Suite?
            let commit: String
            let link: Link?

            enum CodingKeys: String, CodingKey {
                case name, app, conclusion
                case branch = "head_branch"
                case suite = "check_suite"
                case commit = "head_sha"
                case link = "html_url"
            }
        }

        let result: CheckResult

        private enum CodingKeys: String, CodingKey {
            case repository
            case workflow = "workflow_run"
            case check = "check_run"
            case suite = "check_suite"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let kinds: [(key: CodingKeys, name: String)] = [
                (.workflow, "workflow"), (.check, "check"), (.suite, "suite")
            ]
            let kind = kinds.first { container.contains($0.key) } ?? (.suite, "suite")
            let run = try container.decode(Run.self, forKey: kind.key)
            result = CheckResult(
                run.conclusion, try container.decode(Repository.self, forKey: .repository),
                name: run.name ?? run.app?.name ?? kind.name, branch: run.branch ?? run.suite?.branch,
                commit: run.commit, run.link)
        }
    }

    /// A service set the status of a commit.
    struct StatusEvent: Decodable, Sendable {
        private struct Branch: Decodable {
            let name: String
        }

        let result: CheckResult

        private enum CodingKeys: String, CodingKey {
            case repository, context, state, sha, branches
            case link = "target_url"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let branches = try container.decodeIfPresent([Branch].self, forKey: .branches) ?? []
            // An address that can't be said is no reason to keep quiet.
            let link = try? container.decodeIfPresent(Link.self, forKey: .link)
            result = CheckResult(
                try container.decode(String.self, forKey: .state),
                try container.decode(Repository.self, forKey: .repository),
                name: try container.decode(String.self, forKey: .context), branch: branches.first?.name,
                commit: try container.decode(String.self, forKey: .sha), link ?? nil)
        }
    }
}

extension GitHub {
    /// The checks whose last run failed, so that the robot posts when they pass again.
    ///
    /// They aren't persistent.
    final class FailingChecks: Sendable {
        private static let most = 1_000

        /// Oldest first.
        private let keys = Mutex<[String]>([])

        /// Records a result.
        ///
        /// - Returns: Whether the previous run failed.
        func record(_ result: CheckResult) -> Bool {
            keys.withLock { keys in
                let place = keys.firstIndex(of: result.key)
                if let place, result.outcome != .other { keys.remove(at: place) }
                if result.outcome == .failed {
                    if keys.count >= Self.most { keys.removeFirst() }
                    keys.append(result.key)
                }
                return place != nil
            }
        }
    }
}
