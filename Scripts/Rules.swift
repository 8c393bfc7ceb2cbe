public import Heybot

/// Recites the laws of robotics.
public struct Rules: Script {
    static let laws = """
        0. A robot must not harm humankind, nor stand by while humankind comes to harm.
        1. A robot must not harm a human, nor stand by while one comes to harm.
        2. It must do what humans tell it, unless that breaks the first law.
        3. It must look after itself, unless that breaks the first or the second.
        """

    static let developerLaws = """
        1. A developer must not break the build, nor stand by while it turns red.
        2. They must do what the tests tell them, unless that breaks the first law.
        3. They must look after their weekend, unless that breaks the first or the second.
        """

    public init() {}

    public var topic: ScriptTopic { .fun }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /(?:what are )?the (?:three |3 )?(?:rules|laws)\b/,
            help: "the rules - Recite the laws of robotics", example: "what are the three laws"
        ) { res in
            let words = res.message.text?.lowercased() ?? ""
            let isForDevelopers = words.contains("dev") || words.contains("apple")
            try await res.send(isForDevelopers ? Self.developerLaws : Self.laws)
        }
    }
}
