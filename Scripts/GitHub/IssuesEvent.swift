extension GitHub {
    /// An issue was opened, closed or reopened.
    struct IssuesEvent: WebhookEventWithAction, Sendable {
        enum Action: String, Decodable, Sendable {
            case opened, closed, reopened
        }

        struct Issue: Decodable, Sendable {
            let number: Int
            let title: FirstLine
            let link: PayloadURL

            private enum CodingKeys: String, CodingKey {
                case number, title
                case link = "html_url"
            }
        }

        private let action: Action
        private let issue: Issue
        private let sender: Account
        private let repository: Repository

        var announcement: EventAnnouncement {
            let did = "\(action.rawValue) issue #\(issue.number)"
            return EventAnnouncement(repository, .issues, "\(sender.name) \(did): \(issue.title)", issue.link)
        }
    }
}
