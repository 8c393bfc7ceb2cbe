public import Heybot
import HeybotXMPP
import NetworkAdapter

// The rooms that the robot joins by invitation or on request, and rejoins after a restart.

/// A room that isn't configured, as it is stored in the brain.
struct SavedRoom: Codable, Hashable {
    let address: String
    let password: String?
    let inviter: String?
    let isUsed: Bool

    init(_ room: SessionConfiguration.Room) {
        (address, password) = (room.address.description, room.password)
        (inviter, isUsed) = (room.inviter, room.isUsed)
    }

    /// Nil if the address isn't valid.
    var room: SessionConfiguration.Room? {
        guard let address = try? JID(address) else { return nil }
        var room = SessionConfiguration.Room(address, password: password)
        (room.inviter, room.isUsed) = (inviter, isUsed)
        return room
    }
}

extension XMPPAdapter: RoomMembership {
    /// Joins a room by its address, such as `dev@conference.example.org`; waits at most a minute.
    ///
    /// - Throws: ``Heybot/AdapterError`` with the reason why the join failed.
    public func join(_ room: String, password: String?) async throws -> Heybot.Room {
        guard let address = try? JID(room), address.local != nil, address.resource == nil else {
            throw AdapterError(
                .invalidName, "\(room) isn't the address of a room: use one such as dev@conference.example.org")
        }
        let result = await withCheckedContinuation { continuation in
            driver.act { $0.join(SessionConfiguration.Room(address, password: password), at: $1, continuation) }
        }
        await driver.saveRooms()
        return try result.get()
    }

    /// Leaves a room; a configured room is joined again after a restart.
    ///
    /// - Throws: ``Heybot/AdapterError`` if the robot isn't in the room.
    public func leave(_ room: String) async throws {
        guard let address = try? JID(room), driver.act({ $0.part(address.bare, at: $1) }) else {
            throw AdapterError(.notInRoom, "I'm not in \(room)")
        }
        await driver.saveRooms()
    }

    /// Whether a room is one of the configured rooms.
    public func isInSettings(_ room: String) -> Bool {
        guard let address = try? JID(room) else { return false }
        return configuration.session.rooms.contains { $0.address == address.bare }
    }
}

extension XMPPAdapter: RoomMembershipReporting {
    /// Returns whether the robot is in a room or tries to join it; nil if the address may be a person's, or if there is no
    /// connection.
    public func isIn(_ room: Heybot.Room) async -> Bool? {
        guard let address = try? JID(room.id.value) else { return false }
        return driver.withLock { manager in
            guard let rooms = manager.state.session?.wantedRooms.map(\.address) else { return nil }
            if rooms.contains(address.bare) { return true }
            // A service with one of the robot's rooms has no accounts.
            return rooms.contains { $0.domain == address.domain } ? false : nil
        }
    }
}

extension XMPPAdapter: RoomNameFolding {
    public func foldedRoomName(_ name: String) -> String { (try? JID(name))?.description ?? name }
}

extension XMPPAdapter: MemberListing {
    public func users(in room: Heybot.Room) async -> [User] {
        guard let address = try? target(room) else { return [] }
        return driver.withLock { $0.users(in: address) }
    }

    public func isPresent(_ user: User.ID) async -> Bool { driver.withLock { $0.isPresent(user) } }
}
