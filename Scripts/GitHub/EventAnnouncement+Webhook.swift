import Heybot

extension GitHub.EventAnnouncement {
    /// Parses a request; nil if its event isn't posted.
    ///
    /// - Throws: ``WebRefusal`` if the payload is invalid.
    static func read(_ event: String, _ request: WebRequest, _ failing: GitHub.FailingChecks) throws(WebRefusal)
        -> GitHub.EventAnnouncement?
    {
        switch event {
        case "push": return try payload(GitHub.PushEvent.self, request).announcement
        case "pull_request": return try acted(GitHub.PullRequestEvent.self, request)?.announcement
        case "pull_request_review": return try acted(GitHub.ReviewEvent.self, request)?.announcement
        case "pull_request_review_comment": return try acted(GitHub.ReviewCommentEvent.self, request)?.announcement
        case "issues": return try acted(GitHub.IssuesEvent.self, request)?.announcement
        case "issue_comment": return try acted(GitHub.IssueCommentEvent.self, request)?.announcement
        case "release": return try acted(GitHub.ReleaseEvent.self, request)?.announcement
        case "deployment_status": return try acted(GitHub.DeploymentStatusEvent.self, request)?.announcement
        case "ping": return try payload(GitHub.PingEvent.self, request).announcement
        default:
            let result = try checkResult(event, request)
            return result.flatMap { $0.announcement(wasFailing: failing.record($0)) }
        }
    }

    private static func checkResult(_ event: String, _ request: WebRequest) throws(WebRefusal) -> GitHub.CheckResult? {
        switch event {
        case "workflow_run", "check_run", "check_suite": try acted(GitHub.CheckCompletedEvent.self, request)?.result
        case "status": try payload(GitHub.StatusEvent.self, request).result
        default: nil
        }
    }

    /// Parses the payload of an event with an action; nil if that action isn't posted.
    private static func acted<Event: GitHub.WebhookEventWithAction>(
        _ type: Event.Type, _ request: WebRequest
    ) throws(WebRefusal) -> Event? {
        let action = try payload(GitHub.WebhookActionField.self, request).action
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

extension GitHub {
    /// An event with an action.
    protocol WebhookEventWithAction: Decodable {
        /// The actions that are posted; others are ignored.
        associatedtype Action: RawRepresentable<String>
    }

    /// The action of an event, without the rest.
    struct WebhookActionField: Decodable {
        let action: String
    }

    /// A webhook was created or tested.
    struct PingEvent: Decodable, Sendable {
        private let repository: Repository?

        var announcement: EventAnnouncement { EventAnnouncement(workingWebhookOf: repository) }
    }
}
