public import Heybot

/// Makes the robot ignore a user, or stop ignoring them.
public struct Ignore: Script {
    public init() {}

    public var topic: ScriptTopic { .administration }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /ignore @?(?<name>\S.*)$/, help: "ignore <name> - Ignore someone",
            example: "ignore mallory", allow: .admins
        ) { res in
            let user = try await res.robot.user(exactly: res.match.name, from: res.message)
            guard user.id != res.message.user.id else {
                throw Refusal("You can't make me ignore you.")
            }
            guard !res.robot.isAdmin(user) || res.robot.isOwner(res.message.user) else {
                throw Refusal(
                    "\(user.name) is an admin. Only the admins named in my settings can make me ignore an admin.")
            }
            let isNew = try await res.robot.ignore(user)
            try await res.reply(
                isNew
                    ? "I'm ignoring \(user.name) (\(user.id)) now." : "I'm already ignoring \(user.name) (\(user.id)).")
        }

        robot.respond(
            /(?:listen to|unignore|stop ignoring) @?(?<name>\S.*)$/,
            help: "listen to <name> - Stop ignoring someone", example: "listen to mallory", allow: .admins
        ) { res in
            let user = try await res.robot.user(exactly: res.match.name, from: res.message)
            let was = try await res.robot.ignore(user, false)
            try await res.reply(was ? "I'm listening to \(user.name) again." : "I wasn't ignoring \(user.name).")
        }

        robot.respond(
            /who(?:m)? do you ignore\?*$/, help: "who do you ignore - List the people I ignore",
            example: "who do you ignore?"
        ) { res in
            let names = res.robot.rolesAndIgnoredUsers.filter(\.isIgnored).map(\.user.name)
            try await res.reply(names.isEmpty ? "Nobody." : "\(names.joined(separator: ", ")).")
        }
    }
}
