// What each line of the server's means.

import HeybotSupport

extension Session {
    /// Takes a line of the server's.
    package mutating func receive(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard phase != .over else { return [] }
        self.now = now
        liveness.hear(at: now)
        switch message.command {
        case "PRIVMSG": return receiveWords(message, at: now)
        case "PING": return urgent(IRCMessage("PONG", message.parameters), at: now)
        case "NOTICE": return receiveNotice(message, at: now)
        case "JOIN", "PART", "KICK", "QUIT", "NICK", "MODE", "TOPIC", "INVITE": return receivePresence(message, at: now)
        case "BATCH": batches.receive(message)
        case "CAP": return receiveCapabilities(message, at: now)
        case "AUTHENTICATE": return handle(authentication.receive(message), at: now)
        case "ACCOUNT", "CHGHOST", "SETNAME": learn(message)
        case "RENAME": return renamedChannel(message)
        case "ERROR": return receiveError(message)
        default:
            if let numeric = message.numeric { return receive(numeric, message, at: now) }
            let upper = message.command.uppercased()
            guard upper != message.command else { break }
            var message = message
            message.command = upper
            return receive(message, at: now)
        }
        return []
    }

    private mutating func receiveError(_ message: IRCMessage) -> [Action] {
        let reason = message.parameters.last ?? "the server closed the connection"
        // The reason proper is what comes last; before it stands our own host, which may hold any words.
        let proper = reason.split(separator: "(").last.map(String.init) ?? reason
        let words = proper.lowercased().split { !$0.isLetter && $0 != "-" }
        let isKill = reason.lowercased().contains("kill")
        if isKill, words.contains(where: { Self.recoveries.contains(String($0)) }) { return end(.displaced(reason)) }
        let isBan = words.contains { Self.bans.contains(String($0)) }
        return end(isBan ? .refused(reason) : .lost(reason))
    }

    /// The commands of services that remove whoever has a nick.
    private static let recoveries: Set = ["ghost", "recover", "regain", "release"]

    private static let bans: Set = [
        "k-lined", "g-lined", "z-lined", "d-lined", "klined", "glined", "zlined", "k-line", "g-line", "z-line",
        "d-line",
        "banned", "akill", "akilled", "autokilled"
    ]

    // MARK: Words

    private mutating func receiveWords(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard let text = message.source, message.parameters.count > 1 else { return [] }
        let source = Source(text)
        if nicks.isOurs(source.nick, by: support.caseMapping) {
            // Our own words come back (IRCv3 echo-message): they show what others see before them.
            learnOwn(source)
            return []
        }
        roster.learn(source, fold(source.nick))
        let (target, words) = (message.parameters[0], message.parameters[1])
        let channel = support.channel(of: target).map { _ in target }
        if words.utf8.first == 1 {
            guard let request = CTCP(parsing: words) else { return [] }
            guard request.command == "ACTION" else {
                return channel == nil ? answer(request, source, message, at: now) : []
            }
            return hearWords(request.text, source, channel, message)
        }
        return hearWords(words, source, channel, message)
    }

    private mutating func hearWords(
        _ words: String, _ source: Source, _ channel: String?, _ message: IRCMessage
    ) -> [Action] {
        if isMachine(source) { return [] }
        let heard = hear(.text(Formatting.plain(words)), source, channel, message)
        if heard.isEmpty { return [] }
        inquire(about: source)
        return heard + flush(at: now)
    }

    /// Whether nobody is there to talk with: a server, the network's services, a bouncer's modules such as `*status`.
    private func isMachine(_ source: Source) -> Bool {
        guard let host = source.host?.lowercased(), source.user != nil else { return true }
        if source.nick.utf8.first == UInt8(ascii: "*") { return true }
        return Self.services.contains(source.nick.lowercased()) || fold(source.nick) == fold(serviceNick)
            || host == "services" || host.hasPrefix("services.")
    }

    /// The nicks that networks keep for their services.
    private static let services: Set = [
        "nickserv", "chanserv", "memoserv", "operserv", "botserv", "hostserv", "saslserv", "groupserv", "infoserv",
        "helpserv", "statserv", "gameserv", "alis", "authserv", "userserv", "rpgserv", "spamserv", "global"
    ]

    private func hear(
        _ content: RoomEvent, _ source: Source, _ channel: String?, _ message: IRCMessage
    ) -> [Action] {
        if channel == nil, !profile.hearsPrivateMessages { return [] }
        if !message.tags.isEmpty {
            if profile.ignoresBots, message.tags["bot"] != nil { return [] }
            if batches.isReplayed(message) { return [] }
            // Both written alike: by date and time, the larger first. Later, an old time is that of a server whose clock is
            // behind.
            if let replay, now < replay.until, let time = message.tags["time"], time < replay.welcomed { return [] }
        }
        if profile.ignored.contains(where: { $0.matches(source, by: support.caseMapping) }) { return [] }
        return [.hear(heard(content, source, channel, message))]
    }

    private func heard(
        _ content: RoomEvent, _ source: Source, _ channel: String?, _ message: IRCMessage
    ) -> Heard {
        let nickKey = fold(source.nick)
        return Heard(
            content: content, source: source, nickKey: nickKey, account: account(of: source, nickKey, message),
            certificates: certificates(of: source, nickKey),
            channel: channel, channelKey: channel.flatMap(support.channel(of:)).map(fold),
            time: capabilities.has("server-time") ? message.tags["time"] : nil, id: message.tags["msgid"])
    }

    private mutating func answer(
        _ request: CTCP, _ source: Source, _ message: IRCMessage, at now: Duration
    ) -> [Action] {
        let isKnown = ["VERSION", "PING", "TIME", "CLIENTINFO"].contains(request.command)
        guard isKnown, requests.isReady(at: now), !batches.isReplayed(message),
            !profile.ignored.contains(where: { $0.matches(source, by: support.caseMapping) })
        else { return [] }
        requests.count(at: now)
        let reply: CTCP
        switch request.command {
        case "VERSION": reply = CTCP("VERSION", profile.version)
        case "PING": reply = CTCP("PING", String(request.text.prefix(64)))
        case "CLIENTINFO": reply = CTCP("CLIENTINFO", "ACTION CLIENTINFO PING TIME VERSION")
        default: return [.tellTime(to: source.nick)]
        }
        return urgent(IRCMessage("NOTICE", source.nick, reply.description), at: now)
    }

    private mutating func receiveNotice(_ message: IRCMessage, at now: Duration) -> [Action] {
        // A notice is never answered, or two robots could talk forever (RFC 1459 4.4.2).
        guard let text = message.source, message.parameters.count > 1 else { return [] }
        let source = Source(text)
        if nicks.isOurs(source.nick, by: support.caseMapping) { learnOwn(source) }
        guard fold(source.nick) == fold(serviceNick),
            nicks.isOurs(message.parameters[0], by: support.caseMapping)
        else { return [] }
        return hearNickServ(Formatting.plain(message.parameters[1]), at: now)
    }

    // MARK: Comings and goings

    private mutating func receivePresence(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard let text = message.source, let first = message.parameters.first else { return [] }
        let source = Source(text)
        let isOurs = nicks.isOurs(source.nick, by: support.caseMapping)
        if isOurs { learnOwn(source) }
        switch message.command {
        case "JOIN":
            return isOurs ? entered(first, at: now) : joined(first, source, message) + flush(at: now)
        case "PART":
            let reason = message.parameters.dropFirst().first
            return isOurs ? removed(from: first, at: now) : left(first, source, reason, message)
        case "KICK": return kicked(message, by: source, at: now)
        case "QUIT": return isOurs ? [] : quit(source, message, at: now)
        case "NICK": return renamed(source, to: first, isOurs: isOurs, at: now)
        case "MODE":
            if !support.isChannel(first) { break }
            roster.take(modes: Array(message.parameters.dropFirst()), in: fold(first), support)
        case "TOPIC":
            guard !isOurs, message.parameters.count > 1, let channel = support.channel(of: first) else { break }
            return hear(.topic(Formatting.plain(message.parameters[1])), source, channel, message)
        case "INVITE": return invited(message, by: source, at: now)
        default: break
        }
        return []
    }

    private mutating func entered(_ channel: String, at now: Duration) -> [Action] {
        let key = fold(channel)
        let origin = channels.first { fold($0.name) == key }?.origin
        roster.enter(key, channel, isForeign: origin == nil || origin == .invitation)
        let isReturn = joining.entered(key, at: now)
        // Now that we are let in, we need not be where we were sent on to.
        if let other = forwards.removeValue(forKey: key), other != key, !joining.wants(other), roster.has(other) {
            queue.put(IRCMessage("PART", roster.name(of: other)))
        }
        refusals[key] = nil
        isHeardAgain(at: channel)
        return [.note(isReturn ? .rejoined(channel) : .joined(channel))] + settle(at: now) + flush(at: now)
    }

    private mutating func joined(_ channel: String, _ source: Source, _ message: IRCMessage) -> [Action] {
        let key = fold(channel)
        guard roster.has(key) else { return [] }
        let nickKey = fold(source.nick)
        if roster.member(nickKey) == nil {
            inquiries.forget(nickKey)
            certificates.forget(nickKey)
        }
        roster.add(
            Roster.Member(
                nick: source.nick, firstInquiry: inquiries.next, user: source.user, host: source.host), nickKey, to: key
        )
        if capabilities.has("extended-join"), message.parameters.count > 2 {
            learn(account: message.parameters[1] == "*" ? nil : message.parameters[1], of: nickKey)
            roster.update(nickKey) { $0.realName = message.parameters[2] }
        } else if !capabilities.has("account-tag"), roster.loggedIn(nickKey) == nil {
            ask(about: source.nick, nickKey, for: source)
        }
        return batches.isSplit(message) || splits.cameBack(fold(source.nick))
            ? [] : hear(.joined, source, channel, message)
    }

    private mutating func left(
        _ channel: String, _ source: Source, _ reason: String?, _ message: IRCMessage
    ) -> [Action] {
        guard roster.has(fold(channel)) else { return [] }
        let actions = hear(.left(reason), source, channel, message)
        _ = roster.remove(fold(source.nick), from: fold(channel))
        return actions
    }

    /// We aren't there any more, by nobody's kick.
    private mutating func removed(from channel: String, at now: Duration) -> [Action] {
        let key = fold(channel)
        roster.leave(key)
        guard joining.wants(key) else { return [] }
        joining.thrownOut(key, at: now)
        return [.note(.removed(channel))]
    }

    /// A channel has another name now (IRCv3 draft/channel-rename).
    private mutating func renamedChannel(_ message: IRCMessage) -> [Action] {
        guard message.parameters.count > 1, support.isChannel(message.parameters[1]) else { return [] }
        let (old, new) = (message.parameters[0], message.parameters[1])
        let (oldKey, newKey) = (fold(old), fold(new))
        guard roster.has(oldKey) else { return [] }
        if oldKey != newKey {
            roster.renameChannel(oldKey, to: newKey, new)
            joining.rename(oldKey, to: newKey, new)
            if renames.count < 1_000 { renames[oldKey] = new }
            // What leads to the old name leads to the new one.
            renames = renames.mapValues { fold($0) == oldKey ? new : $0 }
            renames[newKey] = nil
        }
        return [.note(.renamed(old, to: new))]
    }

    private mutating func kicked(_ message: IRCMessage, by source: Source, at now: Duration) -> [Action] {
        guard message.parameters.count > 1 else { return [] }
        let (channel, nick) = (message.parameters[0], message.parameters[1])
        let reason = message.parameters.count > 2 ? message.parameters[2] : ""
        guard nicks.isOurs(nick, by: support.caseMapping) else {
            // The tags tell of who kicks, not of who goes.
            var theirs = message
            let member = roster.member(fold(nick))
            theirs.tags["account"] = member?.account
            theirs.tags["bot"] = nil
            return left(channel, Source(nick: nick, user: member?.user, host: member?.host), reason, theirs)
        }
        let key = fold(channel)
        guard roster.has(key) else { return [] }
        roster.leave(key)
        let comesBack = profile.rejoinsAfterKick && joining.wants(key) && !joining.isInvited(key)
        if comesBack { joining.thrownOut(key, at: now) } else { joining.forget(key) }
        return [.note(.kicked(channel: channel, by: source.nick, reason: reason, comesBack: comesBack))]
    }

    private mutating func quit(_ source: Source, _ message: IRCMessage, at now: Duration) -> [Action] {
        let key = fold(source.nick)
        var actions: [Action] = []
        let isSplit = batches.isSplit(message) || splits.takes(message.parameters.first ?? "", key)
        for channel in roster.channels(of: key) {
            if !isSplit {
                actions += hear(.left(message.parameters.first), source, roster.name(of: channel), message)
            }
            _ = roster.remove(key, from: channel)
        }
        if key == fold(nicks.wanted) { actions += nickIsFree(at: now) }
        return actions
    }

    private mutating func renamed(
        _ source: Source, to nick: String, isOurs: Bool, at now: Duration
    ) -> [Action] {
        let key = fold(source.nick)
        roster.learn(source, key)
        roster.rename(key, to: fold(nick), nick)
        // A question after whoever had the nick before isn't about them.
        roster.update(fold(nick)) { [next = inquiries.next] in $0.firstInquiry = next }
        inquiries.forget(fold(nick))
        certificates.forget(fold(nick))
        if isOurs { return renamed(to: nick, at: now) }
        let isFreed = key == fold(nicks.wanted) && fold(nick) != key && !nicks.isWanted(by: support.caseMapping)
        return isFreed ? nickIsFree(at: now) : []
    }

    private mutating func invited(_ message: IRCMessage, by source: Source, at now: Duration) -> [Action] {
        guard message.parameters.count > 1 else { return [] }
        let (nick, channel) = (message.parameters[0], message.parameters[1])
        guard nicks.isOurs(nick, by: support.caseMapping) else {
            return [.note(.invitation(of: nick, to: channel, by: source.nick))]
        }
        guard support.isChannel(channel) else { return [] }
        let isIgnored = profile.ignored.contains { $0.matches(source, by: support.caseMapping) }
        let goes = joining.wants(fold(channel)) || profile.acceptsInvitations && !isIgnored && channels.count < 200
        guard goes else { return [.note(.invited(to: channel, by: source.nick, goes: false))] }
        guard joining.follow(Profile.Channel(channel, origin: .invitation), fold(channel), at: now) else { return [] }
        let sender = SendQueue.Sender(isPrivate: false, target: "INVITE", asker: source.host ?? fold(source.nick))
        for line in joining.tick(at: now, support) { queue.put(.deed(line), from: sender) }
        return [.note(.invited(to: channel, by: source.nick, goes: true))] + flush(at: now)
    }

    // MARK: What is learnt of people

    private mutating func learn(_ message: IRCMessage) {
        guard let text = message.source, let first = message.parameters.first else { return }
        let source = Source(text)
        let key = fold(source.nick)
        let isOurs = nicks.isOurs(source.nick, by: support.caseMapping)
        switch message.command {
        case "ACCOUNT":
            learn(account: first == "*" ? nil : first, of: key)
        case "CHGHOST":
            guard message.parameters.count > 1 else { return }
            let host = message.parameters[1]
            if isOurs { ownSource = Source(nick: nick, user: first, host: host) }
            roster.update(key) { ($0.user, $0.host) = (first, host) }
        default:
            roster.update(key) { $0.realName = first }
        }
    }

    private mutating func learnOwn(_ source: Source) {
        guard let user = source.user, let host = source.host else { return }
        ownSource = Source(nick: nick, user: user, host: host)
    }
}
