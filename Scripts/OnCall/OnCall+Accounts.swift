import Heybot

extension OnCall {
    func registerAccounts(on robot: inout RobotBuilder) {
        robot.respond(
            /(?:also )?reach me (?:also )?(?:at|on) (?<id>\S{1,400})$/,
            help: """
                reach me at <network>:<id> - Send my pages there too; say it there as well, naming this account
                don't reach me at <network>:<id> - Send my pages there no longer
                """,
            example: "reach me at xmpp:ada@example.org"
        ) { res in
            let user = res.message.user
            let other = try await Self.account(res.match.id, res)
            guard other.id != user.id else { throw Refusal("That's where you are.") }
            let isLinked = try await PersonalAccounts(brain: res.brain).link(user, to: other)
            try await res.reply(
                isLinked
                    ? "I'll send your pages to \(user.id) and \(other.id)."
                    : "Now say \"reach me at \(user.id)\" to me from \(other.id), so that I know it's you.")
        }

        robot.respond(/(?:don['’]t|do not|stop) reach(?:ing)? me (?:at|on) (?<id>\S{1,400})$/) { res in
            guard let id = User.ID(String(res.match.id)) else { throw Self.addressExpected(res.robot) }
            guard try await PersonalAccounts(brain: res.brain).unlink(res.message.user, from: id) else {
                throw Refusal("You haven't named \(String(oneLine: id.description, limit: 100)).")
            }
            try await res.reply("I won't send your pages to \(id) any more.")
        }
    }

    /// Returns the user with an id that names a network.
    ///
    /// - Throws: A ``Refusal`` if it names none of the robot's networks, and what the adapter throws for an invalid id.
    static func account<Match>(_ typed: Substring, _ res: Response<Match>) async throws -> User {
        guard let id = User.ID(String(typed)) else { throw addressExpected(res.robot) }
        guard res.robot.adapters.contains(where: { $0.name == id.adapter }) else {
            let name = String(oneLine: id.adapter, limit: 40)
            throw Refusal("I'm not on a network called \(name). I'm on: \(networks(of: res.robot)).")
        }
        return try await user(typed, res)
    }

    private static func addressExpected(_ robot: Robot) -> Refusal {
        Refusal(
            "Write the network and your id there, such as xmpp:ada@example.org. I'm on: \(networks(of: robot)).")
    }

    private static func networks(of robot: Robot) -> String {
        robot.adapters.map(\.name).joined(separator: ", ")
    }
}
