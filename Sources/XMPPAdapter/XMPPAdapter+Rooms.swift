public import Heybot
import HeybotXMPP
import NetworkAdapter

// The rooms it joins by invitation or on request, and is back in after a restart.

/// A room that isn't in the settings, as the brain keeps it.
struct KeptRoom: Codable, Hashable {
    let address: String
    let password: String?
    let inviter: String?
    let isUsed: Bool

    init(_ room: Profile.Room) {
        (address, password) = (room.address.description, room.password)
        (inviter, isUsed) = (room.inviter, room.isUsed)
    }

    /// Nil if that isn't an address.
    var room: Profile.Room? {
        guard let address = try? JID(address) else { return nil }
        var room = Profile.Room(address, password: password)
        (room.inviter, room.isUsed) = (inviter, isUsed)
        return room
    }
}

extension XMPPAdapter: RoomMembership {
    /// Joins a room by its address, such as `dev@conference.example.org`, within a minute.
    ///
    /// - Throws: ``Heybot/AdapterError``, which says why it can't be joined.
    public func join(_ room: String, password: String?) async throws -> Heybot.Room {
        guard let address = try? JID(room), address.local != nil, address.resource == nil else {
            throw AdapterError(
                .badName, "\(room) isn't the address of a room: that is written like dev@conference.example.org")
        }
        let result = await withCheckedContinuation { continuation in
            driver.act { $0.join(Profile.Room(address, password: password), at: $1, continuation) }
        }
        await driver.saveRooms()
        return try result.get()
    }

    /// Leaves a room, and doesn't go back to it by itself; one of the settings is joined again at the next start.
    ///
    /// - Throws: ``Heybot/AdapterError`` if it is in no such room.
    public func leave(_ room: String) async throws {
        guard let address = try? JID(room), driver.act({ $0.part(address.bare, at: $1) }) else {
            throw AdapterError(.notThere, "I'm not in \(room)")
        }
        await driver.saveRooms()
    }

    /// Whether the settings name a room.
    public func isInSettings(_ room: String) -> Bool {
        guard let address = try? JID(room) else { return false }
        return configuration.profile.rooms.contains { $0.address == address.bare }
    }
}

extension XMPPAdapter: RoomKnowledge {
    /// Whether the robot is in a room or means to be; nil of an address that may be somebody's, and while there is no
    /// connection.
    public func isIn(_ room: Heybot.Room) async -> Bool? {
        guard let address = try? JID(room.id.value) else { return false }
        return driver.withLock { controller in
            guard let rooms = controller.state.session?.wantedRooms.map(\.address) else { return nil }
            if rooms.contains(address.bare) { return true }
            // A service that has one of our rooms has no people.
            return rooms.contains { $0.domain == address.domain } ? false : nil
        }
    }
}

extension XMPPAdapter: UserRecognition {
    /// The id of a person named by address, as `ada@example.org`.
    public func userID(named name: String) throws -> String {
        let address: JID
        do { address = try JID(name) } catch { throw AdapterError(.badName, "\(error)") }
        guard address.local != nil else { throw AdapterError(.badName, "it is a server's address, not a person's") }
        guard address.resource == nil else {
            throw AdapterError(
                .badName, "it names one of their devices, or somebody in a room: write \(address.bare)")
        }
        return address.description
    }
}
