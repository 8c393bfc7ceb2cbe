import HeybotSupport

// Changes channels as an operator: statuses, kicks, bans, topics.

extension Session {
    private static let maxReason = 200

    /// The member of a channel with a nick, and their stay.
    ///
    /// - Returns: Nil if there is none, or if a mode change may have hidden them.
    package func visibleMember(
        _ nick: String, in channel: String
    ) -> (member: ChannelMembers.Member, stay: MemberStay)? {
        let key = fold(channel)
        guard let member = members.channels[key]?[fold(nick)], !member.mayBeHidden else { return nil }
        return (member, MemberStay(session: id, channel: key, stay: member.stay))
    }

    /// The member of a channel in a stay, whatever the nick is now; nil if they have left.
    package func member(in stay: MemberStay) -> ChannelMembers.Member? {
        guard stay.session == id else { return nil }
        return members.channels[stay.channel]?.values.first { $0.stay == stay.stay && !$0.mayBeHidden }
    }

    /// Whether a mask would affect the robot itself.
    package func affectsRobot(_ subject: MaskSubject) -> Bool {
        subject.matches(account: account, host: ownSource.host)
    }

    /// The members of a channel, without the robot, whom a mask would affect, as far as the server has shown them.
    package func visibleMembers(
        of channel: String, affectedBy subject: MaskSubject
    ) -> [ChannelMembers.Member] {
        let others = (members.channels[fold(channel)] ?? [:]).filter { $0.key != fold(nick) }.values
        return others.filter { subject.matches(account: $0.account, host: $0.host) }
    }

    /// Requests a change of a channel; the outcome arrives as ``Action/moderated(_:_:)`` with this name.
    package mutating func moderate(
        _ change: ChannelChange, in channel: String, as name: String, at now: Duration
    ) -> [Action] {
        guard isOnline else { return [.moderated(name, .notConnected)] }
        guard members.has(fold(channel)) else { return [.moderated(name, .notInChannel)] }
        guard moderation.waiting.count < ModerationTracker.maxWaiting else { return [.moderated(name, .tooMany)] }
        moderation.waiting.append(
            ModerationTracker.Request(
                name: name, channel: fold(channel), change: change, until: now + ModerationTracker.patience))
        return beginModeration(at: now)
    }

    /// Begins with the next change, if none is under way.
    private mutating func beginModeration(at now: Duration) -> [Action] {
        var actions: [Action] = []
        while moderation.current == nil, !moderation.waiting.isEmpty {
            let request = moderation.waiting.removeFirst()
            guard now < request.until else {
                actions.append(.moderated(request.name, .tooMany))
                continue
            }
            moderation.current = ModerationTracker.Current(request: request, step: .askedServices(until: now))
            if case .remove(let entry, ifOwn: true) = request.change {
                actions += readList(of: entry, in: request.channel, at: now)
            } else {
                actions += sendChange(at: now)
            }
        }
        return actions
    }

    /// Requests the list from which the current change removes an entry, and sends a `PING`.
    private mutating func readList(of entry: ListedMask, in channel: String, at now: Duration) -> [Action] {
        let token = moderation.nextToken()
        moderation.current?.step = .reading(token: token, until: now + ModerationTracker.timeout)
        return sendNow(IRCMessage("MODE", members.name(of: channel), "+\(entry.mode)"), at: now)
            + sendNow(IRCMessage("PING", token), at: now)
    }

    /// Sends the lines of the current change, and a `PING`.
    private mutating func sendChange(at now: Duration) -> [Action] {
        guard let request = moderation.current?.request else { return [] }
        guard let lines = self.lines(for: request) else { return endModeration(.noSuchMember, at: now) }
        let token = moderation.nextToken()
        moderation.current?.step = .sent(token: token, until: now + ModerationTracker.timeout)
        moderation.current?.refusal = nil
        var actions: [Action] = []
        for line in lines { actions += sendNow(line, at: now) }
        return actions + sendNow(IRCMessage("PING", token), at: now)
    }

    /// The lines that make a change; nil if the member has left.
    ///
    /// They have the nick that the member has now.
    private func lines(for request: ModerationTracker.Request) -> [IRCMessage]? {
        let channel = members.name(of: request.channel)
        switch request.change {
        case .status(let mode, let isGiven, let stay):
            guard let member = self.member(in: stay) else { return nil }
            return [IRCMessage("MODE", channel, "\(isGiven ? "+" : "-")\(mode)", member.nick)]
        case .kick(let stay, let reason):
            guard let member = self.member(in: stay) else { return nil }
            return [kick(member.nick, from: channel, reason)]
        case .add(let entry, let kicked, let reason):
            let mode = IRCMessage("MODE", channel, "+\(entry.mode)", entry.mask)
            guard let stay = kicked, let member = self.member(in: stay) else { return [mode] }
            return [mode, kick(member.nick, from: channel, reason)]
        case .remove(let entry, _): return [IRCMessage("MODE", channel, "-\(entry.mode)", entry.mask)]
        case .topic(let topic): return [topicLine(topic, of: channel)]
        }
    }

    private func kick(_ nick: String, from channel: String, _ reason: String) -> IRCMessage {
        let limit = min(support.kickLength ?? Self.maxReason, Self.maxReason)
        let text = reason.filter { $0 != "\u{1}" }
        let line = OutgoingTextSplitter.lines(of: text, limit: limit).first ?? ""
        return IRCMessage("KICK", [channel, nick] + (line.isEmpty ? [] : [line]))
    }

    // MARK: Replies

    /// Handles a numeric reply to the current change.
    ///
    /// - Returns: False if it is about something else.
    mutating func handleModerationReply(_ message: IRCMessage) -> Bool {
        guard let current = moderation.current, let number = Int(message.command) else { return false }
        switch current.step {
        case .reading: return handleListReply(number, message, current.request)
        case .sent: return handleRefusal(number, message, current)
        case .askedServices: return false
        }
    }

    /// Handles a line of the list from which an entry is to be removed, or that the server doesn't show the list.
    private mutating func handleListReply(
        _ number: Int, _ message: IRCMessage, _ request: ModerationTracker.Request
    ) -> Bool {
        let parameters = message.parameters
        guard parameters.count > 1, fold(parameters[1]) == request.channel else { return false }
        // RPL_BANLIST, and RPL_QUIETLIST of Charybdis, which names the mode too.
        guard number == 367 || number == 728 else { return ChannelRefusal(number, "") != nil }
        let place = number == 728 ? 3 : 2
        if case .remove(let entry, _) = request.change, parameters.count > place + 1,
            CaseMapping.ascii.areSame(parameters[place], entry.mask), !mayBeOwn(parameters[place + 1])
        {
            let nick = Source(parameters[place + 1]).nick
            moderation.current?.refusal = .setByOther(SafeText.visible(nick, limit: 60))
        }
        return true
    }

    /// Whether the robot may have set an entry of a list, perhaps under another nick.
    private func mayBeOwn(_ setter: String) -> Bool {
        let source = Source(setter)
        // After a split, some servers name themselves. No nick has a dot.
        if source.nick.contains(".") || source.origin != nil && source.origin == ownSource.origin { return true }
        let nicks = [nick] + configuration.alternates
        // The nicks that the robot chooses itself begin with the wanted one.
        return nicks.contains { fold($0) == fold(source.nick) }
            || fold(source.nick).hasPrefix(fold(configuration.nick))
    }

    /// Handles a reply that refuses the current change.
    private mutating func handleRefusal(
        _ number: Int, _ message: IRCMessage, _ current: ModerationTracker.Current
    ) -> Bool {
        let parameters = message.parameters.dropFirst()
        let names = self.names(in: current.request)
        // 472 names the mode only.
        guard number == 472 || parameters.contains(where: { names.contains(fold($0)) }) else { return false }
        // InspIRCd says that a list has an entry already, or doesn't have it.
        if number == 697 || number == 698 { return true }
        let text = SafeText.visible(Formatting.plain(parameters.last ?? ""), limit: Self.maxReason)
        guard let refusal = ChannelRefusal(number, text) else { return false }
        // A ban doesn't need its target to be there.
        if case .add = current.request.change, refusal == .noSuchMember { return true }
        moderation.current?.refusal = current.refusal ?? refusal
        return true
    }

    /// Records that the server shows a mode change of the robot's own.
    ///
    /// It shows none if the list had the entry already, because somebody else had set it.
    mutating func recordOwnModes(_ parameters: [String], in channel: String) {
        guard let current = moderation.current, case .add(let entry, _, _) = current.request.change,
            current.request.channel == channel, parameters.count > 1, parameters[1] == "+\(entry.mode)"
        else { return }
        moderation.current?.hasAdded = true
    }

    /// The folded names that replies to a change have: the channel, and the member's nick.
    private func names(in request: ModerationTracker.Request) -> Set<String> {
        let stay: MemberStay? =
            switch request.change {
            case .status(_, _, let stay), .kick(let stay, _): stay
            case .add(_, let stay, _): stay
            case .remove, .topic: nil
            }
        let nick = stay.flatMap { member(in: $0) }.map { [fold($0.nick)] } ?? []
        return Set([request.channel] + nick)
    }

    /// Handles the answer to a `PING`, before which all that refuses the current change has arrived.
    mutating func handlePong(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard let current = moderation.current, let token = current.step.token, message.parameters.last == token
        else { return [] }
        if case .reading = current.step, current.refusal == nil { return sendChange(at: now) }
        // Services can't help if the robot is an operator, and has no right to give that status back.
        if case .notOperator? = current.refusal, !current.hasAskedServices, let service = configuration.chanServ,
            !isOperator(in: current.request.channel)
        {
            moderation.current?.hasAskedServices = true
            moderation.current?.step = .askedServices(until: now + ModerationTracker.timeout)
            let channel = members.name(of: current.request.channel)
            return sendNow(IRCMessage("PRIVMSG", service, "OP \(channel) \(nick)"), at: now)
        }
        return endModeration(current.refusal, at: now)
    }

    /// Makes the current change, if the services have just made the robot an operator.
    mutating func resumeModeration(in channel: String, at now: Duration) -> [Action] {
        guard let current = moderation.current, case .askedServices = current.step,
            current.request.channel == channel, isOperator(in: channel)
        else { return [] }
        return sendChange(at: now)
    }

    /// Keeps what the services say while the robot waits for them.
    mutating func recordServicesNotice(_ text: String, from source: Source) {
        guard let current = moderation.current, case .askedServices = current.step,
            let service = configuration.chanServ, fold(source.nick) == fold(service)
        else { return }
        moderation.current?.servicesText = SafeText.visible(Formatting.plain(text), limit: Self.maxReason)
    }

    /// Whether the robot is an operator of a channel, or has a higher status.
    private func isOperator(in channel: String) -> Bool {
        let symbols = members.channels[channel]?[fold(nick)]?.symbols ?? []
        guard let lowest = support.prefixes.firstIndex(where: { $0.mode == "o" }) else { return false }
        return support.prefixes[...lowest].contains { symbols.contains($0.symbol) }
    }

    /// Ends the current change if it took too long.
    mutating func expireModeration(at now: Duration) -> [Action] {
        guard let current = moderation.current, current.step.deadline <= now else { return [] }
        switch current.step {
        case .reading, .sent: return endModeration(.noAnswer, at: now)
        case .askedServices:
            if let text = current.servicesText { return endModeration(.notOperator(text), at: now) }
            return endModeration(current.refusal ?? .notOperator(""), at: now)
        }
    }

    /// Ends the current change, gives back a status that services gave for it, and begins the next one.
    private mutating func endModeration(_ refusal: ChannelRefusal?, at now: Duration) -> [Action] {
        guard let current = moderation.current else { return [] }
        moderation.current = nil
        var actions: [Action] = [.moderated(current.request.name, refusal)]
        let channel = members.name(of: current.request.channel)
        // The member couldn't be removed, so the ban isn't kept either, unless somebody else had set it before.
        if case .add(let entry, _, _) = current.request.change, current.hasAdded, let refusal, refusal != .noAnswer {
            actions += sendNow(IRCMessage("MODE", channel, "-\(entry.mode)", entry.mask), at: now)
        }
        if current.hasAskedServices, isOperator(in: current.request.channel) {
            actions += sendNow(IRCMessage("MODE", channel, "-o", nick), at: now)
        }
        return actions + beginModeration(at: now)
    }
}
