public import Heybot

/// Gives stars.
public struct Stars: Script {
    static let stars = BrainCollection<Int>("stars.given")

    public init() {}

    public func register(on robot: inout RobotBuilder) {
        robot.hear(/\bstar for (?<name>\w+)/, help: "star for <name> - Give a star", example: "a star for ada") { res in
            let name = res.match.name.lowercased()
            let count = try await res.brain.update(Self.stars, name, default: 0) { stars in
                stars += 1
                return stars
            }
            try await res.send("\(name) has \(count) now.")
        }

        robot.respond(/stars of (\w+)$/, help: "stars of <name> - Count stars", example: "stars of ada") { res in
            let count = try await res.brain.recall(Self.stars, res.match.1.lowercased()) ?? 0
            try await res.reply("\(res.match.1) has \(count).")
        }
    }
}
