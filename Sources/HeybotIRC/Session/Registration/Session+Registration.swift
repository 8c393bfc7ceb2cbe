// From the first message to a ready session: capabilities, SASL, nick, NickServ, channels.

import HeybotSASL

extension Session {
    /// Handles a `CAP` message.
    mutating func handleCapabilities(_ message: IRCMessage, at now: Duration) -> [Action] {
        switch capabilities.receive(message.parameters) {
        case .none:
            return []
        case .request(let lines):
            return lines.flatMap { send($0, at: now) }
        case .ready(let enabled):
            if enabled.contains("sasl"), account == nil {
                return handle(
                    authentication.begin(
                        offered: capabilities.offered["sasl"] ?? "", until: now + configuration.timeouts.login), at: now
                )
            }
            return endNegotiation()
        case .withdrawn:
            return []
        }
    }

    /// Sends a message at once during registration, and counts it against the rate limit after that.
    private mutating func send(_ line: IRCMessage, at now: Duration) -> [Action] {
        if case .registering = phase { return [.send(line)] }
        return sendNow(line, at: now)
    }

    private mutating func endNegotiation() -> [Action] {
        guard case .registering(let until, isNegotiating: true) = phase, !authentication.isUnderWay else { return [] }
        phase = .registering(until: until, isNegotiating: false)
        return [.send(IRCMessage("CAP", "END"))]
    }

    /// Handles the result of a SASL step.
    mutating func handle(_ step: Authentication.StepResult, at now: Duration) -> [Action] {
        switch step {
        case .none:
            return []
        case .send(let lines):
            return lines.flatMap { send($0, at: now) }
        case .succeeded:
            account = account ?? configuration.account?.account ?? nick
            return endNegotiation()
        case .failed(let reasons, let isPermanent):
            let entry = Action.log(.loginFailed(reasons))
            loginFailure = isPermanent ? .refused : .reported
            guard configuration.loginFailurePolicy == .disconnect else { return [entry] + endNegotiation() }
            let reason = "login failed: \(reasons.map(\.description).joined(separator: "; "))"
            return [entry] + end(isPermanent ? .refused(reason) : .lost(reason))
        }
    }

    /// Handles 900 (RPL_LOGGEDIN).
    mutating func handleLoggedIn(_ message: IRCMessage, at now: Duration) -> [Action] {
        let name = message.parameters.count > 2 ? message.parameters[2] : configuration.account?.account ?? nick
        let isNew = account != name
        account = name
        var actions: [Action] = isNew ? [.log(.loggedIn(account: name))] : []
        if case .identifying = phase { actions += beginJoining(at: now) }
        // Channels that require an account may let the robot in now.
        channelManager.retryRefused(at: now)
        retryEnforcedNick(at: now)
        return actions
    }

    /// Handles 001 (RPL_WELCOME).
    mutating func handleWelcome(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard case .registering = phase else { return [] }
        let nick = message.parameters.first ?? configuration.nick
        nicks.welcome(nick.isEmpty || nick == "*" ? configuration.nick : nick)
        ownSource = Source(nick: nicks.name, user: ownSource.user, host: ownSource.host)
        let time = capabilities.has("server-time") ? message.tags["time"] : nil
        playback = time.map { PlaybackWindow(welcomed: $0, until: now + .seconds(30)) }
        queue.restart()
        // The end of the message of the day ends registration, but a server without one may send nothing.
        phase = .welcomed(until: now + .seconds(5))
        return []
    }

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

    /// Starts logging in to services, after the server has sent everything about itself.
    mutating func identifyToServices(at now: Duration) -> [Action] {
        guard case .welcomed = phase else { return [] }
        for command in configuration.commands { if let line = IRCMessage(command) { queue.put(line) } }
        if let mode = support.botMode { queue.put(IRCMessage("MODE", nick, "+\(mode)")) }
        guard account == nil, loginFailure != .refused, let login = configuration.account, !login.password.isEmpty
        else {
            return beginJoining(at: now)
        }
        // If the network has SASL, or had it before, services may be down and an impostor may have NickServ's nick.
        if configuration.usesSASL, offersSASL || previousConnections.hadSASL {
            let reason =
                "SASL is unavailable; because this network has offered it, the password isn't sent to \(serviceNick)"
            return (loginFailure == .none ? failLogin([.other(reason)]) : []) + beginJoining(at: now)
        }
        guard configuration.sendsPlainPassword else {
            return failLogin([.inTheClear(serviceNick)]) + beginJoining(at: now)
        }
        // A target with a server name can't reach an impostor.
        if let address = configuration.nickServAddress, !address.contains("!") { return sendPassword(login, at: now) }
        queue.put(IRCMessage("WHOIS", serviceNick))
        phase = .verifying(until: now + configuration.timeouts.login)
        return flush(at: now)
    }

    /// The nick of the service that receives the password.
    var serviceNick: String {
        configuration.nickServAddress.map { String($0.prefix { $0 != "!" && $0 != "@" }) } ?? configuration.nickServ
    }

    /// Handles a line of the `WHOIS` answer about the service, and sends the password once the service is verified.
    mutating func verifyNickServ(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard case .verifying = phase, message.parameters.count > 1,
            fold(message.parameters[1]) == fold(serviceNick), let login = configuration.account
        else { return [] }
        guard message.numeric == .endOfWhois else {
            nickServVerification.receive(message)
            return []
        }
        let mask = configuration.nickServAddress.map { Mask($0) }
        if let problem = nickServVerification.problem(serviceNick, mask: mask, by: support.caseMapping) {
            return failLogin([problem]) + beginJoining(at: now)
        }
        return sendPassword(login, at: now)
    }

    private mutating func failLogin(_ reasons: [LoginFailureReason]) -> [Action] {
        loginFailure = .reported
        return [.log(.loginFailed(reasons))]
    }

    private mutating func sendPassword(_ login: Credentials, at now: Duration) -> [Action] {
        // The account must be named if it differs from the nick.
        let isPlain = fold(login.account) == fold(nick)
        sendToNickServ("IDENTIFY \(isPlain ? "" : login.account + " ")\(login.password)")
        phase = .identifying(until: now + configuration.timeouts.login)
        return flush(at: now)
    }

    private mutating func sendToNickServ(_ command: String) {
        let target = configuration.nickServAddress.flatMap { $0.contains("!") ? nil : $0 } ?? serviceNick
        queue.put(IRCMessage("PRIVMSG", target, command))
    }

    private mutating func beginRegaining(at now: Duration) -> [Action] {
        let wanted = nicks.wanted
        // The refusal was reported already.
        let entries: [Action] = isNickRefused ? [] : [.log(.nickTaken(wanted, instead: nick))]
        guard configuration.reclaimsNick else { return entries }
        if support.monitorLimit != nil { queue.put(IRCMessage("MONITOR", "+", wanted)) }
        nicks.tryAgain(at: now + configuration.timeouts.nickRetryInterval)
        guard account != nil, configuration.account != nil, !isNickRefused else { return entries }
        // The other robot would reclaim the nick in the same way.
        if previousConnections.yieldsNick { return [.log(.nickYielded(wanted, instead: nick))] }
        // The holder may be a ghost of an earlier connection that the server hasn't noticed to be dead. GHOST needs no password
        // while logged in.
        askForNick("GHOST", at: now)
        return entries
    }

    private mutating func askForNick(_ command: String, at now: Duration) {
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
    private mutating func retryEnforcedNick(at now: Duration) {
        guard isNickEnforced, !nicks.isWanted(by: support.caseMapping) else { return }
        isNickEnforced = false
        nicks.tryAgain(at: now)
    }

    /// Handles a notice of NickServ that isn't about the password.
    mutating func handleOtherNickServNotice(_ text: String, at now: Duration) -> [Action] {
        let words = text.lowercased()
        if account == nil, words.contains("registered") || words.contains("protected") { isNickRegistered = true }
        // Anope 2 has no GHOST, but RECOVER.
        guard awaitsGhost, words.contains("unknown command") else { return [] }
        awaitsGhost = false
        askForNick("RECOVER", at: now)
        return flush(at: now)
    }

    /// Handles a notice of NickServ, which may be the result of the login.
    mutating func handleNickServNotice(_ text: String, at now: Duration) -> [Action] {
        guard case .identifying = phase else { return handleOtherNickServNotice(text, at: now) }
        let words = text.lowercased()
        let refusals = [
            "incorrect", "invalid", "wrong", "denied", "fail", "not registered", "isn't registered", "not a registered"
        ]
        if refusals.contains(where: words.contains) {
            // Some services repeat what they received.
            let isSecret = configuration.account.map { text.contains($0.password) } ?? false
            loginFailure = .reported
            let reason = "\(serviceNick): \(isSecret ? "(secret)" : text)"
            guard configuration.loginFailurePolicy == .disconnect else {
                return [.log(.loginFailed([.other(reason)]))] + beginJoining(at: now)
            }
            return [.log(.loginFailed([.other(reason)]))] + end(.refused("login failed: \(reason)"))
        }
        let successes = [
            "now identified", "now logged in", "password accepted", "now recognized", "already identified",
            "already logged in"
        ]
        guard successes.contains(where: words.contains) else { return [] }
        account = configuration.account?.account
        return [.log(.loggedIn(account: account ?? nick))] + beginJoining(at: now)
    }

    /// Starts joining the channels.
    mutating func beginJoining(at now: Duration) -> [Action] {
        if configuration.loginFailurePolicy == .disconnect, account == nil {
            let reason = "login failed: no service accepted the password, and login is required"
            return [.log(.loginFailed(["no service accepted the password"]))] + end(.lost(reason))
        }
        phase = .joining(until: now + .seconds(10))
        var actions: [Action] = []
        if account == nil, configuration.account != nil, loginFailure == .none {
            actions.append(.log(.loginFailed(["no answer from \(serviceNick)"])))
            loginFailure = .reported
        }
        let regaining = nicks.isWanted(by: support.caseMapping) ? [] : beginRegaining(at: now)
        channelManager.begin()
        for line in channelManager.tick(at: now, support) { queue.put(line) }
        return actions + regaining + completeJoining(at: now) + flush(at: now)
    }

    /// Opens the send queue once every channel has answered, or their time is up.
    mutating func completeJoining(at now: Duration) -> [Action] {
        guard case .joining(let until) = phase, until <= now || channelManager.isComplete else { return [] }
        phase = .ready
        queue.open(at: now)
        return [.ready]
    }
}
