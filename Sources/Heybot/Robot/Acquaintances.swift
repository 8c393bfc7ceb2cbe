import Synchronization

/// Those who lately said something that a listener takes; the oldest are forgotten.
final class Acquaintances: Sendable {
    private struct State {
        /// When each was met last, counted in meetings.
        var users: [User.ID: (user: User, meeting: Int)] = [:]
        var meetings = 0
    }

    private let most: Int
    private let state = Mutex(State())

    init(most: Int = 1_000) {
        self.most = most
    }

    func meet(_ user: User) {
        state.withLock { state in
            state.meetings += 1
            state.users[user.id] = (user, state.meetings)
            guard state.users.count > most else { return }
            // Half of them at once, so that it is seldom.
            let oldest = state.users.values.map(\.meeting).sorted()[most / 2]
            state.users = state.users.filter { $0.value.meeting >= oldest }
        }
    }

    var users: [User] { state.withLock { $0.users.values.map(\.user) } }
}
