public import Heybot
import HeybotXMPP
import NetworkAdapter

// Moderates rooms: resolves nicks, and changes roles, affiliations and subjects.

extension XMPPAdapter: RoomModeration {
    public func member(named name: String, in room: Room) async -> RoomMember? {
        guard let address = try? target(room) else { return nil }
        await waitForOccupants(of: address)
        return driver.withLock { $0.member(named: name, in: address) }
    }

    /// Returns a ban by address, or a quiet by address or occupant id.
    ///
    /// - Throws: ``Heybot/AdapterError`` if the room doesn't show that.
    public func restriction(
        _ kind: RoomRestriction.Kind, of member: RoomMember, in room: Room
    ) async throws -> (restriction: RoomRestriction, affected: [User]) {
        let address = try target(room)
        await waitForOccupants(of: address)
        return try driver.withLock { try $0.restriction(kind, of: member, in: address) }
    }

    /// Changes a room, as its moderator or admin.
    ///
    /// - Throws: ``Heybot/AdapterError`` if the room refuses it.
    public func moderate(_ action: ModerationAction, in room: Room) async throws {
        let address = try target(room)
        if case .setTopic(let topic) = action {
            guard driver.withLock({ $0.state.session?.fitsInOneStanza(topic) }) ?? true else {
                throw AdapterError(.tooLong, "that topic exceeds the server's limit: shorten it")
            }
        }
        await waitForOccupants(of: address)
        let changes = try driver.withLock { try $0.changes(for: action, in: address) }
        do throws(StanzaError) {
            // Somebody may have lifted the ban, and even made the person a member, which isn't to be undone.
            if case .lift(let restriction, _) = action, restriction.kind == .ban,
                let person = try? JID(restriction.subject)
            {
                let list = try await perform(.outcasts, in: address)
                guard RoomChange.isOutcast(person, in: list) else { return }
            }
            for change in changes { _ = try await perform(change, in: address) }
        } catch {
            throw Self.adapterError(error, in: address)
        }
    }

    /// Waits until the room has listed its occupants again, as it has to after a change of a role; for twelve seconds at most,
    /// because a room is asked at most every ten seconds.
    private func waitForOccupants(of room: JID) async {
        for _ in 0..<48 {
            guard driver.withLock({ $0.state.session?.hasUnverifiedOccupants(in: room) ?? false }) else { return }
            guard (try? await driver.timeSource.sleep(.milliseconds(250))) != nil else { return }
        }
    }

    private func perform(_ change: RoomChange, in room: JID) async throws(StanzaError) -> Element? {
        let name = driver.withLock { $0.nextIQRequestName() }
        let result: Result<Element?, StanzaError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                driver.act { $0.moderate(change, in: room, at: $1, as: name, continuation) }
                if Task.isCancelled { driver.withLock { $0.cancelIQRequest(name) } }
            }
        } onCancel: {
            driver.withLock { $0.cancelIQRequest(name) }
        }
        return try result.get()
    }

    private static func adapterError(_ error: StanzaError, in room: JID) -> AdapterError {
        switch error.condition {
        // It was connected when the change was requested.
        case .remoteServerTimeout, .cancelled, .notConnected:
            AdapterError(.unconfirmed, "\(room) didn't answer, so I don't know whether that worked")
        case .notAcceptable: AdapterError(.notInRoom, "I'm not in \(room)")
        case .itemNotFound: AdapterError(.noSuchUser, "they aren't in \(room) any more")
        case .forbidden, .notAllowed, .notAuthorized:
            AdapterError(.notAllowed, "I may not do that in \(room): make me an admin there, unless it's about one")
        default: AdapterError(.notAllowed, "\(room) refuses that: \(error)")
        }
    }
}

extension XMPPSessionManager {
    /// Returns the occupant of a room with a nick, which is compared without case if that is unambiguous.
    ///
    /// - Returns: Nil if there is none, or if it is the robot.
    func member(named nick: String, in room: JID) -> RoomMember? {
        guard let session = state.session else { return nil }
        let others = session.occupants(of: room).filter { $0.key != session.nick(in: room) }
        let alike = others.values.filter { $0.nick.lowercased() == nick.lowercased() }
        guard let occupant = others[nick] ?? (alike.count == 1 ? alike.first : nil),
            let user = converter.user(occupant, in: room)
        else { return nil }
        return RoomMember(user: user, stay: occupant.stayText)
    }

    /// Returns the ban or quiet for a member, and the occupants whom it would affect.
    func restriction(
        _ kind: RoomRestriction.Kind, of member: RoomMember, in room: JID
    ) throws -> (restriction: RoomRestriction, affected: [User]) {
        guard let session = state.session, session.isOnline else {
            throw AdapterError(.notConnected, "I'm not connected right now")
        }
        let name = member.user.name
        guard let occupant = session.occupant(in: member.stay, of: room) else {
            guard !session.hasUnverifiedOccupants(in: room) else {
                throw AdapterError(.notAllowed, "I'm finding out who is in \(room) right now: try again in a moment")
            }
            throw AdapterError(.noSuchUser, "\(name) isn't in \(room) any more")
        }
        let shown = kind == .ban ? occupant.person?.description : session.lastingName(of: occupant, in: room)
        guard let subject = shown else {
            throw AdapterError(
                .unsupported, "\(room) doesn't show me who \(name) is: make me an admin there, or kick them instead")
        }
        guard subject != session.address.bare.description else {
            throw AdapterError(.notAllowed, "\(name) has my own address")
        }
        let affected = session.occupants(of: room).values.filter {
            session.lastingName(of: $0, in: room) == subject && $0.nick != session.nick(in: room)
        }
        return (RoomRestriction(kind, of: subject), affected.compactMap { converter.user($0, in: room) })
    }

    /// Returns the changes of a room that make up an action.
    func changes(for action: ModerationAction, in room: JID) throws -> [RoomChange] {
        guard let session = state.session, session.isOnline else {
            throw AdapterError(.notConnected, "I'm not connected right now")
        }
        guard session.joined.contains(room) else { throw AdapterError(.notInRoom, "I'm not in \(room)") }
        switch action {
        case .giveOperator(let member): return [.role(.moderator, of: member.stay, reason: "")]
        // A role replaces another one, so it depends on that: a moderator has voice, and a visitor isn't a moderator.
        case .takeOperator(let member):
            let role = session.occupant(in: member.stay, of: room)?.role
            return role == .visitor || role == .participant ? [] : [.role(.participant, of: member.stay, reason: "")]
        case .giveVoice(let member):
            let role = session.occupant(in: member.stay, of: room)?.role
            return role == .moderator ? [] : [.role(.participant, of: member.stay, reason: "")]
        case .takeVoice(let member): return [.role(.visitor, of: member.stay, reason: "")]
        case .kick(let member, let reason): return [.role(.none, of: member.stay, reason: reason)]
        case .restrict(let member, let restriction, let reason):
            switch restriction.kind {
            case .ban: return [.affiliation(.outcast, of: try JID(restriction.subject), reason: reason)]
            case .quiet: return [.role(.visitor, of: member.stay, reason: reason)]
            }
        case .lift(let restriction, _):
            switch restriction.kind {
            case .ban: return [.affiliation(.none, of: try JID(restriction.subject), reason: "")]
            case .quiet:
                // A role ends when the occupant leaves.
                let silent = session.occupants(of: room).values.filter {
                    $0.role == .visitor && session.lastingName(of: $0, in: room) == restriction.subject
                }
                return silent.map { .role(.participant, of: $0.stayText, reason: "") }
            }
        case .setTopic(let topic): return [.subject(topic)]
        }
    }
}
