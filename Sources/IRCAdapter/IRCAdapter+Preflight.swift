public import Heybot
import HeybotIRC
import HeybotSockets
import NetworkAdapter

// The preflight check: connects, registers and joins the rooms.

extension IRCAdapter: PreflightCheckable {
    private var names: OptionNamesInHints { configuration.optionNames }

    public func check(within limit: Duration, _ tell: @escaping @Sendable (PreflightCheckResult) -> Void) async {
        // One server after the other: the network would give the nick to only one connection.
        for server in configuration.servers {
            for step in await probeServer(at: server, within: limit) { tell(step) }
        }
    }

    private func probeServer(at server: Endpoint, within limit: Duration) async -> [PreflightCheckResult] {
        let probe = PreflightProbe<LogEntry>()
        // What servers have demanded counts for the check too.
        let probeAdapter = IRCAdapter(
            configuration.forPreflight, name: name, brain: nil, policies: policies.forPreflight,
            in: AdapterDependencies(driver.timeSource, logger: driver.logger), watch: probe.watch)
        let namedUsers = driver.withLock { $0.namedUsers }
        probeAdapter.driver.withLock { $0.namedUsers = namedUsers }
        let outcome = await probe.run(within: limit, driver.timeSource) { entry in
            if case .ready = entry { true } else { false }
        } snapshot: {
            probeAdapter.driver.withLock { $0.state.session }
        } connect: {
            // If the robot starts right after this, the nick is free only once the server has handled the QUIT, and some servers
            // delay a reconnect after a refusal.
            await probeAdapter.connect(to: server, farewell: .seconds(10))
        }
        probeAdapter.driver.timers.close()
        let reaching = PreflightCheckResult(
            reaching: "\(server)", outcome, within: limit, wantsTLS: configuration.tls != nil, names.connection,
            at: driver.timeSource.date())
        if case .failed = reaching.outcome {
            return [reaching, PreflightCheckResult("login, rooms", .skipped("no connection"))]
        }
        guard let session = outcome.snapshot, session.isOnline else {
            return [reaching, refusal(outcome, within: limit), PreflightCheckResult("rooms", .skipped("not connected"))]
        }
        return [reaching] + login(session, outcome.entries) + [nick(session, outcome.entries)] + admins(outcome.entries)
            + commands
            + configuration.session.channels.map { room($0, session) }
    }

    // MARK: Login

    /// The reason why the server refuses the robot.
    private func refusal(_ outcome: PreflightProbe<LogEntry>.Observations<Session?>, within limit: Duration)
        -> PreflightCheckResult
    {
        if let failure = loginFailure(outcome.entries) { return failure }
        let reason = outcome.failure?.description ?? "login timed out after \(limit)"
        if outcome.failure?.isSilentClose == true, configuration.tls == nil {
            return PreflightCheckResult("login", .failed(reason, fix: "if that port requires TLS, \(names.encrypt)"))
        }
        return PreflightCheckResult(
            "login",
            .failed(
                reason,
                fix:
                    "if the server requires a password, set \(names.serverPassword); if it bans the robot, ask its "
                    + "operators"))
    }

    private func loginFailure(_ entries: [LogEntry]) -> PreflightCheckResult? {
        for entry in entries {
            guard case .loginFailed(let reasons) = entry else { continue }
            let reason = reasons.map(\.description).joined(separator: "; ")
            return PreflightCheckResult("login", .failed(reason, fix: names.fix(entry) ?? accountFix))
        }
        return nil
    }

    private var accountFix: String {
        "check \(names.accountName) and \(names.accountPassword) (or, with \(names.usesSASL), "
            + "\(names.serverPassword)), and that the account is registered"
    }

    /// Empty if there is no account to log in to.
    private func login(_ session: Session, _ entries: [LogEntry]) -> [PreflightCheckResult] {
        if let account = session.account {
            let way = session.mechanism.map { "by \($0)" } ?? "by \(configuration.session.nickServ)"
            return [PreflightCheckResult("login", .passed("as \(account), \(way)"))]
        }
        let unsupported = LoginFailureReason.keyUnsupported
        let isKeyUnsupported = entries.contains(.loginFailed([unsupported]))
        if !isKeyUnsupported, let failure = loginFailure(entries) { return [failure] }
        if isKeyUnsupported || configuration.session.signer != nil {
            return [PreflightCheckResult("login", .warned("\(unsupported)", fix: names.passwordFix))]
        }
        guard configuration.session.hasCertificate else { return [] }
        return [
            PreflightCheckResult(
                "login",
                .warned(
                    "the network doesn't accept the robot's certificate for logging in",
                    fix: "add the fingerprint of \(names.certificate) to the account, with NickServ's CERT ADD"))
        ]
    }

    private func nick(_ session: Session, _ entries: [LogEntry]) -> PreflightCheckResult {
        for entry in entries {
            switch entry {
            case .nickRefused(let nick, let reason):
                return PreflightCheckResult(
                    "nick",
                    .warned(
                        "the network rejected the nick \(nick): \(reason); the robot would use \(session.nick)",
                        fix: "set \(names.nick) to another nick"))
            case .nickTaken(let nick, let instead):
                return PreflightCheckResult(
                    "nick",
                    .warned(
                        "\(nick) is in use, perhaps by the running robot; this check uses \(instead)",
                        fix: "if another user has the nick, set \(names.nick) or \(names.alternateNicks)"))
            default: continue
            }
        }
        return PreflightCheckResult("nick", .passed(session.nick))
    }

    /// Empty if all admins can be verified.
    private func admins(_ entries: [LogEntry]) -> [PreflightCheckResult] {
        let hostmask = names.nameHostmask
        for entry in entries {
            switch entry {
            case .accountsUnavailable(let admins):
                return [
                    PreflightCheckResult(
                        "admins",
                        .warned(
                            "the network doesn't show users' accounts, so \(admins.joined(separator: ", ")) can't be an admin",
                            fix: "\(hostmask), or set \(names.trustsNicks)=true"))
                ]
            case .accountsUnlikely(let admins):
                return [
                    PreflightCheckResult(
                        "admins",
                        .warned(
                            "the network seems to have no accounts; if it has no services either, "
                                + "\(admins.joined(separator: ", ")) can't be an admin", fix: hostmask))
                ]
            default: continue
            }
        }
        return []
    }

    /// Empty if there is no command.
    private var commands: [PreflightCheckResult] {
        guard !configuration.session.commands.isEmpty else { return [] }
        return [PreflightCheckResult("connect command", .skipped("\(names.commands) isn't sent during a check"))]
    }

    // MARK: Rooms

    private func room(_ channel: SessionConfiguration.Channel, _ session: Session) -> PreflightCheckResult {
        let key = session.fold(channel.name)
        if session.joined.contains(where: { session.fold($0) == key }) {
            let isAlone = session.members.channels[key]?.count == 1
            return PreflightCheckResult(channel.name, .passed(isAlone ? "joined; nobody else is there" : "joined"))
        }
        guard let refusal = session.refusals[key] else {
            return PreflightCheckResult(
                channel.name,
                .failed(
                    "the server doesn't answer",
                    fix: "check the channel's name in \(names.channels), or try again later"))
        }
        return PreflightCheckResult(
            channel.name,
            .failed(
                refusal.parameters.last ?? "the server refused the join",
                fix: fix(refusal.numeric, channel, session.nick)))
    }

    private func fix(_ reply: Numeric?, _ channel: SessionConfiguration.Channel, _ nick: String) -> String {
        let name = channel.name
        return switch reply {
        case .badChannelKey where channel.key == nil: "the channel has a key: write `\(name) key` in \(names.channels)"
        case .badChannelKey: "correct the key of \(name) in \(names.channels)"
        case .inviteOnly: "ask a channel operator to add an invite exception: /mode \(name) +I \(nick)!*@*"
        case .bannedFromChannel: "ask a channel operator to lift the ban; /mode \(name) +b lists the bans"
        case .accountsOnly: "only users with an account may join: set \(names.accountPassword)"
        case .encryptedOnly: "only encrypted connections are allowed: \(names.encrypt)"
        case .channelIsFull: "the channel is full: ask a channel operator to raise its limit, /mode \(name) +l"
        case .tooManyChannels: "too many channels for this network: remove some from \(names.channels)"
        case .operatorsOnly: "only network operators may join: remove the channel from \(names.channels)"
        case .forwarded: "the channel forwards to another one: name that channel in \(names.channels) instead"
        case .unavailable: "the channel is temporarily unavailable: try again later"
        default: "check the channel's name in \(names.channels)"
        }
    }
}

extension IRCAdapter.ResolvedConfiguration {
    /// The same, without anything that others would notice beside the join and the quit.
    fileprivate var forPreflight: Self {
        var configuration = self
        configuration.session.commands = []
        configuration.session.reclaimsNick = false
        configuration.session.acceptsInvitations = false
        configuration.session.hearsPrivateMessages = false
        configuration.session.ignored = [Mask("*")]
        return configuration
    }
}
