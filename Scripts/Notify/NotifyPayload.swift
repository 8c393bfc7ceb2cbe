import Heybot

/// The JSON of a notification: a text, Slack's attachments (https://docs.slack.dev/legacy/legacy-messaging/
/// legacy-secondary-message-attachments), or the alerts of Prometheus's Alertmanager
/// (https://prometheus.io/docs/alerting/latest/configuration/#webhook_config).
struct NotifyPayload: Decodable {
    private static let mostAlerts = 5

    private struct Attachment: Decodable {
        let pretext, title, text, fallback: String?
        let link: String?

        private enum CodingKeys: String, CodingKey {
            case pretext, title, text, fallback
            case link = "title_link"
        }

        var summary: String {
            let parts = [pretext, title, text, checkedWebURL(link)].compactMap { $0 }.filter { !$0.isEmpty }
            return parts.isEmpty ? fallback ?? "" : parts.joined(separator: " - ")
        }
    }

    private struct AlertmanagerAlert: Decodable {
        let status: String
        let labels: [String: String]?
        let annotations: [String: String]?

        var summary: String {
            let name = labels?["alertname"] ?? "alert"
            let place = labels?["instance"].map { " on \($0)" } ?? ""
            let about = (annotations?["summary"] ?? annotations?["description"]).map { ": \($0)" } ?? ""
            return String(oneLine: "\(status == "firing" ? "FIRING" : status) \(name)\(place)\(about)", limit: 400)
        }
    }

    /// The text to post.
    let text: String

    private enum CodingKeys: String, CodingKey { case text, attachments, alerts }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let attachments = try container.decodeIfPresent([Attachment].self, forKey: .attachments) ?? []
        let alerts = try container.decodeIfPresent([AlertmanagerAlert].self, forKey: .alerts) ?? []
        var lines = alerts.prefix(Self.mostAlerts).map(\.summary) + attachments.map(\.summary)
        let rest = alerts.count - Self.mostAlerts
        if rest > 0 { lines.append("and \(rest) more alert\(rest == 1 ? "" : "s")") }
        if lines.isEmpty {
            text = try container.decode(String.self, forKey: .text)
        } else {
            let first = try container.decodeIfPresent(String.self, forKey: .text) ?? ""
            text = ([first] + lines).filter { !$0.isEmpty }.joined(separator: "\n")
        }
    }
}
