// Logs in to services by NickServ, if SASL is unavailable.

import HeybotSASL

extension Session {
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
        if configuration.usesSASL, offersSASL || loginHistory.hadSASL {
            let reason =
                "SASL is unavailable, although this network offered it before, so the password wasn't sent to \(serviceNick)"
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

    /// Handles a line of the `WHOIS` answer about the service, and sends the password once the service is verified.
    mutating func verifyNickServ(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard case .verifying = phase, message.parameters.count > 1,
            fold(message.parameters[1]) == fold(serviceNick), let login = configuration.account
        else { return [] }
        guard message.numeric == .endOfWhois else {
            nickServAuthenticityCheck.receive(message)
            return []
        }
        let mask = configuration.nickServAddress.map { Mask($0) }
        if let problem = nickServAuthenticityCheck.problem(serviceNick, mask: mask, by: support.caseMapping) {
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

    mutating func sendToNickServ(_ command: String) {
        let target = configuration.nickServAddress.flatMap { $0.contains("!") ? nil : $0 } ?? serviceNick
        queue.put(IRCMessage("PRIVMSG", target, command))
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
}
