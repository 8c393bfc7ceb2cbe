import FoundationEssentials
import Heybot

extension Feeds {
    /// The feeds of rooms, in the brain.
    struct FeedBook: Sendable {
        private static let rooms = BrainCollection<[Subscription]>("feeds.rooms")
        private static let states = BrainCollection<ReadingState>("feeds.states")
        private static let most = (inRoom: 20, inAll: 500)

        let brain: Brain

        /// Returns the feeds of a room, by number.
        func subscriptions(of room: Room.ID) async throws -> [Subscription] {
            try await brain.recall(Self.rooms, room.description) ?? []
        }

        /// Returns a feed of a room; nil if the room doesn't follow it any more.
        func subscription(_ place: Place) async throws -> Subscription? {
            try await subscriptions(of: place.room).first { $0.id == place.feed }
        }

        /// Returns the state of a feed; nil if it isn't followed any more.
        func state(_ id: String) async throws -> ReadingState? { try await brain.recall(Self.states, id) }

        /// Adds a feed to a room, with the first free number.
        ///
        /// - Parameter make: Makes the subscription with that number.
        /// - Throws: A ``Refusal`` if there are too many, or the room follows the feed.
        func add(
            _ state: ReadingState, _ id: String, to room: Room.ID, _ make: @Sendable (Int) -> Subscription
        ) async throws -> Subscription {
            var count = 0
            for try await (_, subscriptions) in brain.entries(Self.rooms) { count += subscriptions.count }
            guard count < Self.most.inAll else { throw Refusal("I can follow \(Self.most.inAll) feeds at most.") }
            // Before the subscription, which is read first.
            try await brain.remember(Self.states, id, state)
            do {
                return try await brain.update(Self.rooms, room.description, default: []) {
                    (subscriptions: inout [Subscription]) in
                    let taken = Set(subscriptions.map(\.number))
                    guard let number = (1...Self.most.inRoom).first(where: { !taken.contains($0) }) else {
                        throw Refusal("A room can follow \(Self.most.inRoom) feeds at most.")
                    }
                    let added = make(number)
                    guard !subscriptions.contains(where: { $0.url == added.url }) else {
                        throw Refusal("That room has just begun to follow this feed.")
                    }
                    subscriptions.append(added)
                    subscriptions.sort { $0.number < $1.number }
                    return added
                }
            } catch let refusal as Refusal {
                try await brain.forget(Self.states, id)
                throw refusal
            }
        }

        /// Changes the options of a feed that a room follows.
        ///
        /// - Returns: The changed subscription; nil if the room doesn't follow it.
        func change(_ id: String, in room: Room.ID, _ change: @Sendable (inout Subscription) -> Void) async throws
            -> Subscription?
        {
            try await brain.update(Self.rooms, room.description) { (stored: inout [Subscription]?) -> Subscription? in
                guard var subscriptions = stored, let index = subscriptions.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                change(&subscriptions[index])
                stored = subscriptions
                return subscriptions[index]
            }
        }

        /// Changes the state of a feed atomically.
        ///
        /// - Returns: What the change returns; nil if the feed isn't followed any more.
        func changeState<Result>(
            _ id: String, _ change: @Sendable (inout ReadingState) -> Result
        ) async throws -> Result? {
            try await brain.update(Self.states, id) { (stored: inout ReadingState?) -> Result? in
                guard var state = stored else { return nil }
                let result = change(&state)
                stored = state
                return result
            }
        }

        /// Removes a feed from a room.
        func remove(_ id: String, from room: Room.ID) async throws {
            try await brain.update(Self.rooms, room.description) { (stored: inout [Subscription]?) -> Void in
                let rest = (stored ?? []).filter { $0.id != id }
                stored = rest.isEmpty ? nil : rest
            }
            try await brain.forget(Self.states, id)
        }
    }
}
