import Synchronization

/// What the robot itself tells people about its limits: seldom, so that it doesn't answer a flood with another.
final class Notices: Sendable {
    enum Kind: Hashable {
        /// Their message was longer than scripts take.
        case tooLong
        /// They said more than the robot can handle at once.
        case tooMany
        /// What they want to use rests.
        case resting

        /// How long nobody is told that again.
        var rest: Duration {
            switch self {
            case .tooLong, .tooMany: .seconds(30)
            case .resting: .seconds(3)
            }
        }
    }

    private struct Key: Hashable {
        let kind: Kind
        let user: User.ID
    }

    /// How many people are remembered: enough for all who would be told in half a minute.
    private static let capacity = 1_000

    private let told = Mutex<[Key: Duration]>([:])

    /// Whether the person is to be told now; if so, not again for a while.
    func isDue(_ kind: Kind, for user: User.ID, at now: Duration) -> Bool {
        let key = Key(kind: kind, user: user)
        return told.withLock { told in
            if let time = told[key], now - time < kind.rest { return false }
            if told.count >= Self.capacity { told = told.filter { now - $0.value < $0.key.kind.rest } }
            guard told.count < Self.capacity else { return false }
            told[key] = now
            return true
        }
    }
}

/// So many may do something at a time; the others do without.
final class Allowance: Sendable {
    private let free: Atomic<Int>

    init(_ count: Int) { free = Atomic(count) }

    /// False if too many do it already.
    func take() -> Bool {
        if free.subtract(1, ordering: .acquiringAndReleasing).newValue >= 0 { return true }
        giveBack()
        return false
    }

    func giveBack() { free.add(1, ordering: .acquiringAndReleasing) }
}
