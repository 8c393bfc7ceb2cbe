public import Heybot

/// Greets back, and takes thanks.
public struct Greetings: Script {
    private static let hellos = ["Hello", "Hi", "Hey"]
    private static let welcomes = ["You're welcome", "Any time", "My pleasure"]
    private static let goodbyes = ["Bye", "See you", "Take care"]

    public init() {}

    public var topic: Topic { .fun }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /(?:hello|hi|hiya|hey|howdy|good (?:morning|afternoon|evening|day))(?:,? (?<name>\S+))?$/,
            help: "hello - Greet me; I take thanks and say goodbye, too", example: "hello"
        ) { res in try await Self.answer(Self.hellos, to: res.match.name, res) }

        robot.respond(/(?:thanks|thank you|thx|cheers)(?: (?:a lot|so much|very much))?(?:,? (?<name>\S+))?$/) { res in
            try await Self.answer(Self.welcomes, to: res.match.name, res)
        }

        robot.respond(/(?:bye|bye bye|goodbye|good night|see you|exit|quit)(?:,? (?<name>\S+))?$/) { res in
            try await Self.answer(Self.goodbyes, to: res.match.name, res)
        }

        robot.respond(
            /(?:who|what) are you$/, help: "who are you - Introduce myself", example: "who are you"
        ) { res in
            try await res.reply("I'm \(res.robot.name), a chat bot. Say help to see what I can do.")
        }

        robot.respond(/(?:how are you(?: doing)?|(?:what's|what’s|what is) up|are you there)$/) { res in
            try await res.reply("I'm fine, thanks. Say help to see what I can do.")
        }

        // With my name behind it, once in a while: another robot may greet back.
        robot.hear(
            /^\s*(?:hello|hi|hey|good (?:morning|afternoon|evening)|thanks|thank you),? @?(?<name>[^\s!.?]+)[\s!.?]*$/,
            coolDown: .perUser(.minutes(10))
        ) { res in
            guard res.addressed == nil, Self.isMe(res.match.name, res.robot) else { throw Pass() }
            let isThanks = res.message.text?.lowercased().contains("thank") == true
            try await Self.answer(isThanks ? Self.welcomes : Self.hellos, to: nil, res)
        }
    }

    /// Says one of these to whoever spoke, unless somebody else was meant.
    private static func answer<Match>(_ words: [String], to name: Substring?, _ res: Response<Match>) async throws {
        if let name, !isMe(name, res.robot), !["all", "everybody", "everyone", "there"].contains(name.lowercased()) {
            throw Pass()
        }
        guard let words = res.random(words) else { return }
        try await res.send("\(words), \(res.message.user.name)!")
    }

    private static func isMe(_ name: Substring, _ robot: Robot) -> Bool {
        let name = name.drop { $0 == "@" }.lowercased()
        return name == robot.name.lowercased() || name == robot.alias?.lowercased()
    }
}
