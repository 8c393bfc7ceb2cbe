import FoundationEssentials

/// The response of a route.
public struct WebResponse: Hashable, Sendable {
    /// The status code (RFC 9110 section 15).
    public var status: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body.
    public var body: [UInt8]

    /// Creates a response.
    ///
    /// If it has a body, set the header Content-Type.
    public init(status: Int = 200, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An empty response with status 204.
    public static let empty = Self(status: 204)

    /// A plain text response.
    public static func text(_ text: String, status: Int = 200) -> Self {
        Self(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// An HTML response.
    ///
    /// The caller must escape foreign text.
    public static func html(_ html: String, status: Int = 200) -> Self {
        Self(status: status, headers: ["Content-Type": "text/html; charset=utf-8"], body: Array(html.utf8))
    }

    /// A JSON response with sorted keys.
    ///
    /// - Throws: `EncodingError` if the value can't be encoded.
    public static func json(_ value: some Encodable, status: Int = 200) throws -> Self {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Self(
            status: status, headers: ["Content-Type": "application/json"], body: Array(try encoder.encode(value)))
    }

    /// A redirect with status 303, which the client follows with GET.
    public static func redirect(to url: String) -> Self {
        Self(status: 303, headers: ["Location": url])
    }
}

/// An error with an HTTP status, thrown by a route to refuse a request.
///
/// If a route throws another error, the response depends on its type. A ``UserFacingError`` gives its message with status
/// 422, or with 503 if ``UserFacingError/isFailure`` is true. Any other error gives status 500 and a general message.
/// Failures are logged and counted.
public struct WebRefusal: Error, Hashable, CustomStringConvertible {
    /// The status of the response.
    public let status: Int
    /// The text of the response, a sentence.
    public let text: String

    /// Creates an error with a status and a sentence.
    public init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }

    public var description: String { "\(status): \(text)" }

    /// The response to send.
    public var response: WebResponse { .text("\(text)\n", status: status) }
}
