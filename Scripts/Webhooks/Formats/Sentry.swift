import HeybotSupport

extension Webhooks {
    /// The events of Sentry: https://docs.sentry.io/organization/integrations/integration-platform/webhooks/.
    ///
    /// The payloads of its former plugin WebHooks are read too.
    enum Sentry: Format {
        static func read(_ payload: Payload) -> Reading? {
            let (json, data) = (payload.json, payload.json["data"])
            if json["project_name"].text != nil, json["event"] != .null, json["url"].text != nil {
                let title = json["event"]["title"].line() ?? json["message"].line()
                return .notice(notice(json, title: title, link: json["url"].link, json["project_name"]))
            }
            guard let resource = payload.header("Sentry-Hook-Resource") ?? shape(of: json) else { return nil }
            switch resource {
            case "event_alert":
                let event = data["event"]
                let rule = data["triggered_rule"].line(limit: 80).map { " [\($0)]" } ?? ""
                let title = (event["title"].line() ?? event["message"].line()).map { "\($0)\(rule)" }
                return .notice(notice(event, title: title, link: event["web_url"].link, event["project_name"]))
            case "error":
                let error = data["error"]
                return .notice(notice(error, title: error["title"].line(), link: error["web_url"].link, .null))
            case "metric_alert": return metricAlert(json)
            case "issue": return issue(json)
            default: return .ignored("I don't post this \(Webhooks.safeLine(resource, limit: 60)) event")
            }
        }

        /// The resource of a payload without headers, as a test may send it; nil if it has another format.
        private static func shape(of json: JSONValue) -> String? {
            let hasSender = json["actor"] != .null || json["installation"] != .null
            guard hasSender, json["action"].text != nil else { return nil }
            let keys = [
                ("metric_alert", "metric_alert"), ("event", "event_alert"), ("issue", "issue"), ("error", "error")
            ]
            return keys.first { json["data"][$0.0] != .null }?.1
        }

        /// Formats an error: `error: ReferenceError: heck is not defined in app.js https://…`.
        private static func notice(_ event: JSONValue, title: String?, link: String, _ project: JSONValue) -> Notice {
            let level = event["level"].line(limit: 20) ?? "error"
            let place = event["culprit"].line(limit: 80).map { " in \($0)" } ?? ""
            let text = "\(level): \(title ?? "(untitled)")\(place)\(link)"
            return Notice(tool: "Sentry", subject: project.line(limit: 60), texts: [text])
        }

        private static func issue(_ json: JSONValue) -> Reading {
            let issue = json["data"]["issue"]
            let verbs = [
                "created": "new", "resolved": "resolved", "unresolved": "back", "archived": "archived",
                "ignored": "archived"
            ]
            guard let action = json["action"].text, let verb = verbs[action] else {
                return .ignored("I don't post this action of an issue")
            }
            let user = json["actor"]["type"].text == "user" ? json["actor"]["name"].line(limit: 50) : nil
            let number = issue["shortId"].line(limit: 40).map { " \($0)" } ?? ""
            let title = issue["title"].line() ?? "(untitled)"
            let link = issue["web_url"].link.isEmpty ? issue["permalink"].link : issue["web_url"].link
            let project = issue["project"]["name"].line(limit: 60) ?? issue["project"]["slug"].line(limit: 60)
            let text = "\(verb):\(number) \(title)\(user.map { " (by \($0))" } ?? "")\(link)"
            return .notice(Notice(tool: "Sentry", subject: project, texts: [text]))
        }

        private static func metricAlert(_ json: JSONValue) -> Reading {
            let data = json["data"]
            let rule = data["metric_alert"]["alert_rule"]
            let name = rule["name"].line(limit: 80) ?? data["description_title"].line(limit: 80) ?? "alert"
            let isResolved = json["action"].text == "resolved"
            let severity = isResolved ? "" : json["action"].line(limit: 20).map { " (\($0))" } ?? ""
            let reason = data["description_text"].line(limit: 200)
            let line = "\(Alert.word(isResolved: isResolved)) \(name)\(severity)\(reason.map { ": \($0)" } ?? "")"
            let alert = Alert(
                key: "metric \(rule["id"].text ?? name)", name: name, reason: reason, isResolved: isResolved,
                line: "\(line)\(data["web_url"].link)")
            return .notice(Notice(tool: "Sentry", alerts: [alert]))
        }
    }
}
