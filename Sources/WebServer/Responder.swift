import FoundationEssentials
import HTTPTypes
import Heybot
import Hummingbird
import HummingbirdCore
import NIOCore
import Sockets

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
    private let files: FileMiddleware<Context, LocalFileSystem>?

    init(_ routes: Routes, _ configuration: HummingbirdServer.Configuration) {
        self.routes = routes
        self.configuration = configuration
        files = configuration.files.map {
            FileMiddleware($0, searchForIndexHtml: true).withServeOnNotFoundResponse()
        }
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        var response: Response
        if !mayAsk(request) {
            response = Self.response(WebRefusal(401, "Who are you?").response, to: request)
            response.headers[.wwwAuthenticate] = "Basic realm=\"Heybot\", charset=\"UTF-8\""
        } else if let files, !Self.isHidden(request.uri.path) {
            do {
                response = try await files.handle(request, context: context) { await answer($0, $1) }
            } catch let error as any HTTPResponseError {
                response = Self.response(
                    WebRefusal(error.status.code, "That can't be answered.").response, to: request)
            }
        } else {
            response = await answer(request, context)
        }
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    private func answer(_ request: Request, _ context: Context) async -> Response {
        guard let method = HTTPMethod(rawValue: request.method.rawValue) else {
            return Self.response(WebRefusal(400, "That is no method.").response, to: request)
        }
        var headers = HTTPHeaders()
        for field in request.headers { headers.add(field.value, for: field.name.rawName) }
        let incoming = IncomingBody(
            request, patience: configuration.patience, loop: context.channel.eventLoop)
        let response = await routes.answer(
            method, request.uri.string, headers: headers,
            client: context.channel.remoteAddress?.ipAddress
        ) { try await incoming.read(limit: $0) }
        return Self.response(response, to: request, endingConnectionOf: incoming.isLeft ? context.channel : nil)
    }

    /// Where what was sent isn't read, the connection ends, with time to take the answer.
    private static func response(
        _ response: WebResponse, to request: Request, endingConnectionOf channel: (any Channel)? = nil
    ) -> Response {
        var fields = HTTPFields()
        for field in response.headers.fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        let isBodiless = response.status == 204 || response.status == 304 || 100..<200 ~= response.status
        if !isBodiless { fields[.contentLength] = "\(response.body.count)" }
        if let channel {
            fields[.connection] = "close"
            channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        }
        let body = request.method == .head || isBodiless ? nil : ByteBuffer(bytes: response.body)
        return Response(
            status: .init(code: response.status), headers: fields,
            body: body.map { ResponseBody(byteBuffer: $0) } ?? .init())
    }

    private func mayAsk(_ request: Request) -> Bool {
        guard let credentials = configuration.credentials else { return true }
        guard let header = request.headers[.authorization], header.lowercased().hasPrefix("basic "),
            let data = Data(base64Encoded: String(header.dropFirst("basic ".count)))
        else { return false }
        return WebRequest.isSame(
            String(decoding: data, as: UTF8.self), "\(credentials.user):\(credentials.password)")
    }

    /// Whether a part of the path begins with a dot: such files are nobody's business.
    private static func isHidden(_ path: String) -> Bool {
        path.split(separator: "/").contains { $0.hasPrefix(".") || $0.lowercased().hasPrefix("%2e") }
    }
}
