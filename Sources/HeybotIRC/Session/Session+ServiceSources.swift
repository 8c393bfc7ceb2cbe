import HeybotSupport

// Distinguishes users from other senders of messages, such as servers and services.

extension Session {
    /// Whether the source isn't a user: a server, the network's services, a bouncer's module such as `*status`.
    ///
    /// Mutating, because otherwise the session is copied to call it.
    mutating func isService(_ source: Source) -> Bool {
        guard let host = source.host, source.user != nil else { return true }
        if source.nick.utf8.first == UInt8(ascii: "*") { return true }
        return Self.isServiceNick(source.nick)
            || support.caseMapping.areSame(source.nick, serviceNick) || Self.isServices(host)
    }

    private static func isServiceNick(_ nick: String) -> Bool {
        // Most nicks have another last letter or length.
        switch (nick.utf8.last.map { $0 | 0x20 }, nick.utf8.count) {
        case (UInt8(ascii: "v"), _), (UInt8(ascii: "s"), 4), (UInt8(ascii: "l"), 6):
            services.contains(nick.lowercased())
        default: false
        }
    }

    private static func isServices(_ host: String) -> Bool {
        // Most hosts have another first letter.
        guard let first = host.utf8.first, first | 0x20 == UInt8(ascii: "s") else { return false }
        let host = host.lowercased()
        return host == "services" || host.hasPrefix("services.")
    }

    /// The nicks that networks reserve for services.
    private static let services: Set = [
        "nickserv", "chanserv", "memoserv", "operserv", "botserv", "hostserv", "saslserv", "groupserv", "infoserv",
        "helpserv", "statserv", "gameserv", "alis", "authserv", "userserv", "rpgserv", "spamserv", "global"
    ]
}
