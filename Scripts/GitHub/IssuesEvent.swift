extension GitHub {
    /// Something was done with an issue.
    struct IssuesEvent: ActedEvent, Sendable {
        enum Action: String, Decodable, Sendable {
            case opened, closed, reopened
        }

        struct Issue: Decodable, Sendable {
            let number: Int
            let title: Title
            let link: Link

            private enum CodingKeys: String, CodingKey {
                case number, title
                case link = "html_url"
            }
        }

        private let action: Action
        private let issue: Issue
        private let sender: Account
        private let repository: Repository

        var news: News {
            let did = "\(action.rawValue) issue #\(issue.number)"
            return News(repository, .issues, "\(sender.name) \(did): \(issue.title)", issue.link)
        }
    }
}

extension GitHub {
    /// An event that has an action, of which rooms are told some.
    protocol ActedEvent: Decodable {
        /// The actions that rooms are told of.
        associatedtype Action: RawRepresentable<String>
    }

    /// Whatever action an event has, and nothing else of it.
    struct AnyAction: Decodable {
        let action: String
    }
}

extension GitHub {
    /// A webhook was made, or is tried.
    struct PingEvent: Decodable, Sendable {
        private let repository: Repository?

        var news: News { News(workingWebhookOf: repository) }
    }
}
