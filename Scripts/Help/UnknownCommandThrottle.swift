import FoundationEssentials
import Heybot
import Synchronization

/// The users who recently got a hint that the robot doesn't understand them, so that hints don't repeat in a room.
final class UnknownCommandThrottle: Sendable {
    /// The time between two hints for a user, in seconds.
    private static let rest = 60.0
    private static let most = 1_000

    private let dates = Mutex<[User.ID: Date]>([:])

    /// Returns whether a user may get a hint now, and records it.
    func claim(for user: User.ID, at date: Date) -> Bool {
        dates.withLock { dates in
            // Absolute, since the clock may have been set back.
            if let last = dates[user], abs(date.timeIntervalSince(last)) < Self.rest { return false }
            if dates.count >= Self.most { dates = dates.filter { abs(date.timeIntervalSince($0.value)) < Self.rest } }
            if dates.count >= Self.most { dates = [:] }
            dates[user] = date
            return true
        }
    }
}
