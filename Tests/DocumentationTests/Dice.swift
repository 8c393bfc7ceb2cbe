public import Heybot

/// Rolls dice.
public struct Dice: Script {
    public init() {}

    public func register(on robot: inout RobotBuilder) {
        robot.respond(/roll (\d+)d(\d+)$/, help: "roll <n>d<sides> - Roll dice", example: "roll 3d6") { res in
            guard let count = Int(res.match.1), let sides = Int(res.match.2), 1...20 ~= count, 2...100 ~= sides else {
                throw Refusal("I have 20 dice, with 2 to 100 sides.")
            }
            let rolls = (0..<count).map { _ in res.random(in: 1...sides) }
            try await res.reply("\(rolls.map(String.init).joined(separator: " + ")) = \(rolls.reduce(0, +))")
        }
    }
}
