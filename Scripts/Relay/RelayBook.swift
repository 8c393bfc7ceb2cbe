import FoundationEssentials
import Heybot

/// The relays: the rooms that the robot relays to each other, and the users who set them up.
struct RelayBook: Codable, Hashable, Sendable {
    /// Rooms each of which gets what is said in the others.
    struct Entry: Codable, Hashable, Sendable {
        var rooms: [Room.ID]
        let author: User
        let date: Date
    }

    /// The book in the brain.
    static let key = BrainKey<RelayBook>("relay.rooms")
    private static let mostRelays = 50
    private static let mostRooms = 6

    private(set) var entries: [Entry] = []

    /// Creates a book without relays.
    init() {}

    /// The other rooms that get what is said in a room, by room.
    var targets: [Room.ID: [Room.ID]] {
        var targets: [Room.ID: [Room.ID]] = [:]
        for entry in entries {
            for room in entry.rooms { targets[room] = entry.rooms.filter { $0 != room } }
        }
        return targets
    }

    /// Relays two rooms to each other; if one is in a relay already, the other joins that.
    ///
    /// - Returns: All rooms of the relay.
    /// - Throws: A ``Refusal`` if both are in relays already, or there would be too many.
    mutating func add(_ one: Room.ID, _ other: Room.ID, by author: User, at date: Date) throws(Refusal) -> [Room.ID] {
        let places = [one, other].map { room in entries.firstIndex { $0.rooms.contains(room) } }
        if let first = places[0], let second = places[1] {
            throw Refusal(
                first == second
                    ? "I relay these already." : "Both are relayed already, with other rooms. Take one out first.")
        }
        guard let place = places[0] ?? places[1] else {
            guard entries.count < Self.mostRelays else {
                throw Refusal("I have \(Self.mostRelays) relays already, and can't have more.")
            }
            entries.append(Entry(rooms: [one, other], author: author, date: date))
            return [one, other]
        }
        guard entries[place].rooms.count < Self.mostRooms else {
            throw Refusal("A relay has \(Self.mostRooms) rooms at most.")
        }
        entries[place].rooms.append(places[0] == nil ? one : other)
        return entries[place].rooms
    }

    /// Removes a room from its relay, and ends the relay if one room is left.
    ///
    /// - Returns: The other rooms of the relay; nil if the room is in none.
    mutating func remove(_ room: Room.ID) -> [Room.ID]? {
        guard let place = entries.firstIndex(where: { $0.rooms.contains(room) }) else { return nil }
        entries[place].rooms.removeAll { $0 == room }
        let others = entries[place].rooms
        if others.count < 2 { entries.remove(at: place) }
        return others
    }
}
