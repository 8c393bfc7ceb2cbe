/// The users who recently used the robot.
struct RecentUsers: Sendable {
    /// The users by id, each with its place in the order of last use.
    private var users: [User.ID: (user: User, order: Int)] = [:]
    private var count = 0
    private let most: Int

    /// - Parameter most: The maximum number of users.
    init(most: Int) { self.most = most }

    var all: [User] { users.values.map(\.user) }

    /// Adds a user, as the most recent one.
    ///
    /// If there are too many, the least recent half is dropped.
    mutating func record(_ user: User) {
        count += 1
        users[user.id] = (user, count)
        guard users.count > most else { return }
        // Half of them at once, so that it happens rarely.
        let oldest = users.values.map(\.order).sorted()[most / 2]
        users = users.filter { $0.value.order >= oldest }
    }
}
