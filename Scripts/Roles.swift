public import Heybot

/// Manages roles: admins give them to users, and scripts check them with `robot.roles(of:)`.
public struct Roles: Script {
    public init() {}

    public var topic: ScriptTopic { .administration }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /(?!who )@?(?<name>\S.*?) has (?:(?:the|an?) )?(?<role>[\w-]{1,40}) role$/,
            help:
                "<name> has <role> role - Give someone a role; only admins named in my settings can give the admin role",
            example: "ada has deployer role", allow: .admins
        ) { res in
            let user = try await Self.user(res.match.name, for: res.match.role, res)
            guard !user.isAnonymous else {
                throw Refusal(
                    "I can't verify who \(user.name) is. Ask them to log in to their account on "
                        + "\(user.id.adapter). \(user.otherVerification)")
            }
            let role = res.match.role.lowercased()
            let isNew = try await res.robot.set(role: role, of: user, to: true)
            try await res.reply("\(user.name) (\(user.id)) \(isNew ? "now" : "already") has the \(role) role.")
        }

        robot.respond(
            /@?(?<name>\S.*?) (?:doesn['’]t|does not) have (?:(?:the|an?) )?(?<role>[\w-]{1,40}) role$/,
            help: "<name> doesn't have <role> role - Take a role away", example: "ada doesn't have deployer role",
            allow: .admins
        ) { res in
            let user = try await Self.user(res.match.name, for: res.match.role, res)
            let role = res.match.role.lowercased()
            let had = try await res.robot.set(role: role, of: user, to: false)
            guard !res.robot.roles(of: user).contains(role) else {
                throw Refusal(
                    "I can't revoke that role from chat: \(user.name) is an admin by my settings, or is the user at my terminal."
                )
            }
            try await res.reply(
                had
                    ? "\(user.name) (\(user.id)) no longer has the \(role) role."
                    : "\(user.name) doesn't have that role.")
        }

        robot.respond(
            /what roles? (?:do|does) @?(?<name>\S.*?) have\?*$/,
            help: """
                what roles do I have - List your roles
                what roles does <name> have - List someone's roles
                """,
            example: "what roles do I have?"
        ) { res in
            let user = try await res.robot.user(called: res.match.name, from: res.message)
            let roles = res.robot.roles(of: user).sorted()
            let isAsker = user.id == res.message.user.id
            if roles.isEmpty {
                try await res.reply("\(isAsker ? "You have" : "\(user.name) has") no roles.")
            } else {
                let whose = isAsker ? "Your roles" : "\(user.name)'s roles"
                try await res.reply("\(whose): \(roles.joined(separator: ", ")).")
            }
        }

        robot.respond(
            /who has (?:(?:the|an?) )?(?<role>[\w-]{1,40}) role\?*$/,
            help: "who has <role> role - List the people with a role",
            example: "who has deployer role?"
        ) { res in
            let role = res.match.role.lowercased()
            // Only admins may see which accounts a person has.
            let showsAccounts = res.message.room.isPrivate && res.robot.isAdmin(res.message.user)
            let people = res.robot.rolesAndIgnoredUsers.filter { $0.roles.contains(role) }.map { entry -> String in
                let linked = showsAccounts ? res.robot.accounts(of: entry.user).dropFirst().map(\.id.description) : []
                return linked.isEmpty ? entry.user.name : "\(entry.user.name) (also \(linked.joined(separator: ", ")))"
            }
            let others =
                role == Robot.adminRole ? ["the admins named in my settings, and the user at my terminal"] : []
            let names = (people + others).joined(separator: ", ")
            try await res.reply("\(role): \(names.isEmpty ? "nobody" : names).")
        }
    }

    /// Returns the user whose role is to change, if the asker may change it.
    private static func user<Match>(
        _ name: Substring, for role: Substring, _ res: Response<Match>
    ) async throws -> User {
        let isAboutAdmins = role.lowercased() == Robot.adminRole
        if isAboutAdmins, !res.robot.isOwner(res.message.user) {
            throw Refusal("Only the admins named in my settings (HEYBOT_AUTH_ADMIN) can give or revoke the admin role.")
        }
        let user = try await res.robot.user(exactly: name, from: res.message)
        // Anyone can take a name, so an id is required. (An anonymous user gets no role in any case.)
        let isSure =
            [user.id.value, user.id.description].contains { $0.lowercased() == name.lowercased() }
            || !isAboutAdmins && (user.isAnonymous || user.id == res.message.user.id)
        guard isSure else { throw Refusal("I need to be sure who you mean. Use their id: \(user.id).") }
        return user
    }
}
