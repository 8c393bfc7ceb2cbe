// Handles messages from the server.

import HeybotSupport

extension Session {
    /// Handles a message from the server.
    ///
    /// - Returns: The actions to perform, in order.
    package mutating func receive(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard phase != .over else { return [] }
        self.now = now
        keepAlive.receive(at: now)
        var answered: OutgoingMessage?
        if !message.tags.isEmpty {
            if history != nil, message.tags["batch"] == nil { history?.record(timeOf: message) }
            // An echo, an error or an ACK: in any case, the server has received the line.
            if !acknowledgements.isEmpty, let label = message.tags["label"] { answered = acknowledgements.take(label) }
            if let id = answered?.tracking {
                // The numbers of errors begin with 4 and 5.
                let isError = message.command.hasPrefix("4") || message.command.hasPrefix("5")
                let isDelivered = !isError && message.command != "FAIL"
                return [.confirmed(id, isDelivered: isDelivered)] + handle(message, about: answered, at: now)
            }
        }
        return handle(message, about: answered, at: now)
    }

    /// - Parameter answered: The line that the server acknowledges with the message; nil if it acknowledges none.
    private mutating func handle(_ message: IRCMessage, about answered: OutgoingMessage?, at now: Duration) -> [Action]
    {
        switch message.command {
        case "PRIVMSG": return handlePrivmsg(message, at: now)
        case "TAGMSG": return handleTagMessage(message)
        case "PING": return sendNow(IRCMessage("PONG", message.parameters), at: now)
        case "NOTICE": return handleNotice(message, at: now)
        case "PONG": return handlePong(message, at: now)
        case "JOIN", "PART", "KICK", "QUIT", "NICK", "MODE", "TOPIC", "INVITE":
            return handleMembership(message, at: now)
        case "BATCH":
            batches.receive(message)
            let unanswered = history?.receive(batch: message, support, at: now) ?? []
            if capabilities.has("draft/multiline"), let whole = multilineBatches.receive(message) {
                return handlePrivmsg(whole, at: now)
            }
            return unanswered.map(Action.hear)
        case "CHATHISTORY": return handleHistoryTarget(message, at: now)
        case "CAP": return handleCapabilities(message, at: now)
        case "AUTHENTICATE": return handle(authentication.receive(message), at: now)
        case "ACCOUNT", "CHGHOST", "SETNAME": return handleUserUpdate(message)
        case "RENAME": return handleRename(message)
        case "FAIL", "WARN", "NOTE": return handleStandardReply(message, about: answered, at: now)
        case "ERROR": return handleError(message)
        default:
            if moderation.current != nil, handleModerationReply(message) { return [] }
            if absentUserQuery != nil, let actions = handleAbsentUserReply(message) { return actions }
            if let numeric = message.numeric { return receive(numeric, message, at: now) }
            let upper = message.command.uppercased()
            guard upper != message.command else { break }
            var message = message
            message.command = upper
            return handle(message, about: answered, at: now)
        }
        return []
    }

    private mutating func handleError(_ message: IRCMessage) -> [Action] {
        let reason = message.parameters.last ?? "the server closed the connection"
        // The actual reason is at the end; the part before it contains the robot's own host, which may hold any words.
        let proper = reason.split(separator: "(").last.map(String.init) ?? reason
        let words = proper.lowercased().split { !$0.isLetter && $0 != "-" }
        let isKill = reason.lowercased().contains("kill")
        if isKill, words.contains(where: { Self.recoveries.contains(String($0)) }) { return end(.displaced(reason)) }
        let isBan = words.contains { Self.bans.contains(String($0)) }
        return end(isBan ? .refused(reason) : .lost(reason))
    }

    /// The commands of services that remove the holder of a nick.
    private static let recoveries: Set = ["ghost", "recover", "regain", "release"]

    private static let bans: Set = [
        "k-lined", "g-lined", "z-lined", "d-lined", "klined", "glined", "zlined", "k-line", "g-line", "z-line",
        "d-line",
        "banned", "akill", "akilled", "autokilled"
    ]

    // MARK: Messages

    private mutating func handlePrivmsg(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard let prefix = message.source, message.parameters.count > 1 else { return [] }
        if !message.tags.isEmpty {
            if multilineBatches.take(message) { return [] }
            if batches.isReplayed(message) { return handleReplayed(message) }
        }
        let source = Source(prefix)
        if nicks.isOurs(source.nick, by: support.caseMapping) {
            // An echo of the robot's own message (IRCv3 echo-message) shows its prefix as others see it.
            updateOwnSource(source)
            if let id = message.tags["msgid"] {
                let text = message.parameters[1]
                ownMessages.insert(id, Formatting.plain(CTCP(parsing: text)?.text ?? text))
            }
            return []
        }
        let sender = sender(source)
        members.record(source, sender.key)
        let (target, text) = (message.parameters[0], message.parameters[1])
        let channel = support.channel(of: target).map { _ in target }
        if text.utf8.first == 1 {
            guard let request = CTCP(parsing: text) else { return [] }
            guard request.command == "ACTION" else {
                return channel == nil ? answer(request, source, at: now) : []
            }
            return handleText(request.text, sender, channel, message, isAction: true)
        }
        return handleText(text, sender, channel, message)
    }

    private mutating func handleText(
        _ text: String, _ sender: Sender, _ channel: String?, _ message: IRCMessage, isAction: Bool = false
    ) -> [Action] {
        if isService(sender.source) { return [] }
        let actions = hear(.text(Formatting.plain(text)), sender, channel, message, isAction: isAction)
        if actions.isEmpty { return [] }
        history?.hear(message)
        requestAccount(of: sender)
        let sent = flush(at: now)
        return sent.isEmpty ? actions : actions + sent
    }

    /// Returns the action that passes an event on to the robot; none if its sender is ignored.
    ///
    /// Mutating, because otherwise the session is copied to call it.
    mutating func hear(_ content: ChatEvent, _ source: Source, _ channel: String?, _ message: IRCMessage) -> [Action] {
        hear(content, sender(source), channel, message)
    }

    mutating func hear(
        _ content: ChatEvent, _ sender: Sender, _ channel: String?, _ message: IRCMessage, isAction: Bool = false
    ) -> [Action] {
        if channel == nil, !configuration.hearsPrivateMessages { return [] }
        if !message.tags.isEmpty {
            if configuration.ignoresBots, message.tags["bot"] != nil { return [] }
            // A replayed text doesn't get here.
            if case .text = content {} else if batches.isReplayed(message) { return [] }
            // Both are in ISO 8601, so they compare as text. After the window, an old time only means that a server's clock is
            // behind.
            if let playback, now < playback.until, let time = message.tags["time"], time < playback.welcomed {
                return []
            }
        }
        let mapping = support.caseMapping
        if configuration.ignored.contains(where: { $0.matches(sender.source, by: mapping) }) { return [] }
        return [.hear(event(content, sender, channel, message, isAction: isAction))]
    }

    private mutating func event(
        _ content: ChatEvent, _ sender: Sender, _ channel: String?, _ message: IRCMessage, isAction: Bool
    ) -> IncomingEvent {
        let hasTags = !message.tags.isEmpty
        let repliesTo = hasTags ? Self.repliedID(in: message) : nil
        let stay = sender.view.stay.map { MemberStay(session: id, channel: $0.channel, stay: $0.stay) }
        // An event is large, so it isn't changed afterwards.
        return IncomingEvent(
            content: content, source: sender.source, nickKey: sender.key, account: account(of: sender, message),
            certificates: readsCertificates ? certificates(of: sender.source, sender.key) : [], shownIn: stay,
            channel: channel, channelKey: channelKey(of: channel),
            time: hasTags && capabilities.has("server-time") ? message.tags["time"] : nil,
            id: hasTags ? message.tags["msgid"] : nil,
            isAction: isAction, repliesTo: repliesTo, robotText: repliesTo.flatMap { ownMessages.text(of: $0) })
    }

    private mutating func answer(_ request: CTCP, _ source: Source, at now: Duration) -> [Action] {
        let isKnown = ["VERSION", "PING", "TIME", "CLIENTINFO"].contains(request.command)
        guard isKnown, requests.isAvailable(at: now),
            !configuration.ignored.contains(where: { $0.matches(source, by: support.caseMapping) })
        else { return [] }
        requests.consume(at: now)
        let reply: CTCP
        switch request.command {
        case "VERSION": reply = CTCP("VERSION", configuration.version)
        case "PING": reply = CTCP("PING", String(request.text.prefix(64)))
        case "CLIENTINFO": reply = CTCP("CLIENTINFO", "ACTION CLIENTINFO PING TIME VERSION")
        default: return [.tellTime(to: source.nick)]
        }
        return sendNow(IRCMessage("NOTICE", source.nick, reply.description), at: now)
    }

    private mutating func handleNotice(_ message: IRCMessage, at now: Duration) -> [Action] {
        // Notices are never answered, or two robots could answer each other forever (RFC 1459 4.4.2).
        guard let text = message.source, message.parameters.count > 1 else { return [] }
        // The robot's answers may be notices.
        if message.tags["batch"] != nil, batches.isReplayed(message) {
            if configuration.speaksInNotices, isRobot(Source(text)) {
                history?.noteAnswer(message, to: Self.repliedID(in: message))
            }
            return []
        }
        let source = Source(text)
        if nicks.isOurs(source.nick, by: support.caseMapping) { updateOwnSource(source) }
        recordServicesNotice(message.parameters[1], from: source)
        guard fold(source.nick) == fold(serviceNick),
            nicks.isOurs(message.parameters[0], by: support.caseMapping)
        else { return [] }
        return handleNickServNotice(Formatting.plain(message.parameters[1]), at: now)
    }

    // MARK: Membership

    private mutating func handleMembership(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard let text = message.source, let first = message.parameters.first else { return [] }
        let source = Source(text)
        let isOurs = nicks.isOurs(source.nick, by: support.caseMapping)
        if isOurs { updateOwnSource(source) }
        switch message.command {
        case "JOIN":
            return isOurs ? handleOwnJoin(first, at: now) : handleJoin(first, source, message) + flush(at: now)
        case "PART":
            let reason = message.parameters.dropFirst().first
            return isOurs ? handleOwnPart(from: first, at: now) : handlePart(first, source, reason, message)
        case "KICK": return handleKick(message, by: source, at: now)
        case "QUIT": return isOurs ? [] : handleQuit(source, message, at: now)
        case "NICK": return handleNickChange(source, to: first, message, isOurs: isOurs, at: now)
        case "MODE":
            if !support.isChannel(first) { break }
            if isOurs { recordOwnModes(message.parameters, in: fold(first)) }
            let actions = handleModes(Array(message.parameters.dropFirst()), in: fold(first))
            return actions + resumeModeration(in: fold(first), at: now)
        case "TOPIC":
            guard !isOurs, message.parameters.count > 1, let channel = support.channel(of: first) else { break }
            return hear(.topic(Formatting.plain(message.parameters[1])), source, channel, message)
        case "INVITE": return handleInvite(message, by: source, at: now)
        default: break
        }
        return []
    }

    private mutating func handleOwnJoin(_ channel: String, at now: Duration) -> [Action] {
        let key = fold(channel)
        let origin = channels.first { fold($0.name) == key }?.origin
        members.enter(key, channel, isInvited: origin == nil || origin == .invitation)
        leftByCommand.remove(key)
        let isReturn = channelManager.markJoined(key, at: now)
        // The channel let the robot in, so it leaves the one that it was forwarded to.
        if let other = forwards.removeValue(forKey: key), other != key, !channelManager.contains(other),
            members.has(other)
        {
            queue.put(IRCMessage("PART", members.name(of: other)))
        }
        refusals[key] = nil
        markDeliverable(to: channel)
        requestMissed(in: channel)
        requestNames(of: channel)
        return [.log(isReturn ? .rejoined(channel) : .joined(channel))] + completeJoining(at: now) + flush(at: now)
    }

    private mutating func handleJoin(_ channel: String, _ source: Source, _ message: IRCMessage) -> [Action] {
        let key = fold(channel)
        guard members.has(key) else { return [] }
        let nickKey = fold(source.nick)
        // A member with that nick has left unseen.
        _ = members.remove(nickKey, from: key)
        if members.member(nickKey) == nil {
            accountQueries.forget(nickKey)
            certificateQueries.forget(nickKey)
        }
        members.add(
            ChannelMembers.Member(
                nick: source.nick, firstQuery: accountQueries.next, user: source.user, host: source.host), nickKey,
            to: key
        )
        if capabilities.has("extended-join"), message.parameters.count > 2 {
            record(account: message.parameters[1] == "*" ? nil : message.parameters[1], of: nickKey)
            members.update(nickKey) { $0.realName = message.parameters[2] }
        } else if !capabilities.has("account-tag"), members.view(of: nickKey, source).loggedIn == nil {
            queryAccounts(of: source.nick, nickKey, for: source)
        }
        return batches.isSplit(message) || netsplits.didReturn(fold(source.nick))
            ? [] : hear(.joined, source, channel, message)
    }

    private mutating func handlePart(
        _ channel: String, _ source: Source, _ reason: String?, _ message: IRCMessage
    ) -> [Action] {
        guard members.has(fold(channel)) else { return [] }
        let actions = hear(.left(reason), source, channel, message)
        _ = members.remove(fold(source.nick), from: fold(channel))
        return actions
    }

    /// Handles that the robot left a channel without being kicked.
    private mutating func handleOwnPart(from channel: String, at now: Duration) -> [Action] {
        let key = fold(channel)
        members.leave(key)
        guard channelManager.contains(key) else { return [] }
        channelManager.markRemoved(key, at: now)
        return [.log(.removed(channel))]
    }

    /// Handles `RENAME` (IRCv3 draft/channel-rename).
    private mutating func handleRename(_ message: IRCMessage) -> [Action] {
        guard message.parameters.count > 1, support.isChannel(message.parameters[1]) else { return [] }
        let (old, new) = (message.parameters[0], message.parameters[1])
        let (oldKey, newKey) = (fold(old), fold(new))
        guard members.has(oldKey) else { return [] }
        if oldKey != newKey {
            members.renameChannel(oldKey, to: newKey, new)
            channelManager.rename(oldKey, to: newKey, new)
            accountQueries.rename(oldKey, to: newKey)
            if renames.count < 1_000 { renames[oldKey] = new }
            // Earlier names lead to the newest one.
            renames = renames.mapValues { fold($0) == oldKey ? new : $0 }
            renames[newKey] = nil
        }
        return [.log(.renamed(old, to: new))]
    }

    private mutating func handleKick(_ message: IRCMessage, by source: Source, at now: Duration) -> [Action] {
        guard message.parameters.count > 1 else { return [] }
        let (channel, nick) = (message.parameters[0], message.parameters[1])
        let reason = message.parameters.count > 2 ? message.parameters[2] : ""
        guard nicks.isOurs(nick, by: support.caseMapping) else {
            // The tags describe the user who kicks, not the one who is kicked.
            var theirs = message
            let member = members.member(fold(nick))
            theirs.tags["account"] = member?.account
            theirs.tags["bot"] = nil
            return handlePart(channel, Source(nick: nick, user: member?.user, host: member?.host), reason, theirs)
        }
        let key = fold(channel)
        guard members.has(key) else { return [] }
        members.leave(key)
        let comesBack = configuration.rejoinsAfterKick && channelManager.contains(key) && !channelManager.isInvited(key)
        if comesBack { channelManager.markRemoved(key, at: now) } else { channelManager.remove(key) }
        return [.log(.kicked(channel: channel, by: source.nick, reason: reason, comesBack: comesBack))]
    }

    private mutating func handleQuit(_ source: Source, _ message: IRCMessage, at now: Duration) -> [Action] {
        let key = fold(source.nick)
        var actions: [Action] = []
        let isSplit = batches.isSplit(message) || netsplits.recordQuit(message.parameters.first ?? "", key)
        for channel in members.channels(of: key) {
            if !isSplit {
                actions += hear(.left(message.parameters.first), source, members.name(of: channel), message)
            }
            _ = members.remove(key, from: channel)
        }
        members.unwatch(key)
        if key == fold(nicks.wanted) { actions += requestFreedNick(at: now) }
        return actions
    }

    private mutating func handleNickChange(
        _ source: Source, to nick: String, _ message: IRCMessage, isOurs: Bool, at now: Duration
    ) -> [Action] {
        let key = fold(source.nick)
        members.record(source, key)
        members.rename(key, to: fold(nick), nick)
        // An earlier query about this nick is about another user.
        members.update(fold(nick)) { [next = accountQueries.next] in $0.firstQuery = next }
        accountQueries.forget(fold(nick))
        certificateQueries.forget(fold(nick))
        if isOurs { return handleOwnNickChange(to: nick, at: now) }
        recordNewNick(nick, of: key)
        let renamed = Source(nick: nick, user: source.user, host: source.host)
        let actions = nick == source.nick ? [] : hearInAllChannels(.renamed(from: source.nick), renamed, message)
        let isFreed = key == fold(nicks.wanted) && fold(nick) != key && !nicks.isWanted(by: support.caseMapping)
        return actions + (isFreed ? requestFreedNick(at: now) : [])
    }

    private mutating func handleInvite(_ message: IRCMessage, by source: Source, at now: Duration) -> [Action] {
        guard message.parameters.count > 1 else { return [] }
        let (nick, channel) = (message.parameters[0], message.parameters[1])
        guard nicks.isOurs(nick, by: support.caseMapping) else {
            return [.log(.invitation(of: nick, to: channel, by: source.nick))]
        }
        guard support.isChannel(channel) else { return [] }
        let isIgnored = configuration.ignored.contains { $0.matches(source, by: support.caseMapping) }
        let goes =
            channelManager.contains(fold(channel))
            || configuration.acceptsInvitations && !isIgnored && channels.count < 200
        guard goes else { return [.log(.invited(to: channel, by: source.nick, goes: false))] }
        guard
            channelManager.addInvited(
                SessionConfiguration.Channel(channel, origin: .invitation), fold(channel), at: now)
        else { return [] }
        let flow = SendQueue.Flow(isPrivate: false, target: "INVITE", requester: source.host ?? fold(source.nick))
        for line in channelManager.tick(at: now, support) { queue.put(.onBehalf(line), in: flow) }
        return [.log(.invited(to: channel, by: source.nick, goes: true))] + flush(at: now)
    }

    // MARK: User details

    private mutating func updateOwnSource(_ source: Source) {
        guard let user = source.user, let host = source.host else { return }
        ownSource = Source(nick: nick, user: user, host: host)
    }
}
