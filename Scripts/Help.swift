public import Heybot

/// Tells what the robot can do: only what is switched on, and what the asker may use.
public struct Help: Script {
    static let isPrivate = ScriptSetting(
        "HELP_REPLY_IN_PRIVATE", "whether help is always told in private", default: false)
    static let hasNoPage = ScriptSetting(
        "HELP_DISABLE_HTTP", "whether there is no help page on the web", default: false)
    static let hidden = ScriptSetting(
        "HELP_HIDDEN_COMMANDS", "commands that help doesn't tell, with commas between them")
    static let address = ScriptSetting(
        url: "HELP_URL", "the address of the help page for people, as https://bot.example.org/heybot/help")
    /// So many lines trouble nobody else in the room.
    private static let mostInRoom = 3

    public init() {}

    public var topic: Topic { .administration }
    public var settings: [any AnyScriptSetting] { [Self.isPrivate, Self.hasNoPage, Self.hidden, Self.address] }

    public func register(on robot: inout RobotBuilder) {
        let isPrivate = robot.value(of: Self.isPrivate)
        let hidden = HiddenCommands(robot.value(of: Self.hidden))
        let hasPage = !robot.value(of: Self.hasNoPage)
        let address = robot.value(of: Self.address)
        let hints = Hints()

        @Sendable func show<Match>(_ words: String, _ res: Response<Match>) async throws {
            let offers = hidden.shown(res.robot.offers(to: res.message.user, in: res.message.room))
            let page = hasPage ? address ?? (res.robot.answersWeb ? "/heybot/help on my web server" : nil) : nil
            let name = res.message.room.isPrivate ? "" : "\(res.robot.name) "
            guard let lines = HelpText(of: res.robot, name: name, offers, page: page).lines(for: words) else {
                throw Refusal("No command has \(String(oneLine: words, limit: 60)) in it. Say help to see them all.")
            }
            if !isPrivate, lines.count <= Self.mostInRoom {
                try await res.send(lines.joined(separator: "\n"))
            } else if try await res.sendPrivately(lines.joined(separator: "\n")) {
                try await res.reply("I've sent you what I can do.")
            }
        }

        robot.respond(
            /\/?help(?: (?:me|all)|\s+(?<words>\S.*))?$/,
            help: """
                help - Show what I can do
                help <words> - Show the commands with all of these words, or words that begin so
                """,
            example: "help score"
        ) { res in try await show(res.match.words.map(String.init) ?? "", res) }

        robot.respond(/(?:commands|list|menu|what can you do)$/) { res in try await show("", res) }

        // On its own, or the others would be tried for whatever is said.
        robot.respond(/\?+$/) { res in try await show("", res) }

        robot.catchAll(onlyAddressed: true) { res in
            let words = res.match
            let offers = hidden.shown(res.robot.offers(to: res.message.user, in: res.message.room))
            if words.isEmpty {
                try await res.reply("Yes? Say help to see what I can do.")
            } else if words.contains(where: \.isNewline) {
                try await res.reply("That's several lines in one message. Say one command at a time.")
            } else if let suggestion = Suggestion(for: words, among: offers) {
                try await res.reply(suggestion.text)
            } else if res.message.room.isPrivate || hints.claim(for: res.message.user.id, at: res.robot.date) {
                try await res.reply("I don't know what to do about that. Say help to see what I can do.")
            }
        }

        guard hasPage else { return }
        for path in ["/heybot/help", "/hubot/help"] {
            robot.get(path, startsServer: false) { request in
                let page = HelpPage(of: request.robot, without: hidden, query: request.query["q"] ?? "")
                var response = WebResponse.html(page.html)
                response.headers["Content-Security-Policy"] = page.securityPolicy
                // What it allows holds for this one answer.
                response.headers["Cache-Control"] = "no-store"
                return response
            }
        }
    }
}
