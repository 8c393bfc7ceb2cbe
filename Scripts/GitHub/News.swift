import Heybot

extension GitHub {
    /// What rooms are told of an event.
    struct News: Sendable {
        /// How many characters a line may have.
        private static let longest = 500

        /// Nil if the event is about no repository.
        let repository: Repository?
        /// A line, or two.
        let text: String
        /// What it is about; nil if it tells no more than that the webhook works.
        let kind: NewsKind?
        /// What is told once in each room, if it isn't the delivery.
        let id: String?

        var isPing: Bool { kind == nil }

        /// Tells that of a repository: a line of words with a link behind, and another line if there is more.
        init(
            _ repository: Repository, _ kind: NewsKind, _ words: String, _ link: Link? = nil, more: String? = nil,
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

        /// Tells that a webhook works, which may be one of a repository or of a whole organization.
        init(workingWebhookOf repository: Repository?) {
            self.repository = repository
            text = [repository?.label, "GitHub's webhook works: you will hear of it here."]
                .compactMap { $0 }.joined(separator: " ")
            kind = nil
            id = nil
        }

        /// Reads what a request tells; nil if that is nothing that rooms are told.
        ///
        /// - Throws: ``WebRefusal`` if the payload isn't what the event has.
        static func read(_ event: String, _ request: WebRequest, _ failing: FailingChecks) throws(WebRefusal) -> News? {
            switch event {
            case "push": return try payload(PushEvent.self, request).news
            case "pull_request": return try acted(PullRequestEvent.self, request)?.news
            case "pull_request_review": return try acted(ReviewEvent.self, request)?.news
            case "pull_request_review_comment": return try acted(ReviewCommentEvent.self, request)?.news
            case "issues": return try acted(IssuesEvent.self, request)?.news
            case "issue_comment": return try acted(IssueCommentEvent.self, request)?.news
            case "release": return try acted(ReleaseEvent.self, request)?.news
            case "deployment_status": return try acted(DeploymentEvent.self, request)?.news
            case "ping": return try payload(PingEvent.self, request).news
            default:
                let result = try checkResult(event, request)
                return result.flatMap { $0.news(wasFailing: failing.note($0)) }
            }
        }

        private static func checkResult(_ event: String, _ request: WebRequest) throws(WebRefusal) -> CheckResult? {
            switch event {
            case "workflow_run", "check_run", "check_suite": try acted(CheckEndEvent.self, request)?.result
            case "status": try payload(StatusEvent.self, request).result
            default: nil
            }
        }

        /// The payload of an event with an action; nil if rooms aren't told of that one.
        private static func acted<Event: ActedEvent>(
            _ type: Event.Type, _ request: WebRequest
        ) throws(WebRefusal) -> Event? {
            let action = try payload(AnyAction.self, request).action
            return Event.Action(rawValue: action) == nil ? nil : try payload(type, request)
        }

        private static func payload<Payload: Decodable>(
            _ type: Payload.Type, _ request: WebRequest
        ) throws(WebRefusal) -> Payload {
            // What GitHub sends unless it is told otherwise.
            if request.headers["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true {
                throw WebRefusal(415, "Set the webhook's content type to application/json.")
            }
            return try request.json(type)
        }
    }
}
