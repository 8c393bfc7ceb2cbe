import HeybotSupport

extension Webhooks {
    /// The alerts of Prometheus's Alertmanager: https://prometheus.io/docs/alerting/latest/configuration/.
    ///
    /// Grafana sends them too, with more fields: https://grafana.com/docs/grafana/latest/alerting/, "webhook notifier".
    enum Alertmanager: Format {
        /// The labels that name the place of an alert, best first.
        private static let placeLabels = [
            "instance", "host", "hostname", "node", "pod", "container", "service", "job"
        ]
        /// The annotations that say why an alert fires, best first.
        private static let reasonAnnotations = ["summary", "description", "message"]

        static func read(_ payload: Payload) -> Reading? {
            let json = payload.json
            guard json["alerts"].isArray, json["status"].text != nil || json["receiver"].text != nil else { return nil }
            // Once, because there may be thousands of alerts.
            let commonReason = first(of: reasonAnnotations, in: json["commonAnnotations"], limit: 200)
            let alerts = json["alerts"].elements.map { alert($0, json["status"].text, commonReason) }
            guard !alerts.isEmpty else { return .ignored("it has no alerts") }
            let tool = json["orgId"] == .null ? "Alertmanager" : "Grafana"
            var notice = Notice(tool: tool, alerts: alerts)
            if let left = json["truncatedAlerts"].integerValue, left > 0 {
                notice.texts = ["\(tool) left out \(left) more alert\(left == 1 ? "" : "s")"]
            }
            return .notice(notice)
        }

        /// Reads an alert, given the status of all and the reason that they have in common.
        private static func alert(_ json: JSONValue, _ commonStatus: String?, _ commonReason: String?) -> Alert {
            let labels = json["labels"]
            let name = labels["alertname"].line(limit: 80) ?? "alert"
            let severity = labels["severity"].line(limit: 30)
            let place = first(of: placeLabels, in: labels, limit: 80)
            let reason = first(of: reasonAnnotations, in: json["annotations"], limit: 200) ?? commonReason
            let isResolved = (json["status"].text ?? commonStatus) == "resolved"
            let link = json["panelURL"].link.isEmpty ? json["dashboardURL"].link : json["panelURL"].link
            let what = "\(name)\(severity.map { " (\($0))" } ?? "")\(place.map { " on \($0)" } ?? "")"
            let line = "\(Alert.word(isResolved: isResolved)) \(what)\(reason.map { ": \($0)" } ?? "")\(link)"
            return Alert(
                key: json["fingerprint"].text ?? key(of: labels), name: name, place: place, reason: reason,
                isResolved: isResolved, line: line)
        }

        /// Returns the text of the first of these fields that has one.
        private static func first(of keys: [String], in json: JSONValue, limit: Int) -> String? {
            for key in keys {
                if let line = json[key].line(limit: limit) { return line }
            }
            return nil
        }

        /// Identifies an alert by its labels, as its fingerprint does.
        private static func key(of labels: JSONValue) -> String {
            labels.members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text ?? "")" }.joined(separator: ",")
        }
    }

    /// The alerts of Grafana's former alerting, until version 10.
    ///
    /// Its present ones are read by ``Alertmanager``.
    enum Grafana: Format {
        static func read(_ payload: Payload) -> Reading? {
            let json = payload.json
            guard let state = json["state"].text, let name = json["ruleName"].line(limit: 80) else { return nil }
            let isResolved = state == "ok"
            let states = ["ok": "resolved", "alerting": "FIRING", "no_data": "NO DATA"]
            guard let word = states[state] else { return .ignored("the alert neither fires nor is resolved") }
            let reason = json["message"].line(limit: 200)
            let line = "\(word) \(name)\(reason.map { ": \($0)" } ?? "")\(json["ruleUrl"].link)"
            let alert = Alert(
                key: json["ruleId"].text ?? name, name: name, reason: reason, isResolved: isResolved, line: line)
            return .notice(Notice(tool: "Grafana", alerts: [alert]))
        }
    }
}
