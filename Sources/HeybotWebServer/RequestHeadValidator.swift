import NIOCore
import NIOHTTP1

/// Refuses requests with invalid heads, with the same error as the parser.
///
/// Refused are requests whose end a proxy might see at another place, and those without exactly one host: they are used to
/// smuggle requests past a proxy (RFC 9112 sections 3.2, 6.1, 6.3 and 11.2).
final class RequestHeadValidator: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Whether a head was refused.
    ///
    /// What follows it can't be trusted.
    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), let problem = Self.problem(of: head) {
            hasRefused = true
            return context.fireErrorCaught(problem)
        }
        context.fireChannelRead(data)
    }

    private static func problem(of head: HTTPRequestHead) -> HTTPParserError? {
        let hosts = head.headers["Host"]
        guard hosts.count == 1 || hosts.isEmpty && head.version == .http1_0, hosts.allSatisfy(mayBeHost) else {
            return .invalidHeaderToken
        }
        let lengths = head.headers["Content-Length"]
        guard lengths.allSatisfy({ Int64($0) != nil }) else { return .invalidContentLength }
        let codings = head.headers["Transfer-Encoding"]
        // HTTP/1.0 has no transfer codings, and this is the only one that the server supports.
        guard codings.isEmpty || codings.count == 1 && codings[0].lowercased() == "chunked" && head.version == .http1_1
        else {
            return .invalidHeaderToken
        }
        return nil
    }

    /// Whether the text contains only characters that are valid in a host and port (RFC 3986 section 3.2).
    ///
    /// It may be empty.
    private static func mayBeHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"/?#@,\\\"<>^`{|}".utf8.contains($0) }
    }
}
