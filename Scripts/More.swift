public import Heybot

/// Says the rest of an answer that was too long to be said at once.
public struct More: Script {
    public init() {}

    public var topic: Topic { .administration }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(/more$/, help: "more - Show the rest of a long answer", example: "more") { res in
            if try await !res.showMore() { try await res.reply("There is no more.") }
        }
    }
}
