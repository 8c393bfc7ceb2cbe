import HeybotSupport

// Whose account it is that says something, if the messages themselves don't tell (IRCv3 account-tag).

extension Session {
    /// How long an account is believed that the server wouldn't take back by itself (IRCv3 account-notify).
    private static let trust: Duration = .seconds(300)
    /// The age after which it is asked for again when they say something.
    private static let freshness: Duration = .seconds(60)
    /// How many questions about people wait because of one connection.
    private static let mostInquiries = 2

    /// Whose turn a question is: one for each connection, so that nobody who changes nicks keeps others from being known.
    private static func inquirer(_ command: String, _ source: Source?) -> SendQueue.Sender {
        SendQueue.Sender(isPrivate: false, target: command, asker: source?.origin)
    }

    /// Whether the network has told anybody's account, so that a nick without one means somebody else than the account of
    /// that name.
    package var tellsAccounts: Bool { capabilities.has("account-tag") || hasSeenAccount }

    /// Whether the network has a way to tell people's accounts.
    package var canTellAccounts: Bool {
        capabilities.has("account-tag") || support.hasWHOX || hasSeenAccount
            || capabilities.has("extended-join") && capabilities.has("account-notify")
    }

    /// Whether there is a sign that people can have accounts on the network: it offers SASL, or somebody is logged in.
    ///
    /// A server that could tell accounts may be linked to no services, and then nobody has one.
    package var showsAccounts: Bool { offersSASL || account != nil || hasSeenAccount }

    /// Whether all is known by which the network could tell accounts, and it doesn't.
    package var tellsNoAccounts: Bool {
        isReady && !tellsAccounts && !showsAccounts && (!support.hasWHOX || inquiries.isAnswered)
    }

    /// The account of whoever sent a message.
    ///
    /// Without account-tag the server has told it of this nick, user and host, and hasn't told since that they left our
    /// sight, changed their nick or logged out. Of somebody who shares no channel with us nothing of this would be told, and in
    /// a channel that somebody else brought us to it may be hidden, so nothing is known of them.
    func account(of source: Source, _ nickKey: String, _ message: IRCMessage) -> Heard.Account {
        if capabilities.has("account-tag") {
            return message.tags["account"].flatMap { Self.isPlausible($0) ? .name($0) : nil } ?? .none
        }
        guard let member = roster.loggedIn(nickKey), isCurrent(member), isSame(member, source) else { return .unknown }
        return member.account.map { .name($0) } ?? .none
    }

    /// An account that looks like a hostmask, or like `certfp:` and a fingerprint, would be mistaken for one.
    private static func isPlausible(_ account: String) -> Bool {
        !account.isEmpty
            && !account.utf8.contains {
                $0 == .exclamationMark || $0 == .at || $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ":")
            }
    }

    private func isCurrent(_ member: Roster.Member) -> Bool {
        guard let told = member.accountTold else { return false }
        return capabilities.has("account-notify") || now - told < Self.trust
    }

    private func isSame(_ member: Roster.Member, _ source: Source) -> Bool {
        (member.user == nil || member.user == source.user) && (member.host == nil || member.host == source.host)
    }

    /// The server has told an account of somebody, or that there is none.
    mutating func learn(account: String?, of key: String) {
        let account = account.flatMap { Self.isPlausible($0) ? $0 : nil }
        if account != nil { hasSeenAccount = true }
        roster.update(key) { [now] in ($0.account, $0.accountTold) = (account, now) }
    }

    /// Asks for the account of somebody who says something, if it isn't known any more.
    mutating func inquire(about source: Source) {
        let key = fold(source.nick)
        askForCertificate(of: source, key)
        guard !capabilities.has("account-tag"), roster.member(key) != nil else { return }
        if let member = roster.loggedIn(key), isCurrent(member), isSame(member, source) {
            guard !capabilities.has("account-notify"), let told = member.accountTold, now - told >= Self.freshness
            else { return }
        }
        ask(about: source.nick, key, for: source)
    }

    /// Asks for the accounts of all in a channel, or of somebody, if the server can be asked.
    ///
    /// - Parameter source: Because of whom; nil if because of nobody.
    mutating func ask(about target: String, _ key: String, for source: Source? = nil) {
        let inquirer = Self.inquirer("WHO", source)
        guard support.hasWHOX, source == nil || queue.count(of: inquirer) < Self.mostInquiries,
            inquiries.admits(key, at: now)
        else { return }
        queue.put(.inquiry(target), from: inquirer)
    }

    /// Takes a 354: an answer about somebody.
    mutating func receiveAnswer(_ message: IRCMessage) {
        guard let answer = inquiries.answer(message.parameters) else { return }
        let key = fold(answer.nick)
        // Somebody else may have had the nick when the question was asked.
        guard let member = roster.member(key), member.firstInquiry <= answer.number else { return }
        roster.update(key) { ($0.user, $0.host) = (answer.user, answer.host) }
        learn(account: answer.account, of: key)
    }

    // MARK: Certificates

    /// The fingerprints of the certificate of whoever sent a message, as long as they stay in sight.
    func certificates(of source: Source, _ nickKey: String) -> [String] {
        guard readsCertificates, let member = roster.member(nickKey), isSame(member, source) else { return [] }
        return member.certificates ?? []
    }

    /// Asks for the certificate of somebody who says something, if it isn't known.
    ///
    /// A connection has the same certificate from its beginning to its end, so once is enough.
    private mutating func askForCertificate(of source: Source, _ key: String) {
        let examiner = Self.inquirer("WHOIS", source)
        guard readsCertificates, let member = roster.member(key),
            member.certificates == nil || !isSame(member, source),
            queue.count(of: examiner) < Self.mostInquiries, certificates.admits(key, at: now)
        else { return }
        queue.put(.whois(source.nick), from: examiner)
    }

    /// The line that asks about somebody; nil if they are out of sight.
    mutating func whois(_ nick: String) -> IRCMessage? {
        let key = fold(nick)
        guard roster.member(key) != nil else { return nil }
        return certificates.line(about: nick, key, number: inquiries.takeNumber())
    }

    /// Takes a line of the answer to `WHOIS` (311, 276, 318).
    mutating func receiveWhois(_ message: IRCMessage) {
        guard readsCertificates, message.parameters.count > 1 else { return }
        let key = fold(message.parameters[1])
        guard let answer = certificates.receive(message, about: key), let member = roster.member(key),
            member.firstInquiry <= answer.number
        else { return }
        roster.update(key) {
            ($0.user, $0.host, $0.certificates) = (answer.user, answer.host, answer.fingerprints)
        }
    }
}
