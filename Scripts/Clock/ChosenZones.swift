import Heybot

/// In which time zone times are told: the person's own, else the room's, else the robot's.
struct ChosenZones: Sendable {
    enum Kind {
        case person, room

        fileprivate var memories: Memories<String> {
            switch self {
            case .person: Memories("clock.people")
            case .room: Memories("clock.rooms")
            }
        }

        fileprivate func key(_ message: Message) -> String {
            switch self {
            case .person: message.user.id.description
            case .room: message.room.id.description
            }
        }
    }

    /// The robot's, if its settings name one.
    let usual: Zone?

    /// The zone for an answer to a message.
    func zone(for message: Message, _ brain: Brain) async throws -> Zone {
        for kind in [Kind.person, .room] {
            let name = try await brain.recall(kind.memories, kind.key(message))
            // The database may have lost it since.
            if let zone = name.flatMap({ Zone(named: $0) }) { return zone }
        }
        return usual ?? Zone.ofSystem
    }

    /// Sets the zone of a message's author or room, or forgets it.
    static func choose(_ zone: Zone?, for kind: Kind, of message: Message, _ brain: Brain) async throws {
        if let zone {
            try await brain.remember(kind.memories, kind.key(message), zone.name)
        } else {
            try await brain.forget(kind.memories, kind.key(message))
        }
    }
}
