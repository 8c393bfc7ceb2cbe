public import Heybot

/// Answers greetings and thanks.
public struct Greetings: Script {
    private static let hellos = ["Hello", "Hi", "Hey"]
    private static let welcomes = ["You're welcome", "Any time", "My pleasure"]
    private static let goodbyes = ["Bye", "See you", "Take care"]

    public init() {}

    public var topic: ScriptTopic { .fun }

    public func register(on robot: inout RobotBuilder) {
        // A catch-all, so that it doesn't answer if your own script handles hello.
        robot.catchAll(onlyAddressed: true) { res in
            guard let answer = Self.answer(to: res.match, res) else { throw SkipListener() }
            res.finish()
            try await res.send(answer)
        }

        // With the robot's name after the greeting. The cooldown prevents loops with other bots that greet back.
        robot.hear(
            /^\s*(?:hello|hi|hey|good (?:morning|afternoon|evening)),? @?(?<name>[^\s!.?]+)[\s!.?]*$/,
            cooldown: .perUser(.minutes(10))
        ) { res in
            try await Self.greetBack(Self.hellos, res.match.name, res)
        }
        robot.hear(
            /^\s*(?:hello|hi|hey),? @?(?<name>[^\s,!.?]+)[\s,!.?]+how are you(?: doing)?[\s!.?]*$/,
            cooldown: .perUser(.minutes(10))
        ) { res in
            try await Self.greetBack(Self.hellos, res.match.name, more: " \(Self.wellbeing(res))", res)
        }
        robot.hear(
            /^\s*(?:thanks|thank you),? @?(?<name>[^\s!.?]+)[\s!.?]*$/, cooldown: .perUser(.minutes(10))
        ) { res in
            try await Self.greetBack(Self.welcomes, res.match.name, res)
        }
        robot.hear(
            /^\s*(?:bye|goodbye|good ?night),? @?(?<name>[^\s!.?]+)[\s!.?]*$/, cooldown: .perUser(.minutes(10))
        ) { res in
            try await Self.greetBack(Self.goodbyes, res.match.name, res)
        }
    }

    /// Answers a greeting that names the robot.
    ///
    /// Other greetings, and messages addressed to the robot, are passed on.
    private static func greetBack<Match>(
        _ words: [String], _ name: Substring, more: String = "", _ res: Response<Match>
    ) async throws {
        guard res.addressed == nil, isMe(name, res.robot) else { throw SkipListener() }
        guard let words = res.random(words) else { return }
        try await res.send("\(words), \(res.message.user.name)!\(more)")
    }

    private static func wellbeing<Match>(_ res: Response<Match>) -> String { "I'm fine, thanks. \(res.helpHint)" }

    /// Returns the answer to a greeting, to thanks and the like; nil for other texts, or if another user was meant.
    private static func answer<Match>(to words: String, _ res: Response<Match>) -> String? {
        // Bounds the time that a long text takes.
        guard words.utf8.count <= 200 else { return nil }
        let hello =
            /(?:hello|hi|hiya|hey|howdy|good (?:morning|afternoon|evening|day))(?:,? (?<name>\S+?))?[\s!.?]*/
            .ignoresCase()
        let question = /[\s,.!]{1,3}how are you(?: doing)?[\s!.?]*$/.ignoresCase()
        let thanks =
            /(?:thanks|thank you|thx|cheers)(?: (?:a lot|so much|very much))?(?:,? (?<name>\S+?))?[\s!.?]*/
            .ignoresCase()
        let bye = /(?:bye bye|bye|goodbye|good ?night|see you|exit|quit)(?:,? (?<name>\S+?))?[\s!.?]*/.ignoresCase()
        if let match = words.wholeMatch(of: hello) { return greeting(hellos, to: match.name, res) }
        if let asked = words.firstMatch(of: question),
            let match = words[..<asked.range.lowerBound].wholeMatch(of: hello)
        {
            return greeting(hellos, to: match.name, res).map { "\($0) \(wellbeing(res))" }
        }
        if let match = words.wholeMatch(of: thanks) { return greeting(welcomes, to: match.name, res) }
        if let match = words.wholeMatch(of: bye) { return greeting(goodbyes, to: match.name, res) }
        if words.wholeMatch(of: /(?:who|what) are you[\s!.?]*/.ignoresCase()) != nil {
            return "I'm \(res.robot.name), a chat bot. \(res.helpHint)"
        }
        let isAsked = /(?:how are you(?: doing)?|(?:what's|what’s|what is) up|are you there)[\s!.?]*/.ignoresCase()
        return words.wholeMatch(of: isAsked) == nil ? nil : wellbeing(res)
    }

    /// Returns one of the greetings for the message's author; nil if another user was meant.
    private static func greeting<Match>(_ words: [String], to name: Substring?, _ res: Response<Match>) -> String? {
        if let name, !isMe(name, res.robot), !["all", "everybody", "everyone", "there"].contains(name.lowercased()) {
            return nil
        }
        return res.random(words).map { "\($0), \(res.message.user.name)!" }
    }

    private static func isMe(_ name: Substring, _ robot: Robot) -> Bool {
        let name = name.drop { $0 == "@" }.lowercased()
        return name == robot.name.lowercased() || name == robot.alias?.lowercased()
    }
}
