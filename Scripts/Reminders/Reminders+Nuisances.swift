import Heybot

extension Reminders {
    /// Registers the commands against somebody who reminds others too much.
    func registerNuisances(on robot: inout RobotBuilder) {
        robot.respond(
            /(?:stop|cancel) (?:all )?(?:the |my )?reminders from @?(?<name>\S.{0,199})$/,
            help: "stop reminders from <name> - Cancel all reminders that someone has made for you",
            example: "stop reminders from grace"
        ) { res in
            let name = String(oneLine: res.match.name.unquoted, limit: 200)
            let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
            let entries = try await ReminderBook(robot: res.robot).entries(of: accounts.map { .user($0.id) })
            let found = entries.map(\.reminder).filter { $0.isFor(accounts) && $0.isFrom(name) }
            guard !found.isEmpty else { throw Refusal("There are no reminders from \(name) for you.") }
            let count = try await Self.cancel(found, res)
            try await res.reply("OK, I've canceled \(count) from \(name).")
        }

        robot.respond(
            /(?:cancel|delete|remove) all (?:the )?reminders (?:of|by) @?(?<name>\S.{0,199})$/,
            help: "cancel all reminders of <name> - Cancel all reminders that someone has made",
            example: "cancel all reminders of mallory", allow: .admins
        ) { res in
            let owner = try await Self.owner(res.match.name.unquoted, res)
            let accounts = try await PersonalAccounts(brain: res.brain).all(of: owner).map(\.id)
            let entries = try await ReminderBook(robot: res.robot).entries(of: accounts.map { .user($0) })
            let found = entries.map(\.reminder).filter { accounts.contains($0.owner.id) }
            guard !found.isEmpty else { throw Refusal("\(owner.shortName) has made no reminders.") }
            let count = try await Self.cancel(found, res)
            try await res.reply("OK, I've canceled \(count) of \(owner.shortName).")
        }
    }

    /// Returns the user with a name or an id; with an id such as `irc:mallory`, also one whom the robot doesn't see any more.
    private static func owner<Match>(_ typed: Substring, _ res: Response<Match>) async throws -> User {
        if let id = User.ID(String(typed)), res.robot.adapters.contains(where: { $0.name == id.adapter }) {
            return User(id: id, name: id.value)
        }
        return try await res.robot.user(exactly: typed, from: res.message)
    }

    /// Cancels reminders.
    ///
    /// - Returns: How many, as in `2 reminders`.
    static func cancel<Match>(_ reminders: [Reminder], _ res: Response<Match>) async throws -> String {
        for reminder in reminders { try await ReminderBook(robot: res.robot).cancel(reminder) }
        return reminders.count == 1 ? "1 reminder" : "\(reminders.count) reminders"
    }
}
