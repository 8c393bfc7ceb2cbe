import FoundationEssentials
import Heybot
import HeybotIRC
import NetworkAdapter

/// Converts a session's events to messages for the robot.
struct IncomingMessageConverter: Sendable {
    var ids: ReceivedMessageIDGenerator
    var adapter: String { ids.adapter }

    /// A user's identity.
    struct UserIdentity: Hashable, Sendable {
        let id: String
        /// Whether the network has verified it.
        let isProven: Bool
    }

    /// What is known about the network, for identifying its users.
    struct IdentityContext {
        var mapping = CaseMapping.rfc1459
        /// Whether the network has ever shown an account; if it has, a server that doesn't is no reason to trust nicks.
        var providesAccounts = false
        /// Whether a nick alone identifies a user.
        var trustsNicks = false
        var namedUsers = ConfiguredUsers()
    }

    /// Prefixes the nick of a user without an account, if the network has accounts: no account begins with it.
    private static let anonymous = "!"

    /// Identifies the sender of a message.
    ///
    /// A user whose hostmask or certificate is named in the settings is identified by that; a user who is logged in, by the
    /// account. Any other user is anonymous: `!nick` on a network that shows accounts, the nick on others.
    ///
    /// - Parameter nickKey: The folded nick, if it is known.
    static func identity(
        _ source: Source, nickKey: String? = nil, _ account: IncomingEvent.Account, certificates: [String] = [],
        _ identityContext: IdentityContext
    ) -> UserIdentity {
        let mapping = identityContext.mapping
        if let id = identityContext.namedUsers.id(ofCertificates: certificates) {
            return UserIdentity(id: id, isProven: true)
        }
        if let id = identityContext.namedUsers.id(of: source, by: mapping) {
            return UserIdentity(id: id, isProven: true)
        }
        let nick = nickKey ?? mapping.fold(source.nick)
        switch account {
        case .name(let account):
            let id = identityContext.namedUsers.id(ofAccount: account) ?? CaseMapping.ascii.fold(account)
            return UserIdentity(id: id, isProven: true)
        case .none: return UserIdentity(id: anonymous + nick, isProven: false)
        case .unknown:
            if identityContext.providesAccounts { return UserIdentity(id: anonymous + nick, isProven: false) }
            let id = identityContext.trustsNicks ? identityContext.namedUsers.id(ofAccount: nick) : nil
            return UserIdentity(id: id ?? nick, isProven: identityContext.trustsNicks)
        }
    }

    /// Identifies a member of a channel in the same way.
    func user(_ member: ChannelMembers.Member, _ identityContext: IdentityContext) -> User {
        let source = Source(nick: member.nick, user: member.user, host: member.host)
        return user(source, account: member.account, certificates: member.certificates ?? [], identityContext)
    }

    /// Identifies a user by what the server shows of them.
    func user(
        _ source: Source, account: String?, certificates: [String] = [], _ identityContext: IdentityContext
    ) -> User {
        let shown: IncomingEvent.Account = account.map { .name($0) } ?? .unknown
        let identity = Self.identity(source, shown, certificates: certificates, identityContext)
        return User(
            id: User.ID(adapter: adapter, value: identity.id), name: source.nick, account: account,
            isAnonymous: !identity.isProven)
    }

    /// Converts an event to a message; the time is `now` if the server doesn't send one.
    mutating func message(
        _ event: IncomingEvent, identity: UserIdentity, origin: String, nick: String, robotName: String,
        now: @autoclosure () -> Date
    ) -> Message {
        let time = event.time.flatMap { try? Date($0, strategy: .iso8601WithFraction) }
        var message = Message(
            id: event.id.map { Message.ID(adapter: adapter, value: $0) } ?? ids.next(),
            user: User(
                id: User.ID(adapter: adapter, value: identity.id), name: event.source.nick, account: event.account.name,
                isAnonymous: !identity.isProven),
            room: room(event),
            content: event.content.messageContent(nick: nick, robotName: robotName, adapter: adapter),
            time: time ?? now(), origin: origin)
        // Changing a message copies it.
        if event.isAction { message.isAction = true }
        // A reaction isn't a reply.
        if message.text != nil, let id = event.repliesTo {
            message.reply = Message.Reply(message: Message.ID(adapter: adapter, value: id), text: event.robotText)
            // An answer to what the robot has relayed is meant for its author.
            if let text = event.robotText, !RelayMark.isOn(text) { message.isAddressed = true }
        }
        return message
    }

    private func room(_ event: IncomingEvent) -> Room {
        guard let channel = event.channel, let key = event.channelKey else {
            return Room(
                id: Room.ID(adapter: adapter, value: event.nickKey), name: event.source.nick, isPrivate: true)
        }
        return Room(id: Room.ID(adapter: adapter, value: key), name: channel)
    }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    fileprivate static var iso8601WithFraction: Self { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}
