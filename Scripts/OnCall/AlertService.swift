import FoundationEssentials
import Heybot

/// A service for incidents that gets the pages too: PagerDuty or Opsgenie.
enum AlertService: Sendable {
    /// https://developer.pagerduty.com/docs/events-api-v2-overview.
    case pagerDuty(url: String, key: String)
    /// https://docs.opsgenie.com/docs/alert-api.
    case opsgenie(url: String, key: String)

    static let pagerDutyKey = ScriptSetting(
        "PAGERDUTY_ROUTING_KEY", "the integration key (Events API v2) of the PagerDuty service that gets the pages too",
        isSecret: true)
    static let pagerDutyURL = ScriptSetting(
        url: "PAGERDUTY_URL", "base URL of PagerDuty's Events API", default: "https://events.pagerduty.com")
    static let opsgenieKey = ScriptSetting(
        "OPSGENIE_API_KEY", "the key of the Opsgenie API integration that gets the pages too", isSecret: true)
    static let opsgenieURL = ScriptSetting(
        url: "OPSGENIE_URL", "base URL of Opsgenie's API; in the EU `https://api.eu.opsgenie.com`",
        default: "https://api.opsgenie.com")

    /// The settings that a script with these services must list.
    static var settings: [any AnyScriptSetting] { [pagerDutyKey, opsgenieKey, pagerDutyURL, opsgenieURL] }

    /// Reads the settings, and returns the services whose keys are set.
    static func configured(_ robot: inout RobotBuilder) -> [AlertService] {
        var services: [AlertService] = []
        if let key = robot.value(of: pagerDutyKey) {
            services.append(.pagerDuty(url: robot.value(of: pagerDutyURL), key: key))
        }
        if let key = robot.value(of: opsgenieKey) {
            services.append(.opsgenie(url: robot.value(of: opsgenieURL), key: key))
        }
        return services
    }

    /// The service's name.
    var name: String {
        switch self {
        case .pagerDuty: "PagerDuty"
        case .opsgenie: "Opsgenie"
        }
    }

    /// The variable with its key.
    var keyVariable: String {
        switch self {
        case .pagerDuty: "HEYBOT_PAGERDUTY_ROUTING_KEY"
        case .opsgenie: "HEYBOT_OPSGENIE_API_KEY"
        }
    }

    /// Returns the request that passes an event on.
    ///
    /// - Parameter robot: The robot's name.
    func request(_ event: AlertEvent, of page: Page, by robot: String) throws -> HTTPRequest {
        var request =
            switch self {
            case .pagerDuty(let url, let key):
                HTTPRequest(.post, "\(url)/v2/enqueue", body: try .json(PagerDutyEvent(event, page, key, robot)))
            case .opsgenie(let url, let key):
                try opsgenieRequest(event, page, url, key, robot)
            }
        // A redirect could send the key to another host.
        request.redirects = 0
        request.deadline = .seconds(5)
        return request
    }

    private func opsgenieRequest(
        _ event: AlertEvent, _ page: Page, _ url: String, _ key: String, _ robot: String
    ) throws -> HTTPRequest {
        let headers: HTTPHeaders = ["Authorization": "GenieKey \(key)"]
        switch event {
        case .trigger:
            return HTTPRequest(
                .post, "\(url)/v2/alerts", headers: headers, body: try .json(OpsgenieAlert(page, robot)))
        case .acknowledge(let user):
            return HTTPRequest(
                .post, "\(url)/v2/alerts/\(page.alertKey)/acknowledge", query: ["identifierType": "alias"],
                headers: headers, body: try .json(OpsgenieAcknowledgment(user: user, source: robot)))
        }
    }
}

/// What happens to a page, as far as it concerns a service.
enum AlertEvent: Codable, Hashable, Sendable {
    case trigger
    /// Somebody, by name, has taken the page.
    case acknowledge(String)
}

extension Page {
    /// The name of the page at a service, the same for all of its events.
    ///
    /// With the date, because the numbers begin again if the brain is deleted.
    var alertKey: String { "heybot-\(number)-\(date.formatted(.iso8601).filter { $0.isNumber })" }

    /// Facts for the people who see the page at a service.
    fileprivate var details: [String: String] {
        ["page": "\(number)", "rota": rota, "from": author.shortName, "room": room.id.description]
    }
}

private struct PagerDutyEvent: Encodable {
    struct Payload: Encodable {
        let summary: String
        let source: String
        let severity = "critical"
        let timestamp: String
        let component: String
        let details: [String: String]

        private enum CodingKeys: String, CodingKey {
            case summary, source, severity, timestamp, component
            case details = "custom_details"
        }
    }

    let key: String
    let action: String
    let alert: String
    let client: String
    /// Only for the first event.
    let payload: Payload?

    private enum CodingKeys: String, CodingKey {
        case key = "routing_key"
        case action = "event_action"
        case alert = "dedup_key"
        case client, payload
    }

    init(_ event: AlertEvent, _ page: Page, _ key: String, _ robot: String) {
        self.key = key
        alert = page.alertKey
        client = robot
        switch event {
        case .trigger:
            action = "trigger"
            payload = Payload(
                summary: page.text, source: robot, timestamp: page.date.formatted(.iso8601), component: page.rota,
                details: page.details)
        case .acknowledge:
            action = "acknowledge"
            payload = nil
        }
    }
}

private struct OpsgenieAlert: Encodable {
    /// Opsgenie's limit, in characters.
    private static let longestMessage = 130

    let message: String
    let alias: String
    let description: String
    let source: String
    let entity: String
    let details: [String: String]

    init(_ page: Page, _ robot: String) {
        message = String(oneLine: page.text, limit: Self.longestMessage)
        alias = page.alertKey
        description = page.text
        source = robot
        entity = page.rota
        details = page.details
    }
}

private struct OpsgenieAcknowledgment: Encodable {
    let user: String
    let source: String
}
