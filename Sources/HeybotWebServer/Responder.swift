import FoundationEssentials
import HTTPTypes
import Heybot
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Answers requests: checks the credentials, then tries the routes, then the static files.
struct Responder: HTTPResponder {
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }
    }

    private let routes: RouteResponder
    private let configuration: HummingbirdServer.Configuration
    private let files: FileMiddleware<Context, StaticFileProvider>?
    private let connections: ConnectionLimiter
    private let budget: BodyMemoryBudget

    init(
        _ routes: RouteResponder, _ configuration: HummingbirdServer.Configuration, _ connections: ConnectionLimiter
    ) {
        self.connections = connections
        budget = BodyMemoryBudget(longest: routes.longestBody)
        self.routes = routes
        self.configuration = configuration
        files = configuration.files.map {
            FileMiddleware(fileProvider: StaticFileProvider($0), searchForIndexHtml: true)
        }
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        let channel = context.channel
        let incoming = IncomingBody(
            request, client: channel.remoteAddress?.ipAddress ?? "", timeout: configuration.bodyTimeout,
            loop: channel.eventLoop, budget: budget)
        connections.setActivity(incoming.isUnread ? .reading : .answering, of: channel)
        var response = await answer(request, context, incoming)
        response.headers[.xContentTypeOptions] = "nosniff"
        let isUnread = incoming.isUnread
        if isUnread { response.headers[.connection] = "close" }
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { [connections] writer in
            try await body.write(writer)
            connections.setActivity(.idle, of: channel)
            // The rest of the body isn't read, so the connection closes, with enough time for the client to read the response.
            if isUnread { channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) } }
        }
        return response
    }

    private func answer(_ request: Request, _ context: Context, _ incoming: IncomingBody) async -> Response {
        guard mayAsk(request) else {
            var response = refusal(
                WebRefusal(401, "Authentication required: send a user and a password (Authorization: Basic)."),
                to: request)
            response.headers[.wwwAuthenticate] = "Basic realm=\"Heybot\", charset=\"UTF-8\""
            return response
        }
        guard let method = HTTPMethod(rawValue: request.method.rawValue) else {
            return refusal(WebRefusal(400, "Invalid HTTP method."), to: request)
        }
        var headers = HTTPHeaders()
        for field in request.headers { headers.add(field.value, for: field.name.rawName) }
        let (channel, connections) = (context.channel, connections)
        let answer = await routes.answer(
            method, request.uri.string, headers: headers, client: channel.remoteAddress?.ipAddress
        ) { route, limit in
            defer { connections.setActivity(.answering, of: channel) }
            return try await incoming.read(for: route.id, limit: limit)
        }
        if let answer { return Self.response(answer, to: request) }
        if let file = await file(request, context) { return file }
        if let page = helpPage(for: request) { return Self.response(.redirect(to: page), to: request) }
        return refusal(WebRefusal(404, "Not found."), to: request)
    }

    private func file(_ request: Request, _ context: Context) async -> Response? {
        guard let files, Self.mayBeShown(request.uri.path) else { return nil }
        do {
            // The middleware misreads a range of the last bytes. Ranges may be ignored (RFC 9110 section 14.2).
            var head = request.head
            if head.headerFields[.range]?.hasPrefix("bytes=-") == true { head.headerFields[.range] = nil }
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            let response = try await files.handle(request, context: context) { _, _ in throw HTTPError(.notFound) }
            if let length = response.headers[.contentLength].flatMap({ Int($0) }), length <= 0,
                response.status == .partialContent
            {
                throw HTTPError(.rangeNotSatisfiable)
            }
            routes.count("files", status: response.status.code)
            return response
        } catch let error as any HTTPResponseError where error.status != .notFound {
            return refusal(WebRefusal(error.status.code, "The request can't be satisfied."), to: request)
        } catch {
            return nil
        }
    }

    /// The help page, for a request to the root.
    private func helpPage(for request: Request) -> String? {
        let isRoot = ["/", "/heybot", "/heybot/", "/hubot", "/hubot/"].contains(request.uri.path)
        return isRoot && [.get, .head].contains(request.method) ? routes.helpPage : nil
    }

    private func refusal(_ refusal: WebRefusal, to request: Request) -> Response {
        routes.count("none", status: refusal.status)
        return Self.response(refusal.response, to: request)
    }

    private static func response(_ response: WebResponse, to request: Request) -> Response {
        var fields = HTTPFields()
        for field in response.headers.fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        let isBodiless = response.status == 204 || response.status == 304
        if !isBodiless { fields[.contentLength] = "\(response.body.count)" }
        let body =
            request.method == .head || isBodiless
            ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
        return Response(status: .init(code: response.status), headers: fields, body: body)
    }

    private func mayAsk(_ request: Request) -> Bool {
        guard let credentials = configuration.credentials else { return true }
        guard let header = request.headers[.authorization], header.lowercased().hasPrefix("basic "),
            let data = Data(base64Encoded: String(header.dropFirst("basic ".count)))
        else { return false }
        return WebRequest.isSame(
            String(decoding: data, as: UTF8.self), "\(credentials.user):\(credentials.password)")
    }

    /// Whether a path may be served: not hidden files, and not paths with an encoded slash or null byte.
    private static func mayBeShown(_ path: String) -> Bool {
        let lower = path.lowercased()
        guard !lower.hasPrefix("//"), !lower.contains("%2f"), !lower.contains("%00") else { return false }
        return !lower.split(separator: "/").contains { $0.hasPrefix(".") || $0.hasPrefix("%2e") }
    }
}
