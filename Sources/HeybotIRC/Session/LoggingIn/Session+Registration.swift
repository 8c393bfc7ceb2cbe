// From the first line to being ready: capabilities, logging in, our nick, NickServ, the channels.

import HeybotSASL

extension Session {
    /// Takes a `CAP`.
    mutating func receiveCapabilities(_ message: IRCMessage, at now: Duration) -> [Action] {
        switch capabilities.receive(message.parameters) {
        case .none:
            return []
        case .request(let lines):
            return lines.flatMap { send($0, at: now) }
        case .settled(let enabled):
            if enabled.contains("sasl"), account == nil {
                return handle(
                    authentication.begin(
                        offered: capabilities.offered["sasl"] ?? "", until: now + profile.waits.login), at: now)
            }
            return endNegotiation()
        case .withdrawn:
            return []
        }
    }

    /// What belongs to registering goes at once; later it is like anything else.
    private mutating func send(_ line: IRCMessage, at now: Duration) -> [Action] {
        if case .registering = phase { return [.send(line)] }
        return urgent(line, at: now)
    }

    private mutating func endNegotiation() -> [Action] {
        guard case .registering(let until, isNegotiating: true) = phase, !authentication.isUnderWay else { return [] }
        phase = .registering(until: until, isNegotiating: false)
        return [.send(IRCMessage("CAP", "END"))]
    }

    /// Takes what came of logging in.
    mutating func handle(_ step: Authentication.Step, at now: Duration) -> [Action] {
        switch step {
        case .none:
            return []
        case .send(let lines):
            return lines.flatMap { send($0, at: now) }
        case .succeeded:
            account = account ?? profile.account?.account ?? nick
            return endNegotiation()
        case .failed(let reasons, let isLasting):
            let note = Action.note(.loginFailed(reasons))
            loginFailure = isLasting ? .refused : .told
            guard profile.loginFailure == .leave else { return [note] + endNegotiation() }
            let reason = "logging in failed: \(reasons.map(\.description).joined(separator: "; "))"
            return [note] + end(isLasting ? .refused(reason) : .lost(reason))
        }
    }

    /// 900: we are logged in.
    mutating func loggedIn(_ message: IRCMessage, at now: Duration) -> [Action] {
        let name = message.parameters.count > 2 ? message.parameters[2] : profile.account?.account ?? nick
        let isNews = account != name
        account = name
        var actions: [Action] = isNews ? [.note(.loggedIn(account: name))] : []
        if case .identifying = phase { actions += beginJoining(at: now) }
        // What is open to those with an account only may be open now.
        joining.retryRefused(at: now)
        nickMayBeOurs(at: now)
        return actions
    }

    /// 001: the server welcomes us.
    mutating func welcome(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard case .registering = phase else { return [] }
        let nick = message.parameters.first ?? profile.nick
        nicks.welcome(nick.isEmpty || nick == "*" ? profile.nick : nick)
        ownSource = Source(nick: nicks.name, user: ownSource.user, host: ownSource.host)
        let time = capabilities.has("server-time") ? message.tags["time"] : nil
        replay = time.map { Replay(welcomed: $0, until: now + .seconds(30)) }
        queue.restart()
        // The end of the message of the day is what tells that all is said; a server that has none may say nothing.
        phase = .welcomed(until: now + .seconds(5))
        return []
    }

    /// 433 and the like: the nick can't be had.
    mutating func refuseNick(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard case .registering = phase else { return [] }
        // 432 is about the nick itself: it has letters it may not have, or too many of them (RFC 1459 1.2: 9).
        let isImpossible = message.numeric == .erroneousNick
        let longest = isImpossible ? 9 : support.nickLength
        let retry = Action.send(IRCMessage("NICK", nicks.alternative(longest: longest)))
        guard isImpossible, !isNickRefused else { return [retry] }
        isNickRefused = true
        return [.note(.nickRefused(nicks.wanted, reason: message.parameters.last ?? "")), retry]
    }

    /// Once the server has told everything about itself: who we are, first to the network, then to its services.
    mutating func identify(at now: Duration) -> [Action] {
        guard case .welcomed = phase else { return [] }
        for command in profile.commands { if let line = IRCMessage(command) { queue.put(line) } }
        if let mode = support.botMode { queue.put(IRCMessage("MODE", nick, "+\(mode)")) }
        guard account == nil, loginFailure != .refused, let login = profile.account, !login.password.isEmpty else {
            return beginJoining(at: now)
        }
        // If there is SASL, or was, somebody else may have NickServ's nick while the services are away.
        if profile.usesSASL, offersSASL || history.hadSASL {
            let reason = "SASL isn't available just now, and where there is SASL no password is told to \(serviceNick)"
            return (loginFailure == .none ? failLogin([.other(reason)]) : []) + beginJoining(at: now)
        }
        guard profile.sendsPlainPassword else {
            return failLogin([.inTheClear(serviceNick)]) + beginJoining(at: now)
        }
        // What has a server in it gets nowhere else.
        if let address = profile.nickServAddress, !address.contains("!") { return tellPassword(login, at: now) }
        queue.put(IRCMessage("WHOIS", serviceNick))
        phase = .verifying(until: now + profile.waits.login)
        return flush(at: now)
    }

    /// The nick of the service that is told the password.
    var serviceNick: String {
        profile.nickServAddress.map { String($0.prefix { $0 != "!" && $0 != "@" }) } ?? profile.nickServ
    }

    /// Takes a line about NickServ, until all is known that the server tells.
    mutating func verify(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard case .verifying = phase, message.parameters.count > 1,
            fold(message.parameters[1]) == fold(serviceNick), let login = profile.account
        else { return [] }
        guard message.numeric == .endOfWhois else {
            nickServ.receive(message)
            return []
        }
        let mask = profile.nickServAddress.map { Mask($0) }
        if let problem = nickServ.problem(serviceNick, mask: mask, by: support.caseMapping) {
            return failLogin([problem]) + beginJoining(at: now)
        }
        return tellPassword(login, at: now)
    }

    private mutating func failLogin(_ reasons: [LoginProblem]) -> [Action] {
        loginFailure = .told
        return [.note(.loginFailed(reasons))]
    }

    private mutating func tellPassword(_ login: Credentials, at now: Duration) -> [Action] {
        // The account has to be named if it isn't what we are called.
        let isPlain = fold(login.account) == fold(nick)
        tellNickServ("IDENTIFY \(isPlain ? "" : login.account + " ")\(login.password)")
        phase = .identifying(until: now + profile.waits.login)
        return flush(at: now)
    }

    private mutating func tellNickServ(_ words: String) {
        let target = profile.nickServAddress.flatMap { $0.contains("!") ? nil : $0 } ?? serviceNick
        queue.put(IRCMessage("PRIVMSG", target, words))
    }

    private mutating func beginRegaining(at now: Duration) -> [Action] {
        let wanted = nicks.wanted
        // That was told already.
        let notes: [Action] = isNickRefused ? [] : [.note(.nickTaken(wanted, instead: nick))]
        guard profile.reclaimsNick else { return notes }
        if support.monitorLimit != nil { queue.put(IRCMessage("MONITOR", "+", wanted)) }
        nicks.tryAgain(at: now + profile.waits.regain)
        guard account != nil, profile.account != nil, !isNickRefused else { return notes }
        // The other one would do the same with us.
        if history.yieldsNick { return [.note(.yields(wanted, instead: nick))] }
        // It may be our own ghost, from a connection that the server doesn't know to be dead. Being logged in does for a
        // password.
        askForNick("GHOST", at: now)
        return notes
    }

    private mutating func askForNick(_ command: String, at now: Duration) {
        tellNickServ("\(command) \(nicks.wanted)")
        awaitsGhost = command == "GHOST"
        nicks.tryAgain(at: now + min(.seconds(2), profile.waits.regain))
    }

    /// The holder of our nick has gone, or is called otherwise.
    mutating func nickIsFree(at now: Duration) -> [Action] {
        if isNickEnforced { return [] }
        nicks.tryAgain(at: now + profile.waits.regain)
        queue.put(IRCMessage("NICK", nicks.wanted))
        return flush(at: now)
    }

    /// If our nick is taken from us twice within this time, it is kept for somebody else.
    private static let nickFight: Duration = .seconds(3_600)

    /// We are called something else now.
    mutating func renamed(to nick: String, at now: Duration) -> [Action] {
        let had = nicks.isWanted(by: support.caseMapping)
        nicks.rename(to: nick, by: support.caseMapping, retry: now + profile.waits.regain)
        ownSource = Source(nick: nick, user: ownSource.user, host: ownSource.host)
        guard nicks.isWanted(by: support.caseMapping) else {
            guard had else { return [] }
            // We never ask for another, so it is taken from us.
            let isRepeated = nickTaken.map { now - $0 < Self.nickFight } ?? false
            nickTaken = now
            if account == nil, isNickRegistered || isRepeated { return yieldToServices("") }
            if support.monitorLimit != nil { queue.put(IRCMessage("MONITOR", "+", nicks.wanted)) }
            return [.note(.nickTaken(nicks.wanted, instead: nick))] + flush(at: now)
        }
        if had { return [] }
        if support.monitorLimit != nil { queue.put(IRCMessage("MONITOR", "-", nicks.wanted)) }
        return [.note(.nickRegained(nick))] + flush(at: now)
    }

    /// The services keep our nick for somebody: asking for it again and again would only change it back and forth.
    private mutating func yieldToServices(_ reason: String) -> [Action] {
        isNickEnforced = true
        nicks.giveUp()
        return isNickRefused ? [] : [.note(.nickEnforced(nicks.wanted, instead: nick, reason: reason))]
    }

    /// 432 and 437 while we are there: the nick that we ask for again can't be had.
    mutating func refuseWantedNick(_ message: IRCMessage) -> [Action] {
        guard isReady, account == nil, !isNickEnforced, message.parameters.count > 1,
            fold(message.parameters[1]) == fold(nicks.wanted)
        else { return [] }
        return yieldToServices(message.parameters.count > 2 ? message.parameters[message.parameters.count - 1] : "")
    }

    /// We are logged in, so that our nick may be left to us.
    private mutating func nickMayBeOurs(at now: Duration) {
        guard isNickEnforced, !nicks.isWanted(by: support.caseMapping) else { return }
        isNickEnforced = false
        nicks.tryAgain(at: now)
    }

    /// What NickServ says when it isn't about our password.
    mutating func hearOfNick(_ text: String, at now: Duration) -> [Action] {
        let words = text.lowercased()
        if account == nil, words.contains("registered") || words.contains("protected") { isNickRegistered = true }
        // Anope 2 calls it otherwise.
        guard awaitsGhost, words.contains("unknown command") else { return [] }
        awaitsGhost = false
        askForNick("RECOVER", at: now)
        return flush(at: now)
    }

    /// What NickServ has to say while it looks at our password.
    mutating func hearNickServ(_ text: String, at now: Duration) -> [Action] {
        guard case .identifying = phase else { return hearOfNick(text, at: now) }
        let words = text.lowercased()
        let refusals = [
            "incorrect", "invalid", "wrong", "denied", "fail", "not registered", "isn't registered", "not a registered"
        ]
        if refusals.contains(where: words.contains) {
            // Some repeat what they were told.
            let isSecret = profile.account.map { text.contains($0.password) } ?? false
            loginFailure = .told
            let reason = "\(serviceNick): \(isSecret ? "(secret)" : text)"
            guard profile.loginFailure == .leave else {
                return [.note(.loginFailed([.other(reason)]))] + beginJoining(at: now)
            }
            return [.note(.loginFailed([.other(reason)]))] + end(.refused("logging in failed: \(reason)"))
        }
        let successes = [
            "now identified", "now logged in", "password accepted", "now recognized", "already identified",
            "already logged in"
        ]
        guard successes.contains(where: words.contains) else { return [] }
        account = profile.account?.account
        return [.note(.loggedIn(account: account ?? nick))] + beginJoining(at: now)
    }

    /// Into the channels.
    mutating func beginJoining(at now: Duration) -> [Action] {
        if profile.loginFailure == .leave, account == nil {
            let reason = "logging in failed: nobody took the password, and it is required"
            return [.note(.loginFailed(["nobody took the password"]))] + end(.lost(reason))
        }
        phase = .joining(until: now + .seconds(10))
        var actions: [Action] = []
        if account == nil, profile.account != nil, loginFailure == .none {
            actions.append(.note(.loginFailed(["no answer from \(serviceNick)"])))
            loginFailure = .told
        }
        let regaining = nicks.isWanted(by: support.caseMapping) ? [] : beginRegaining(at: now)
        joining.begin()
        for line in joining.tick(at: now, support) { queue.put(line) }
        return actions + regaining + settle(at: now) + flush(at: now)
    }

    /// Lets out what waits to be said once the channels have answered, or had time to.
    mutating func settle(at now: Duration) -> [Action] {
        guard case .joining(let until) = phase, until <= now || joining.isSettled else { return [] }
        phase = .settled
        queue.open(at: now)
        return [.settled]
    }
}
