public import Heybot
import HeybotSASL
import HeybotSockets
import HeybotXMPP
import NetworkAdapter

// Checks whether the robot can log in and join its rooms, by doing so.

extension XMPPAdapter: PreflightCheckable {
    private var names: OptionNamesInHints { configuration.optionNames }

    public func check(within limit: Duration, _ tell: @escaping @Sendable (PreflightCheckResult) -> Void) async {
        let probe = PreflightProbe<LogEntry>()
        let visitor = XMPPAdapter(
            configuration.forPreflight, name: name, in: AdapterDependencies(driver.timeSource, logger: driver.logger),
            watch: probe.watch)
        let visit = await probe.run(within: limit, driver.timeSource) { entry in
            if case .ready = entry { true } else { false }
        } snapshot: {
            visitor.driver.withLock {
                PreflightSnapshot(
                    session: $0.state.session, disconnectReason: $0.disconnectReason, lookupFailure: $0.lookupFailure,
                    uploadService: $0.uploadService)
            }
        } whenReady: {
            await visitor.findUploadService()
        } connect: {
            await visitor.connectFollowingRedirects().failure
        }
        visitor.driver.timers.close()
        for step in lookup(visit.snapshot) + steps(visit, within: limit) { tell(step) }
    }

    /// Returns a warning if the DNS lookup failed, so that the domain itself was tried.
    private func lookup(_ look: PreflightSnapshot) -> [PreflightCheckResult] {
        guard let failure = look.lookupFailure else { return [] }
        let fix =
            "check that the name servers in /etc/resolv.conf can be reached, or set \(names.server)"
        return [PreflightCheckResult(configuration.session.address.domain, .warned(failure.reason, fix: fix))]
    }

    /// The state of the session before it is closed.
    private struct PreflightSnapshot {
        let session: Session?
        let disconnectReason: DisconnectReason?
        let lookupFailure: SRVLookupError?
        let uploadService: FileUpload.Service?
    }

    private func steps(_ visit: PreflightProbe<LogEntry>.Observations<PreflightSnapshot>, within limit: Duration)
        -> [PreflightCheckResult]
    {
        let reaching = reaching(visit, within: limit)
        if case .failed = reaching.outcome {
            return [reaching, PreflightCheckResult("login, rooms", .skipped("no connection"))]
        }
        guard let session = visit.snapshot.session, session.isOnline else {
            return [
                reaching, loginFailure(visit, within: limit), PreflightCheckResult("rooms", .skipped("not logged in"))
            ]
        }
        let way = session.mechanism.map { ", by \($0.rawValue)" } ?? ""
        return [
            reaching, PreflightCheckResult("login", .passed("as \(session.address)\(way)")),
            files(visit.snapshot.uploadService)
        ]
            + configuration.session.rooms.map { room($0, session, visit.entries) }
    }

    private func reaching(_ visit: PreflightProbe<LogEntry>.Observations<PreflightSnapshot>, within limit: Duration)
        -> PreflightCheckResult
    {
        let usesTLS = configuration.session.usesTLS
        if usesTLS, visit.encryption == nil, let connection = visit.connection, let failure = visit.failure,
            failure.cause == nil, visit.snapshot.disconnectReason != .noTLS
        {
            // The server refused before TLS could begin, which is reported as a failed login.
            return PreflightCheckResult("\(connection.endpoint)", .passed("connected"))
        }
        return PreflightCheckResult(
            reaching: configuration.server.map { "\($0)" } ?? configuration.session.address.domain, visit,
            within: limit,
            wantsTLS: usesTLS, names.connection, at: driver.timeSource.date())
    }

    /// Returns why the login failed.
    private func loginFailure(_ visit: PreflightProbe<LogEntry>.Observations<PreflightSnapshot>, within limit: Duration)
        -> PreflightCheckResult
    {
        let failure = visit.failure
        let isTLSMissing = failure?.isSilentClose == true && configuration.server != nil && !configuration.isDirectTLS
        let fix =
            if case .unknownDomain = visit.snapshot.disconnectReason {
                "check the domain of \(names.address)\(configuration.server == nil ? "" : ", and \(names.server)")"
            } else if isTLSMissing {
                "if that port requires direct TLS, set \(names.usesDirectTLS)=true"
            } else {
                "check \(names.address) and \(names.password)"
            }
        return PreflightCheckResult(
            "login", .failed(failure?.reason ?? "login timed out after \(limit)", fix: fix))
    }

    /// Returns what becomes of the files that scripts send.
    private func files(_ service: FileUpload.Service?) -> PreflightCheckResult {
        guard let service else { return PreflightCheckResult("files", .skipped("the server takes no files")) }
        let limit = service.largestFile.map { " of up to \($0) bytes" } ?? ""
        return PreflightCheckResult("files", .passed("\(service.address) takes files\(limit)"))
    }

    // MARK: Rooms

    private func room(_ room: SessionConfiguration.Room, _ session: Session, _ entries: [LogEntry])
        -> PreflightCheckResult
    {
        let subject = room.address.description
        for entry in entries {
            switch entry {
            case .nickTaken(_, room.address, let instead), .nickAssigned(_, room.address, let instead):
                return PreflightCheckResult(
                    subject,
                    .warned(
                        "joined as \(instead): the nick is taken or not allowed",
                        fix: "if the running robot doesn't have the nick, set \(names.nick) to another"))
            case .joinRefused(room.address, let reason):
                let condition = session.joinError(of: room.address)?.condition
                return PreflightCheckResult(subject, .failed(reason, fix: fix(condition, room)))
            case .addressesUntrusted(room.address, let reason):
                return PreflightCheckResult(
                    subject,
                    .warned(
                        "joined; users are identified by nick only: \(reason)",
                        fix: "ask admins to send direct messages to the robot, or use a room of another service"))
            default: continue
            }
        }
        guard session.joined.contains(room.address) else {
            return PreflightCheckResult(subject, .failed("it doesn't answer", fix: fix(nil, room)))
        }
        let isAlone = session.occupants(of: room.address).count == 1
        return PreflightCheckResult(subject, .passed(isAlone ? "joined; the room is empty" : "joined"))
    }

    /// Returns the fix for the condition with which a room refused the join (XEP-0045 section 7.2).
    private func fix(_ condition: DefinedCondition?, _ room: SessionConfiguration.Room) -> String {
        switch condition {
        case .notAuthorized where room.password == nil:
            "the room has a password: write `\(room.address):password` in \(names.rooms)"
        case .notAuthorized: "correct the password after \(room.address) in \(names.rooms)"
        case .forbidden:
            "ask an admin of the room to lift the ban, or check the address in \(names.rooms)"
        case .registrationRequired: "ask an admin of the room to add the robot as a member"
        case .notAllowed:
            "check the room's address in \(names.rooms), or ask someone with permission to create the room"
        case .serviceUnavailable:
            "ask an admin of the room to raise its limit, or check the address in \(names.rooms)"
        case .conflict, .notAcceptable: "set \(names.nick) to another nick"
        default: "check the room's address in \(names.rooms)"
        }
    }
}

extension XMPPAdapter.ResolvedConfiguration {
    /// The same configuration without anything that others could notice, except joining and leaving.
    fileprivate var forPreflight: Self {
        var configuration = self
        // With its resource, the server would disconnect a running robot.
        configuration.session.address = configuration.session.address.bare
        configuration.session.resource = nil
        configuration.session.installation = nil
        configuration.session.isAvailable = false
        configuration.session.acceptsInvitations = false
        configuration.session.makesRoomsPersistent = false
        configuration.session.contacts = .none
        configuration.session.commands = []
        configuration.session.usesBookmarks = false
        return configuration
    }
}
