import Foundation
import Synchronization
import TestServers

/// GitHub's API for the deployments of ada/shop, on a loopback port.
///
/// See https://docs.github.com/en/rest/deployments/deployments.
final class ScriptedGitHub: Sendable {
    private struct Deployment: Sendable {
        let id: Int
        /// The request's body.
        let order: String
        /// Its statuses, the oldest first.
        var statuses: [String] = []
    }

    /// What the API knows.
    private final class Book: Sendable {
        private struct State {
            var deployments: [Deployment] = []
            var isHolding = false
            var requests: [String] = []
        }

        private let state = Mutex(State())

        var requests: [String] { state.withLock { $0.requests } }
        var isHolding: Bool { state.withLock { $0.isHolding } }

        func hold(_ isHolding: Bool) { state.withLock { $0.isHolding = isHolding } }

        func report(_ word: String, _ description: String, of id: Int) {
            state.withLock { state in
                let number = 9_000 + state.deployments.reduce(0) { $0 + $1.statuses.count }
                guard let index = state.deployments.firstIndex(where: { $0.id == id }) else { return }
                state.deployments[index].statuses.append(
                    #"{"id": \#(number), "state": "\#(word)", "description": "\#(description)"}"#)
            }
        }

        /// Answers a request with a status and a body.
        func answer(_ method: Substring, _ target: Substring, _ body: String) -> (status: String, body: String) {
            let base = "/repos/ada/shop"
            guard target.hasPrefix(base) else { return ("404 Not Found", #"{"message": "Not Found"}"#) }
            let path = target.dropFirst(base.count)
            let answer: (status: String, body: String) = state.withLock { state in
                state.requests.append("\(method) \(path)")
                if method == "POST", path == "/deployments" {
                    let deployment = Deployment(id: 101 + state.deployments.count, order: body)
                    state.deployments.append(deployment)
                    return ("201 Created", Self.json(deployment))
                }
                if path.isEmpty { return ("200 OK", #"{"default_branch": "main"}"#) }
                if path.hasPrefix("/deployments?") {
                    return ("200 OK", Self.list(state.deployments.reversed().map { Self.json($0) }))
                }
                guard let found = state.deployments.first(where: { path.hasPrefix("/deployments/\($0.id)/statuses") })
                else { return ("404 Not Found", #"{"message": "Not Found"}"#) }
                return ("200 OK", Self.list(found.statuses.reversed()))
            }
            return answer
        }

        private static func list(_ elements: [String]) -> String { "[\(elements.joined(separator: ", "))]" }

        private static func json(_ deployment: Deployment) -> String {
            // The payload and the environment as they were sent.
            let members = String(deployment.order.dropFirst().dropLast())
            let sha = String(repeating: "2", count: 40)
            return #"{"id": \#(deployment.id), "sha": "\#(sha)", \#(members)}"#
        }
    }

    static let token = "gh-t0ken"

    private let book: Book
    private let server: ScriptedHTTPServer

    init() throws {
        let book = Book()
        self.book = book
        server = try ScriptedHTTPServer { client in
            while let head = client.head() {
                let lines = head.split(separator: "\r\n")
                let words = (lines.first ?? "").split(separator: " ")
                let length = lines.lazy.compactMap { line -> Int? in
                    let halves = line.split(separator: ":", maxSplits: 1)
                    guard halves.count == 2, halves[0].lowercased() == "content-length" else { return nil }
                    return Int(halves[1].drop { $0 == " " })
                }.first
                guard words.count > 1, let body = client.body(length ?? 0) else { return }
                guard head.contains("Bearer \(Self.token)") else {
                    client.answer("401 Unauthorized", ["Content-Type: application/json"], #"{"message": "Bad"}"#)
                    continue
                }
                let answer = book.answer(words[0], words[1], body)
                while words[0] == "POST", book.isHolding { Thread.sleep(forTimeInterval: 0.005) }
                guard client.answer(answer.status, ["Content-Type: application/json"], answer.body) else { return }
            }
        }
    }

    /// The requests so far, such as `POST /deployments`.
    var requests: [String] { book.requests }

    /// The number of deployments that were created.
    var deployments: Int { requests.count { $0 == "POST /deployments" } }

    /// Creates deployments without answering, until it is released.
    func hold() { book.hold(true) }

    func release() { book.hold(false) }

    /// A program that deploys reports a status; the first deployment has the id 101.
    func report(_ status: String, _ description: String = "", of id: Int) { book.report(status, description, of: id) }

    /// Stops it.
    func stop() {
        release()
        server.stop()
    }

    /// An apps.json with the app shop, and further apps.
    func apps(_ others: String = "") -> String {
        """
        {
            "shop": {
                "repository": "ada/shop", "github_api": "http://127.0.0.1:\(server.port)",
                "github_token": "\(Self.token)",
                "environments": [
                    "staging", {"name": "production", "role": "releaser", "approve": {"role": "ops", "minutes": 15}}
                ]
            }\(others.isEmpty ? "" : ",\n\(others)")
        }
        """
    }
}
