import FoundationEssentials

/// What a script wants from the web.
public struct HTTPRequest: Hashable, Sendable {
    /// What a request may reach.
    public enum Reach: Hashable, Sendable {
        /// Whatever the machine reaches.
        case anywhere
        /// Public addresses only, for a URL that came from chat: never this machine or its own network.
        ///
        /// What counts is the address that is really connected to, after every redirect too.
        case publicOnly
    }

    /// What is to be done.
    public var method: HTTPMethod
    /// What it is about; `http` or `https`.
    public var url: String
    /// Its header fields.
    public var headers: HTTPHeaders
    /// What it carries.
    public var body: HTTPBody?
    /// How long all of it may take, redirects and the answer's body included.
    public var deadline: Duration = .seconds(20)
    /// How many bytes the answer's body may have, once it is unpacked.
    public var limit = 8 << 20
    /// How many redirects are followed; none leads from `https` to `http`.
    public var redirects = 5
    /// What it may reach.
    public var reach: Reach

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: What is to be done.
    ///   - url: Its path's parts and query are percent-encoded; ``percentEncoded(_:)`` does that for a part.
    ///   - query: Added to the query that the URL has.
    ///   - headers: Its header fields.
    ///   - auth: Who sends it.
    ///   - body: What it carries.
    ///   - reach: What it may reach.
    public init(
        _ method: HTTPMethod = .get, _ url: String, query: FormFields = [:], headers: HTTPHeaders = [:],
        auth: HTTPAuthorization? = nil, body: HTTPBody? = nil, reach: Reach = .anywhere
    ) {
        self.method = method
        self.url = Self.url(url, query)
        self.headers = headers
        self.body = body
        self.reach = reach
        if let auth { self.headers["Authorization"] = auth.value }
    }

    /// Where it goes, as an error may name it: without the path, the query and the user, which may hold secrets.
    public var host: String { Self.host(of: url) }

    private static func url(_ url: String, _ query: FormFields) -> String {
        guard !query.isEmpty else { return url }
        // Byte by byte: a character may be a mark with something on top.
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

    /// Whether it would make another thing of a line than what stands there.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
        default: false
        }
    }
}

/// What is to be done with a resource (RFC 9110 section 9).
///
/// Methods are told apart by case, as the RFC has it.
public struct HTTPMethod: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it is sent, such as `GET`.
    public let rawValue: String

    /// Takes a method by the name it is sent by; nil if that is no token, which could bring in more than a method.
    public init?(rawValue: String) {
        guard HTTPHeaders.isToken(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ name: String) {
        rawValue = name
    }

    public static let get = Self("GET")
    public static let head = Self("HEAD")
    public static let post = Self("POST")
    public static let put = Self("PUT")
    public static let patch = Self("PATCH")
    public static let delete = Self("DELETE")
    public static let options = Self("OPTIONS")

    public var description: String { rawValue }
}

/// How a request proves who sends it.
public enum HTTPAuthorization: Hashable, Sendable {
    /// A user and a password (RFC 7617); a colon can't be in the user's name.
    case basic(user: String, password: String)
    /// A token (RFC 6750).
    case bearer(String)

    /// The value of the header Authorization.
    public var value: String {
        switch self {
        case .basic(let user, let password): "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        case .bearer(let token): "Bearer \(token)"
        }
    }
}
