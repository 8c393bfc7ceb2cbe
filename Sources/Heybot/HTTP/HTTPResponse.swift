public import FoundationEssentials

/// What the web answered.
public struct HTTPResponse: Hashable, Sendable {
    /// What it is the answer of, after every redirect.
    public let url: String
    /// How it went (RFC 9110 section 15).
    public let status: Int
    /// Its header fields.
    public let headers: HTTPHeaders
    /// Its body, unpacked.
    public let body: [UInt8]

    /// Makes an answer.
    public init(url: String, status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Whether the status says that it went well: 200 to 299.
    public var isSuccess: Bool { 200..<300 ~= status }

    /// Itself, if it went well.
    ///
    /// - Throws: ``HTTPError`` with the status if it didn't.
    @discardableResult
    public func checked() throws(HTTPError) -> Self {
        guard isSuccess else { throw HTTPError(.status(status), host: HTTPRequest.host(of: url)) }
        return self
    }

    /// The body as text, by the charset that its type names, or else UTF-8; what can't be read is mended with U+FFFD.
    public var text: String {
        Charset(contentType: headers["Content-Type"]).text(of: body)
    }

    /// The body as a value, if it went well.
    ///
    /// - Throws: ``HTTPError`` if the status says that it didn't, or the body is another JSON, or none.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws(HTTPError) -> Value {
        try checked()
        do {
            return try decoder.decode(type, from: Data(body))
        } catch {
            throw HTTPError(.unreadable, host: HTTPRequest.host(of: url), JSONProblem(error).description)
        }
    }
}
