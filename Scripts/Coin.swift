public import Heybot

/// Flips coins.
public struct Coin: Script {
    private static let most = 100

    public init() {}

    public var topic: ScriptTopic { .fun }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /(?:flip|toss|throw) (?:(?:a |the )?coin|(?<number>[0-9]+) coins?)[?!.]*$/,
            help: """
                flip a coin - Flip a coin
                flip <number> coins - Flip several coins, and count heads and tails
                """,
            example: "flip a coin"
        ) { res in
            guard let typed = res.match.number else {
                try await res.reply(res.random(in: 0...1) == 1 ? "Heads." : "Tails.")
                return
            }
            guard let number = Int(typed), 1...Self.most ~= number else {
                throw Refusal("I can flip 1 to \(Self.most) coins.")
            }
            let heads = (1...number).reduce(0) { heads, _ in heads + res.random(in: 0...1) }
            try await res.reply("Heads: \(heads), tails: \(number - heads).")
        }
    }
}
