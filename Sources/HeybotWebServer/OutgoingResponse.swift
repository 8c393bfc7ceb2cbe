import Heybot
import NIOHTTP1

/// A response to a request, before it is sent.
struct OutgoingResponse {
    enum Body {
        case none
        case bytes([UInt8])
        case file(StaticFile, Range<Int>)
    }

    var status: HTTPResponseStatus
    var headers: NIOHTTP1.HTTPHeaders
    var body: Body

    init(_ status: HTTPResponseStatus, _ headers: NIOHTTP1.HTTPHeaders, _ body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The response of a route or a refusal.
    ///
    /// - Parameter isHead: Whether the request's method is HEAD, so that the body isn't sent (RFC 9110 section 9.3.2).
    init(_ response: WebResponse, isHead: Bool) {
        var headers = NIOHTTP1.HTTPHeaders()
        headers.reserveCapacity(response.headers.fields.count + 4)
        for field in response.headers.fields { headers.add(name: field.name, value: field.value) }
        let isBodiless = response.status == 204 || response.status == 304
        // A script's own answer to HEAD has no body, but the length that GET has.
        if !isBodiless, !(isHead && response.body.isEmpty && headers.contains(name: "Content-Length")) {
            headers.replaceOrAdd(name: "Content-Length", value: "\(response.body.count)")
        }
        self.init(
            HTTPResponseStatus(statusCode: response.status), headers,
            isHead || isBodiless ? .none : .bytes(response.body))
    }

    /// Completes the header fields, and returns the head.
    ///
    /// - Parameter closes: Whether the connection closes after the response (RFC 9112 section 9.6).
    func head(closes: Bool) -> HTTPResponseHead {
        var headers = headers
        headers.replaceOrAdd(name: "Date", value: HTTPDate.now)
        if closes { headers.replaceOrAdd(name: "Connection", value: "close") }
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }
}
