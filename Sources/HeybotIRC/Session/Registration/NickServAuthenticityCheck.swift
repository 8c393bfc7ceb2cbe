/// The identity of the service that receives the password, so that it isn't sent to a user who has taken the service's nick.
///
/// If no address is configured, the service must be on a server whose name begins with `services.`, as `services.libera.chat`, or
/// the server must report that it is a network service. A user can choose neither.
struct NickServAuthenticityCheck: Sendable {
    private var source: Source?
    private var server: String?
    private var isService = false

    /// Handles a line of the answer to `WHOIS` (311, 312, 313).
    mutating func receive(_ message: IRCMessage) {
        let parameters = message.parameters
        switch message.numeric {
        case .whoisUser where parameters.count > 3:
            source = Source(nick: parameters[1], user: parameters[2], host: parameters[3])
        case .whoisServer where parameters.count > 2: server = parameters[2].lowercased()
        case .whoisOperator where parameters.count > 2:
            isService = parameters[2].lowercased().contains("network service")
        default: break
        }
    }

    /// Returns why the password must not be sent to the service; nil if it may be.
    ///
    /// - Parameter mask: The hostmask that the service must have; nil if none is configured.
    func problem(_ nick: String, mask: Mask?, by mapping: CaseMapping) -> LoginFailureReason? {
        if let mask {
            if let source, mask.matches(source, by: mapping) { return nil }
            let found = source.map { "\(nick) is \($0), not \(mask)" } ?? "nobody has the nick \(nick)"
            return "\(found), so the password wasn't sent"
        }
        guard let server else { return "no answer from \(nick)" }
        let isForServices = ["services", "service"].contains(server.prefix { $0 != "." })
        if isForServices || isService { return nil }
        return .untrustedService(nick, server: server)
    }
}
