extension GitHub {
    /// A pull request was opened, closed, merged, reopened or marked as ready.
    struct PullRequestEvent: WebhookEventWithAction, Sendable {
        enum Action: String, Decodable, Sendable {
            case opened, closed, reopened
            case readyForReview = "ready_for_review"
        }

        struct PullRequest: Decodable, Sendable {
            let number: Int
            let title: FirstLine
            let link: PayloadURL
            let isMerged: Bool?
            let isDraft: Bool?

            private enum CodingKeys: String, CodingKey {
                case number, title
                case link = "html_url"
                case isMerged = "merged"
                case isDraft = "draft"
            }
        }

        private let action: Action
        private let pullRequest: PullRequest
        private let sender: Account
        private let repository: Repository

        private enum CodingKeys: String, CodingKey {
            case action, sender, repository
            case pullRequest = "pull_request"
        }

        var announcement: EventAnnouncement {
            let isDraft = pullRequest.isDraft == true
            let what = "\(isDraft ? "draft " : "")pull request #\(pullRequest.number)"
            let did =
                switch action {
                case .opened: "opened \(what)"
                case .closed: "\(pullRequest.isMerged == true ? "merged" : "closed") \(what)"
                case .reopened: "reopened \(what)"
                case .readyForReview: "marked \(what) as ready for review"
                }
            return EventAnnouncement(
                repository, .pulls, "\(sender.name) \(did): \(pullRequest.title)", pullRequest.link)
        }
    }
}
