extension GitHub {
    /// A comment, of an issue, a pull request or a line of one.
    private struct Comment: Decodable, Sendable {
        let body: Title
        let link: Link

        enum CodingKeys: String, CodingKey {
            case body
            case link = "html_url"
        }
    }

    /// What a comment or a review is about.
    private struct Subject: Decodable, Sendable {
        let number: Int
        let title: Title
        /// There if an issue is a pull request.
        let pullRequest: PullRequest?

        struct PullRequest: Decodable, Sendable {}

        enum CodingKeys: String, CodingKey {
            case number, title
            case pullRequest = "pull_request"
        }
    }

    /// Somebody commented on an issue or a pull request.
    struct IssueCommentEvent: ActedEvent, Sendable {
        enum Action: String, Decodable, Sendable { case created }

        private let issue: Subject
        private let comment: Comment
        private let sender: Account
        private let repository: Repository

        var news: News {
            let what = issue.pullRequest == nil ? "issue" : "pull request"
            return News(
                repository, .comments, "\(sender.name) commented on \(what) #\(issue.number): \(comment.body)",
                comment.link)
        }
    }

    /// Somebody commented on a line of a pull request.
    struct ReviewCommentEvent: ActedEvent, Sendable {
        enum Action: String, Decodable, Sendable { case created }

        private let pullRequest: Subject
        private let comment: Comment
        private let sender: Account
        private let repository: Repository

        private enum CodingKeys: String, CodingKey {
            case comment, sender, repository
            case pullRequest = "pull_request"
        }

        var news: News {
            News(
                repository, .comments,
                "\(sender.name) commented on pull request #\(pullRequest.number): \(comment.body)",
                comment.link)
        }
    }

    /// Somebody reviewed a pull request.
    struct ReviewEvent: ActedEvent, Sendable {
        enum Action: String, Decodable, Sendable { case submitted, dismissed }

        private struct Review: Decodable, Sendable {
            let state: String
            let link: Link

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

        var news: News? {
            let did: String
            switch (action, review.state.lowercased()) {
            case (.dismissed, _): did = "dismissed a review of"
            case (_, "approved"): did = "approved"
            case (_, "changes_requested"): did = "requested changes to"
            // Its comments come as events of their own.
            default: return nil
            }
            return News(
                repository, .reviews, "\(sender.name) \(did) pull request #\(pullRequest.number): \(pullRequest.title)",
                review.link)
        }
    }
}
