extension GitHub {
    /// A workflow, a check, or a check suite has completed.
    struct CheckCompletedEvent: WebhookEventWithAction, Sendable {
        enum Action: String, Decodable, Sendable { case completed }

        private struct RunOrSuite: Decodable {
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
            let link: PayloadURL?

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
            let run = try container.decode(RunOrSuite.self, forKey: kind.key)
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
            let link = try? container.decodeIfPresent(PayloadURL.self, forKey: .link)
            result = CheckResult(
                try container.decode(String.self, forKey: .state),
                try container.decode(Repository.self, forKey: .repository),
                name: try container.decode(String.self, forKey: .context), branch: branches.first?.name,
                commit: try container.decode(String.self, forKey: .sha), link ?? nil)
        }
    }
}
