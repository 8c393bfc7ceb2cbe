public import Heybot
import HeybotSASL
import HeybotSockets
import HeybotXMPP
import NetworkAdapter

// Whether the robot would get in, found out by going in.

extension XMPPAdapter: Checkable {
    private var names: OptionNames { configuration.optionNames }

    public func check(within limit: Duration, _ tell: @escaping @Sendable (CheckStep) -> Void) async {
        let rehearsal = Rehearsal<Note>()
        let visitor = XMPPAdapter(
            configuration.forRehearsal, name: name, in: AdapterEnvironment(driver.timeline, logger: driver.logger),
            watch: rehearsal.watch)
        let visit = await rehearsal.hold(within: limit, driver.timeline) { note in
            if case .settled = note { true } else { false }
        } look: {
            visitor.driver.withLock {
                Look(session: $0.state.session, ending: $0.ending, lookupFailure: $0.lookupFailure)
            }
        } visit: {
            await visitor.visitWhereSent().trouble
        }
        visitor.driver.timers.close()
        for step in lookup(visit.look) + steps(visit, within: limit) { tell(step) }
    }

    /// That DNS doesn't tell where the server is, so that the domain itself was tried; nothing if it does.
    private func lookup(_ look: Look) -> [CheckStep] {
        guard let failure = look.lookupFailure else { return [] }
        let cure =
            "check that this machine's name servers can be reached, those in /etc/resolv.conf, or set \(names.server)"
        return [CheckStep(configuration.profile.address.domain, .warned(failure.reason, cure: cure))]
    }

    /// What there was to see before we left.
    private struct Look {
        let session: Session?
        let ending: Ending?
        let lookupFailure: LookupError?
    }

    private func steps(_ visit: Rehearsal<Note>.Outcome<Look>, within limit: Duration) -> [CheckStep] {
        let reaching = reaching(visit, within: limit)
        if case .failed = reaching.outcome { return [reaching, CheckStep("login, rooms", .skipped("no connection"))] }
        guard let session = visit.look.session, session.isReady else {
            return [reaching, refusal(visit, within: limit), CheckStep("rooms", .skipped("not logged in"))]
        }
        let way = session.mechanism.map { ", by \($0.rawValue)" } ?? ""
        return [reaching, CheckStep("login", .passed("as \(session.address)\(way)"))]
            + configuration.profile.rooms.map { room($0, session, visit.notes) }
    }

    private func reaching(_ visit: Rehearsal<Note>.Outcome<Look>, within limit: Duration) -> CheckStep {
        let usesTLS = configuration.profile.usesTLS
        if usesTLS, visit.encryption == nil, let connection = visit.connection, let trouble = visit.trouble,
            trouble.cause == nil, visit.look.ending != .noTLS
        {
            // It has turned us away before there could be any TLS, which is told as what it is.
            return CheckStep("\(connection.endpoint)", .passed("connected"))
        }
        return CheckStep(
            reaching: configuration.server.map { "\($0)" } ?? configuration.profile.address.domain, visit,
            within: limit,
            wantsTLS: usesTLS, names.connection, at: driver.timeline.date())
    }

    /// Why the server doesn't let us in.
    private func refusal(_ visit: Rehearsal<Note>.Outcome<Look>, within limit: Duration) -> CheckStep {
        let trouble = visit.trouble
        let isTLSMissing = trouble?.isCut == true && configuration.server != nil && !configuration.isDirectTLS
        let cure =
            if case .unknownDomain = visit.look.ending {
                "check the domain of \(names.address)\(configuration.server == nil ? "" : ", and \(names.server)")"
            } else if isTLSMissing {
                "if that port wants TLS at once, set \(names.usesDirectTLS)=true"
            } else {
                "check \(names.address) and \(names.password)"
            }
        return CheckStep(
            "login", .failed(trouble?.reason ?? "the server didn't let the robot in within \(limit)", cure: cure))
    }

    // MARK: Rooms

    private func room(_ room: Profile.Room, _ session: Session, _ notes: [Note]) -> CheckStep {
        let subject = room.address.description
        for note in notes {
            switch note {
            case .nickTaken(_, room.address, let instead), .nickAssigned(_, room.address, let instead):
                return CheckStep(
                    subject,
                    .warned(
                        "joined as \(instead): the nick is somebody's, or not allowed",
                        cure: "if it isn't the robot's that is live, set \(names.nick) to another"))
            case .refused(room.address, let reason):
                let condition = session.refusal(by: room.address)?.condition
                return CheckStep(subject, .failed(reason, cure: cure(condition, room)))
            case .unbelieved(room.address, let reason):
                return CheckStep(
                    subject,
                    .warned(
                        "joined; nobody is known there by their own address: \(reason)",
                        cure: "have admins speak to the robot in private, or in a room of another service"))
            default: continue
            }
        }
        guard session.joined.contains(room.address) else {
            return CheckStep(subject, .failed("it doesn't answer", cure: cure(nil, room)))
        }
        let isAlone = session.occupants(of: room.address).count == 1
        return CheckStep(subject, .passed(isAlone ? "joined; nobody else is there" : "joined"))
    }

    /// By the conditions that rooms refuse with (XEP-0045 section 7.2).
    private func cure(_ condition: ErrorCondition?, _ room: Profile.Room) -> String {
        switch condition {
        case .notAuthorized where room.password == nil:
            "write it as `\(room.address):password` in \(names.rooms)"
        case .notAuthorized: "correct what is behind \(room.address) in \(names.rooms)"
        case .forbidden:
            "have an admin of the room lift the ban; where there is none, check its address in \(names.rooms)"
        case .registrationRequired: "have an admin of the room make the robot's address a member"
        case .notAllowed: "check its address in \(names.rooms), or have somebody make it who may"
        case .serviceUnavailable:
            "have it take more people; where there is none, check its address in \(names.rooms)"
        case .conflict, .notAcceptable: "set \(names.nick) to another"
        default: "check its address in \(names.rooms)"
        }
    }
}

extension XMPPAdapter.Setup {
    /// The same, but for what others would notice beside our coming and going.
    fileprivate var forRehearsal: Self {
        var configuration = self
        // By its resource a robot would be put out that is live.
        configuration.profile.address = configuration.profile.address.bare
        configuration.profile.isAvailable = false
        configuration.profile.acceptsInvitations = false
        configuration.profile.contacts = .none
        return configuration
    }
}
