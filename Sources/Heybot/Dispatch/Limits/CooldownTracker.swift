import Synchronization

/// The cooldowns that are running: for each listener and user, room or robot, when it ends.
final class CooldownTracker: Sendable {
    /// Whether a listener may be used.
    enum Availability: Equatable {
        case ready
        /// The time left until the listener may be used again.
        case coolingDown(Duration)
    }

    private enum Subject: Hashable {
        case user(User.ID)
        case room(Room.ID)
        case everyone
    }

    private struct Key: Hashable {
        let listener: String
        let subject: Subject
    }

    private static func key(_ listener: Listener, _ cooldown: Cooldown, _ message: Message) -> Key {
        let subject: Subject =
            switch cooldown.scope {
            case .user: .user(message.user.id)
            case .room: .room(message.room.id)
            case .everyone: .everyone
            }
        return Key(listener: listener.id, subject: subject)
    }

    private let ends = Mutex<[Key: Duration]>([:])

    /// Whether the listener may be used for this message now.
    ///
    /// If so, its cooldown starts.
    func startIfReady(_ listener: Listener, for message: Message, at now: Duration) -> Availability {
        guard let cooldown = listener.cooldown else { return .ready }
        let key = Self.key(listener, cooldown, message)
        return ends.withLock { state in
            if let end = state[key], end > now { return .coolingDown(end - now) }
            if state.count >= 1_000 { state = state.filter { $0.value > now } }
            state[key] = now + cooldown.duration
            return .ready
        }
    }

    /// Ends the cooldown that this message started, because the listener passed the message on.
    func reset(_ listener: Listener, for message: Message) {
        guard let cooldown = listener.cooldown else { return }
        _ = ends.withLock { $0.removeValue(forKey: Self.key(listener, cooldown, message)) }
    }
}
