public import Heybot

/// Answers questions like a magic 8-ball.
public struct EightBall: Script {
    public init() {}

    public var topic: ScriptTopic { .fun }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /(?:magic )?8[ \-]?ball(?:[:,]? (?<question>\S.*))?$/,
            help: "8ball <question> - Ask the magic 8-ball", example: "8ball will it rain?"
        ) { res in
            guard res.match.question != nil, let answer = res.random(WordLists.eightBall) else {
                throw Refusal("Ask the 8-ball something, for example: 8ball will it rain?")
            }
            try await res.reply(answer)
        }
    }
}
