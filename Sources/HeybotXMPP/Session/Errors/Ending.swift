import HeybotSupport

/// Why a stream is over.
package enum Ending: Hashable, Sendable, CustomStringConvertible {
    /// The stream broke, or the server closed it, for its reason if it told one.
    case lost(String)
    /// Nothing came from the server any more.
    case silent
    /// The server didn't let us in in time.
    case unwelcome
    /// Trying again soon would be of no use: our password is wrong, or the server is none for us.
    case refused(String)
    /// The server has no TLS, and we want it.
    case noTLS
    /// The server isn't one of our address's domain; with its words.
    case unknownDomain(String)
    /// The server takes account and password not together; with its words.
    case wrongPassword(String)
    /// The server sends us to another one (RFC 6120 section 4.9.3.19): its host, and a port if it tells one.
    case moved(host: String, port: Int?)

    /// Whether trying again soon would be of no use.
    package var isLasting: Bool {
        switch self {
        case .refused, .noTLS, .unknownDomain, .wrongPassword: true
        case .lost, .silent, .unwelcome, .moved: false
        }
    }

    package var description: String { cure.map { "\(reason): \($0)" } ?? reason }

    /// What can be done about it, if there is something of its own.
    package var cure: String? {
        switch self {
        case .noTLS: "use one that does"
        case .unknownDomain: "check the address"
        case .wrongPassword: "check both"
        case .lost, .silent, .unwelcome, .refused, .moved: nil
        }
    }

    /// What has happened, without the cure.
    package var reason: String {
        switch self {
        case .lost(let reason), .refused(let reason): reason
        case .noTLS: "the server offers no TLS, so nothing is told to it"
        case .unknownDomain(let words): "the server doesn't know the domain of my address (\(words))"
        case .wrongPassword(let words): "the server refuses the account or its password (\(words))"
        case .silent: "the server has gone silent"
        case .unwelcome: "the server didn't let me in in time"
        case .moved(let host, let port): "the server sends me to \(host)\(port.map { ":\($0)" } ?? "")"
        }
    }

    /// What a stream error means (RFC 6120 section 4.9).
    init(streamError error: Element) {
        let condition = error.elements.first { $0.namespace == Namespace.streamErrors && $0.name != "text" }
        let name = condition.map { ErrorCondition(SafeText.visible($0.name, limit: 300)) } ?? .undefinedCondition
        let text = SafeText.visible(error.first("text", Namespace.streamErrors)?.text ?? "", limit: 300)
        let words = text.isEmpty ? "\(name)" : "\(name): \(text)"
        switch name {
        case .seeOtherHost:
            self =
                Self.moved(to: condition?.text ?? "") ?? .lost("the server sends me elsewhere, but doesn't say where")
        case .conflict:
            self = .lost("somebody else has logged in as me (\(words)): give each robot a resource of its own")
        case .hostUnknown:
            self = .unknownDomain(words)
        case .notAuthorized, .unsupportedVersion, .policyViolation:
            self = .refused("the server closed the stream: \(words)")
        default:
            self = .lost("the server closed the stream: \(words)")
        }
    }

    /// A host, perhaps with a port; an IPv6 address stands in brackets.
    private static func moved(to text: String) -> Ending? {
        var host = text[...]
        var port: Int?
        if let colon = host.lastIndex(of: ":"), !host[host.index(after: colon)...].contains("]"),
            host.first == "[" || host.firstIndex(of: ":") == colon
        {
            guard let number = Int(host[host.index(after: colon)...]), (1...65_535).contains(number) else { return nil }
            port = number
            host = host[..<colon]
        }
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        let isHost = (1...253).contains(host.utf8.count) && host.utf8.allSatisfy(isOfHost)
        return isHost ? .moved(host: String(host), port: port) : nil
    }

    /// Whether names of hosts, or addresses, are made of it.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
