import Synchronization

/// Limits how often the robot itself notifies a user about its limits, so that it doesn't answer a flood with a flood.
final class LimitNoticeThrottle: Sendable {
    /// What a notice is about.
    enum Kind: Hashable {
        /// The message has more text than the limit.
        case tooLong
        /// The user sent more messages than may wait.
        case tooMany
        /// The listener is cooling down.
        case cooldown

        /// The least time between two notices of this kind to one user.
        var interval: Duration {
            switch self {
            case .tooLong, .tooMany: .seconds(30)
            case .cooldown: .seconds(3)
            }
        }
    }

    private struct Key: Hashable {
        let kind: Kind
        let user: User.ID
    }

    /// The number of notices that are remembered: enough for half a minute.
    private static let capacity = 1_000

    private let lastSent = Mutex<[Key: Duration]>([:])

    /// Whether a notice may be sent to the user now.
    ///
    /// If so, it counts as sent.
    func isDue(_ kind: Kind, for user: User.ID, at now: Duration) -> Bool {
        let key = Key(kind: kind, user: user)
        return lastSent.withLock { lastSent in
            if let time = lastSent[key], now - time < kind.interval { return false }
            if lastSent.count >= Self.capacity { lastSent = lastSent.filter { now - $0.value < $0.key.kind.interval } }
            guard lastSent.count < Self.capacity else { return false }
            lastSent[key] = now
            return true
        }
    }
}
