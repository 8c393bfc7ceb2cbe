public import FoundationEssentials

/// An HTTP response.
public struct HTTPResponse: Hashable, Sendable {
    /// The URL of the response, after all redirects.
    public let url: String
    /// The status code (RFC 9110 section 15).
    public let status: Int
    /// The header fields.
    public let headers: HTTPHeaders
    /// The decoded body.
    public let body: [UInt8]

    /// Creates a response.
    public init(url: String, status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Whether the status is a success: 200 to 299.
    public var isSuccess: Bool { 200..<300 ~= status }

    /// Returns the response itself if its status is a success.
    ///
    /// - Throws: ``HTTPError`` with the status otherwise.
    @discardableResult
    public func checked() throws(HTTPError) -> Self {
        guard isSuccess else { throw HTTPError(.status(status), host: HTTPRequest.host(of: url)) }
        return self
    }

    /// The body as text, decoded with the charset of its Content-Type, by default UTF-8.
    ///
    /// Invalid bytes become U+FFFD.
    public var text: String {
        Charset(contentType: headers["Content-Type"]).text(of: body)
    }

    /// Decodes the JSON body, if the status is a success.
    ///
    /// - Throws: ``HTTPError`` if the status isn't a success, or the body isn't the expected JSON.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws(HTTPError) -> Value {
        try checked()
        do {
            return try decoder.decode(type, from: Data(body))
        } catch {
            throw HTTPError(.unreadable, host: HTTPRequest.host(of: url), DecodingErrorDescription(error).description)
        }
    }
}
