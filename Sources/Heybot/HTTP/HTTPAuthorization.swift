import FoundationEssentials

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
