public import Heybot

/// Knows who may do what: admins give roles, and scripts ask for them with `robot.roles(of:)`.
public struct Roles: Script {
    public init() {}

    public var topic: Topic { .administration }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /(?!who )@?(?<name>\S.*?) has (?:(?:the|an?) )?(?<role>[\w-]{1,40}) role$/,
            help: "<name> has <role> role - Give somebody a role; only those whom my settings name give the role admin",
            example: "ada has deployer role", allow: .admins
        ) { res in
            let user = try await Self.user(res.match.name, for: res.match.role, res)
            guard !user.isAnonymous else {
                throw Refusal("Anybody could come back as \(user.name): have them log in on \(user.id.adapter) first.")
            }
            let role = res.match.role.lowercased()
            let isNew = try await res.robot.set(role: role, of: user, to: true)
            try await res.reply("\(user.name) (\(user.id)) has the role \(role)\(isNew ? " now" : " already").")
        }

        robot.respond(
            /@?(?<name>\S.*?) (?:doesn['’]t|does not) have (?:(?:the|an?) )?(?<role>[\w-]{1,40}) role$/,
            help: "<name> doesn't have <role> role - Take a role back", example: "ada doesn't have deployer role",
            allow: .admins
        ) { res in
            let user = try await Self.user(res.match.name, for: res.match.role, res)
            let role = res.match.role.lowercased()
            let had = try await res.robot.set(role: role, of: user, to: false)
            guard !res.robot.roles(of: user).contains(role) else {
                throw Refusal(
                    "\(user.name) is an admin by my settings, or at my keyboard, so nobody can take that back in chat.")
            }
            try await res.reply(
                had ? "\(user.name) (\(user.id)) has the role \(role) no more." : "\(user.name) doesn't have it.")
        }

        robot.respond(
            /what roles? (?:do|does) @?(?<name>\S.*?) have\?*$/,
            help: """
                what roles do I have - Tell which roles you have
                what roles does <name> have - Tell which roles somebody has
                """,
            example: "what roles do I have?"
        ) { res in
            let user = try await res.robot.user(called: res.match.name, from: res.message)
            let roles = res.robot.roles(of: user).sorted()
            let name = user.id == res.message.user.id ? "You have" : "\(user.name) has"
            try await res.reply("\(name) \(roles.isEmpty ? "no role" : roles.joined(separator: ", ")).")
        }

        robot.respond(
            /who has (?:(?:the|an?) )?(?<role>[\w-]{1,40}) role\?*$/, help: "who has <role> role - Tell who has a role",
            example: "who has deployer role?"
        ) { res in
            let role = res.match.role.lowercased()
            let people = res.robot.knownStandings.filter { $0.roles.contains(role) }.map(\.user.name)
            let others = role == Robot.adminRole ? ["those whom my settings name, and whoever is at my keyboard"] : []
            let names = (people + others).joined(separator: ", ")
            try await res.reply("\(role): \(names.isEmpty ? "nobody" : names).")
        }
    }

    /// Whom it is about, where the asker may decide it.
    private static func user<Match>(
        _ name: Substring, for role: Substring, _ res: Response<Match>
    ) async throws -> User {
        let isAboutAdmins = role.lowercased() == Robot.adminRole
        if isAboutAdmins, !res.robot.isOwner(res.message.user) {
            throw Refusal("Only admins whom my settings name (HEYBOT_AUTH_ADMIN) decide who else is one.")
        }
        let user = try await res.robot.user(exactly: name, from: res.message)
        // Anybody may be called so.
        guard
            !isAboutAdmins
                || [user.id.value, user.id.description].contains(where: { $0.lowercased() == name.lowercased() })
        else { throw Refusal("To be sure, say who by their id: \(user.id).") }
        return user
    }
}
