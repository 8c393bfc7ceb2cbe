import Synchronization

/// Which listeners rest, for whom, and until when, each as the end of its rest.
final class CoolDowns: Sendable {
    enum Verdict: Equatable {
        case ready
        /// It rests that much longer.
        case resting(Duration)
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

    private static func key(_ listener: Listener, _ coolDown: CoolDown, _ message: Message) -> Key {
        let subject: Subject =
            switch coolDown.scope {
            case .user: .user(message.user.id)
            case .room: .room(message.room.id)
            case .everyone: .everyone
            }
        return Key(listener: listener.id, subject: subject)
    }

    private let rests = Mutex<[Key: Duration]>([:])

    /// Whether the listener may be used for this message now; if so, it rests from now on.
    func use(_ listener: Listener, for message: Message, at now: Duration) -> Verdict {
        guard let coolDown = listener.coolDown else { return .ready }
        let key = Self.key(listener, coolDown, message)
        return rests.withLock { state in
            if let end = state[key], end > now { return .resting(end - now) }
            if state.count >= 1_000 { state = state.filter { $0.value > now } }
            state[key] = now + coolDown.duration
            return .ready
        }
    }

    /// Ends the rest that a use for this message began, since the listener passed the message on.
    func giveBack(_ listener: Listener, for message: Message) {
        guard let coolDown = listener.coolDown else { return }
        _ = rests.withLock { $0.removeValue(forKey: Self.key(listener, coolDown, message)) }
    }
}
