import NIOCore
import NIOHTTP1

/// Refuses requests whose heads are not what HTTP/1.1 demands, with status 400, and says of each whether the connection ends.
///
/// A request that a proxy in front might end at another place than we do, and one without a host, or with several, are
/// refused: they are how requests are smuggled past a proxy (RFC 9112 sections 3.2, 6.1, 6.3 and 11.2).
final class HeadHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Whether a head was refused: nothing that follows it can be trusted.
    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if let problem = Self.problem(of: head) {
            hasRefused = true
            // As what the parser itself refuses.
            return context.fireErrorCaught(problem)
        }
        // Hummingbird knows neither versions nor lists of connection options.
        if !head.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private static func problem(of head: HTTPRequestHead) -> HTTPParserError? {
        let hosts = head.headers["Host"]
        guard hosts.count == 1 || hosts.isEmpty && head.version == .http1_0, hosts.allSatisfy(mayBeHost) else {
            return .invalidHeaderToken
        }
        let lengths = head.headers["Content-Length"]
        guard lengths.allSatisfy({ Int64($0) != nil }) else { return .invalidContentLength }
        let codings = head.headers["Transfer-Encoding"]
        // HTTP/1.0 has no codings, and this is the only one that this server understands.
        guard codings.isEmpty || codings.count == 1 && codings[0].lowercased() == "chunked" && head.version == .http1_1
        else {
            return .invalidHeaderToken
        }
        return nil
    }

    /// Whether the text has only what may be in a host and a port (RFC 3986 section 3.2); it may be empty.
    private static func mayBeHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"/?#@,\\\"<>^`{|}".utf8.contains($0) }
    }
}
