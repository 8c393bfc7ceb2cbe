import Synchronization

/// The users who recently used the robot.
final class RecentUsers: Sendable {
    private struct State {
        /// The users by id, each with its place in the order of last use.
        var users: [User.ID: (user: User, order: Int)] = [:]
        var count = 0
    }

    private let most: Int
    private let state = Mutex(State())

    /// - Parameter most: The maximum number of users.
    init(most: Int = 1_000) { self.most = most }

    var all: [User] { state.withLock { $0.users.values.map(\.user) } }

    /// Adds a user, as the most recent one.
    ///
    /// If there are too many, the least recent half is dropped.
    func record(_ user: User) {
        state.withLock {
            $0.count += 1
            $0.users[user.id] = (user, $0.count)
            guard $0.users.count > most else { return }
            // Half of them at once, so that it happens rarely.
            let oldest = $0.users.values.map(\.order).sorted()[most / 2]
            $0.users = $0.users.filter { $0.value.order >= oldest }
        }
    }
}
