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

    /// A workflow of GitHub Actions has ended.
    struct WorkflowRunEvent: ActedEvent, Sendable {
        enum Action: String, Decodable, Sendable { case completed }

        private struct Run: Decodable {
            let name: String?
            let conclusion: String?
            let branch: String?
            let commit: String
            let link: Link

            enum CodingKeys: String, CodingKey {
                case name, conclusion
                case branch = "head_branch"
                case commit = "head_sha"
                case link = "html_url"
            }
        }

        let result: CheckResult

        private enum CodingKeys: String, CodingKey {
            case repository
            case run = "workflow_run"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let run = try container.decode(Run.self, forKey: .run)
            result = CheckResult(
                run.conclusion, try container.decode(Repository.self, forKey: .repository),
                name: run.name ?? "workflow", branch: run.branch, commit: run.commit, run.link)
        }
    }

    /// One check of a commit has ended.
    struct CheckRunEvent: ActedEvent, Sendable {
        enum Action: String, Decodable, Sendable { case completed }

        private struct Suite: Decodable {
            let branch: String?

            enum CodingKeys: String, CodingKey { case branch = "head_branch" }
        }

        private struct Run: Decodable {
            let name: String
            let conclusion: String?
            let commit: String
            let link: Link?
            let suite: Suite?

            enum CodingKeys: String, CodingKey {
                case name, conclusion
                case commit = "head_sha"
                case link = "html_url"
                case suite = "check_suite"
            }
        }

        let result: CheckResult

        private enum CodingKeys: String, CodingKey {
            case repository
            case run = "check_run"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let run = try container.decode(Run.self, forKey: .run)
            result = CheckResult(
                run.conclusion, try container.decode(Repository.self, forKey: .repository), name: run.name,
                branch: run.suite?.branch, commit: run.commit, run.link)
        }
    }

    /// All checks of a commit by one app have ended.
    struct CheckSuiteEvent: ActedEvent, Sendable {
        enum Action: String, Decodable, Sendable { case completed }

        private struct App: Decodable {
            let name: String
        }

        private struct Suite: Decodable {
            let conclusion: String?
            let branch: String?
            let commit: String
            let app: App?

            enum CodingKeys: String, CodingKey {
                case conclusion, app
                case branch = "head_branch"
                case commit = "head_sha"
            }
        }

        let result: CheckResult

        private enum CodingKeys: String, CodingKey {
            case repository
            case suite = "check_suite"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let suite = try container.decode(Suite.self, forKey: .suite)
            result = CheckResult(
                suite.conclusion, try container.decode(Repository.self, forKey: .repository),
                name: suite.app?.name ?? "suite", branch: suite.branch, commit: suite.commit, nil)
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
