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
        let parts = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let base = parts[0]
        let joint = base.contains("?") ? (base.hasSuffix("?") || base.hasSuffix("&") ? "" : "&") : "?"
        let fragment = parts.count > 1 ? "#\(parts[1])" : ""
        return "\(base)\(joint)\(query.encoded)\(fragment)"
    }

    static func host(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return "a URL without a host" }
        let authority = url[scheme.upperBound...].prefix { !"/?#\\".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let bare = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        return bare.isEmpty ? "a URL without a host" : String(bare.prefix(253))
    }
}
