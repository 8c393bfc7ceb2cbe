import Heybot

/// The time zone for times in answers: the user's, or else the room's, or else the robot's.
struct UserAndRoomTimeZones: Sendable {
    enum Scope {
        case person, room

        fileprivate var memories: BrainCollection<String> {
            switch self {
            case .person: BrainCollection("clock.people")
            case .room: BrainCollection("clock.rooms")
            }
        }

        fileprivate func key(_ message: Message) -> String {
            switch self {
            case .person: message.user.id.description
            case .room: message.room.id.description
            }
        }
    }

    /// The time zone from the robot's settings.
    let usual: IANATimeZone?

    /// Returns the time zone for an answer to a message.
    func zone(for message: Message, _ brain: Brain) async throws -> IANATimeZone {
        for scope in [Scope.person, .room] {
            let name = try await brain.recall(scope.memories, scope.key(message))
            // The zone may have been removed from the database since.
            if let zone = name.flatMap({ IANATimeZone(named: $0) }) { return zone }
        }
        return usual ?? IANATimeZone.ofSystem
    }

    /// Returns a room's time zone, the same for all of its users: the one set for it, or else the robot's.
    func zone(ofRoom room: Room.ID, _ brain: Brain) async throws -> IANATimeZone {
        let name = try await brain.recall(Scope.room.memories, room.description)
        return name.flatMap { IANATimeZone(named: $0) } ?? usual ?? IANATimeZone.ofSystem
    }

    /// Returns the time zone for what happens in a room at a time that a message names: the one set for the room, or else the one
    /// for an answer to the message.
    func zone(forRoom room: Room.ID, askedBy message: Message, _ brain: Brain) async throws -> IANATimeZone {
        let name = try await brain.recall(Scope.room.memories, room.description)
        if let zone = name.flatMap({ IANATimeZone(named: $0) }) { return zone }
        return try await zone(for: message, brain)
    }

    /// Returns a time zone that was stored by its name, or else the robot's.
    func zone(named name: String) -> IANATimeZone { IANATimeZone(named: name) ?? usual ?? IANATimeZone.ofSystem }

    /// Sets the time zone of a message's author or room, or deletes it if it is nil.
    static func choose(_ zone: IANATimeZone?, for scope: Scope, of message: Message, _ brain: Brain) async throws {
        if let zone {
            try await brain.remember(scope.memories, scope.key(message), zone.name)
        } else {
            try await brain.forget(scope.memories, scope.key(message))
        }
    }
}
