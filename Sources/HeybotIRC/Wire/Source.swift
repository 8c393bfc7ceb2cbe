/// Whom a message is from: a server, or somebody as `nick!user@host` (RFC 1459 2.3.1).
package struct Source: Hashable, Sendable, CustomStringConvertible {
    /// The nick, or the server's name.
    package let nick: String
    /// The source as it stands in a message: `nick!user@host`.
    package let description: String

    /// Makes a source of its parts.
    package init(nick: String, user: String? = nil, host: String? = nil) {
        self.nick = nick
        description = nick + (user.map { "!" + $0 } ?? "") + (host.map { "@" + $0 } ?? "")
    }

    /// Takes `nick!user@host` apart; user and host may be missing.
    ///
    /// The host is what follows the last `@`, for the user is what somebody chose, and the host is not.
    package init(_ text: String) {
        description = text
        nick = text.utf8.firstIndex { $0 == .exclamationMark || $0 == .at }.map { String(text[..<$0]) } ?? text
    }

    /// The name on the own machine, with a `~` in front if only its owner says so; nil if none was told.
    package var user: String? {
        guard rest.first == .exclamationMark else { return nil }
        return String(Substring(rest.dropFirst().prefix(upTo: rest.lastIndex(of: .at) ?? rest.endIndex)))
    }

    /// The user and the host, as `user@host`, which stay the same when somebody changes their nick; nil if either is missing.
    package var origin: String? {
        guard let user, let host else { return nil }
        return "\(user)@\(host)"
    }

    /// If somebody connects from, or what the server shows instead; nil if none was told.
    package var host: String? {
        if rest.first == .at { return String(Substring(rest.dropFirst())) }
        return rest.lastIndex(of: .at).map { String(Substring(rest.suffix(from: rest.index(after: $0)))) }
    }

    /// What follows the nick: few ask for it, so nothing is made of it for every message.
    private var rest: Substring.UTF8View { description.utf8.dropFirst(nick.utf8.count) }
}

/// The name of a machine.
package enum Hostname {
    /// Whether it is one a server would show: letters, digits and hyphens, with at least one dot.
    ///
    /// No part begins or ends with a hyphen or has more than 63 bytes, the whole not more than 253 (RFC 1123 2.1). A dot
    /// may be at the end, as in `services.`
    package static func isValid(_ name: String) -> Bool {
        var parts = name.utf8.split(separator: .dot, omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, parts.count > 1 else { return false }
        if parts.last?.isEmpty == true { parts.removeLast() }
        return parts.allSatisfy { part in
            (1...63).contains(part.count) && part.first != .hyphen && part.last != .hyphen
                && part.allSatisfy { $0.isLetter || $0.isDigit || $0 == .hyphen }
        }
    }
}
