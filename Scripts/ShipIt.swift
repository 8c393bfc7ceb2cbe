public import Heybot

/// Answers "ship it" with the blessing of a squirrel.
public struct ShipIt: Script {
    public init() {}

    public var topic: ScriptTopic { .fun }

    public func register(on robot: inout RobotBuilder) {
        robot.hear(
            /\bship(?:ping|z|s|ped)?\s*it\b/, help: "ship it - Get the squirrel's blessing", example: "ship it",
            cooldown: .perRoom(.minutes(1))
        ) { res in
            if let line = res.random(WordLists.shipIt) { try await res.send(line) }
        }
    }
}
