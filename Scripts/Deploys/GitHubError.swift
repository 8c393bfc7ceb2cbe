import FoundationEssentials
import Heybot
import HeybotSupport

/// Why GitHub has refused a request.
struct GitHubError: Error, Hashable {
    /// A check of a commit, and its state, such as `pending`.
    struct Check: Hashable {
        let name: String
        let state: String
    }

    enum Kind: Hashable {
        /// The token is invalid or has expired.
        case unauthorized
        /// The token isn't allowed to do that.
        case forbidden
        /// There is no such repository or deployment, or the token can't see it.
        case notFound
        /// The default branch can't be merged.
        case conflict
        /// Required checks haven't passed.
        case checks([Check])
        /// The request makes no sense, such as a branch that doesn't exist.
        case invalid
        /// There were too many requests.
        case limited(until: Date)
        /// GitHub has a problem; it may have handled the request nevertheless.
        case unavailable(Int)
    }

    /// The longest wait for a limit to end, in seconds.
    private static let longestLimit = 3_600.0

    let kind: Kind
    let repository: String
    /// What GitHub says, on one line.
    let message: String

    init(_ response: HTTPResponse, repository: String, at date: Date) {
        self.repository = repository
        let body = JSONValue(String(decoding: response.body.prefix(1 << 20), as: UTF8.self)) ?? .null
        let said = body["message"].stringValue ?? ""
        let errors = body["errors"].elements
        let more = errors.compactMap { $0["message"].stringValue ?? $0.stringValue }.filter { !said.contains($0) }
        let text = String(oneLine: ([said] + more.prefix(3)).joined(separator: " "), limit: 300)
        message = text.isEmpty ? "status \(response.status)" : text
        kind = Self.kind(response, said, Self.checks(errors), at: date)
    }

    private static func kind(_ response: HTTPResponse, _ said: String, _ checks: [Check]?, at date: Date) -> Kind {
        let asksChecks = said.lowercased().contains("commit status checks")
        switch response.status {
        case 401: return .unauthorized
        case 403, 429: return limit(response, said, at: date).map { Kind.limited(until: $0) } ?? .forbidden
        case 404, 410: return .notFound
        case 409: return checks != nil || asksChecks ? .checks(checks ?? []) : .conflict
        case 400..<500: return checks != nil || asksChecks ? .checks(checks ?? []) : .invalid
        default: return .unavailable(response.status)
        }
    }

    /// The date at which a limit ends; nil if the request wasn't refused because of a limit.
    private static func limit(_ response: HTTPResponse, _ said: String, at date: Date) -> Date? {
        func end(after seconds: Double) -> Date { date.addingTimeInterval(min(max(seconds, 1), longestLimit)) }
        if let seconds = response.headers["Retry-After"].flatMap({ Int($0) }) { return end(after: Double(seconds)) }
        if response.headers["X-RateLimit-Remaining"] == "0" {
            let reset = response.headers["X-RateLimit-Reset"].flatMap { Int($0) }
            return end(after: reset.map { Double($0) - date.timeIntervalSince1970 } ?? 60)
        }
        let isLimit = response.status == 429 || said.lowercased().contains("rate limit")
        return isLimit ? end(after: 60) : nil
    }

    /// The checks in an error; nil if it isn't about checks.
    private static func checks(_ errors: [JSONValue]) -> [Check]? {
        let contexts = errors.map { $0["contexts"] }.filter { $0 != .null }
        guard !contexts.isEmpty || errors.contains(where: { $0["field"].stringValue == "required_contexts" }) else {
            return nil
        }
        return contexts.flatMap(\.elements).prefix(100).compactMap { context in
            guard let name = context["context"].stringValue else { return nil }
            return Check(
                name: String(oneLine: name, limit: 80),
                state: String(oneLine: context["state"].stringValue ?? "unknown", limit: 20))
        }
    }

    /// Whether GitHub may have done what was requested.
    var isUncertain: Bool {
        if case .unavailable = kind { true } else { false }
    }

    /// What is wrong, and what to do, in one or two sentences.
    ///
    /// - Parameter required: The names of the checks that must have passed; nil for all.
    func reason(requiring required: [String]? = nil) -> String {
        switch kind {
        case .unauthorized:
            """
            GitHub doesn't accept my token: renew it (HEYBOT_DEPLOY_GITHUB_TOKEN, or github_token in apps.json).
            """
        case .forbidden:
            "GitHub says: \(ended(message)) My token needs the right to create deployments in \(repository)."
        case .notFound:
            """
            GitHub shows me no \(repository): check its name in apps.json, and whether my token may create deployments \
            there.
            """
        case .conflict:
            "GitHub says: \(ended(message)) Merge it yourself, or write \"auto_merge\": false in apps.json."
        case .checks(let checks): Self.reason(checks, required)
        case .invalid: "GitHub says: \(ended(message))"
        case .limited(let until): "GitHub is limiting my requests until \(until.inUTC) UTC. Ask me again then."
        case .unavailable(let status): "GitHub has a problem (status \(status))."
        }
    }

    private static func reason(_ checks: [Check], _ required: [String]?) -> String {
        let failing = checks.filter { $0.state != "success" }.map { "\($0.name) (\($0.state))" }
        let missing = (required ?? []).filter { name in !checks.contains { $0.name == name } }.map { "\($0) (missing)" }
        let list = DeployApps.list(failing + missing)
        let what = list.isEmpty ? "Required checks haven't passed" : "These checks haven't passed: \(list)"
        return "\(what). Wait until they have, or deploy in spite of them with \"deploy!\"."
    }

    private func ended(_ text: String) -> String {
        guard let last = text.last, !".!?…".contains(last) else { return text }
        return "\(text)."
    }
}
