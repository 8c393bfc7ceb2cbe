import Heybot

extension GitHub {
    /// A notification about an event, for rooms.
    struct Notification: Sendable {
        /// The maximum number of characters in a line.
        private static let longest = 500

        /// The event's repository; nil if it has none.
        let repository: Repository?
        /// The text, in one or two lines.
        let text: String
        /// The kind of event; nil for a ping.
        let kind: NotificationKind?
        /// The id by which duplicates are detected, if it isn't the delivery's.
        let id: String?

        var isPing: Bool { kind == nil }

        /// Creates a notification about a repository: a line with a link at its end, and an optional second line.
        init(
            _ repository: Repository, _ kind: NotificationKind, _ words: String, _ link: Link? = nil,
            more: String? = nil,
            id: String? = nil
        ) {
            let end = link.map { $0.text.isEmpty ? "" : " \($0.text)" } ?? ""
            let first = String(oneLine: "\(repository.label) \(words)", limit: Self.longest - end.count) + end
            let second = more.map { String(oneLine: "\(repository.label) \($0)", limit: Self.longest) }
            self.repository = repository
            text = [first, second].compactMap { $0 }.joined(separator: "\n")
            self.kind = kind
            self.id = id
        }

        /// Creates a notification that a webhook works.
        ///
        /// It may belong to a repository or to an organization.
        init(workingWebhookOf repository: Repository?) {
            self.repository = repository
            text = [repository?.label, "GitHub's webhook works. Its events will be posted here."]
                .compactMap { $0 }.joined(separator: " ")
            kind = nil
            id = nil
        }

        /// Parses a request; nil if its event isn't posted.
        ///
        /// - Throws: ``WebRefusal`` if the payload is invalid.
        static func read(_ event: String, _ request: WebRequest, _ failing: FailingChecks) throws(WebRefusal)
            -> Notification?
        {
            switch event {
            case "push": return try payload(PushEvent.self, request).notification
            case "pull_request": return try acted(PullRequestEvent.self, request)?.notification
            case "pull_request_review": return try acted(ReviewEvent.self, request)?.notification
            case "pull_request_review_comment": return try acted(ReviewCommentEvent.self, request)?.notification
            case "issues": return try acted(IssuesEvent.self, request)?.notification
            case "issue_comment": return try acted(IssueCommentEvent.self, request)?.notification
            case "release": return try acted(ReleaseEvent.self, request)?.notification
            case "deployment_status": return try acted(DeploymentEvent.self, request)?.notification
            case "ping": return try payload(PingEvent.self, request).notification
            default:
                let result = try checkResult(event, request)
                return result.flatMap { $0.notification(wasFailing: failing.record($0)) }
            }
        }

        private static func checkResult(_ event: String, _ request: WebRequest) throws(WebRefusal) -> CheckResult? {
            switch event {
            case "workflow_run", "check_run", "check_suite": try acted(CheckCompletedEvent.self, request)?.result
            case "status": try payload(StatusEvent.self, request).result
            default: nil
            }
        }

        /// Parses the payload of an event with an action; nil if that action isn't posted.
        private static func acted<Event: ActionEvent>(
            _ type: Event.Type, _ request: WebRequest
        ) throws(WebRefusal) -> Event? {
            let action = try payload(ActionPayload.self, request).action
            return Event.Action(rawValue: action) == nil ? nil : try payload(type, request)
        }

        private static func payload<Payload: Decodable>(
            _ type: Payload.Type, _ request: WebRequest
        ) throws(WebRefusal) -> Payload {
            // GitHub's default content type.
            if request.headers["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true {
                throw WebRefusal(415, "Set the webhook's content type to application/json.")
            }
            return try request.json(type)
        }
    }
}
