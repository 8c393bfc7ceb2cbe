import Synchronization

extension GitHub {
    /// What a check of a commit came to, whichever of GitHub's four events says so.
    struct CheckResult: Sendable {
        enum Outcome: Sendable {
            case failed, passed
            /// It is running, was cancelled or skipped.
            case other

            /// Reads a conclusion or the state of a status.
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
        /// What the check is called.
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

        /// Tells check from check, but not the commits it ran on.
        var key: String { "\(repository.fullName.lowercased()) \(place) \(name)" }

        /// What rooms are told; nil if it is nothing: checks that pass, and have passed before, are no news.
        ///
        /// - Parameter wasFailing: Whether the check failed the last time.
        func news(wasFailing: Bool) -> News? {
            let did: String
            switch outcome {
            case .failed: did = "failed"
            case .passed where wasFailing: did = "is passing again"
            default: return nil
            }
            // A commit has many checks, and most services send several events for each: one line is enough.
            return News(
                repository, .checks, "Check \(name) \(did) on \(place)", link,
                id: "\(did) \(repository.fullName) \(commit)")
        }
    }

    /// A workflow of GitHub Actions, one check of a commit, or all checks of a commit by one app have ended.
    struct CheckEndEvent: ActedEvent, Sendable {
        enum Action: String, Decodable, Sendable { case completed }

        private struct Run: Decodable {
            struct App: Decodable {
                let name: String
            }

            struct Suite: Decodable {
                let branch: String?

                enum CodingKeys: String, CodingKey { case branch = "head_branch" }
            }

            /// Suites have none, but an app.
            let name: String?
            let app: App?
            let conclusion: String?
            let branch: String?
            /// One check has no branch of its own.
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

    /// A service has set the status of a commit.
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
    /// Which checks failed the last time, so that it is told when they pass again; forgotten when the robot ends.
    final class FailingChecks: Sendable {
        private static let most = 1_000

        /// Oldest first.
        private let keys = Mutex<[String]>([])

        /// Notes what a check came to.
        ///
        /// - Returns: Whether it failed the last time.
        func note(_ result: CheckResult) -> Bool {
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
