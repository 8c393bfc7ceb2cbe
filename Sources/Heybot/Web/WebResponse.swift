import FoundationEssentials

/// What a route answers.
public struct WebResponse: Hashable, Sendable {
    /// How it went (RFC 9110 section 15).
    public var status: Int
    /// Its header fields.
    public var headers: HTTPHeaders
    /// Its body.
    public var body: [UInt8]

    /// Makes an answer; one with a body names its type in the headers.
    public init(status: Int = 200, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Nothing, and that is well: status 204.
    public static let empty = Self(status: 204)

    /// A text.
    public static func text(_ text: String, status: Int = 200) -> Self {
        Self(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// A page; whoever makes it escapes what comes from others.
    public static func html(_ html: String, status: Int = 200) -> Self {
        Self(status: status, headers: ["Content-Type": "text/html; charset=utf-8"], body: Array(html.utf8))
    }

    /// A value as JSON, its keys sorted.
    ///
    /// - Throws: `EncodingError` if it can't be.
    public static func json(_ value: some Encodable, status: Int = 200) throws -> Self {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Self(
            status: status, headers: ["Content-Type": "application/json"], body: Array(try encoder.encode(value)))
    }

    /// Sends whoever asks elsewhere, with GET.
    public static func redirect(to url: String) -> Self {
        Self(status: 303, headers: ["Location": url])
    }
}

/// Why a request isn't done as it was asked: a route throws it, and the robot answers it.
///
/// Of other errors those for people (``SpokenError``) are answered with their words and status 422, or 503 if they
/// are trouble; the rest with status 500 and no more than that something went wrong. Trouble is logged and counted.
public struct WebRefusal: Error, Hashable, CustomStringConvertible {
    /// The status it is answered with.
    public let status: Int
    /// What it is answered with, a sentence.
    public let text: String

    /// Says why not.
    public init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }

    public var description: String { "\(status): \(text)" }

    /// The answer.
    public var response: WebResponse { .text("\(text)\n", status: status) }
}
