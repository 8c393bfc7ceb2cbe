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
