public import Heybot

/// Keeps score.
public struct PlusPlus: Script {
    static let scores = Memories<Int>("plusplus.scores")

    public init() {}

    public func register(on robot: inout RobotBuilder) {
        robot.hear(/\b(?<name>\w+)\+\+/, help: "<name>++ - Give someone a point", example: "swift++") { res in
            let name = res.match.name.lowercased()
            let score = try await res.brain.update(Self.scores, name, default: 0) { points in
                points += 1
                return points
            }
            try await res.send("\(name) now has \(score).")
        }

        robot.respond(/score (\w+)/, help: "score <name> - Show a score", example: "score swift") { res in
            let score = try await res.brain.recall(Self.scores, res.match.1.lowercased()) ?? 0
            try await res.reply("\(res.match.1) has \(score).")
        }
    }
}
