import HeybotSupport

/// The reason why a stream has ended.
package enum DisconnectReason: Hashable, Sendable, CustomStringConvertible {
    /// The stream broke, or the server closed it.
    case lost(String)
    /// The server didn't answer a ping.
    case pingTimeout
    /// The login didn't complete in time.
    case loginTimeout
    /// The server has ended the session for the sake of another client with the same account; with the server's text.
    case displaced(String)
    /// The server refused the login for a reason that won't go away on its own.
    case refused(String)
    /// The server doesn't offer TLS, which is required.
    case noTLS
    /// The server doesn't serve the domain of the account; with the server's text.
    case unknownDomain(String)
    /// The server refused the account's name or password; with the server's text.
    case badCredentials(String)
    /// The server redirects the client to another host (RFC 6120 section 4.9.3.19), and to a port if it names one.
    case redirected(host: String, port: Int?)
    /// The server acknowledged more stanzas than were sent (XEP-0198 section 4).
    case handledCountTooHigh(handled: UInt32, sent: UInt32)

    /// Whether retrying soon is useless.
    package var isPermanent: Bool {
        switch self {
        case .refused, .noTLS, .unknownDomain, .badCredentials: true
        case .lost, .pingTimeout, .loginTimeout, .displaced, .redirected, .handledCountTooHigh: false
        }
    }

    package var description: String { fix.map { "\(reason): \($0)" } ?? reason }

    /// What can be done about it, if anything in particular.
    package var fix: String? {
        switch self {
        case .noTLS: "enable TLS on the server, or use another server"
        case .unknownDomain: "check the address"
        case .badCredentials: "check both"
        case .displaced: "give each robot its own resource"
        case .lost, .pingTimeout, .loginTimeout, .refused, .redirected, .handledCountTooHigh: nil
        }
    }

    /// What happened, without the fix.
    package var reason: String {
        switch self {
        case .lost(let reason), .refused(let reason): reason
        case .displaced(let words): "another client has logged in with the same resource (\(words))"
        case .noTLS: "the server offers no TLS, so the robot doesn't log in"
        case .unknownDomain(let words): "the server doesn't serve the domain of the account (\(words))"
        case .badCredentials(let words): "the server rejected the account or its password (\(words))"
        case .pingTimeout: "ping timeout: the server stopped responding"
        case .loginTimeout: "login timed out"
        case .redirected(let host, let port): "the server redirects to \(host)\(port.map { ":\($0)" } ?? "")"
        case .handledCountTooHigh(let handled, let sent):
            "the server acknowledged \(handled) stanzas, but the robot has sent \(sent)"
        }
    }

    /// Reads a stream error (RFC 6120 section 4.9).
    init(streamError error: Element) {
        let condition = error.elements.first { $0.namespace == Namespace.streamErrors && $0.name != "text" }
        let name = condition.map { DefinedCondition(SafeText.visible($0.name, limit: 300)) } ?? .undefinedCondition
        let text = SafeText.visible(error.first("text", Namespace.streamErrors)?.text ?? "", limit: 300)
        let words = text.isEmpty ? "\(name)" : "\(name): \(text)"
        switch name {
        case .seeOtherHost:
            self =
                ServerAddress(condition?.text ?? "").map { DisconnectReason.redirected(host: $0.host, port: $0.port) }
                ?? .lost("the server redirects, but doesn't name a valid host")
        case .conflict:
            self = .displaced(words)
        case .hostUnknown:
            self = .unknownDomain(words)
        case .notAuthorized, .unsupportedVersion, .policyViolation:
            self = .refused("the server closed the stream: \(words)")
        default:
            self = .lost("the server closed the stream: \(words)")
        }
    }
}
