import FoundationEssentials
import Heybot
import Synchronization

/// Limits answers to table flips to one per minute in each room.
final class TableFlipCooldown: Sendable {
    enum Availability: Equatable {
        case ready
        case resting(isAnnounced: Bool)
    }

    private struct Cooldown {
        let end: Date
        var isAnnounced = false
    }

    private let cooldowns = Mutex<[Room.ID: Cooldown]>([:])

    /// Returns whether the table may be put back now.
    ///
    /// If so, the cooldown starts.
    func use(in room: Room.ID, at now: Date) -> Availability {
        cooldowns.withLock { cooldowns in
            if let cooldown = cooldowns[room], cooldown.end > now {
                cooldowns[room]?.isAnnounced = true
                return .resting(isAnnounced: cooldown.isAnnounced)
            }
            if cooldowns.count >= 1_000 { cooldowns = cooldowns.filter { $0.value.end > now } }
            cooldowns[room] = Cooldown(end: now.addingTimeInterval(60))
            return .ready
        }
    }
}
