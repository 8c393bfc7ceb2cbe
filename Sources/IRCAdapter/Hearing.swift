import FoundationEssentials
import Heybot
import HeybotIRC
import NetworkAdapter

/// Makes the robot's messages of what is heard on a network.
struct Hearing: Sendable {
    var ids: MessageIDs
    var adapter: String { ids.adapter }

    /// Who somebody is to the robot.
    struct Identity: Hashable, Sendable {
        let id: String
        /// Whether the network vouches for it.
        let isProven: Bool
    }

    /// What is known of the network and its people, for telling them apart.
    struct Knowledge {
        var mapping = CaseMapping.rfc1459
        /// Whether the network ever told an account: a server of it that doesn't is no reason to believe nicks.
        var tellsAccounts = false
        /// Whether a nick alone is believed.
        var trustsNicks = false
        var recognition = Recognition()
    }

    /// What stands before the nick of somebody without an account, if others have one: no account begins so.
    private static let anonymous = "!"

    /// Who said something, as people are told apart.
    ///
    /// Whoever has a hostmask or a certificate that the settings name is known by that; whoever is logged in, by the account.
    /// Anybody else is anonymous: known as `!nick` on a network that tells accounts, and by the nick on any other.
    static func identity(
        _ source: Source, _ account: Heard.Account, certificates: [String] = [], _ knowledge: Knowledge
    ) -> Identity {
        let mapping = knowledge.mapping
        if let id = knowledge.recognition.id(ofCertificates: certificates) { return Identity(id: id, isProven: true) }
        if let id = knowledge.recognition.id(of: source, by: mapping) { return Identity(id: id, isProven: true) }
        let nick = mapping.fold(source.nick)
        switch account {
        case .name(let account):
            let id = knowledge.recognition.id(ofAccount: account) ?? CaseMapping.ascii.fold(account)
            return Identity(id: id, isProven: true)
        case .none: return Identity(id: anonymous + nick, isProven: false)
        case .unknown:
            if knowledge.tellsAccounts { return Identity(id: anonymous + nick, isProven: false) }
            let id = knowledge.trustsNicks ? knowledge.recognition.id(ofAccount: nick) : nil
            return Identity(id: id ?? nick, isProven: knowledge.trustsNicks)
        }
    }

    /// Somebody in a channel, told apart in the same way.
    func user(_ member: Roster.Member, _ knowledge: Knowledge) -> User {
        let source = Source(nick: member.nick, user: member.user, host: member.host)
        let account: Heard.Account = member.account.map { .name($0) } ?? .unknown
        let identity = Self.identity(source, account, certificates: member.certificates ?? [], knowledge)
        return User(
            id: User.ID(adapter: adapter, value: identity.id), name: member.nick, account: member.account,
            isAnonymous: !identity.isProven)
    }

    /// What was heard, as the robot's message; of now, if the server doesn't tell when.
    mutating func message(
        _ heard: Heard, identity: Identity, origin: String, nick: String, robotName: String,
        now: @autoclosure () -> Date
    ) -> Message {
        let time = heard.time.flatMap { try? Date($0, strategy: .iso8601WithFraction) }
        return Message(
            id: heard.id.map { Message.ID(adapter: adapter, value: $0) } ?? ids.next(),
            user: User(
                id: User.ID(adapter: adapter, value: identity.id), name: heard.source.nick, account: heard.account.name,
                isAnonymous: !identity.isProven),
            room: room(heard), content: heard.content.content(nick: nick, robotName: robotName),
            time: time ?? now(), origin: origin)
    }

    private func room(_ heard: Heard) -> Room {
        guard let channel = heard.channel, let key = heard.channelKey else {
            return Room(
                id: Room.ID(adapter: adapter, value: heard.nickKey), name: heard.source.nick, isPrivate: true)
        }
        return Room(id: Room.ID(adapter: adapter, value: key), name: channel)
    }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    fileprivate static var iso8601WithFraction: Self { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}
