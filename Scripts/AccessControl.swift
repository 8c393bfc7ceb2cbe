public import Heybot

/// Changes from chat who may use which command, and approves commands that need a second user.
public struct AccessControl: Script {
    /// The scripts whose access only the admins of the settings may change: their commands give rights.
    private static let protected = ["AccessControl", "Roles"]

    public init() {}

    public var topic: ScriptTopic { .administration }

    public func register(on robot: inout RobotBuilder) {
        registerAccess(on: &robot)
        registerApprovals(on: &robot)
    }

    // MARK: Access

    private func registerAccess(on robot: inout RobotBuilder) {
        robot.respond(
            /allow (?<command>\S.*?) for (?<whom>\S.*)$/,
            help: """
                allow <command> for <role> - Let only users with a role use a command; a script's name means all its commands
                allow <command> for <role> in <room> - The same, and only in that room; "everyone" and "admins" are roles here
                """,
            example: "allow say in for ops in #ops", allow: .admins
        ) { res in
            let command = try CommandReference(res.match.command, in: res.robot)
            try Self.checkChange(of: command.script, "\(command)", by: res.message.user, res.robot)
            guard Set(command.listeners.map(\.access)).count == 1 || command.words == nil else {
                throw Refusal(
                    "\(command) means several commands with different access, so I can change it only for all commands of "
                        + "\(command.script).")
            }
            let access = try Self.access(res.match.whom, res)
            let others = try await res.robot.setAccess(
                access, to: command.script, command: command.words, by: res.message.user)
            let also = others.filter { !$0.isEmpty }.map { "\"\($0)\"" }.joined(separator: ", ")
            let exceptions =
                command.words != nil
                ? []
                : res.robot.changedAccess.entries.compactMap { $0.script == command.script ? $0.command : nil }
            let except = exceptions.map { "\"\($0)\"" }.joined(separator: ", ")
            try await res.reply(
                "Access to \(command): \(access)." + (also.isEmpty ? "" : " This also holds for \(also).")
                    + (except.isEmpty ? "" : " This doesn't hold for \(except), whose access was changed too."))
        }

        robot.respond(
            /reset access to (?<command>\S.*)$/,
            help: "reset access to <command> - Let the script decide again who may use its command",
            example: "reset access to say in", allow: .admins
        ) { res in
            if let gone = Self.changeOfMissingCommand(res.match.command, res.robot) {
                let name = gone.command.map { "\"\($0)\" of \(gone.script)" } ?? "all commands of \(gone.script)"
                try Self.checkChange(of: gone.script, name, by: res.message.user, res.robot)
                try await res.robot.resetAccess(to: gone.script, command: gone.command)
                try await res.reply("I've removed the rule for \(name), which I don't have any more.")
                return
            }
            let command = try CommandReference(res.match.command, in: res.robot)
            try Self.checkChange(of: command.script, "\(command)", by: res.message.user, res.robot)
            guard try await res.robot.resetAccess(to: command.script, command: command.words) else {
                throw Refusal("Nobody has changed the access to \(command).")
            }
            try await res.reply("Access to \(command) is as the script says again: \(command.access(in: res.robot)).")
        }

        robot.respond(
            /(?:access to|who (?:may|can) use) (?<command>\S.*?)\?*$/,
            help: "access to <command> - Show who may use a command", example: "access to say in"
        ) { res in
            let command = try CommandReference(res.match.command, in: res.robot)
            let access = command.access(in: res.robot)
            let own = res.robot.changedAccess.entries.filter { $0.script == command.script }
            let change = own.last { $0.command == command.words } ?? own.last { $0.command == nil }
            let author = change.map { " (changed by \($0.admin))" } ?? ""
            try await res.reply("Access to \(command): \(access)\(author).")
        }

        robot.respond(
            /access(?: changes)?$/, help: "access changes - List the commands whose access was changed from chat",
            example: "access changes", allow: .admins
        ) { res in
            let lines = res.robot.changedAccess.entries.map { entry in
                let command = entry.command.map { "\"\($0)\" (\(entry.script))" } ?? "all commands of \(entry.script)"
                let isGone = res.robot.listeners(of: entry.script, command: entry.command).isEmpty
                return
                    "\(command): \(entry.access), by \(entry.admin)\(isGone ? " (there is no such command now)" : "")"
            }
            guard !lines.isEmpty else {
                try await res.reply("Every script decides itself: nothing was changed.")
                return
            }
            try await res.send(lines.joined(separator: "\n"))
        }
    }

    /// Only the admins named in the settings may change the access to commands that give rights.
    private static func checkChange(of script: String, _ name: String, by user: User, _ robot: Robot) throws {
        guard !protected.contains(script) || robot.isOwner(user) else {
            throw Refusal("Only the admins named in my settings (HEYBOT_AUTH_ADMIN) can change the access to \(name).")
        }
    }

    /// The change that a text names, if its command or script doesn't exist any more.
    private static func changeOfMissingCommand(_ text: Substring, _ robot: Robot) -> ChangedAccess.Entry? {
        let wanted = HelpLine.command(of: String(oneLine: text, limit: 60))
        return robot.changedAccess.entries.first { entry in
            (entry.command ?? entry.script.lowercased()) == wanted
                && robot.listeners(of: entry.script, command: entry.command).isEmpty
        }
    }

    /// Reads `ops in #ops`, `ops or deployer`, `everyone` or `admins`.
    private static func access<Match>(_ text: Substring, _ res: Response<Match>) throws -> Access {
        var words = text.split { $0.isWhitespace || $0 == "," }.map(String.init)
        var rooms: Set<String>?
        if let index = words.firstIndex(where: { $0.lowercased() == "in" }) {
            let named = words[(index + 1)...].filter { !["and", "or"].contains($0.lowercased()) }
            guard !named.isEmpty, named.count <= 20 else { throw Refusal("In which room? Name at most 20.") }
            rooms = Set(named.map { res.robot.room(named: $0, from: res.message.room).description })
            words = Array(words[..<index])
        }
        let roles = Set(words.map { $0.lowercased() }.filter { !["and", "or"].contains($0) })
        guard !roles.isEmpty, roles.count <= 20, roles.allSatisfy({ isRole($0) }) else {
            throw Refusal("For whom? Name a role such as \"ops\", or say \"everyone\" or \"admins\".")
        }
        guard !roles.contains("everyone") else { return Access.everyone.rooms(rooms) }
        return Access.everyone.roles(Set(roles.map { $0 == "admins" ? Robot.adminRole : $0 })).rooms(rooms)
    }

    private static func isRole(_ word: String) -> Bool {
        word.utf8.count <= 40 && word.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }

    // MARK: Approvals

    private func registerApprovals(on robot: inout RobotBuilder) {
        robot.respond(
            /(?<verb>approve|deny)(?: #?(?<number>[0-9]{1,9}))?$/,
            help: """
                approve <number> - Approve a command that waits for a second user
                deny <number> - Deny a command that waits for a second user, or withdraw your own
                """,
            example: "approve 1"
        ) { res in
            let approves = res.match.verb.lowercased() == "approve"
            let number: Int
            if let typed = res.match.number {
                number = Int(typed) ?? 0
            } else {
                let only = try Self.only(of: Self.waiting(for: res.message.user, res.robot))
                // Another command may have taken the place of the one that the user means.
                guard !approves else {
                    throw Refusal(
                        "\(only.requester.name) wants: \(only.command). To approve it, say \"approve \(only.id)\".")
                }
                number = only.id
            }
            guard let approval = try res.robot.decide(number, approves: approves, by: res.message.user) else {
                throw Refusal("Nothing with that number waits for approval. To list what does, say \"approvals\".")
            }
            let isOwn = approval.requester.id == res.message.user.id
            guard !isOwn else {
                try await res.reply("You've withdrawn your command: \(approval.command)")
                return
            }
            let verb = approves ? "approved" : "denied"
            try await res.reply("You've \(verb) \(approval.requester.name)'s command: \(approval.command)")
        }

        robot.respond(
            /approvals$/, help: "approvals - List the commands that wait for you or another user", example: "approvals"
        ) { res in
            let lines = Self.waiting(for: res.message.user, res.robot).map { approval in
                "\(approval.id): \(approval.requester.name) in \(res.robot.displayName(of: approval.room.id)): "
                    + "\(approval.command) (needs \(approval.role))"
            }
            guard !lines.isEmpty else {
                try await res.reply("Nothing waits for your approval.")
                return
            }
            try await res.send(lines.joined(separator: "\n"))
        }
    }

    /// The commands that a user may approve, and the user's own.
    private static func waiting(for user: User, _ robot: Robot) -> [PendingApproval] {
        let roles = robot.roles(of: user)
        return robot.pendingApprovals.filter {
            roles.contains($0.role) || roles.contains(Robot.adminRole) || $0.requester.id == user.id
        }
    }

    private static func only(of waiting: [PendingApproval]) throws -> PendingApproval {
        guard let first = waiting.first else { throw Refusal("Nothing waits for your approval.") }
        guard waiting.count == 1 else { throw Refusal("Which one? To list what waits, say \"approvals\".") }
        return first
    }
}

/// A command that an admin names, or all commands of a script.
private struct CommandReference: CustomStringConvertible {
    let script: String
    /// The command's words, see ``HelpLine/command``; nil for all commands of the script.
    let words: String?
    /// The listeners that handle it.
    let listeners: [Listener]

    var description: String { words.map { "\"\($0)\"" } ?? "all commands of \(script)" }

    /// Who may use it, for an answer.
    func access(in robot: Robot) -> String {
        let all = Set(listeners.map { "\(robot.access(to: $0))" }).sorted()
        return all.count == 1 ? all.joined() : "it differs by command (\(all.joined(separator: "; ")))"
    }

    /// Finds a command by its first words, or a script by its name.
    ///
    /// - Throws: A ``Refusal`` if there is no such command, or more than one.
    init(_ text: Substring, in robot: Robot) throws {
        let typed = String(oneLine: text, limit: 60)
        let wanted = HelpLine.command(of: typed)
        let listeners = robot.listeners
        if let script = robot.scripts.first(where: { $0.lowercased() == wanted }),
            listeners.contains(where: { $0.script == script })
        {
            self.init(script, nil, in: robot)
            return
        }
        var found: [(script: String, words: String, isRemote: Bool)] = []
        for listener in listeners {
            for line in listener.help where !line.command.isEmpty {
                let isNew = !found.contains { $0.script == listener.script && $0.words == line.command }
                if isNew { found.append((listener.script, line.command, listener.isRemote)) }
            }
        }
        let exact = found.filter { $0.words == wanted }
        let meant = exact.isEmpty ? found.filter { $0.words.hasPrefix("\(wanted) ") } : exact
        guard let first = meant.first else {
            throw Refusal(
                "I have no command \"\(typed)\". Say its first words, or its script's name; to list the scripts, say "
                    + "\"scripts\".")
        }
        // A Hubot script doesn't say which of its listeners a line of its help belongs to.
        if meant.allSatisfy({ $0.isRemote && $0.script == first.script }) {
            self.init(first.script, nil, in: robot)
            return
        }
        guard meant.count == 1 else {
            let all = meant.prefix(10).map { "\"\($0.words)\" (\($0.script))" }.joined(separator: ", ")
            throw Refusal("Which one do you mean: \(all)? For all commands of a script, say the script's name.")
        }
        self.init(first.script, first.words, in: robot)
    }

    private init(_ script: String, _ words: String?, in robot: Robot) {
        (self.script, self.words) = (script, words)
        listeners = robot.listeners(of: script, command: words)
    }
}
