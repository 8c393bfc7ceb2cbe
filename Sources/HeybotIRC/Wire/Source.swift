/// The source of a message: a server, or a user as `nick!user@host` (RFC 1459 2.3.1).
///
/// It is a class because it is copied several times for each line, which costs less with a reference.
package final class Source: Hashable, Sendable, CustomStringConvertible {
    /// The nick, or the server name.
    package let nick: String
    /// The user name, with a leading `~` if it isn't verified by ident; nil if missing.
    package let user: String?
    /// The host, or a cloak shown instead; nil if missing.
    package let host: String?
    /// The user and the host, as `user@host`, which survive a change of nick; nil if either is missing.
    package let origin: String?

    /// Creates a source from its parts.
    package init(nick: String, user: String? = nil, host: String? = nil) {
        (self.nick, self.user, self.host) = (nick, user, host)
        if let user, let host { origin = user + "@" + host } else { origin = nil }
    }

    /// Parses `nick!user@host`; user and host may be missing.
    ///
    /// After a user name, the host begins behind the last `@`, since users can choose the user name, but not the host.
    package init(_ text: String) {
        var text = text
        (nick, user, host, origin) = text.withUTF8 { bytes in
            func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
            guard let end = bytes.firstIndex(where: { $0 == .exclamationMark || $0 == .at }) else {
                return (part(0..<bytes.count), nil, nil, nil)
            }
            if bytes[end] == .at { return (part(0..<end), nil, part(end + 1..<bytes.count), nil) }
            guard let at = bytes[end...].lastIndex(of: .at) else {
                return (part(0..<end), part(end + 1..<bytes.count), nil, nil)
            }
            return (
                part(0..<end), part(end + 1..<at), part(at + 1..<bytes.count), part(end + 1..<bytes.count)
            )
        }
    }

    package static func == (one: Source, other: Source) -> Bool {
        one.nick == other.nick && one.user == other.user && one.host == other.host
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(nick)
        hasher.combine(user)
        hasher.combine(host)
    }

    /// The source as in a message: `nick!user@host`.
    package var description: String { nick + (user.map { "!" + $0 } ?? "") + (host.map { "@" + $0 } ?? "") }
}

/// Host names.
package enum Hostname {
    /// Whether a server could have that name: letters, digits and hyphens, with at least one dot.
    ///
    /// No label begins or ends with a hyphen or has more than 63 bytes, and the whole name not more than 253 (RFC 1123 2.1). A
    /// trailing dot is allowed, as in `services.`
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
