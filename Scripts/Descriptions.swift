public import Heybot

/// Remembers what people are: `ada is our hero`, and later `who is ada`.
public struct Descriptions: Script {
    static let descriptions = BrainCollection<[String]>("people.descriptions")
    private static let most = 20
    private static let longest = 200
    /// In bytes.
    private static let longestName = 400

    public init() {}

    public var topic: ScriptTopic { .people }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            // "Who is on call" is a question for the script OnCall.
            /who(?: is|'s|’s) (?!on[ -]?call\b)@?(?<name>[^?]+)\?*$/,
            help: "who is <name> - Say what I know about someone", example: "who is ada?"
        ) { res in
            // "Who is at home" isn't about a person with that name.
            if Self.isNoName(res.match.name), await Self.isUnknown(res.match.name, res) { throw SkipListener() }
            let (key, name) = try await Self.subject(res.match.name, res)
            let descriptions = try await res.brain.recall(Self.descriptions, key) ?? []
            guard !descriptions.isEmpty else { throw Refusal(Self.nothing(of: name, res)) }
            let verb = name == Self.me ? "am" : "is"
            try await res.send("\(name) \(verb) \(descriptions.joined(separator: ", ")).")
        }

        robot.respond(
            /@?(?<name>[^\s?:,#]+(?: [^\s?:,#]+){0,2}) is (?!(?:not |no longer )?on[ -]?call\b)(?<isNot>not )?(?<what>[^?]+)$/,
            help: """
                <name> is <something> - Remember something about a person
                <name> is not <something> - Forget something about a person
                """,
            example: "ada is our hero"
        ) { res in
            // Many such sentences aren't about a person: "the build is red", "what is this".
            if Self.isNoName(res.match.name), await Self.isUnknown(res.match.name, res) { throw SkipListener() }
            let (key, name) = try await Self.subject(res.match.name, res)
            var said = res.match.what.beginning(bytes: 8_000)
            while let last = said.last, ".! ".contains(last) { said.removeLast() }
            let what = String(oneLine: said, limit: Self.longest).normalized
            guard !what.isEmpty else { throw SkipListener() }
            let change = res.match.isNot == nil ? Self.learn : Self.forget
            try await res.send(change(what, key, name, res.brain))
        }
    }

    private static let me = "I"

    private static func learn(
        _ what: String, _ key: String, _ name: String, _ brain: Brain
    ) async throws -> String {
        let isNew = try await brain.update(descriptions, key, default: []) { known in
            guard !known.contains(where: { isSame($0, what) }) else { return false }
            guard known.count < most else {
                let whom = name == me ? "myself" : name
                throw Refusal("I already know \(most) things about \(whom), and that's all I can keep.")
            }
            known.append(what)
            return true
        }
        return isNew ? "OK, \(name) \(name == me ? "am" : "is") \(what)." : "I know."
    }

    private static func forget(
        _ what: String, _ key: String, _ name: String, _ brain: Brain
    ) async throws -> String {
        let wasKnown = try await brain.update(descriptions, key) { known in
            guard let index = known?.firstIndex(where: { isSame($0, what) }) else { return false }
            known?.remove(at: index)
            if known?.isEmpty == true { known = nil }
            return true
        }
        return wasKnown ? "OK, \(name) \(name == me ? "am" : "is") no longer \(what)." : "I know."
    }

    private static func isSame(_ one: String, _ other: String) -> Bool { one.lowercased() == other.lowercased() }

    private static func nothing<Match>(of name: String, _ res: Response<Match>) -> String {
        name == me ? "I'm a chat bot. \(res.helpHint)" : "I don't know anything about \(name) yet."
    }

    /// Returns the key and the name of the person that is meant, which may be the robot itself.
    private static func subject<Match>(
        _ typed: Substring, _ res: Response<Match>
    ) async throws -> (key: String, name: String) {
        var typed = typed.beginning(bytes: longestName)
        while typed.last?.isWhitespace == true { typed.removeLast() }
        let folded = typed.lowercased()
        if folded == res.robot.name.lowercased() || folded == "you" { return ("robot", me) }
        let user = try await res.robot.user(called: typed, from: res.message)
        return (user.id.description, user.name)
    }

    /// Whether a text is unlikely to be a name: a pronoun or the like, or several words.
    private static func isNoName(_ typed: Substring) -> Bool {
        typed.contains(where: \.isWhitespace) || noNames.contains(typed.lowercased())
    }

    private static let noNames: Set<String> = [
        "all", "everybody", "everyone", "everything", "he", "here", "how", "it", "nobody", "nothing", "online", "she",
        "that", "there", "they", "this", "time", "today", "tomorrow", "weather", "what", "when", "where", "which",
        "who",
        "why"
    ]

    private static func isUnknown<Match>(_ typed: Substring, _ res: Response<Match>) async -> Bool {
        let typed = typed.beginning(bytes: longestName)
        if typed.lowercased() == res.robot.name.lowercased() || Robot.isAsker(typed) { return false }
        return await res.robot.users(named: typed, in: res.message.room).isEmpty
    }
}
