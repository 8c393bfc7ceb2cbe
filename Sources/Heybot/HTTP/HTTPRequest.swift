import FoundationEssentials

/// An HTTP request.
public struct HTTPRequest: Hashable, Sendable {
    /// The addresses that a request may connect to.
    public enum AddressPolicy: Hashable, Sendable {
        /// All addresses.
        case unrestricted
        /// Public addresses only, for a URL that came from chat: never this machine or its own network.
        ///
        /// The address that is actually connected to is checked, also after a redirect.
        case publicOnly
    }

    /// The method.
    public var method: HTTPMethod
    /// The URL, with the scheme `http` or `https`.
    public var url: String
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body.
    public var body: HTTPRequestBody?
    /// The time limit for the whole request, including redirects and the response's body.
    public var deadline: Duration = .seconds(20)
    /// The maximum size of the response's decoded body in bytes.
    public var limit = 8 << 20
    /// The maximum number of redirects.
    ///
    /// A redirect from `https` to `http` is never followed.
    public var redirects = 5
    /// The addresses that the request may connect to.
    public var addresses: AddressPolicy

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL. Its path and query must be percent-encoded; ``percentEncoded(_:)`` encodes a part.
    ///   - query: Fields to append to the URL's query.
    ///   - headers: The header fields.
    ///   - auth: The credentials for the header Authorization.
    ///   - body: The body.
    ///   - addresses: The addresses that the request may connect to.
    public init(
        _ method: HTTPMethod = .get, _ url: String, query: FormFields = [:], headers: HTTPHeaders = [:],
        auth: HTTPAuthorization? = nil, body: HTTPRequestBody? = nil, addresses: AddressPolicy = .unrestricted
    ) {
        self.method = method
        self.url = Self.url(url, query)
        self.headers = headers
        self.body = body
        self.addresses = addresses
        if let auth { self.headers["Authorization"] = auth.value }
    }

    /// The URL's host, for errors and logs: without path, query and user, which may contain secrets.
    public var host: String { Self.host(of: url) }

    private static func url(_ url: String, _ query: FormFields) -> String {
        guard !query.isEmpty else { return url }
        // By bytes: with a combining mark, the `#` would be part of another character.
        let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        let base = url[..<end]
        let joint = base.utf8.contains(UInt8(ascii: "?")) ? (["?", "&"].contains(base.last) ? "" : "&") : "?"
        return "\(base)\(joint)\(query.encoded)\(url[end...])"
    }

    static func host(of url: String) -> String {
        let none = "a URL without a host"
        guard let scheme = url.utf8.firstRange(of: "://".utf8) else { return none }
        let authority = url.utf8[scheme.upperBound...].prefix { !"/?#\\".utf8.contains($0) }
        let user = authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) }
        let host = authority[(user ?? authority.startIndex)...]
        let isV6 = host.first == UInt8(ascii: "[")
        let bare = host.prefix { $0 != UInt8(ascii: isV6 ? "]" : ":") }
        let name = Substring(bare).unicodeScalars.prefix(253)
        guard !bare.isEmpty, !name.contains(where: isInvisible) else { return none }
        return "\(String(name))\(isV6 ? "]" : "")"
    }

    /// Whether a scalar could change how a log line is displayed.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
        default: false
        }
    }
}

/// An HTTP method (RFC 9110 section 9).
///
/// Methods are case-sensitive.
public struct HTTPMethod: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it is sent, such as `GET`.
    public let rawValue: String

    /// Creates a method; nil if the name isn't a token, and could inject more than a method.
    public init?(rawValue: String) {
        guard HTTPHeaders.isToken(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ name: String) {
        rawValue = name
    }

    /// GET.
    public static let get = Self("GET")
    /// HEAD.
    public static let head = Self("HEAD")
    /// POST.
    public static let post = Self("POST")
    /// PUT.
    public static let put = Self("PUT")
    /// PATCH.
    public static let patch = Self("PATCH")
    /// DELETE.
    public static let delete = Self("DELETE")
    /// OPTIONS.
    public static let options = Self("OPTIONS")

    public var description: String { rawValue }
}

/// The credentials of a request.
public enum HTTPAuthorization: Hashable, Sendable {
    /// Basic authentication (RFC 7617). The user name must contain no colon.
    case basic(user: String, password: String)
    /// A bearer token (RFC 6750).
    case bearer(String)

    /// The value of the header Authorization.
    public var value: String {
        switch self {
        case .basic(let user, let password): "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        case .bearer(let token): "Bearer \(token)"
        }
    }
}
