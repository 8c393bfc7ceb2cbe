import Heybot

extension GitHub {
    /// The rooms that are subscribed to repositories, stored in the brain.
    struct Subscriptions: Sendable {
        private static let rooms = BrainCollection<[Room.ID]>("github.subscriptions")
        /// The kinds of events that a room has chosen, by repository and room.
        private static let kinds = BrainCollection<[String]>("github.kinds")

        let brain: Brain

        /// Subscribes a room; false if it was subscribed already.
        ///
        /// - Parameter kinds: The kinds of events; nil for the default.
        func add(_ room: Room.ID, to repository: RepositoryName, _ kinds: Set<SubscribableEvent>?) async throws -> Bool
        {
            if let kinds {
                try await brain.remember(Self.kinds, "\(repository) \(room)", kinds.map(\.rawValue).sorted())
            } else {
                try await brain.forget(Self.kinds, "\(repository) \(room)")
            }
            return try await brain.update(Self.rooms, "\(repository)", default: []) { rooms in
                guard !rooms.contains(room) else { return false }
                rooms = Self.sorted(rooms + [room])
                return true
            }
        }

        /// Removes the subscription of the first of these rooms that has one, and returns that room; nil if none has one.
        func remove(_ candidates: [Room.ID], from repository: RepositoryName) async throws -> Room.ID? {
            let room: Room.ID? = try await brain.update(Self.rooms, "\(repository)") { rooms in
                guard let known = rooms, let room = candidates.first(where: known.contains) else { return nil }
                let rest = known.filter { $0 != room }
                rooms = rest.isEmpty ? nil : rest
                return room
            }
            if let room { try await brain.forget(Self.kinds, "\(repository) \(room)") }
            return room
        }

        /// Whether a room is subscribed under exactly this name.
        func has(_ room: Room.ID, in repository: RepositoryName) async throws -> Bool {
            try await brain.recall(Self.rooms, "\(repository)")?.contains(room) ?? false
        }

        /// Returns the rooms for an announcement, sorted; for a ping, all that are subscribed to the repository.
        func rooms(for announcement: EventAnnouncement) async throws -> [Room.ID] {
            guard let repository = announcement.repository else { return [] }
            var rooms: Set<Room.ID> = []
            for key in repository.keys {
                for room in try await brain.recall(Self.rooms, key) ?? [] {
                    let chosen = try await brain.recall(Self.kinds, "\(key) \(room)")
                    let kinds = chosen.map { Set($0.compactMap(SubscribableEvent.init)) } ?? SubscribableEvent.usual
                    if announcement.kind.map(kinds.contains) ?? true { rooms.insert(room) }
                }
            }
            return Self.sorted(rooms)
        }

        /// Returns all subscriptions, sorted by repository.
        func all() async throws -> [(repository: String, rooms: [Room.ID])] {
            var found: [String: [Room.ID]] = [:]
            for try await (repository, rooms) in brain.entries(Self.rooms) { found[repository] = rooms }
            return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }

        private static func sorted(_ rooms: some Sequence<Room.ID>) -> [Room.ID] {
            rooms.sorted { $0.description < $1.description }
        }
    }
}
