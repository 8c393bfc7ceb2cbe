extension GitHub {
    /// A comment on an issue, a pull request, or a line of one.
    private struct Comment: Decodable, Sendable {
        let body: FirstLine
        let link: PayloadURL

        enum CodingKeys: String, CodingKey {
            case body
            case link = "html_url"
        }
    }

    /// The issue or pull request of a comment or review.
    private struct Subject: Decodable, Sendable {
        let number: Int
        let title: FirstLine
        /// Present if the issue is a pull request.
        let pullRequest: PullRequestMarker?

        struct PullRequestMarker: Decodable, Sendable {}

        enum CodingKeys: String, CodingKey {
            case number, title
            case pullRequest = "pull_request"
        }
    }

    /// A user commented on an issue or a pull request.
    struct IssueCommentEvent: WebhookEventWithAction, Sendable {
        enum Action: String, Decodable, Sendable { case created }

        private let issue: Subject
        private let comment: Comment
        private let sender: Account
        private let repository: Repository

        var announcement: EventAnnouncement {
            let what = issue.pullRequest == nil ? "issue" : "pull request"
            return EventAnnouncement(
                repository, .comments, "\(sender.name) commented on \(what) #\(issue.number): \(comment.body)",
                comment.link)
        }
    }

    /// A user commented on a line of a pull request.
    struct ReviewCommentEvent: WebhookEventWithAction, Sendable {
        enum Action: String, Decodable, Sendable { case created }

        private let pullRequest: Subject
        private let comment: Comment
        private let sender: Account
        private let repository: Repository

        private enum CodingKeys: String, CodingKey {
            case comment, sender, repository
            case pullRequest = "pull_request"
        }

        var announcement: EventAnnouncement {
            EventAnnouncement(
                repository, .comments,
                "\(sender.name) commented on pull request #\(pullRequest.number): \(comment.body)",
                comment.link)
        }
    }

    /// A user reviewed a pull request.
    struct ReviewEvent: WebhookEventWithAction, Sendable {
        enum Action: String, Decodable, Sendable { case submitted, dismissed }

        private struct Review: Decodable, Sendable {
            let state: String
            let link: PayloadURL

            enum CodingKeys: String, CodingKey {
                case state
                case link = "html_url"
            }
        }

        private let action: Action
        private let review: Review
        private let pullRequest: Subject
        private let sender: Account
        private let repository: Repository

        private enum CodingKeys: String, CodingKey {
            case action, review, sender, repository
            case pullRequest = "pull_request"
        }

        var announcement: EventAnnouncement? {
            let did: String
            switch (action, review.state.lowercased()) {
            case (.dismissed, _): did = "dismissed a review of"
            case (_, "approved"): did = "approved"
            case (_, "changes_requested"): did = "requested changes to"
            // The comments of a review are events of their own.
            default: return nil
            }
            return EventAnnouncement(
                repository, .reviews, "\(sender.name) \(did) pull request #\(pullRequest.number): \(pullRequest.title)",
                review.link)
        }
    }
}
