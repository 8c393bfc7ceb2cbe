// Determines the certificate fingerprints of a sender.

extension Session {
    /// The certificate fingerprints of a message's sender, while they stay in sight, if the session reads certificates.
    func certificates(of source: Source, _ nickKey: String) -> [String] {
        guard let member = members.user(nickKey), isSame(member, source) else { return [] }
        return member.certificates ?? []
    }

    /// Queries the certificate of a user who says something, if it isn't known.
    ///
    /// A connection's certificate never changes, so one query is enough.
    mutating func requestCertificate(of source: Source, _ key: String) {
        guard readsCertificates, let member = members.user(key),
            member.certificates == nil || !isSame(member, source)
        else { return }
        let flow = Self.queryFlow("WHOIS", source)
        guard queue.count(of: flow) < Self.maxQueries, certificateQueries.mayAsk(key, at: now) else { return }
        queue.put(.whois(source.nick), in: flow)
    }

    /// Returns a `WHOIS` query for a user; nil if they are out of sight.
    mutating func whois(_ nick: String) -> IRCMessage? {
        let key = fold(nick)
        guard members.user(key) != nil else { return nil }
        return certificateQueries.line(about: nick, key, number: accountQueries.makeNumber())
    }

    /// Handles a line of the answer to `WHOIS` (311, 276, 318).
    mutating func handleWhois(_ message: IRCMessage) {
        guard readsCertificates, message.parameters.count > 1 else { return }
        let key = fold(message.parameters[1])
        guard let answer = certificateQueries.receive(message, about: key), let member = members.user(key),
            member.firstQuery <= answer.number
        else { return }
        members.update(key) {
            ($0.user, $0.host) = (answer.user, answer.host)
            if !$0.mayBeHidden { $0.certificates = answer.fingerprints }
        }
    }
}
