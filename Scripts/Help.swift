public import Heybot

/// Tells what the robot can do: only what is switched on, and what the asker may use.
public struct Help: Script {
    /// So many lines trouble nobody else in the room.
    private static let mostInRoom = 3

    public init() {}

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /help(?:\s+(.*))?$/,
            help: """
                help - Show what I can do
                help <words> - Show the commands with all of these words, or words that begin so
                """,
            example: "help score"
        ) { res in
            let words = (res.match.1 ?? "").lowercased().split(whereSeparator: \.isWhitespace)
            let lines = res.robot.commands(for: res.message.user, in: res.message.room)
                .filter { line in words.allSatisfy { Self.has($0, line.lowercased()) } }
            if lines.isEmpty {
                try await res.reply("I know no command with \(words.joined(separator: " ")) in it.")
            } else if lines.count <= Self.mostInRoom {
                try await res.send(lines.joined(separator: "\n"))
            } else if try await res.sendPrivately(lines.joined(separator: "\n")) {
                try await res.reply("I've sent you what I can do.")
            }
        }

        for path in ["/heybot/help", "/hubot/help"] {
            robot.get(path, startsServer: false) { request in
                let page = HelpPage(of: request.robot, query: request.query["q"] ?? "")
                var response = WebResponse.html(page.html)
                response.headers["Content-Security-Policy"] = page.securityPolicy
                // What it allows holds for this one answer.
                response.headers["Cache-Control"] = "no-store"
                return response
            }
        }
    }

    /// Whether a word of the line begins with that.
    private static func has(_ word: Substring, _ line: String) -> Bool {
        line.ranges(of: word).contains { range in
            guard let before = line[..<range.lowerBound].last else { return true }
            return !before.isLetter && !before.isNumber
        }
    }
}
