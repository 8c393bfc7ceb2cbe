public import Heybot

/// Tells what the robot can do: only what is switched on, and what the asker may use.
public struct Help: Script {
    static let isPrivate = ScriptSetting(
        "HELP_REPLY_IN_PRIVATE", "whether help is always told in private", default: false)
    static let hasNoPage = ScriptSetting(
        "HELP_DISABLE_HTTP", "whether there is no help page on the web", default: false)
    static let hidden = ScriptSetting(
        "HELP_HIDDEN_COMMANDS", "commands that help doesn't tell, with commas between them")
    /// So many lines trouble nobody else in the room.
    private static let mostInRoom = 3

    public init() {}

    public var settings: [any AnyScriptSetting] { [Self.isPrivate, Self.hasNoPage, Self.hidden] }

    public func register(on robot: inout RobotBuilder) {
        let isPrivate = robot.value(of: Self.isPrivate)
        let hidden = HiddenCommands(robot.value(of: Self.hidden))

        robot.respond(
            /help(?:\s+(\S.*))?$/,
            help: """
                help - Show what I can do
                help <words> - Show the commands with all of these words, or words that begin so
                """,
            example: "help score"
        ) { res in
            let words = res.match.1.map(String.init) ?? ""
            let offers = hidden.shown(res.robot.offers(to: res.message.user, in: res.message.room))
            let text = HelpText(name: res.message.room.isPrivate ? "" : "\(res.robot.name) ", offers)
            guard let lines = text.lines(for: words) else {
                throw Refusal("I know no command with \(String(oneLine: words, limit: 60)) in it.")
            }
            if !isPrivate, lines.count <= Self.mostInRoom {
                try await res.send(lines.joined(separator: "\n"))
            } else if try await res.sendPrivately(lines.joined(separator: "\n")) {
                try await res.reply("I've sent you what I can do.")
            }
        }

        robot.catchAll(onlyAddressed: true) { res in
            let words = res.match
            guard !words.isEmpty else { return }
            let offers = hidden.shown(res.robot.offers(to: res.message.user, in: res.message.room))
            let meant = Suggestion.usages(nearTo: words, among: offers.map(\.line.usage))
            if !meant.isEmpty {
                try await res.reply("Do you mean \(meant.joined(separator: ", or "))?")
            } else if res.message.room.isPrivate {
                try await res.reply("I don't know what to do about that. Say help to see what I can do.")
            }
        }

        guard !robot.value(of: Self.hasNoPage) else { return }
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
