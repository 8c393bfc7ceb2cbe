import Heybot

extension GitHub.Notification {
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
