import FoundationEssentials
import Heybot
import IRC
import NetworkAdapter

/// Makes the robot's messages of what is heard on a network.
struct Hearing: Sendable {
    let adapter: String
    let robotName: String
    private var count = 0

    init(adapter: String, robotName: String) {
        self.adapter = adapter
        self.robotName = robotName
    }

    /// Who said it, as they are told apart.
    ///
    /// On a network that tells people's accounts with what they say, that is the account, and who has none is known as
    /// `!nick`, which no account can be: there a nick alone proves nothing. On any other network it is the nick.
    ///
    /// - Parameter tellsAccounts: Whether the network ever did: a server of it that doesn't is no reason to believe nicks.
    static func identity(_ heard: Heard, by mapping: CaseMapping, tellsAccounts: Bool) -> String {
        switch heard.account {
        case .name(let account): mapping.fold(account)
        case .none: anonymous + heard.nickKey
        case .unknown: tellsAccounts ? anonymous + heard.nickKey : heard.nickKey
        }
    }

    /// What stands before the nick of somebody without an account, where others have one.
    private static let anonymous = "!"

    /// Somebody in a channel, told apart in the same way.
    func user(_ member: Roster.Member, by mapping: CaseMapping, tellsAccounts: Bool) -> User {
        let nickKey = mapping.fold(member.nick)
        let account = tellsAccounts ? member.account.map(mapping.fold) : nil
        return User(
            id: User.ID(adapter: adapter, value: account ?? (tellsAccounts ? Self.anonymous : "") + nickKey),
            name: member.nick, account: member.account, isAnonymous: account == nil)
    }

    /// What was heard, as the robot's message; of now, where the server doesn't tell when.
    mutating func message(
        _ heard: Heard, identity: String, nick: String, now: @autoclosure () -> Date
    ) -> Message {
        let time = heard.time.flatMap { try? Date($0, strategy: .iso8601WithFraction) }
        count += 1
        let account: String? =
            switch heard.account {
            case .name(let name): name
            case .unknown(let name): name
            case .none: nil
            }
        return Message(
            id: Message.ID(adapter: adapter, value: heard.id ?? String(count)),
            user: User(
                id: User.ID(adapter: adapter, value: identity), name: heard.source.nick, account: account,
                isAnonymous: !heard.account.isProven),
            room: room(heard), content: content(heard.content, nick: nick), time: time ?? now())
    }

    private func room(_ heard: Heard) -> Room {
        guard let channel = heard.channel, let key = heard.channelKey else {
            return Room(
                id: Room.ID(adapter: adapter, value: heard.nickKey), name: heard.source.nick, isPrivate: true)
        }
        return Room(id: Room.ID(adapter: adapter, value: key), name: channel)
    }

    private func content(_ content: Heard.Content, nick: String) -> Message.Content {
        switch content {
        case .text(let text): .text(Nickname.replace(nick, in: text, by: robotName))
        case .joined: .enter
        case .left(let reason): .leave(reason: reason)
        case .topic(let topic): .topic(topic)
        }
    }
}

extension Heard.Account {
    /// Whether the network says with each message that this is who it is from.
    fileprivate var isProven: Bool { if case .name = self { true } else { false } }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    fileprivate static var iso8601WithFraction: Self { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}
