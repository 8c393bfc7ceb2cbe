public import Heybot

/// Has the robot listen to somebody no more, and again.
public struct Ignore: Script {
    public init() {}

    public var topic: Topic { .administration }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /ignore @?(?<name>\S.*)$/, help: "ignore <name> - Stop listening to somebody",
            example: "ignore mallory", allow: .admins
        ) { res in
            let user = try await res.robot.user(exactly: res.match.name, from: res.message)
            guard user.id != res.message.user.id else {
                throw Refusal("If I ignored you, you couldn't tell me to stop.")
            }
            guard !res.robot.isAdmin(user) || res.robot.isOwner(res.message.user) else {
                throw Refusal("\(user.name) is an admin. Only the admins named in my settings can have me ignore one.")
            }
            let isNew = try await res.robot.ignore(user)
            try await res.reply(
                isNew
                    ? "From now on I ignore \(user.name) (\(user.id))." : "I already ignore \(user.name) (\(user.id)).")
        }

        robot.respond(
            /(?:listen to|unignore|stop ignoring) @?(?<name>\S.*)$/,
            help: "listen to <name> - Listen to somebody again", example: "listen to mallory", allow: .admins
        ) { res in
            let user = try await res.robot.user(exactly: res.match.name, from: res.message)
            let was = try await res.robot.ignore(user, false)
            try await res.reply(was ? "I'm listening to \(user.name) again." : "I wasn't ignoring \(user.name).")
        }

        robot.respond(
            /who(?:m)? do you ignore\?*$/, help: "who do you ignore - List the people I ignore",
            example: "who do you ignore?"
        ) { res in
            let names = res.robot.knownStandings.filter(\.isIgnored).map(\.user.name)
            try await res.reply(names.isEmpty ? "Nobody." : "\(names.joined(separator: ", ")).")
        }
    }
}
