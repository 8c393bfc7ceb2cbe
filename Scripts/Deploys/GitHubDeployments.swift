import FoundationEssentials
import Heybot
import HeybotSupport

/// A client for the deployments of a repository on GitHub (https://docs.github.com/en/rest/deployments/deployments).
struct GitHubDeployments: Sendable {
    /// A request for a deployment.
    struct Order: Encodable, Sendable {
        let ref: String
        let task: String
        let autoMerge: Bool
        /// Nil for all checks of the commit.
        let requiredContexts: [String]?
        let payload: JSONValue
        let environment: String
        let description: String
        let isTransient: Bool
        let isProduction: Bool

        private enum CodingKeys: String, CodingKey {
            case ref, task, payload, environment, description
            case autoMerge = "auto_merge"
            case requiredContexts = "required_contexts"
            case isTransient = "transient_environment"
            case isProduction = "production_environment"
        }
    }

    /// A deployment on GitHub.
    struct Deployment: Decodable, Sendable {
        let id: Int
        let sha: String?
        fileprivate let payload: JSONValue?
    }

    enum Answer: Sendable {
        case created(Deployment)
        /// GitHub has merged the default branch instead, with its message.
        case merged(String)
    }

    private static let statusesPerPage = "100"

    /// The base URL of the API.
    let service: String
    let token: String
    /// `owner/name`.
    let repository: String
    let http: any HTTPClient

    /// Creates a deployment.
    func create(_ order: Order, at date: Date) async throws -> Answer {
        let response = try await send(.post, "/deployments", body: try .json(order), at: date)
        guard response.status == 202 else { return .created(try response.json(Deployment.self)) }
        let message = JSONValue(response.text)?["message"].stringValue ?? "The default branch was merged."
        return .merged(String(oneLine: message, limit: 200))
    }

    /// Returns the newest deployment with a mark in its payload; nil if there is none among the last hundred.
    func find(_ mark: String, in environment: String, at date: Date) async throws -> Deployment? {
        let query: FormFields = ["environment": environment, "per_page": "100"]
        let response = try await send(.get, "/deployments", query: query, at: date)
        return try response.json([Deployment].self).first { Self.mark(of: $0) == mark }
    }

    /// Returns the statuses of a deployment, the oldest first.
    func statuses(of deployment: Int, at date: Date) async throws -> [DeployReport] {
        let query: FormFields = ["per_page": Self.statusesPerPage]
        let response = try await send(.get, "/deployments/\(deployment)/statuses", query: query, at: date)
        return try response.json([DeployReport].self).sorted { ($0.id ?? 0) < ($1.id ?? 0) }
    }

    /// Returns the name of the repository's default branch.
    func defaultBranch(at date: Date) async throws -> String {
        struct Repository: Decodable {
            let branch: String

            enum CodingKeys: String, CodingKey { case branch = "default_branch" }
        }
        return try await send(.get, "", at: date).json(Repository.self).branch
    }

    private func send(
        _ method: HTTPMethod, _ path: String, query: FormFields = [:], body: HTTPRequestBody? = nil, at date: Date
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(
            method, "\(service)/repos/\(repository)\(path)", query: query,
            headers: ["Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"],
            auth: .bearer(token), body: body)
        request.deadline = .seconds(15)
        let response = try await http.send(request)
        guard response.isSuccess else { throw GitHubError(response, repository: repository, at: date) }
        return response
    }

    // MARK: The payload

    /// The payload in the form of hubot-deploy, with the mark by which the deployment is found again.
    static func payload(of deploy: TrackedDeploy, _ app: DeployApp) -> JSONValue {
        let plan = deploy.plan
        let notify: [String: JSONValue] = [
            "adapter": .string(plan.room.adapter), "room": .string(plan.room.value), "user": .string(plan.userName),
            "user_name": .string(plan.userName)
        ]
        return .object([
            "name": .string(app.name), "robotName": .string(deploy.robot), "hosts": .string(plan.hosts),
            "notify": .object(notify), "config": app.configuration,
            "heybot": .object(["deploy": .integer(deploy.id.number), "mark": .string(deploy.mark)])
        ])
    }

    /// GitHub returns the payload as it was sent, or as a text.
    private static func mark(of deployment: Deployment) -> String? {
        var payload = deployment.payload
        if let text = payload?.stringValue { payload = JSONValue(text) }
        return payload?["heybot"]["mark"].stringValue
    }
}

extension HTTPError {
    /// Whether the service may have got the request.
    var mayHaveArrived: Bool {
        switch code {
        case .timeout, .tooLong, .redirects, .broken, .unreadable: true
        case .status(let status): status >= 500
        case .badURL, .unreachable, .notPublic, .untrusted, .noClient: false
        }
    }
}
