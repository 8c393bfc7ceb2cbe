import FoundationEssentials
import Heybot

/// Alertmanager's API, version 2: https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml.
///
/// Grafana has the same API at `/api/alertmanager/grafana`.
struct AlertmanagerClient: Sendable {
    /// A condition on a label.
    struct Matcher: Codable, Hashable, Sendable {
        let name: String
        let value: String
        let isRegex: Bool
        let isEqual: Bool?

        /// Creates the condition that a label has a value.
        init(_ name: String, _ value: String) {
            (self.name, self.value, isRegex, isEqual) = (name, value, false, true)
        }

        /// The alert's name, if that is the condition.
        fileprivate var alert: String? { name == "alertname" && isEqual != false ? value : nil }

        /// The condition as Alertmanager writes it, without quotes: `severity!=critical`.
        fileprivate var text: String {
            let sign = isEqual == false ? (isRegex ? "!~" : "!=") : (isRegex ? "=~" : "=")
            return "\(name)\(sign)\(value)"
        }
    }

    /// An alert that fires.
    struct FiringAlert: Decodable, Sendable {
        private let labels: [String: String]

        var name: String { labels["alertname"] ?? "" }

        /// Returns the label that has a value, given in lower case; the alert's place, if possible.
        func label(withValue value: String) -> Matcher? {
            let names = labels.filter { $0.value.lowercased() == value && $0.key != "alertname" }.map(\.key).sorted()
            let best = ["instance", "host", "hostname", "node", "pod"].first(where: names.contains) ?? names.first
            return best.flatMap { name in labels[name].map { Matcher(name, $0) } }
        }
    }

    /// A silence.
    struct Silence: Decodable, Sendable {
        struct Status: Decodable, Sendable {
            let state: String
        }

        fileprivate let id: String
        fileprivate let status: Status
        private let matchers: [Matcher]
        private let endsAt: String
        private let createdBy: String?

        /// Whether it silences an alert, named as in `HighLatency` or `HighLatency on web-1`.
        func isFor(_ name: String) -> Bool {
            let names = [subject] + matchers.compactMap(\.alert)
            return names.contains { $0.lowercased() == name.lowercased() }
        }

        /// The alert and its place: `HighLatency on web-1`.
        private var subject: String {
            guard let alert = matchers.lazy.compactMap(\.alert).first else {
                return matchers.map(\.text).joined(separator: ", ")
            }
            let rest = matchers.filter { $0.alert == nil }
            if rest.isEmpty { return alert }
            let isPlace = rest.count == 1 && rest.allSatisfy { $0.isEqual != false && !$0.isRegex }
            return "\(alert) on \(rest.map { isPlace ? $0.value : $0.text }.joined(separator: ", "))"
        }

        /// The line for chat: `HighLatency on web-1 until 2026-11-23 14:05 UTC, by ada`.
        var line: String {
            // It is RFC 3339, in UTC.
            let end = endsAt.prefix(16).replacing("T", with: " ")
            let zone = endsAt.hasSuffix("Z") ? " UTC" : ""
            let by = createdBy.map { $0.isEmpty ? "" : ", by \($0)" } ?? ""
            return String(oneLine: "\(subject) until \(end)\(zone)\(by)", limit: 300)
        }
    }

    private struct NewSilence: Encodable {
        let matchers: [Matcher]
        let startsAt: String
        let endsAt: String
        let createdBy: String
        let comment: String
    }

    private let address: String
    private let authorization: HTTPAuthorization?
    private let http: any HTTPClient

    /// Creates a client.
    ///
    /// - Parameter login: `user:password` or a token.
    init(address: String, login: String?, http: any HTTPClient) {
        self.address = address
        self.http = http
        authorization = login.map { login -> HTTPAuthorization in
            guard let colon = login.firstIndex(of: ":") else { return .bearer(login) }
            return .basic(user: String(login[..<colon]), password: String(login[login.index(after: colon)...]))
        }
    }

    /// Returns the alerts of a name, in upper or lower case, that fire, also those that are silenced already.
    func alerts(named name: String) async throws -> [FiringAlert] {
        // A regular expression in a quoted string, so each backslash is doubled. Only ASCII characters may be escaped.
        guard !name.contains("\""), !name.contains("\\") else { return [] }
        let pattern = name.map { character -> String in
            let isPlain = !character.isASCII || character.isLetter || character.isNumber || " _-".contains(character)
            return isPlain ? "\(character)" : "\\\\\(character)"
        }.joined()
        let query: FormFields = ["filter": "alertname=~\"(?i:\(pattern))\""]
        let alerts = try await send(.get, "/api/v2/alerts", query: query).json([FiringAlert].self)
        return alerts.filter { $0.name.lowercased() == name.lowercased() }
    }

    /// Returns the silences that are active or will be.
    func silences() async throws -> [Silence] {
        try await send(.get, "/api/v2/silences").json([Silence].self).filter { $0.status.state != "expired" }
    }

    /// Creates a silence.
    func silence(
        _ matchers: [Matcher], from start: Date, until end: Date, by user: String, comment: String
    ) async throws {
        let silence = NewSilence(
            matchers: matchers, startsAt: start.formatted(.iso8601), endsAt: end.formatted(.iso8601),
            createdBy: String(oneLine: user, limit: 200), comment: String(oneLine: comment, limit: 400))
        _ = try await send(.post, "/api/v2/silences", body: .json(silence))
    }

    /// Ends a silence.
    func expire(_ silence: Silence) async throws {
        _ = try await send(.delete, "/api/v2/silence/\(percentEncoded(silence.id))")
    }

    private func send(
        _ method: HTTPMethod, _ path: String, query: FormFields = [:], body: HTTPRequestBody? = nil
    ) async throws -> HTTPResponse {
        let response = try await http.send(
            HTTPRequest(method, "\(address)\(path)", query: query, auth: authorization, body: body))
        if [401, 403].contains(response.status) {
            throw Refusal("The Alertmanager refuses my login: check HEYBOT_ALERTMANAGER_LOGIN.")
        }
        return try response.checked()
    }
}
