public import Heybot

/// Flips tables and words, and puts them back.
public struct TableFlip: Script {
    private static let flippedTable = "┻━┻"
    private static let table = "┬─┬"
    private static let flipping = "(╯°□°)╯︵"
    private static let settingDown = "ノ( º _ ºノ)"

    public init() {}

    public func register(on robot: inout RobotBuilder) {
        let pause = CoolDown.perRoom(.minutes(1))

        robot.hear(
            /\btable\s?flip\b/, help: "tableflip - Put the table back", example: "tableflip", coolDown: pause
        ) { res in
            try await res.send(Self.table + Self.settingDown)
        }

        robot.listen(coolDown: pause) { message -> Void? in
            guard let text = message.text?.utf8, text.contains(0xE2) else { return nil }
            return text.contains(Self.flippedTable.utf8) ? () : nil
        } _: { res in
            try await res.send(Self.table + Self.settingDown)
        }

        // Coins are flipped elsewhere.
        robot.respond(
            /flip (?!(?:a |the )?coin$|[0-9]+ coins?$)(?<words>\S.*)$/,
            help: "flip <words> - Turn words upside down", example: "flip the whole plan",
            coolDown: .perUser(.seconds(5))
        ) { res in
            let words = String(oneLine: res.match.words, limit: 200)
            try await res.send("\(Self.flipping) \(UpsideDown.turned(words))")
        }

        robot.respond(
            /unflip (?<words>\S.*)$/, help: "unflip <words> - Put words back on their feet",
            example: "unflip ʇɟıʍs", coolDown: .perUser(.seconds(5))
        ) { res in
            let words = String(oneLine: res.match.words, limit: 200)
            try await res.send("\(UpsideDown.upright(words)) \(Self.settingDown)")
        }
    }
}
