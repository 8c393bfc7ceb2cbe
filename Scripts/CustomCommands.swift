public import Heybot

/// Lets users make commands from chat: `when I say retro say What went well?`.
public struct CustomCommands: Script {
    /// How many commands may run each other.
    private static let deepest = 5
    /// The scripts whose patterns match much that they then leave to others.
    private static let unsure: Set<String> = ["Descriptions", "Facts", "Maths", "Schedules"]

    public init() {}

    public var topic: ScriptTopic { .people }

    public func register(on robot: inout RobotBuilder) {
        let rooms = RoomCommands()
        robot.listCommands { user, room in rooms.listed(for: user, in: room).map(\.listed) }
        robot.readBrain(every: .seconds(30)) { try await rooms.read($0.brain) }
        registerMaking(rooms, on: &robot)
        registerLists(rooms, on: &robot)
        registerUse(rooms, on: &robot)
    }

    // MARK: Making commands

    private func registerMaking(_ rooms: RoomCommands, on robot: inout RobotBuilder) {
        robot.respond(
            /(?s)when (?:I|we|people) say (?<usage>["“][^"”]{1,400}["”]|[^\s"“].*?),? (?<action>say|run) (?<text>\S.*)$/,
            help: """
                when I say <command> say <text> - Make a command in this room; <name> in both stands for an argument
                when I say <command> run <other command> - Make a command that runs another one, with the user's rights
                """,
            example: "when I say retro say What went well, <user>?"
        ) { res in
            let message = res.message
            let template = try CommandTemplate(res.match.usage)
            let action: CustomCommand.Action = res.match.action.lowercased() == "run" ? .run : .say
            let command = try CustomCommand(
                template, action, res.match.text, by: message.user, date: res.robot.date)
            try Self.refuseTaken(template, res.robot)
            let isKnown = try await rooms.add(command, in: message.room, res.robot)
            let place = message.room.isPrivate ? "between us" : "in this room"
            let name = "\"\(template.usage)\""
            try await res.reply(isKnown ? "OK, I've changed \(name)." : "OK, \(name) is a command \(place) now.")
        }

        robot.respond(
            /(?s)when (?:I|we|people) say (?<usage>["“][^"”]{1,400}["”]|[^\s"“].*?),? do nothing$/,
            help: "when I say <command> do nothing - Remove a command made in this room",
            example: "when I say retro do nothing"
        ) { res in
            let template = try CommandTemplate(res.match.usage)
            let isGone = try await rooms.remove(template, in: res.message.room, by: res.message.user, res.robot)
            guard isGone else {
                // "When I say lunch say do nothing" makes a command.
                let words = template.usage.lowercased().split(separator: " ")
                guard !words.contains("say"), !words.contains("run") else { throw SkipListener() }
                throw Self.unknown(template)
            }
            try await res.reply("OK, I've forgotten \"\(template.usage)\".")
        }

        robot.respond(
            /(?<who>only \S.{0,200}?|everyone|everybody) (?:may|can) say (?<usage>\S.*)$/,
            help: """
                only <role> may say <command> - Let only users with a role use a command made in this room
                everyone may say <command> - Let everyone use it again
                """,
            example: "only ops may say retro"
        ) { res in
            let roles = try Self.roles(res.match.who)
            let template = try CommandTemplate(res.match.usage)
            let isKnown = try await rooms.set(
                roles: roles, of: template, in: res.message.room, by: res.message.user, res.robot)
            guard isKnown else { throw Self.unknown(template) }
            try await res.reply("OK. Who may use \"\(template.usage)\": \(Access.everyone.roles(roles)).")
        }
    }

    private static func unknown(_ template: CommandTemplate) -> Refusal {
        Refusal("Nobody has made a command \"\(template.usage)\" here. To list all, say \"custom commands\".")
    }

    /// - Throws: A ``Refusal`` if a script has such a command, which would be preferred.
    private static func refuseTaken(_ template: CommandTemplate, _ robot: Robot) throws(Refusal) {
        let matching = Set(robot.listeners(matching: "\(robot.name) \(template.sample)"))
        let listener = robot.listeners.first { listener in
            // A listener for all messages, such as a log, is no command, unless it has help.
            let isCommand = listener.trigger == .respond || listener.trigger == .hear && !listener.help.isEmpty
            return isCommand && matching.contains(listener.id) && !unsure.contains(listener.script)
        }
        guard let listener else { return }
        throw Refusal("I have a command like that already (\(listener.script)). Choose another name.")
    }

    /// Reads `only ops or deployer`; nil for everyone.
    private static func roles(_ typed: Substring) throws(Refusal) -> Set<String>? {
        let words = typed.lowercased().split { $0.isWhitespace || $0 == "," }
        guard words.first == "only" else { return nil }
        let roles = Set(words.dropFirst().filter { !["and", "or"].contains($0) }.map(String.init))
        let isValid = roles.allSatisfy { role in
            role.utf8.count <= 40 && role.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        }
        guard !roles.isEmpty, roles.count <= 20, isValid else {
            throw Refusal("For whom? Name a role such as \"ops\", or say \"everyone\" or \"admins\".")
        }
        return Set(roles.map { $0 == "admins" ? Robot.adminRole : $0 })
    }

    // MARK: Lists

    private func registerLists(_ rooms: RoomCommands, on robot: inout RobotBuilder) {
        robot.respond(
            /(?:custom commands|commands (?:made )?here|what can I say(?: here)?)\??$/,
            help: "custom commands - List the commands made in this room", example: "custom commands"
        ) { res in
            let commands = try await rooms.commands(for: res.message.user, in: res.message.room, res.brain)
            guard !commands.isEmpty else {
                throw Refusal("Nobody has made a command here yet. For example, say: when I say lunch say Pizza!")
            }
            let lines = commands.map { command in
                let access = command.roles == nil ? "" : " (\(command.access))"
                let text = String(oneLine: command.text, limit: 100)
                return "\(command.usage): \(command.action.rawValue) \(text), by \(command.author.name)\(access)"
            }
            try await res.send(lines.joined(separator: "\n"))
        }
    }

    // MARK: Using commands

    private func registerUse(_ rooms: RoomCommands, on robot: inout RobotBuilder) {
        // Last, so that nobody can take the place of a script's command.
        robot.catchAll(onlyAddressed: true) { res in
            let message = res.message
            let commands = try await rooms.commands(for: message.user, in: message.room, res.brain)
            guard let (command, arguments) = CustomCommand.find(res.match, in: commands) else { throw SkipListener() }
            res.finish()
            let roles = res.robot.roles(of: message.user)
            if let refusal = command.access.refusal(
                ofUserWith: roles, in: message.room, on: res.robot.adapters)
            {
                throw Refusal(refusal)
            }
            let text = command.text(with: arguments, for: message)
            guard command.action == .run else {
                try await res.send(text)
                return
            }
            guard res.commandDepth < Self.deepest else {
                throw Refusal("I've stopped there: at most \(Self.deepest) commands may run each other.")
            }
            if command.needsConsent(of: message.user), !rooms.hasConsent(to: command, of: message) {
                let author = command.author.name
                try await res.confirm("\(author) made that. It runs \"\(text)\" as if you had said it. Go ahead?")
                try await rooms.noteConsent(to: command, of: message, res.robot)
            }
            await res.run(text)
        }
    }
}
