import Heybot

extension GitHub {
    /// Which rooms are told of which repositories; a repository that no room is told of isn't remembered.
    struct Subscriptions: Sendable {
        private static let rooms = Memories<[Room.ID]>("github.subscriptions")

        let brain: Brain

        /// Subscribes a room; false where it was already.
        func add(_ room: Room.ID, to repository: RepositoryName) async throws -> Bool {
            try await brain.update(Self.rooms, "\(repository)", default: []) { rooms in
                guard !rooms.contains(room) else { return false }
                rooms = Self.sorted(rooms + [room])
                return true
            }
        }

        /// Ends the subscription of the first of these rooms that has one, and returns that room; nil where none has.
        func remove(_ candidates: [Room.ID], from repository: RepositoryName) async throws -> Room.ID? {
            try await brain.update(Self.rooms, "\(repository)") { (rooms: inout [Room.ID]?) in
                guard let known = rooms, let room = candidates.first(where: known.contains) else { return nil }
                let rest = known.filter { $0 != room }
                rooms = rest.isEmpty ? nil : rest
                return room
            }
        }

        /// Whether a room is subscribed to just that.
        func has(_ room: Room.ID, in repository: RepositoryName) async throws -> Bool {
            try await brain.recall(Self.rooms, "\(repository)")?.contains(room) ?? false
        }

        /// The rooms that are to be told what happens there, sorted.
        func rooms(of repository: Repository) async throws -> [Room.ID] {
            var rooms: Set<Room.ID> = []
            for key in repository.keys { rooms.formUnion(try await brain.recall(Self.rooms, key) ?? []) }
            return Self.sorted(rooms)
        }

        /// All there are, sorted.
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
