// Chooses another nick if the wanted one is refused, and regains the wanted one.

extension Session {
    /// Handles 433 and the like: the nick can't be used.
    mutating func handleNickRefusal(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard case .registering = phase else { return [] }
        // 432 is about the nick itself: it has invalid characters, or is too long (RFC 1459 1.2 guarantees 9).
        let isImpossible = message.numeric == .erroneousNick
        let longest = isImpossible ? 9 : support.nickLength
        let retry = Action.send(IRCMessage("NICK", nicks.alternative(longest: longest)))
        guard isImpossible, !isNickRefused else { return [retry] }
        isNickRefused = true
        return [.log(.nickRefused(nicks.wanted, reason: message.parameters.last ?? "")), retry]
    }

    mutating func beginRegaining(at now: Duration) -> [Action] {
        let wanted = nicks.wanted
        // The refusal was reported already.
        let entries: [Action] = isNickRefused ? [] : [.log(.nickTaken(wanted, instead: nick))]
        guard configuration.reclaimsNick else { return entries }
        if support.monitorLimit != nil { queue.put(IRCMessage("MONITOR", "+", wanted)) }
        nicks.tryAgain(at: now + configuration.timeouts.nickRetryInterval)
        guard account != nil, configuration.account != nil, !isNickRefused else { return entries }
        // The other robot would reclaim the nick in the same way.
        if loginHistory.yieldsNick { return [.log(.nickYielded(wanted, instead: nick))] }
        // The holder may be a ghost of an earlier connection that the server hasn't noticed to be dead. GHOST needs no password
        // while logged in.
        askForNick("GHOST", at: now)
        return entries
    }

    mutating func askForNick(_ command: String, at now: Duration) {
        sendToNickServ("\(command) \(nicks.wanted)")
        awaitsGhost = command == "GHOST"
        nicks.tryAgain(at: now + min(.seconds(2), configuration.timeouts.nickRetryInterval))
    }

    /// Handles that the wanted nick became free.
    mutating func requestFreedNick(at now: Duration) -> [Action] {
        if isNickEnforced { return [] }
        nicks.tryAgain(at: now + configuration.timeouts.nickRetryInterval)
        queue.put(IRCMessage("NICK", nicks.wanted))
        return flush(at: now)
    }

    /// If services take the nick away twice within this time, the session stops requesting it.
    private static let nickFight: Duration = .seconds(3_600)

    /// Handles a change of the robot's own nick.
    mutating func handleOwnNickChange(to nick: String, at now: Duration) -> [Action] {
        let had = nicks.isWanted(by: support.caseMapping)
        nicks.rename(to: nick, by: support.caseMapping, retry: now + configuration.timeouts.nickRetryInterval)
        ownSource = Source(nick: nick, user: ownSource.user, host: ownSource.host)
        guard nicks.isWanted(by: support.caseMapping) else {
            guard had else { return [] }
            // The session never requests another nick at this point, so services have changed it.
            let isRepeated = nickTaken.map { now - $0 < Self.nickFight } ?? false
            nickTaken = now
            if account == nil, isNickRegistered || isRepeated { return yieldToServices("") }
            if support.monitorLimit != nil { queue.put(IRCMessage("MONITOR", "+", nicks.wanted)) }
            return [.log(.nickTaken(nicks.wanted, instead: nick))] + flush(at: now)
        }
        if had { return [] }
        if support.monitorLimit != nil { queue.put(IRCMessage("MONITOR", "-", nicks.wanted)) }
        return [.log(.nickRegained(nick))] + flush(at: now)
    }

    /// Stops requesting the nick, because services would take it away again each time.
    private mutating func yieldToServices(_ reason: String) -> [Action] {
        isNickEnforced = true
        nicks.giveUp()
        return isNickRefused ? [] : [.log(.nickEnforced(nicks.wanted, instead: nick, reason: reason))]
    }

    /// Handles 432 and 437 after registration: the wanted nick can't be used.
    mutating func handleWantedNickRefusal(_ message: IRCMessage) -> [Action] {
        guard isOnline, account == nil, !isNickEnforced, message.parameters.count > 1,
            fold(message.parameters[1]) == fold(nicks.wanted)
        else { return [] }
        return yieldToServices(message.parameters.count > 2 ? message.parameters[message.parameters.count - 1] : "")
    }

    /// Requests the nick again, because services may allow it after login.
    mutating func retryEnforcedNick(at now: Duration) {
        guard isNickEnforced, !nicks.isWanted(by: support.caseMapping) else { return }
        isNickEnforced = false
        nicks.tryAgain(at: now)
    }
}
