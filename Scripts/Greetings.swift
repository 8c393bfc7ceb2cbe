public import Heybot

/// Greets back, and takes thanks.
public struct Greetings: Script {
    private static let hellos = ["Hello", "Hi", "Hey"]
    private static let welcomes = ["You're welcome", "Any time", "My pleasure"]
    private static let goodbyes = ["Bye", "See you", "Take care"]

    public init() {}

    public var topic: Topic { .fun }

    public func register(on robot: inout RobotBuilder) {
        // For what nothing else matches: a script of your own that answers to hello is the only one that does.
        robot.catchAll(onlyAddressed: true) { res in
            guard let answer = Self.answer(to: res.match, res) else { throw Pass() }
            res.finish()
            try await res.send(answer)
        }

        // With my name behind it, once in a while: another robot may greet back.
        robot.hear(
            /^\s*(?:hello|hi|hey|good (?:morning|afternoon|evening)),? @?(?<name>[^\s!.?]+)[\s!.?]*$/,
            coolDown: .perUser(.minutes(10))
        ) { res in
            try await Self.greetBack(Self.hellos, res.match.name, res)
        }
        robot.hear(
            /^\s*(?:thanks|thank you),? @?(?<name>[^\s!.?]+)[\s!.?]*$/, coolDown: .perUser(.minutes(10))
        ) { res in
            try await Self.greetBack(Self.welcomes, res.match.name, res)
        }
        robot.hear(
            /^\s*(?:bye|goodbye|good ?night),? @?(?<name>[^\s!.?]+)[\s!.?]*$/, coolDown: .perUser(.minutes(10))
        ) { res in
            try await Self.greetBack(Self.goodbyes, res.match.name, res)
        }
    }

    /// Greets whoever named me; somebody who spoke to me, or to somebody else, is for others.
    private static func greetBack<Match>(
        _ words: [String], _ name: Substring, _ res: Response<Match>
    ) async throws {
        guard res.addressed == nil, isMe(name, res.robot) else { throw Pass() }
        guard let words = res.random(words) else { return }
        try await res.send("\(words), \(res.message.user.name)!")
    }

    /// The answer to a greeting or the like; nil of anything else, or if somebody else was meant.
    private static func answer<Match>(to words: String, _ res: Response<Match>) -> String? {
        let hello =
            /(?:hello|hi|hiya|hey|howdy|good (?:morning|afternoon|evening|day))(?:,? (?<name>\S+?))?[\s!.?]*/
            .ignoresCase()
        let thanks =
            /(?:thanks|thank you|thx|cheers)(?: (?:a lot|so much|very much))?(?:,? (?<name>\S+?))?[\s!.?]*/
            .ignoresCase()
        let bye = /(?:bye bye|bye|goodbye|good ?night|see you|exit|quit)(?:,? (?<name>\S+?))?[\s!.?]*/.ignoresCase()
        if let match = words.wholeMatch(of: hello) { return greeting(hellos, to: match.name, res) }
        if let match = words.wholeMatch(of: thanks) { return greeting(welcomes, to: match.name, res) }
        if let match = words.wholeMatch(of: bye) { return greeting(goodbyes, to: match.name, res) }
        if words.wholeMatch(of: /(?:who|what) are you[\s!.?]*/.ignoresCase()) != nil {
            return "I'm \(res.robot.name), a chat bot. Say help to see what I can do."
        }
        let isAsked = /(?:how are you(?: doing)?|(?:what's|what’s|what is) up|are you there)[\s!.?]*/.ignoresCase()
        return words.wholeMatch(of: isAsked) == nil ? nil : "I'm fine, thanks. Say help to see what I can do."
    }

    /// One of these for whoever spoke; nil if somebody else was meant.
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
