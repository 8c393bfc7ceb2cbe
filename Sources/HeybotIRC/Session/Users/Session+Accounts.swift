import HeybotSupport

// Determines a sender's account if the message itself doesn't carry it (IRCv3 account-tag).

extension Session {
    /// How long an account is trusted if the server doesn't report changes (IRCv3 account-notify).
    private static let trust: Duration = .seconds(300)
    /// The age at which an account is queried again when the user says something.
    private static let freshness: Duration = .seconds(60)
    /// The most queries about users that wait on behalf of one connection.
    static let maxQueries = 2

    /// The flow of a query in the fair queue: one for each connection, so that a user who keeps changing nicks can't hold up
    /// the queries for others.
    static func queryFlow(_ command: String, _ source: Source?) -> SendQueue.Flow {
        SendQueue.Flow(isPrivate: false, target: command, requester: source?.origin)
    }

    /// Whether the network has a way to show users' accounts.
    package var canProvideAccounts: Bool {
        capabilities.has("account-tag") || support.hasWHOX || hasSeenAccount
            || capabilities.has("extended-join") && capabilities.has("account-notify")
    }

    /// Whether anything suggests that the network has accounts: it offers SASL, or some user is logged in.
    ///
    /// A server that supports accounts may not be linked to services, and then no user has one.
    package var suggestsAccounts: Bool { offersSASL || account != nil || hasSeenAccount }

    /// Whether every way to show accounts is known, and the network uses none of them.
    package var lacksAccounts: Bool {
        isOnline && !providesAccounts && !suggestsAccounts && (!support.hasWHOX || accountQueries.isAnswered)
    }

    /// The account of a message's sender.
    ///
    /// Without account-tag, it is the account that the server reported for this nick, user and host, if it hasn't reported since
    /// that they left, changed their nick or logged out. For a user who shares no channel with the robot, none of this would be
    /// reported, and in a channel that the robot was invited to it may be hidden, so the account is unknown, unless the server
    /// reports the user anyway (``MonitoredUsers``). After a change of a channel's flags, which may hide members, it is unknown
    /// until the server has listed the members again.
    func account(of sender: Sender, _ message: IRCMessage) -> IncomingEvent.Account {
        if capabilities.has("account-tag") {
            return message.tags["account"].flatMap { Self.isPlausible($0) ? .name($0) : nil } ?? .none
        }
        guard let member = sender.view.loggedIn, isCurrent(member), isSame(member, sender.source) else {
            return .unknown
        }
        return member.account.map { .name($0) } ?? .none
    }

    /// The sender of a message, and what the channels show about them.
    struct Sender {
        let source: Source
        /// The nick, folded.
        let key: String
        let view: ChannelMembers.UserView
    }

    func sender(_ source: Source) -> Sender {
        let key = support.caseMapping.fold(source.nick)
        let wantsAccount = !capabilities.has("account-tag")
        return Sender(source: source, key: key, view: members.view(of: key, source, wantsAccount: wantsAccount))
    }

    /// Whether it can't be mistaken for a hostmask, or for `certfp:` and a fingerprint.
    private static func isPlausible(_ account: String) -> Bool {
        !account.isEmpty
            && !account.utf8.contains {
                $0 == .exclamationMark || $0 == .at || $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ":")
            }
    }

    private func isCurrent(_ member: ChannelMembers.Member) -> Bool {
        guard let updated = member.accountUpdated else { return false }
        return capabilities.has("account-notify") || now - updated < Self.trust
    }

    func isSame(_ member: ChannelMembers.Member, _ source: Source) -> Bool {
        (member.user == nil || member.user == source.user) && (member.host == nil || member.host == source.host)
    }

    /// Records a user's account, or that there is none.
    mutating func record(account: String?, of key: String) {
        let account = account.flatMap { Self.isPlausible($0) ? $0 : nil }
        if account != nil { hasSeenAccount = true }
        members.update(key) { [now] in if !$0.mayBeHidden { ($0.account, $0.accountUpdated) = (account, now) } }
    }

    /// Queries the account of a user who says something, if it isn't known or is too old.
    mutating func requestAccount(of sender: Sender) {
        let (source, key, view) = (sender.source, sender.key, sender.view)
        // What has hidden the member may have ended unseen, or the answer to a query may have been incomplete.
        if let channel = view.hidingChannel, accountQueries.mayResync(channel, at: now) {
            queue.put(IRCMessage("NAMES", members.name(of: channel)))
        }
        if !view.isReported { monitor(source, key) }
        requestCertificate(of: source, key)
        guard support.hasWHOX, !capabilities.has("account-tag"), view.isReported else { return }
        if let member = view.loggedIn, isCurrent(member), isSame(member, source) {
            guard !capabilities.has("account-notify"), let updated = member.accountUpdated,
                now - updated >= Self.freshness
            else { return }
        }
        queryAccounts(of: source.nick, key, for: source)
    }

    /// Queries the accounts of all members of a channel, or of a user, if the server supports it.
    ///
    /// - Parameter source: The user whose message caused the query; nil if none did.
    mutating func queryAccounts(of target: String, _ key: String, for source: Source? = nil) {
        let queryFlow = Self.queryFlow("WHO", source)
        guard support.hasWHOX, source == nil || queue.count(of: queryFlow) < Self.maxQueries,
            accountQueries.mayAsk(key, at: now)
        else { return }
        queue.put(.who(target), in: queryFlow)
    }

    /// Handles a 354 (RPL_WHOSPCRPL), an answer about a user.
    mutating func handleAccountAnswer(_ message: IRCMessage) {
        guard let answer = accountQueries.answer(message.parameters) else { return }
        let key = fold(answer.nick)
        if let channel = accountQueries.channel(of: answer.number) {
            accountQueries.beginAnswer(about: channel, answer.number)
            members.confirm(key, in: channel, by: answer.number, at: answer.user, answer.host)
        }
        // A different user may have had the nick when the query was sent.
        guard let member = members.user(key), member.firstQuery <= answer.number else { return }
        members.update(key) { ($0.user, $0.host) = (answer.user, answer.host) }
        record(account: answer.account, of: key)
    }
}
