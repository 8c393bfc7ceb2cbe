import FoundationEssentials
import Heybot
import HeybotSupport
import HeybotTesting
import Synchronization

@testable import StandardScripts

/// GitHub's API for the deployments of ada/shop, as its documentation describes it
/// (https://docs.github.com/en/rest/deployments/deployments).
final class FakeGitHub: Sendable {
    struct Deployment {
        let id: Int
        let order: JSONValue
        let sha: String
        /// Oldest first.
        var statuses: [JSONValue] = []
    }

    /// What goes wrong with the next request for a deployment.
    enum Fault {
        /// It answers with this status, fields and message.
        case answers(Int, HTTPHeaders, String)
        /// It creates the deployment, but the answer gets lost.
        case losesAnswer
        /// The request gets lost.
        case losesRequest
        /// It creates the deployment, and runs this before it answers.
        case runs(@Sendable () -> Void)
    }

    struct State {
        var deployments: [Deployment] = []
        var commits = ["main": String(repeating: "1", count: 40), "topic": String(repeating: "2", count: 40)]
        /// The branches that lack commits of the default branch.
        var behind: Set<String> = []
        var conflicting: Set<String> = []
        /// The states of checks, by branch and name.
        var checks: [String: [String: String]] = [:]
        var faults: [Fault] = []
        /// Answers of the requests for statuses, instead of the statuses.
        var statusFaults: [(Int, HTTPHeaders, String)] = []
        var requests: [String] = []
    }

    static let token = "gh-t0ken"
    private let state = Mutex(State())

    var deployments: [Deployment] { state.withLock { $0.deployments } }
    /// The requests so far, such as `POST /deployments`.
    var requests: [String] { state.withLock { $0.requests } }

    func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// A program that deploys reports a status.
    func report(
        _ status: String, _ description: String = "", of id: Int = 101, log: String = "", environment: String = ""
    ) {
        state.withLock { state in
            guard let index = state.deployments.firstIndex(where: { $0.id == id }) else { return }
            let number = 9_000 + state.deployments.reduce(0) { $0 + $1.statuses.count }
            state.deployments[index].statuses.append(
                .object([
                    "id": .integer(number), "state": .string(status), "description": .string(description),
                    "log_url": .string(log), "target_url": .string(log), "environment_url": .string(environment)
                ]))
        }
    }

    func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        let base = "https://api.github.com/repos/ada/shop"
        let path = request.url.hasPrefix(base) ? String(request.url.dropFirst(base.count)) : "other"
        state.withLock { $0.requests.append("\(request.method) \(path)") }
        guard request.headers["Authorization"] == "Bearer \(Self.token)" else {
            return try respond(request, 401, ["message": .string("Bad credentials")])
        }
        if path == "other" { return try respond(request, 404, ["message": .string("Not Found")]) }
        if request.method == .post, path == "/deployments" {
            let order = try JSONDecoder().decode(JSONValue.self, from: Data(request.body?.bytes ?? []))
            return try create(order, request)
        }
        if path.isEmpty { return try respond(request, 200, ["default_branch": .string("main")]) }
        if path.hasPrefix("/deployments?") { return try respond(request, 200, .array(list(path))) }
        return try statuses(path, request)
    }

    private func list(_ path: String) -> [JSONValue] {
        deployments.reversed().filter { path.contains("environment=\($0.order["environment"].stringValue ?? "")&") }
            .map { Self.json($0) }
    }

    private func statuses(_ path: String, _ request: HTTPRequest) throws -> HTTPResponse {
        let fault = state.withLock { $0.statusFaults.isEmpty ? nil : $0.statusFaults.removeFirst() }
        if let (status, headers, message) = fault {
            return try respond(request, status, ["message": .string(message)], headers)
        }
        let found = deployments.first { path == "/deployments/\($0.id)/statuses?per_page=100" }
        guard let found else { return try respond(request, 404, ["message": .string("Not Found")]) }
        return try respond(request, 200, .array(found.statuses.reversed()))
    }

    private func create(_ order: JSONValue, _ request: HTTPRequest) throws -> HTTPResponse {
        let fault = state.withLock { $0.faults.isEmpty ? nil : $0.faults.removeFirst() }
        switch fault {
        case .answers(let status, let headers, let message)?:
            return try respond(request, status, ["message": .string(message)], headers)
        case .losesRequest?: throw HTTPError(.timeout, host: request.host)
        case .losesAnswer?:
            _ = try add(order, request)
            throw HTTPError(.timeout, host: request.host)
        case .runs(let body)?:
            let response = try add(order, request)
            body()
            return response
        case nil: return try add(order, request)
        }
    }

    private func add(_ order: JSONValue, _ request: HTTPRequest) throws -> HTTPResponse {
        let ref = order["ref"].stringValue ?? ""
        let (status, body): (Int, JSONValue) = state.withLock { state in
            guard let sha = state.commits[ref] ?? state.commits.values.first(where: { $0 == ref }) else {
                return (422, ["message": .string("No ref found for: \(ref)")])
            }
            if order["auto_merge"] != .bool(false), state.behind.contains(ref) {
                if state.conflicting.contains(ref) {
                    return (409, ["message": .string("Conflict merging main into \(ref)")])
                }
                state.behind.remove(ref)
                return (202, ["message": .string("Auto-merged main into \(ref) on deployment.")])
            }
            let checks = state.checks[ref] ?? [:]
            let required =
                order["required_contexts"] == .null
                ? checks.keys.sorted() : order["required_contexts"].elements.compactMap(\.stringValue)
            if required.contains(where: { checks[$0] != "success" }) {
                let contexts = checks.sorted { $0.key < $1.key }.map { name, state -> JSONValue in
                    ["context": .string(name), "state": .string(state)]
                }
                let error: JSONValue = [
                    "contexts": .array(contexts), "resource": .string("Deployment"),
                    "field": .string("required_contexts"), "code": .string("invalid")
                ]
                let message = "Conflict: Commit status checks failed for \(ref)."
                return (409, ["message": .string(message), "errors": .array([error])])
            }
            let deployment = Deployment(id: 101 + state.deployments.count, order: order, sha: sha)
            state.deployments.append(deployment)
            return (201, Self.json(deployment))
        }
        return try respond(request, status, body)
    }

    private static func json(_ deployment: Deployment) -> JSONValue {
        var payload = deployment.order["payload"]
        // Older deployments have it as a text.
        if deployment.id.isMultiple(of: 2), let data = try? JSONEncoder().encode(payload) {
            payload = .string(String(decoding: data, as: UTF8.self))
        }
        return [
            "id": .integer(deployment.id), "sha": .string(deployment.sha), "ref": deployment.order["ref"],
            "task": deployment.order["task"], "payload": payload,
            "environment": deployment.order["environment"], "description": .null,
            "creator": ["login": .string("marvin")]
        ]
    }

    private func respond(
        _ request: HTTPRequest, _ status: Int, _ body: JSONValue, _ headers: HTTPHeaders = [:]
    ) throws -> HTTPResponse {
        HTTPResponse(url: request.url, status: status, headers: headers, body: Array(try JSONEncoder().encode(body)))
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { first, _ in first })
    }
}
