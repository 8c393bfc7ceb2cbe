public import Heybot

/// Flips tables and words, and puts them back.
public struct TableFlip: Script {
    private static let flippedTable = "┻━┻"
    private static let table = "┬─┬"
    private static let flipping = "(╯°□°)╯︵"
    /// The number of bytes of a text that are considered.
    private static let mostBytes = 4_000
    private static let settingDown = "ノ( º _ ºノ)"

    public init() {}

    public var topic: ScriptTopic { .fun }

    public func register(on robot: inout RobotBuilder) {
        let cooldown = TableFlipCooldown()

        robot.listen(
            containing: ["flip", Self.flippedTable],
            help: "tableflip - Flip the table, and I'll put it back on its feet",
            example: "tableflip"
        ) { message -> Void? in
            message.text.flatMap { Self.isFlipped(in: $0) ? () : nil }
        } _: { res in
            switch cooldown.use(in: res.message.room.id, at: res.robot.date) {
            case .ready: try await res.send(Self.table + Self.settingDown)
            case .resting(let isAnnounced):
                // A message addressed to the robot is always answered, others once.
                guard !isAnnounced || res.addressed != nil else { return }
                try await res.reply("Give the table a minute to recover.")
            }
        }

        // Coins belong to the script Coin.
        robot.respond(
            /flip (?!(?:a |the )?coin[?!.]*$|[0-9]+ coins?[?!.]*$)(?<words>\S.*)$/,
            help: "flip <words> - Turn words upside down", example: "flip the whole plan",
            cooldown: .perUser(.seconds(5))
        ) { res in
            let words = String(oneLine: res.match.words, limit: 200)
            try await res.send("\(Self.flipping) \(UpsideDownText.turned(words))")
        }

        robot.respond(
            /unflip (?<words>\S.*)$/, help: "unflip <words> - Put words back on their feet",
            example: "unflip ʇɟıʍs", cooldown: .perUser(.seconds(5))
        ) { res in
            let words = String(oneLine: res.match.words, limit: 200)
            try await res.send("\(UpsideDownText.upright(words)) \(Self.settingDown)")
        }
    }

    /// Whether a text flips a table, in words or as an emoticon.
    private static func isFlipped(in text: String) -> Bool {
        let text = text[...].beginning(bytes: mostBytes)
        return text.utf8.contains(flippedTable.utf8)
            || text.firstMatch(of: /\btable\s?flip\b/.ignoresCase().wordBoundaryKind(.simple)) != nil
    }
}
