import FoundationEssentials
import Heybot
import Synchronization

/// What was told in which room of late, so that what nobody asked for is told once, and not too much of it.
final class RecentMentions: Sendable {
    private struct Mention {
        let text: String
        let room: Room.ID
        let date: Date
    }

    /// For how long something isn't told again, in seconds.
    private static let rest = 600.0
    /// How much is told in a room in that time.
    private static let mostInRoom = 20

    /// Oldest first.
    private let mentions = Mutex<[Mention]>([])
    private let capacity: Int

    /// Keeps so many.
    init(capacity: Int = 500) {
        self.capacity = capacity
    }

    /// Whether it may be told in a room; it then counts as told.
    func claim(_ text: String, in room: Room.ID, at date: Date) -> Bool {
        mentions.withLock { mentions in
            // A clock may have been set back, too.
            mentions.removeAll { abs(date.timeIntervalSince($0.date)) >= Self.rest }
            let here = mentions.filter { $0.room == room }
            guard here.count < Self.mostInRoom, !here.contains(where: { $0.text == text }) else { return false }
            if mentions.count >= capacity { mentions.removeFirst() }
            mentions.append(Mention(text: text, room: room, date: date))
            return true
        }
    }
}
