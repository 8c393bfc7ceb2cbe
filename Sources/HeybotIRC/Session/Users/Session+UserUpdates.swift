import HeybotSupport

// What servers tell about users: their accounts, hosts and real names (IRCv3 account-notify, chghost and setname).

extension Session {
    /// Handles a change of a user's account, host or real name.
    mutating func handleUserUpdate(_ message: IRCMessage) -> [Action] {
        guard let text = message.source, let first = message.parameters.first else { return [] }
        let source = Source(text)
        let key = fold(source.nick)
        let isOurs = nicks.isOurs(source.nick, by: support.caseMapping)
        switch message.command {
        case "ACCOUNT":
            record(account: first == "*" ? nil : first, of: key)
        case "CHGHOST":
            guard message.parameters.count > 1 else { break }
            let host = message.parameters[1]
            if isOurs { ownSource = Source(nick: nick, user: first, host: host) }
            members.update(key) { ($0.user, $0.host) = (first, host) }
        default:
            members.update(key) { $0.realName = first }
            return isOurs ? [] : hearInAllChannels(.realName(Formatting.plain(first)), source, message)
        }
        return []
    }

    /// Returns the actions that pass an event of a user on to the robot, once for each channel that shows the user.
    mutating func hearInAllChannels(_ event: ChatEvent, _ source: Source, _ message: IRCMessage) -> [Action] {
        let sender = sender(source)
        return members.channels(of: sender.key).flatMap { hear(event, sender, members.name(of: $0), message) }
    }
}
