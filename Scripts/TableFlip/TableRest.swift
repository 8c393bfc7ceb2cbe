import FoundationEssentials
import Heybot
import Synchronization

/// Keeps each room's table on its feet for a minute, so that one room's flips don't fill it.
final class TableRest: Sendable {
    enum State: Equatable {
        case ready
        case resting(isTold: Bool)
    }

    private struct Rest {
        let end: Date
        var isTold = false
    }

    private let rests = Mutex<[Room.ID: Rest]>([:])

    /// Whether the table may be put back now; if so, it rests for a minute.
    func use(in room: Room.ID, at now: Date) -> State {
        rests.withLock { rests in
            if let rest = rests[room], rest.end > now {
                rests[room]?.isTold = true
                return .resting(isTold: rest.isTold)
            }
            if rests.count >= 1_000 { rests = rests.filter { $0.value.end > now } }
            rests[room] = Rest(end: now.addingTimeInterval(60))
            return .ready
        }
    }
}
