public import Heybot
import HeybotXMPP
import NetworkAdapter

// Moderates rooms: changes roles, affiliations and subjects, and retracts messages.

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

    /// Returns a ban of a user who isn't in the room, by their address.
    ///
    /// - Throws: ``Heybot/AdapterError`` if the address isn't known.
    public func restriction(
        _ kind: RoomRestriction.Kind, ofAbsent user: User, in room: Room
    ) async throws -> (restriction: RoomRestriction, user: User, affected: [User]) {
        let address = try target(room)
        await waitForOccupants(of: address)
        return try driver.withLock { try $0.restriction(kind, ofAbsent: user, in: address) }
    }

    public func latestMessage(of member: RoomMember, in room: Room) async -> Message.ID? {
        guard let address = try? target(room) else { return nil }
        return driver.withLock { $0.latestMessage(of: member, in: address) }
    }

    public func author(of message: Message.ID, in room: Room) async -> User? {
        guard let address = try? target(room) else { return nil }
        return driver.withLock { $0.author(of: message, in: address) }
    }

    /// Changes a room, as its moderator or admin.
    ///
    /// - Throws: ``Heybot/AdapterError`` if the room refuses it.
    public func moderate(_ action: ModerationAction, in room: Room) async throws {
        let address = try target(room)
        // The robot needs no right to retract a message of its own.
        if case .retract(let message, _) = action,
            try await change(message, .retract, in: Envelope(room: room))
        {
            return
        }
        if case .setTopic(let topic) = action {
            guard driver.withLock({ $0.state.session?.fitsInOneStanza(topic) }) ?? true else {
                throw AdapterError(.tooLong, "that topic exceeds the server's limit: shorten it")
            }
        }
        await waitForOccupants(of: address)
        let changes = try driver.withLock { try $0.changes(for: action, in: address) }
        if case .retract(let message, let reason) = action {
            return try await retract(message, reason, in: address)
        }
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

    /// Retracts a message of an occupant (XEP-0425).
    private func retract(_ message: Message.ID, _ reason: String, in room: JID) async throws {
        let found = driver.withLock { $0.roomID(of: message, in: room) }
        guard let id = found else {
            throw AdapterError(.notAllowed, "that message is too old, or \(room) gives messages no ids")
        }
        do throws(StanzaError) {
            do throws(StanzaError) {
                _ = try await perform(.retraction(of: id, reason: reason, isOld: false), in: room)
            } catch {
                let unknown: [DefinedCondition] = [.serviceUnavailable, .featureNotImplemented, .badRequest]
                guard unknown.contains(error.condition) else { throw error }
                _ = try await perform(.retraction(of: id, reason: reason, isOld: true), in: room)
            }
        } catch {
            switch error.condition {
            case .serviceUnavailable, .featureNotImplemented, .badRequest:
                throw AdapterError(.unsupported, "\(room) can't retract messages of others (XEP-0425)")
            case .itemNotFound: throw AdapterError(.notAllowed, "\(room) doesn't know that message any more")
            case .forbidden, .notAllowed, .notAuthorized:
                throw AdapterError(.notAllowed, "I may not do that in \(room): make me a moderator there")
            default: throw Self.adapterError(error, in: room)
            }
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
