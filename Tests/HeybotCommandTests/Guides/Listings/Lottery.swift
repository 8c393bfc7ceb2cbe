public import Heybot

/// Draws lots.
public struct Lottery: Script {
    public init() {}

    public func register(on robot: inout RobotBuilder) {
        robot.respond(/draw (\d+) of (\d+)$/, help: "draw <n> of <all> - Draw lots", example: "draw 3 of 49") { res in
            guard let count = Int(res.match.1), let all = Int(res.match.2), 1...20 ~= count, 2...100 ~= all else {
                throw Refusal("I can draw 1 to 20 lots from 2 to 100.")
            }
            let lots = (0..<count).map { _ in res.random(in: 1...all) }
            try await res.reply(lots.map(String.init).joined(separator: ", "))
        }
    }
}
