public import Heybot

/// Counts points that people give to each other and to things.
public struct PlusPlus: Script {
    static let scores = BrainCollection<Int>("plusplus.scores")
    /// The points of a name by reason.
    static let reasons = BrainCollection<[String: Int]>("plusplus.reasons")

    public init() {}

    public var topic: ScriptTopic { .people }

    public func register(on robot: inout RobotBuilder) {
        robot.hear(
            /\S ?\+\+(?:[\s.,!?;:]|$)/,
            help: """
                <name>++ - Give someone a point
                <name>++ for <reason> - Give someone a point, and say what for
                """,
            example: "swift++ for being fast"
        ) { res in try await Self.count(1, res) }

        // No regex: one with a non-ASCII dash would be tried on every non-ASCII message.
        robot.listen(
            containing: ["--", "—"],
            help: """
                <name>-- - Take a point from someone
                <name>-- for <reason> - Take a point from someone, and say what for
                """,
            example: "\"big boss\"-- for being late"
        ) { message in
            (message.text.map(Self.hasDash) ?? false) ? true : nil
        } _: { res in
            try await Self.count(-1, res)
        }

        robot.respond(
            /score (?!(?:top|bottom|best|worst)(?: [0-9]+)?\??$)(?:for |of )?(?<name>\S.*)$/,
            help: "score <name> - Show a score", example: "score swift"
        ) { res in try await Self.show(res.match.name, res) }

        robot.respond(
            /(?:score )?(?<end>top|bottom|best|worst)(?: (?<number>[0-9]+))?\??$/,
            help: """
                top - List the ten names with the most points
                top <number> - List the <number> names with the most points
                bottom <number> - List the <number> names with the fewest points
                """,
            example: "top 3"
        ) { res in try await Self.list(res.match.end, res.match.number, res) }

        // Hubot's word for a score. These are listeners of their own, because a Hubot script may replace them.
        robot.respond(
            /karma (?!(?:top|bottom|best|worst)(?: [0-9]+)?\??$)(?:for |of )?(?<name>\S.*)$/, example: "karma swift"
        ) { res in try await Self.show(res.match.name, res) }
        robot.respond(
            /karma (?<end>top|bottom|best|worst)(?: (?<number>[0-9]+))?\??$/, example: "karma best"
        ) { res in try await Self.list(res.match.end, res.match.number, res) }

        robot.respond(
            /erase (?<name>["“(][^"”)]+["”)]|\S+)(?: (?:for|because(?: of)?|as|thanks to) (?<reason>\S.*))?$/,
            help: """
                erase <name> - Delete a name's points and the reasons for them
                erase <name> for <reason> - Delete a reason, but keep the points
                """,
            example: "erase swift", allow: .admins
        ) { res in
            let name = try Self.knownName(res.match.name)
            if let reason = res.match.reason {
                try await res.reply(Self.erase(reason, of: name, res.brain))
            } else {
                try await res.reply(Self.erase(name, res.brain))
            }
        }
    }

    /// Whether a word ends with two hyphens or a dash.
    private static func hasDash(_ text: String) -> Bool {
        var last: UInt32 = 0
        var isDash: Bool { last & 0xFFFF == 0x2D2D || last & 0xFF_FFFF == 0xE28094 }
        for byte in text.utf8 {
            if isDash, " \t\n.,!?;:".utf8.contains(byte) { return true }
            last = last << 8 | UInt32(byte)
        }
        return isDash
    }

    /// Parses the name in a command.
    ///
    /// - Throws: ``Refusal`` if it is too long.
    private static func knownName(_ typed: Substring) throws(Refusal) -> String {
        guard let name = name(typed) else { throw Refusal("A name has at most \(longestName) characters.") }
        return name
    }

    /// Answers with someone's score.
    private static func show<Match>(_ asked: Substring, _ res: Response<Match>) async throws {
        let name = try await countedName(knownName(asked.last == "?" ? asked.dropLast() : asked), res)
        let score = try await res.brain.recall(scores, name) ?? 0
        let reasons = try await topReasons(name, res.brain)
        try await res.reply("\(has(name)) \(score)\(reasons.isEmpty ? "" : ": \(reasons)").")
    }

    /// Lists the names at one end of the ranking.
    private static func list<Match>(_ end: Substring, _ number: Substring?, _ res: Response<Match>) async throws {
        guard let number = Int(number ?? "10"), 1...25 ~= number else {
            throw Refusal("I can list 1 to 25 names.")
        }
        let isTop = ["top", "best"].contains(end.lowercased())
        let lines = try await ranking(number, isTop: isTop, res.brain).enumerated()
            .map { "\($0.offset + 1). \($0.element.key): \($0.element.value)" }
        try await res.send(lines.isEmpty ? "Nobody has any points yet." : lines.joined(separator: "\n"))
    }

    /// Counts the points in a message, and answers with a line for each name.
    private static func count<Match>(_ points: Int, _ res: Response<Match>) async throws {
        let said = res.addressed ?? (res.message.text ?? "")[...]
        let changes = ScoreChange.all(in: said).filter { $0.points == points }
        guard !changes.isEmpty else { throw SkipListener() }
        let sender = try await countedName(of: res.message.user, res)
        var lines: [String] = []
        for change in changes {
            let name = try await countedName(change.name, res)
            if name == sender, points > 0 { continue }
            let counted = ScoreChange(name: name, points: change.points, reason: change.reason)
            lines.append(try await counted.counted(in: res.brain))
        }
        if !lines.isEmpty { try await res.send(lines.joined(separator: "\n")) }
        if lines.count < changes.count { try await res.reply("You can't give points to yourself.") }
    }
}
