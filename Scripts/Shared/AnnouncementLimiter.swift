import FoundationEssentials
import Heybot
import Synchronization

/// Limits unrequested announcements: each text is announced once per room within ten minutes, and not too many.
final class AnnouncementLimiter: Sendable {
    private struct RecentAnnouncement {
        let text: String
        let room: Room.ID
        let date: Date
    }

    /// The time in which an announcement isn't repeated, in seconds.
    private static let rest = 600.0
    /// The maximum number of announcements in a room in that time.
    private static let mostInRoom = 20

    /// The recent announcements, oldest first.
    private let announcements = Mutex<[RecentAnnouncement]>([])
    private let capacity: Int

    /// Creates a limiter that remembers a number of announcements.
    init(capacity: Int = 500) {
        self.capacity = capacity
    }

    /// Returns whether a text may be announced in a room now, and records it.
    func claim(_ text: String, in room: Room.ID, at date: Date) -> Bool {
        announcements.withLock { announcements in
            // Absolute, since the clock may have been set back.
            announcements.removeAll { abs(date.timeIntervalSince($0.date)) >= Self.rest }
            let here = announcements.filter { $0.room == room }
            guard here.count < Self.mostInRoom, !here.contains(where: { $0.text == text }) else { return false }
            if announcements.count >= capacity { announcements.removeFirst() }
            announcements.append(RecentAnnouncement(text: text, room: room, date: date))
            return true
        }
    }
}
