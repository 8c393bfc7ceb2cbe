import FoundationEssentials
import Heybot
import NIOCore
import NIOHTTP1

/// Answers requests: checks the credentials, then tries the routes, the static files, and the web app of Hubot scripts.
struct HTTPRequestHandler {
    private let routes: RouteResponder
    private let configuration: NIOHTTPServer.Configuration
    private let files: StaticFileResponder?
    private let connections: ConnectionLimiter
    private let budget: BodyMemoryBudget

    init(
        _ routes: RouteResponder, _ configuration: NIOHTTPServer.Configuration, _ connections: ConnectionLimiter
    ) {
        self.connections = connections
        budget = BodyMemoryBudget(longest: routes.longestBody)
        self.routes = routes
        self.configuration = configuration
        files = configuration.files.map { StaticFileResponder($0) }
    }

    /// Returns the body of a request whose head has arrived.
    ///
    /// - Parameter onClaim: Called on the event loop when the body is asked for and hasn't arrived completely.
    func body(
        of head: HTTPRequestHead, from client: String, on channel: any Channel, onClaim: @escaping @Sendable () -> Void
    ) -> IncomingBody {
        let body = IncomingBody(
            head, client: client, timeout: configuration.bodyTimeout, budget: budget, loop: channel.eventLoop,
            onClaim: onClaim)
        connections.setActivity(body.isUnread ? .reading : .answering, of: channel)
        return body
    }

    /// Answers a request.
    func respond(
        to head: HTTPRequestHead, _ body: IncomingBody, from client: String, on channel: any Channel
    ) async -> OutgoingResponse {
        var response = await answer(head, body, client, channel)
        response.headers.replaceOrAdd(name: "X-Content-Type-Options", value: "nosniff")
        // The rest of the body isn't read, so the connection has to close.
        if body.isUnread { response.headers.replaceOrAdd(name: "Connection", value: "close") }
        return response
    }

    private func answer(
        _ head: HTTPRequestHead, _ body: IncomingBody, _ client: String, _ channel: any Channel
    ) async -> OutgoingResponse {
        guard mayAsk(head) else {
            var response = refusal(
                WebRefusal(401, "Authentication required: send a user name and a password (Authorization: Basic)."),
                to: head
            )
            response.headers.add(name: "WWW-Authenticate", value: "Basic realm=\"Heybot\", charset=\"UTF-8\"")
            return response
        }
        guard let method = Heybot.HTTPMethod(rawValue: head.method.rawValue) else {
            return refusal(WebRefusal(400, "Invalid HTTP method."), to: head)
        }
        let target = Self.originForm(head.uri)
        let path = target.prefix { $0 != "?" }
        var headers = Heybot.HTTPHeaders()
        for field in head.headers { headers.add(field.value, for: field.name) }
        let client = client.isEmpty ? nil : client
        let readBody = { @Sendable [connections] (route: Route, limit: Int) async throws -> [UInt8] in
            defer { connections.setActivity(.answering, of: channel) }
            return try await body.read(for: route.id, limit: limit)
        }
        let answer = await routes.answer(method, target, headers: headers, client: client, body: readBody)
        if let answer { return response(answer, to: head) }
        do {
            if let file = try await files?.respond(to: head, path) {
                routes.count("files", status: Int(file.status.code))
                return file
            }
        } catch {
            return refusal(error, to: head)
        }
        let other = await routes.answerUnrouted(method, target, headers: headers, client: client, body: readBody)
        let page = helpPage(head, path)
        // The help page doesn't depend on scripts that don't answer.
        if let other, page == nil || ![404, 503].contains(other.status) { return response(other, to: head) }
        if let page { return response(.redirect(to: page), to: head) }
        return refusal(WebRefusal(404, "Not found."), to: head)
    }

    /// The help page, for a request to the root.
    private func helpPage(_ head: HTTPRequestHead, _ path: Substring) -> String? {
        let isRoot = ["/", "/heybot", "/heybot/", "/hubot", "/hubot/"].contains(path)
        return isRoot && (head.method == .GET || head.method == .HEAD) ? routes.helpPage : nil
    }

    private func refusal(_ refusal: WebRefusal, to head: HTTPRequestHead) -> OutgoingResponse {
        routes.count("none", status: refusal.status)
        return response(refusal.response, to: head)
    }

    private func response(_ response: WebResponse, to head: HTTPRequestHead) -> OutgoingResponse {
        OutgoingResponse(response, isHead: head.method == .HEAD)
    }

    private func mayAsk(_ head: HTTPRequestHead) -> Bool {
        guard let credentials = configuration.credentials else { return true }
        guard let header = head.headers.first(name: "Authorization"), header.lowercased().hasPrefix("basic "),
            let data = Data(base64Encoded: String(header.dropFirst("basic ".count)))
        else { return false }
        return WebRequest.isSame(
            String(decoding: data, as: UTF8.self), "\(credentials.user):\(credentials.password)")
    }

    /// The path and query of a request target, which may also be an absolute URL (RFC 9112 section 3.2.2).
    private static func originForm(_ target: String) -> String {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return target }
        let rest = target[scheme.upperBound...].prefix { $0 != "#" }
        guard let start = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
        return rest[start] == "/" ? String(rest[start...]) : "/\(rest[start...])"
    }
}
