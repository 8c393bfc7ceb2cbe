/// What GitHub, or a program that deploys, says about a deploy: a deployment status of GitHub's API.
struct DeployReport: Codable, Hashable, Sendable {
    /// The status's number, which grows; nil if it has none.
    let id: Int?
    /// Such as `in_progress`.
    let state: String
    private let description: String?
    private let logURL: String?
    private let targetURL: String?
    private let environmentURL: String?

    private enum CodingKeys: String, CodingKey {
        case id, state, description
        case logURL = "log_url"
        case targetURL = "target_url"
        case environmentURL = "environment_url"
    }

    init(
        id: Int? = nil, state: String, description: String? = nil, logURL: String? = nil, environmentURL: String? = nil
    ) {
        (self.id, self.state, self.description) = (id, state, description)
        (self.logURL, targetURL, self.environmentURL) = (logURL, nil, environmentURL)
    }

    /// The state that a deploy has after this report; nil if the report has an unknown state.
    var deployState: TrackedDeploy.State? {
        switch state {
        case "queued", "pending", "waiting", "requested": .waiting
        case "in_progress": .running
        case "success": .succeeded
        case "failure", "error": .failed
        case "inactive": .inactive
        default: nil
        }
    }

    /// The states of GitHub's API, for errors.
    static let states = "queued, pending, in_progress, success, failure, error or inactive"

    /// The state for chat, such as `in progress`.
    var word: String { String(oneLine: state.replacing("_", with: " "), limit: 40) }

    /// The description, with a colon in front; empty if there is none.
    var about: String {
        let text = String(oneLine: description ?? "", limit: 200)
        return text.isEmpty ? "" : ": \(text)"
    }

    /// Where to see more: the environment after a success, otherwise the log.
    var link: String {
        let urls: [String?] = deployState == .succeeded ? [environmentURL, logURL, targetURL] : [logURL, targetURL]
        return urls.compactMap { checkedWebURL($0) }.first.map { " \($0)" } ?? ""
    }
}
