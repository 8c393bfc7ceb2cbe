import FoundationEssentials
import HTTPTypes
import Heybot
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Answers requests: whoever may not ask is told so, then the routes are asked, then the files.
struct Responder: HTTPResponder {
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }
    }

    private let routes: Routes
    private let configuration: HummingbirdServer.Configuration
    private let files: FileMiddleware<Context, FolderFiles>?
    private let connections: Connections
    private let budget: BodyBudget

    init(
        _ routes: Routes, _ configuration: HummingbirdServer.Configuration, _ connections: Connections
    ) {
        self.connections = connections
        budget = BodyBudget(longest: routes.longestBody)
        self.routes = routes
        self.configuration = configuration
        files = configuration.files.map { FileMiddleware(fileProvider: FolderFiles($0), searchForIndexHtml: true) }
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        let channel = context.channel
        let incoming = IncomingBody(
            request, client: channel.remoteAddress?.ipAddress ?? "", patience: configuration.patience,
            loop: channel.eventLoop, budget: budget)
        connections.note(incoming.isLeft ? .reading : .answering, of: channel)
        var response = await answer(request, context, incoming)
        response.headers[.xContentTypeOptions] = "nosniff"
        let isLeft = incoming.isLeft
        if isLeft { response.headers[.connection] = "close" }
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { [connections] writer in
            try await body.write(writer)
            connections.note(.idle, of: channel)
            // Nobody reads the rest, so the connection ends with the answer, and with time to take that.
            if isLeft { channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) } }
        }
        return response
    }

    private func answer(_ request: Request, _ context: Context, _ incoming: IncomingBody) async -> Response {
        guard mayAsk(request) else {
            var response = refusal(
                WebRefusal(401, "A user and a password are needed here (Authorization: Basic)."), to: request)
            response.headers[.wwwAuthenticate] = "Basic realm=\"Heybot\", charset=\"UTF-8\""
            return response
        }
        guard let method = HTTPMethod(rawValue: request.method.rawValue) else {
            return refusal(WebRefusal(400, "That is no method."), to: request)
        }
        var headers = HTTPHeaders()
        for field in request.headers { headers.add(field.value, for: field.name.rawName) }
        let (channel, connections) = (context.channel, connections)
        let answer = await routes.answer(
            method, request.uri.string, headers: headers, client: channel.remoteAddress?.ipAddress
        ) { route, limit in
            defer { connections.note(.answering, of: channel) }
            return try await incoming.read(for: route.id, limit: limit)
        }
        if let answer { return Self.response(answer, to: request) }
        if let file = await file(request, context) { return file }
        if let page = helpPage(for: request) { return Self.response(.redirect(to: page), to: request) }
        return refusal(WebRefusal(404, "There is nothing here."), to: request)
    }

    private func file(_ request: Request, _ context: Context) async -> Response? {
        guard let files, Self.mayBeShown(request.uri.path) else { return nil }
        do {
            // The middleware takes the last bytes for the first ones; a range may be left out (RFC 9110 section 14.2).
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
            return refusal(WebRefusal(error.status.code, "That can't be answered."), to: request)
        } catch {
            return nil
        }
    }

    /// Where somebody goes who asks for no path in particular.
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

    /// Whether a file of that path may be shown: one with a part that begins with a dot is nobody's business, and a slash
    /// or a zero byte that is encoded is a trick.
    private static func mayBeShown(_ path: String) -> Bool {
        let lower = path.lowercased()
        guard !lower.hasPrefix("//"), !lower.contains("%2f"), !lower.contains("%00") else { return false }
        return !lower.split(separator: "/").contains { $0.hasPrefix(".") || $0.hasPrefix("%2e") }
    }
}
