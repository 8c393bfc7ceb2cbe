/// The users that the host knows.
struct KnownUsers: Sendable {
    private var users: [String: WireUser] = [:]

    /// The users, sorted by id.
    var all: [WireUser] { users.values.sorted { $0.id < $1.id } }

    /// Adds a user; false if it is known already, or if there are too many.
    mutating func add(_ user: WireUser, limit: Int) -> Bool {
        guard users[user.id] != user, users.count < limit || users[user.id] != nil else { return false }
        users[user.id] = user
        return true
    }
}
