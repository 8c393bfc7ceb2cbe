public import Heybot

/// Rolls dice.
public struct Dice: Script {
    private static let named: [String: Substring] = ["die": "d6", "dice": "2d6", "one": "d6"]

    public init() {}

    public var topic: ScriptTopic { .fun }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /roll(?! back )(?: me)?(?: (?:a |the )?(?<dice>[^\s?][^?]*))?\??$/,
            help: """
                roll - Roll a die
                roll <dice> - Roll dice, such as 3d6+2, d20 or d%
                """,
            example: "roll 3d6+2"
        ) { res in
            let typed = res.match.dice ?? "die"
            let dice = try DiceExpression(Self.named[typed.lowercased()] ?? typed)
            try await res.reply(dice.roll { sides in res.random(in: 1...sides) })
        }
    }
}
