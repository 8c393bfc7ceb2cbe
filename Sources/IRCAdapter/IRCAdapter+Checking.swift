public import Heybot
import HeybotIRC
import HeybotSockets
import NetworkAdapter

// Whether the robot would get in, found out by going in.

extension IRCAdapter: Checkable {
    private var names: OptionNames { configuration.optionNames }

    public func check(within limit: Duration, _ tell: @escaping @Sendable (CheckStep) -> Void) async {
        // One after the other: the network would give our nick to one of us only.
        for server in configuration.servers {
            for step in await rehearse(at: server, within: limit) { tell(step) }
        }
    }

    private func rehearse(at server: Endpoint, within limit: Duration) async -> [CheckStep] {
        let rehearsal = Rehearsal<Note>()
        let visitor = IRCAdapter(
            configuration.forRehearsal, name: name, in: AdapterEnvironment(driver.timeline, logger: driver.logger),
            watch: rehearsal.watch)
        let recognition = driver.withLock { $0.recognition }
        visitor.driver.withLock { $0.recognition = recognition }
        let visit = await rehearsal.hold(within: limit, driver.timeline) { note in
            if case .settled = note { true } else { false }
        } look: {
            visitor.driver.withLock { $0.state.session }
        } visit: {
            // A start right after this finds the nick free only once the server has dealt with our leaving, and some make us
            // wait after a refusal.
            await visitor.connect(to: server, farewell: .seconds(10))
        }
        visitor.driver.timers.close()
        let reaching = CheckStep(
            reaching: "\(server)", visit, within: limit, wantsTLS: configuration.tls != nil, names.connection,
            at: driver.timeline.date())
        if case .failed = reaching.outcome { return [reaching, CheckStep("login, rooms", .skipped("no connection"))] }
        guard let session = visit.look, session.isReady else {
            return [reaching, refusal(visit, within: limit), CheckStep("rooms", .skipped("not let in"))]
        }
        return [reaching] + login(session, visit.notes) + [nick(session, visit.notes)] + admins(visit.notes) + commands
            + configuration.profile.channels.map { room($0, session) }
    }

    // MARK: Logging in

    /// Why the server doesn't let us in.
    private func refusal(_ visit: Rehearsal<Note>.Outcome<Session?>, within limit: Duration) -> CheckStep {
        if let failure = loginFailure(visit.notes) { return failure }
        let reason = visit.trouble?.description ?? "the server didn't let the robot in within \(limit)"
        if visit.trouble?.isCut == true, configuration.tls == nil {
            return CheckStep("login", .failed(reason, cure: "if that port wants TLS, \(names.encrypt)"))
        }
        return CheckStep(
            "login",
            .failed(
                reason,
                cure:
                    "if the server wants a password, \(names.serverPassword) is the one; if it bans the robot, ask its "
                    + "operators"))
    }

    private func loginFailure(_ notes: [Note]) -> CheckStep? {
        for note in notes {
            guard case .loginFailed(let problems) = note else { continue }
            let reason = problems.map(\.description).joined(separator: "; ")
            return CheckStep("login", .failed(reason, cure: names.fix(note) ?? accountCure))
        }
        return nil
    }

    private var accountCure: String {
        "check \(names.accountName) and \(names.accountPassword), or \(names.serverPassword) with "
            + "\(names.usesSASL), and that the account is registered"
    }

    /// Nothing if there is no account to log in to.
    private func login(_ session: Session, _ notes: [Note]) -> [CheckStep] {
        if let account = session.account {
            let way = session.mechanism.map { "by \($0)" } ?? "by \(configuration.profile.nickServ)"
            return [CheckStep("login", .passed("as \(account), \(way)"))]
        }
        if let failure = loginFailure(notes) { return [failure] }
        guard configuration.profile.hasCertificate else { return [] }
        return [
            CheckStep(
                "login",
                .warned(
                    "the network doesn't log the robot in by its certificate",
                    cure: "add the fingerprint of \(names.certificate) to the account, with NickServ's CERT ADD"))
        ]
    }

    private func nick(_ session: Session, _ notes: [Note]) -> CheckStep {
        for note in notes {
            switch note {
            case .nickRefused(let nick, let reason):
                return CheckStep(
                    "nick",
                    .warned(
                        "\(nick) isn't taken by the network: \(reason); it would be \(session.nick)",
                        cure: "set \(names.nick) to another"))
            case .nickTaken(let nick, let instead):
                return CheckStep(
                    "nick",
                    .warned(
                        "\(nick) is somebody's, perhaps the robot's that is live; it would be \(instead)",
                        cure: "if it is somebody else's, set \(names.nick) or \(names.alternateNicks)"))
            default: continue
            }
        }
        return CheckStep("nick", .passed(session.nick))
    }

    /// Nothing if all admins can be recognized.
    private func admins(_ notes: [Note]) -> [CheckStep] {
        let hostmask = names.nameHostmask
        for note in notes {
            switch note {
            case .unprovable(let admins):
                return [
                    CheckStep(
                        "admins",
                        .warned(
                            "the network doesn't tell people's accounts, so \(admins.joined(separator: ", ")) can't be an admin",
                            cure: "\(hostmask), or set \(names.trustsNicks)=true"))
                ]
            case .doubtful(let admins):
                return [
                    CheckStep(
                        "admins",
                        .warned(
                            "nobody seems to have an account there, and unless the network has services, "
                                + "\(admins.joined(separator: ", ")) can't be an admin", cure: hostmask))
                ]
            default: continue
            }
        }
        return []
    }

    /// Nothing if there is none.
    private var commands: [CheckStep] {
        guard !configuration.profile.commands.isEmpty else { return [] }
        return [CheckStep("connect command", .skipped("\(names.commands) isn't sent, since it may be heard"))]
    }

    // MARK: Rooms

    private func room(_ channel: Profile.Channel, _ session: Session) -> CheckStep {
        let key = session.fold(channel.name)
        if session.joined.contains(where: { session.fold($0) == key }) {
            let isAlone = session.roster.channels[key]?.count == 1
            return CheckStep(channel.name, .passed(isAlone ? "joined; nobody else is there" : "joined"))
        }
        guard let refusal = session.refusals[key] else {
            return CheckStep(
                channel.name,
                .failed("the server doesn't answer", cure: "check its name in \(names.channels), or try again later"))
        }
        return CheckStep(
            channel.name,
            .failed(refusal.parameters.last ?? "not let in", cure: cure(refusal.numeric, channel, session.nick)))
    }

    private func cure(_ reply: Numeric?, _ channel: Profile.Channel, _ nick: String) -> String {
        let name = channel.name
        return switch reply {
        case .badChannelKey where channel.key == nil: "it has a key: write `\(name) key` in \(names.channels)"
        case .badChannelKey: "correct the key behind \(name) in \(names.channels)"
        case .inviteOnly: "have an operator there let it in for good: /mode \(name) +I \(nick)!*@*"
        case .bannedFromChannel: "have an operator there lift the ban: /mode \(name) +b lists them"
        case .accountsOnly: "only accounts are let in: set \(names.accountPassword)"
        case .encryptedOnly: "only encrypted connections are let in: \(names.encrypt)"
        case .channelIsFull: "it is full: have an operator there raise its limit, /mode \(name) +l"
        case .tooManyChannels: "so many rooms are too many there: take some out of \(names.channels)"
        case .operatorsOnly: "only the network's operators are let in: take it out of \(names.channels)"
        case .forwarded: "it sends people to another: set that one in \(names.channels)"
        case .unavailable: "it can't be had just now: try again later"
        default: "check its name in \(names.channels)"
        }
    }
}

extension IRCAdapter.Setup {
    /// The same, but for what others would notice beside our coming and going.
    fileprivate var forRehearsal: Self {
        var configuration = self
        configuration.profile.commands = []
        configuration.profile.reclaimsNick = false
        configuration.profile.acceptsInvitations = false
        configuration.profile.hearsPrivateMessages = false
        configuration.profile.ignored = [Mask("*")]
        return configuration
    }
}
