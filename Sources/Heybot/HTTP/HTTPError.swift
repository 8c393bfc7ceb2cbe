/// The reason why a request failed.
///
/// It contains the host, but never the rest of the URL, which may contain secrets.
public struct HTTPError: Error, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Hashable, Sendable {
        /// The URL is invalid, or is neither `http` nor `https`.
        case badURL
        /// The host is unknown, or no connection could be made.
        case unreachable
        /// The request allows only public addresses, but the URL leads to another address, or to a port of another protocol.
        case notPublic
        /// TLS failed: the certificate is invalid, or there is no common version of TLS.
        case untrusted
        /// The request took longer than its deadline.
        case timeout
        /// The response is longer than the request's limit.
        case tooLong
        /// There were too many redirects, or one from `https` to `http`.
        case redirects
        /// The connection broke, or the response isn't valid HTTP.
        case broken
        /// The status isn't a success.
        case status(Int)
        /// The body isn't the expected JSON.
        case unreadable
        /// The robot has no HTTP client.
        case noClient
    }

    /// The kind of error.
    public let code: Code
    /// The host that the request was for.
    public let host: String
    /// Further details, without secrets.
    public let detail: String?

    /// Creates an error.
    ///
    /// The detail must contain no secret.
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
        case .badURL: "can't be requested: the URL isn't a valid http or https URL"
        case .unreachable: "can't be reached"
        case .notPublic: "isn't a public web address"
        case .untrusted: "can't be trusted"
        case .timeout: "took too long to answer"
        case .tooLong: "sent a response that is too long"
        case .redirects: "sent a redirect that can't be followed"
        case .broken: "sent no valid response"
        case .status(let status): "answered with status \(status)"
        case .unreadable: "sent an unexpected response"
        case .noClient: "can't be requested: this robot has no HTTP client"
        }
    }
}

extension HTTPError {
    /// Whether the failure is the service's or the network's, so that a later retry may succeed.
    var isTransient: Bool {
        switch code {
        case .unreachable, .timeout, .broken: true
        case .status(let status): status == 429 || status >= 500
        case .badURL, .notPublic, .untrusted, .tooLong, .redirects, .unreadable, .noClient: false
        }
    }
}

extension HTTPError: UserFacingError {
    /// A sentence for chat, without the detail.
    public var userMessage: String {
        switch code {
        case .badURL: "That isn't a valid web address."
        case .notPublic: "\(host) isn't a public web address, so I won't open it."
        case .status(404): "I found nothing at \(host)."
        case .status(429): "\(host) is limiting my requests. Try again later."
        case .timeout: "\(host) took too long to answer."
        case .unreachable, .untrusted, .tooLong, .redirects, .broken, .status, .unreadable, .noClient:
            "I can't get an answer from \(host) just now."
        }
    }

    /// Whether it is logged and counted: false if the user's URL is the cause, or nothing was found.
    public var isFailure: Bool { code != .badURL && code != .notPublic && code != .status(404) }
}
