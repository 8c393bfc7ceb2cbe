public import Heybot

/// Sends the next page of a long answer.
public struct More: Script {
    public init() {}

    public var topic: ScriptTopic { .administration }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(/more$/, help: "more - Show the rest of a long answer", example: "more") { res in
            if try await !res.showMore() { try await res.reply("That's all.") }
        }
    }
}
