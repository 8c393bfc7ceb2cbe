public import Heybot

/// Chooses one of several things.
public struct Choose: Script {
    public init() {}

    public var topic: ScriptTopic { .fun }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /(?:choose|pick|decide)(?<between> between)? (?:from |one of )?(?<choices>\S.*)$/,
            help: """
                choose <a>, <b> or <c> - Choose one of the options; put an option with commas in quotes
                choose between <a> and <b> - Choose one of two
                """,
            example: "choose tea, coffee or \"milk, warm\""
        ) { res in
            let choices = try ChoiceList(res.match.choices, hasAnd: res.match.between != nil).all
            guard let choice = res.random(choices) else {
                throw Refusal("Choose from what? Try: choose tea, coffee or milk.")
            }
            try await res.reply(choices.count == 1 ? "There's only one option: \(choice)." : choice)
        }
    }
}
