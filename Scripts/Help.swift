public import Heybot

/// Lists the commands that are enabled and that the user may use.
public struct Help: Script {
    static let isPrivate = ScriptSetting(
        "HELP_REPLY_IN_PRIVATE", "whether to always send help as a direct message", default: false)
    static let hasNoPage = ScriptSetting(
        "HELP_DISABLE_HTTP", "whether to disable the help page on the web", default: false)
    static let hidden = ScriptSetting(
        "HELP_HIDDEN_COMMANDS", "commands to hide from help, separated by commas")
    static let address = ScriptSetting(
        url: "HELP_URL", "the public URL of the help page, such as https://bot.example.org/heybot/help")
    /// The maximum number of lines that are sent to the room instead of as a direct message.
    private static let mostInRoom = 3

    public init() {}

    public var topic: ScriptTopic { .administration }
    public var settings: [any AnyScriptSetting] { [Self.isPrivate, Self.hasNoPage, Self.hidden, Self.address] }

    public func register(on robot: inout RobotBuilder) {
        let isPrivate = robot.value(of: Self.isPrivate)
        let hidden = ConfiguredHiddenCommands(robot.value(of: Self.hidden))
        let hasPage = !robot.value(of: Self.hasNoPage)
        let address = robot.value(of: Self.address)
        let hints = UnknownCommandThrottle()

        @Sendable func show<Match>(_ words: String, _ res: Response<Match>) async throws {
            let commands = hidden.shown(res.robot.commands(for: res.message.user, in: res.message.room))
            let page = hasPage ? address ?? (res.robot.servesHTTP ? "/heybot/help on my web server" : nil) : nil
            let name = res.commandPrefix
            guard let lines = HelpText(of: res.robot, name: name, commands, page: page).lines(for: words) else {
                let shown = String(oneLine: words, limit: 60)
                throw Refusal("No command matches \"\(shown)\". To list all, say \"\(name)help all\".")
            }
            if !isPrivate, lines.count <= Self.mostInRoom {
                try await res.send(lines.joined(separator: "\n"))
            } else if try await res.sendPrivately(lines.joined(separator: "\n")) {
                try await res.reply("I've sent you a direct message.")
            }
        }

        robot.respond(
            /\/?help(?: me|\s+(?<words>\S.*))?$/,
            help: """
                help - Show what I can do
                help all - List all commands
                help <words> - Find commands by words, or by the first letters of words
                """,
            example: "help score"
        ) { res in try await show(res.match.words.map(String.init) ?? "", res) }

        robot.respond(/(?:commands|list|menu|what can you do)$/) { res in try await show("", res) }

        // A listener of its own: as part of another pattern it would make that one a candidate for every message.
        robot.respond(/\?+$/) { res in try await show("", res) }

        robot.catchAll(onlyAddressed: true) { res in
            if await Standup.isAwaited(res.message, res.robot) { throw SkipListener() }
            // In a room, a reply to something that the robot said may be meant for others.
            if res.message.reply != nil, !res.message.room.isPrivate, !res.isAddressedByName { throw SkipListener() }
            let words = res.match
            let commands = hidden.shown(res.robot.commands(for: res.message.user, in: res.message.room))
            if words.isEmpty {
                try await res.reply("Yes? \(res.helpHint)")
            } else if words.contains(where: \.isNewline) {
                try await res.reply("That's several lines in one message. Say one command at a time.")
            } else if let suggestion = CommandSuggestion(for: words, among: commands) {
                try await res.reply(suggestion.text)
            } else if res.message.room.isPrivate || hints.claim(for: res.message.user.id, at: res.robot.date) {
                let problem =
                    res.message.attachments.contains { words == $0.url }
                    ? "Thanks for the file, but I don't know what to do with it." : "I don't understand that."
                try await res.reply("\(problem) \(res.helpHint)")
            }
        }

        guard hasPage else { return }
        for path in ["/heybot/help", "/hubot/help"] {
            robot.get(path, startsServer: false) { request in
                let page = HelpPage(of: request.robot, without: hidden, query: request.query["q"] ?? "")
                var response = WebResponse.html(page.html)
                response.headers["Content-Security-Policy"] = page.securityPolicy
                // The policy's nonce is valid for this response only.
                response.headers["Cache-Control"] = "no-store"
                return response
            }
        }
    }
}
