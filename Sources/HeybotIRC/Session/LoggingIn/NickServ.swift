/// What is known of the service that is told our password, so that nobody else is told it who only has its nick.
///
/// Unless a setting names its address, it must be on a server whose name begins with `services.`, as `services.libera.chat`, or
/// the network must say that it is a network service: neither is anything that a user can choose.
struct NickServ: Sendable {
    private var source: Source?
    private var server: String?
    private var isService = false

    /// Takes a line of the answer to `WHOIS` (311, 312, 313).
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

    /// Whether it may be told a password; else why not.
    ///
    /// - Parameter mask: What its hostmask must be; nil if that isn't known.
    func problem(_ nick: String, mask: Mask?, by mapping: CaseMapping) -> LoginProblem? {
        if let mask {
            if let source, mask.matches(source, by: mapping) { return nil }
            return "\(nick) is \(source?.description ?? "nobody"), and not \(mask), so it isn't told the password"
        }
        guard let server else { return "no answer from \(nick)" }
        let isForServices = ["services", "service"].contains(server.prefix { $0 != "." })
        if isForServices || isService { return nil }
        return .untrustedService(nick, server: server)
    }
}
