/// Whom a message is from: a server, or somebody as `nick!user@host` (RFC 1459 2.3.1).
public struct Source: Hashable, Sendable, CustomStringConvertible {
    /// The nick, or the server's name.
    public var nick: String
    /// The name on the own machine, with a `~` in front where only its owner says so; nil where none was told.
    public var user: String?
    /// Where somebody connects from, or what the server shows instead; nil where none was told.
    public var host: String?

    /// Makes a source of its parts.
    public init(nick: String, user: String? = nil, host: String? = nil) {
        self.nick = nick
        self.user = user
        self.host = host
    }

    /// Takes `nick!user@host` apart; user and host may be missing.
    ///
    /// The host is what follows the last `@`, for the user is what somebody chose, and the host is not.
    public init(_ text: String) {
        let bytes = text.utf8
        guard let end = bytes.firstIndex(where: { $0 == .exclamationMark || $0 == .at }) else {
            self.init(nick: text)
            return
        }
        let nick = String(text[..<end])
        let rest = text[bytes.index(after: end)...]
        if bytes[end] == .at {
            self.init(nick: nick, host: String(rest))
        } else if let at = rest.utf8.lastIndex(of: .at) {
            self.init(nick: nick, user: String(rest[..<at]), host: String(rest[bytes.index(after: at)...]))
        } else {
            self.init(nick: nick, user: String(rest))
        }
    }

    /// The source as it stands in a message: `nick!user@host`.
    public var description: String {
        nick + (user.map { "!" + $0 } ?? "") + (host.map { "@" + $0 } ?? "")
    }
}
