// From the first message to a ready session: capabilities, SASL, the welcome and the joining of channels.

import HeybotSASL

extension Session {
    /// Handles a `CAP` message.
    mutating func handleCapabilities(_ message: IRCMessage, at now: Duration) -> [Action] {
        let demands = handleTransportPolicy(message)
        if phase == .over { return demands }
        switch capabilities.receive(message.parameters) {
        case .none:
            return demands
        case .request(let lines):
            return demands + lines.flatMap { send($0, at: now) }
        case .ready(let enabled):
            if enabled.contains("sasl"), account == nil {
                return demands
                    + handle(
                        authentication.begin(
                            offered: capabilities.offered["sasl"] ?? "", until: now + configuration.timeouts.login),
                        at: now)
            }
            return demands + endNegotiation()
        case .withdrawn(let names):
            // From now on, the server may not report that a monitored user has changed accounts.
            if !names.isDisjoint(with: Capabilities.extendedMonitor) { members.unwatchAll() }
            return demands
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
        return markAway() + [.send(IRCMessage("CAP", "END"))]
    }

    /// Handles the result of a SASL step.
    mutating func handle(_ step: Authentication.StepResult, at now: Duration) -> [Action] {
        switch step {
        case .none:
            return []
        case .send(let lines):
            return lines.flatMap { send($0, at: now) }
        case .succeeded:
            account = account ?? configuration.accountName ?? nick
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
        let name = message.parameters.count > 2 ? message.parameters[2] : configuration.accountName ?? nick
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
        trackHistory(welcomed: time)
        queue.restart()
        // The end of the message of the day ends registration, but a server without one may send nothing.
        phase = .welcomed(until: now + .seconds(5))
        return []
    }

    /// Starts joining the channels.
    mutating func beginJoining(at now: Duration) -> [Action] {
        if configuration.loginFailurePolicy == .disconnect, account == nil {
            let reason = "login failed: \(refusedLogin), and login is required"
            return [.log(.loginFailed([refusedLogin]))] + end(.lost(reason))
        }
        phase = .joining(until: now + .seconds(10))
        var actions: [Action] = []
        if account == nil, configuration.account != nil, loginFailure == .none {
            actions.append(.log(.loginFailed(["no answer from \(serviceNick)"])))
            loginFailure = .reported
        } else if account == nil, loginFailure == .none, hasOnlyKey {
            actions.append(.log(.loginFailed([.keyUnsupported])))
            loginFailure = .reported
        }
        let regaining = nicks.isWanted(by: support.caseMapping) ? [] : beginRegaining(at: now)
        channelManager.begin()
        for line in channelManager.tick(at: now, support) { queue.put(line) }
        return actions + regaining + completeJoining(at: now) + flush(at: now)
    }

    /// Whether the robot has a key to log in with, and nothing else.
    private var hasOnlyKey: Bool {
        configuration.signer != nil && configuration.account == nil && !configuration.hasCertificate
    }

    /// Why the network has let the robot in without an account.
    private var refusedLogin: LoginFailureReason {
        if configuration.account != nil { return "no service accepted the password" }
        return hasOnlyKey ? .keyUnsupported : "the network didn't accept the robot's certificate"
    }

    /// Opens the send queue once every channel has answered, or their time is up.
    mutating func completeJoining(at now: Duration) -> [Action] {
        guard case .joining(let until) = phase, until <= now || channelManager.isComplete else { return [] }
        phase = .ready
        wasReady = true
        queue.open(at: now)
        requestOtherMissed(at: now)
        return [.ready] + markPresent(at: now)
    }
}
