/// Why a request came to nothing.
///
/// It names the host, and never the rest of the URL, which may hold secrets.
public struct HTTPError: Error, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Hashable, Sendable {
        /// The URL can't be one, or is neither `http` nor `https`.
        case badURL
        /// The host isn't known, or nobody takes the connection there.
        case unreachable
        /// The URL leads to an address that is not public, and the request may reach only those that are.
        case notPublic
        /// TLS fails: the certificate doesn't prove who is there, or they share no version of it.
        case untrusted
        /// It took longer than its deadline.
        case timeout
        /// The answer is longer than its limit.
        case tooLong
        /// It was redirected too often, or from `https` to `http`.
        case redirects
        /// The connection broke, or what came is no HTTP.
        case broken
        /// The answer's status says that it didn't go well.
        case status(Int)
        /// The body isn't the JSON that was expected.
        case unreadable
        /// The robot was made without an HTTP client.
        case noClient
    }

    /// What went wrong.
    public let code: Code
    /// Where the request went.
    public let host: String
    /// What more is known.
    public let detail: String?

    /// Makes one; the detail holds no secret.
    public init(_ code: Code, host: String, _ detail: String? = nil) {
        self.code = code
        self.host = host
        self.detail = detail
    }

    public var description: String {
        "\(host) \(problem)\(detail.map { ": \($0)" } ?? "")"
    }

    private var problem: String {
        switch code {
        case .badURL: "can't be asked: the URL must be one of http or https"
        case .unreachable: "can't be reached"
        case .notPublic: "is no public address"
        case .untrusted: "can't be trusted"
        case .timeout: "took too long to answer"
        case .tooLong: "answers more than is allowed"
        case .redirects: "can't be followed where it leads"
        case .broken: "broke off"
        case .status(let status): "answered with status \(status)"
        case .unreadable: "answered what wasn't expected"
        case .noClient: "can't be asked: this robot has no HTTP client"
        }
    }
}

extension HTTPError {
    /// Whether the service, or the way to it, is at fault, and asking again later may do.
    var isAway: Bool {
        switch code {
        case .unreachable, .timeout, .broken: true
        case .status(let status): status == 429 || status >= 500
        case .badURL, .notPublic, .untrusted, .tooLong, .redirects, .unreadable, .noClient: false
        }
    }
}

extension HTTPError: SpokenError {
    public var spoken: String {
        switch code {
        case .badURL: "That's no address I could ask."
        case .notPublic: "\(host) is no place I may look at."
        case .status(404): "\(host) has nothing there."
        case .status(429): "\(host) has had enough of me for now."
        case .timeout: "\(host) took too long to answer."
        case .unreachable, .untrusted, .tooLong, .redirects, .broken, .status, .unreadable, .noClient:
            "I can't get an answer from \(host) just now."
        }
    }

    public var isFailure: Bool { code != .badURL && code != .notPublic && code != .status(404) }
}
