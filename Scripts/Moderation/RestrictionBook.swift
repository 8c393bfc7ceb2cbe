import FoundationEssentials
import Heybot

/// A ban or a quiet that the robot has set, and who asked for it.
struct RestrictionRecord: Codable, Hashable, Sendable {
    let id: String
    let restriction: RoomRestriction
    /// The user it is about, as the room showed them.
    let user: User
    let author: User
    let date: Date
    /// Nil if it lasts until somebody lifts it.
    let end: Date?
    let reason: String

    /// Whether a name, in lower case, means it: the user's, their id, or the network's own form.
    func isAbout(_ name: String) -> Bool {
        let subject = restriction.subject.lowercased()
        return [user.name.lowercased(), user.id.value.lowercased(), user.id.description.lowercased()].contains(name)
            || subject == name || subject.hasSuffix(" \(name)")
    }

    /// The line for chat: `mallory: banned by ada on Monday, 1 January at 14:00 (UTC), until …: spamming`.
    func line(in zone: IANATimeZone) -> String {
        let kind = restriction.kind == .ban ? "banned" : "quiet, asked for"
        let until = end.map { ", until \(RotaDescription.time($0, in: zone))" } ?? ""
        let why = reason.isEmpty ? "" : ": \(reason)"
        let since = RotaDescription.time(date, in: zone)
        return "\(user.shortName): \(kind) by \(author.shortName) on \(since)\(until)\(why)"
    }
}

/// The bans and quiets in force that the robot has set in rooms, in the brain.
struct RestrictionBook: Sendable {
    private static let rooms = BrainCollection<[RestrictionRecord]>("moderation.rooms")
    private static let mostInRoom = 100

    let brain: Brain

    /// Returns the records of a room, the oldest first.
    func records(in room: Room.ID) async throws -> [RestrictionRecord] {
        try await brain.recall(Self.rooms, room.description) ?? []
    }

    /// Adds a record in place of those of the same restriction, and returns these.
    ///
    /// - Throws: A ``Refusal`` if the room has too many.
    func add(_ record: RestrictionRecord, in room: Room.ID) async throws -> [RestrictionRecord] {
        try await brain.update(Self.rooms, room.description, default: []) { (records: inout [RestrictionRecord]) in
            let same = records.filter { $0.restriction == record.restriction }
            records.removeAll { $0.restriction == record.restriction }
            guard records.count < Self.mostInRoom else {
                throw Refusal("\(Self.mostInRoom) bans of mine are in force here. Lift some first: say \"bans\".")
            }
            records.append(record)
            return same
        }
    }

    /// Removes a record, and puts others back that it had replaced.
    func remove(_ id: String, in room: Room.ID, restoring others: [RestrictionRecord] = []) async throws {
        try await brain.update(Self.rooms, room.description) { (records: inout [RestrictionRecord]?) -> Void in
            let rest = (records ?? []).filter { $0.id != id } + others
            records = rest.isEmpty ? nil : rest
        }
    }
}
