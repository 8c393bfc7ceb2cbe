public import Heybot

/// Remembers facts: `remember deploys are on tuesday`, and later `when are deploys?`.
public struct Facts: Script {
    private static let mostSubjects = 100
    private static let mostFacts = 10

    public init() {}

    public var topic: ScriptTopic { .people }

    public func register(on robot: inout RobotBuilder) {
        // "remember ada: words" and "remember that ada said words" are quotes.
        robot.respond(
            /remember\s+(?!that [^:]{1,100}? said\b)(?:that )?(?<subject>[^\s:?][^:?]{0,99}?) (?<verb>(?:is|are|was|were) the same as|is|are|was|were|has|have|means|mean|=)\s+(?<text>\S[\s\S]*)$/,
            help: """
                remember <subject> is <text> - Remember a fact, which I say when asked "what is <subject>?" or "<subject>?"
                remember <name> is the same as <subject> - Remember another name for something
                """,
            example: "remember deploys are on tuesday"
        ) { res in
            let fact = try Fact(
                res.match.subject, res.match.verb, res.match.text, by: res.message.user, date: res.robot.date)
            let known = try await FactBook(brain: res.brain).teach(fact)
            if let known, known.isSame(as: fact) {
                try await res.reply("I know.")
            } else {
                let change = known.map { " (Until now: \($0.sentence))" } ?? ""
                let isPrivate = res.robot.isConversation(res.message.room)
                let remark = isPrivate ? " (Everyone can ask me for that.)" : ""
                try await res.reply("OK: \(fact.sentence)\(change)\(remark)")
            }
        }

        robot.respond(
            /forget (?!me$|quote\b|(?:my|our|the room['’]?s?|this room['’]?s?) time ?zone$)(?:about )?(?<subject>\S.{0,199})$/,
            help: "forget <subject> - Forget a fact", example: "forget deploys"
        ) { res in
            let subject = Fact.subject(res.match.subject, saidBy: res.message.user)
            guard let known = try await FactBook(brain: res.brain).forget(Fact.key(subject)) else {
                // Another script may know what is to be forgotten.
                throw SkipListener()
            }
            let names = known.otherNames.prefix(Self.mostFacts).joined(separator: ", ")
            let others = names.isEmpty ? "" : ", and its other names: \(names)"
            try await res.reply("OK, I've forgotten that \(known.fact.sentence)\(others)")
        }

        robot.respond(
            /(?:(?:list |show )?facts|what do you (?:remember|know))(?: about (?<words>\S.*?))?\??$/,
            help: """
                facts - List what I remember facts about
                facts about <words> - List the facts with all of these words
                """,
            example: "facts about deploys"
        ) { res in
            let typed = (res.match.words ?? "").beginning(bytes: 400).lowercased().normalized
            let words = typed.split(whereSeparator: \.isWhitespace)
            let facts = try await FactBook(brain: res.brain).facts(with: words)
            guard !facts.isEmpty else {
                throw Refusal(
                    words.isEmpty
                        ? "I don't know any facts yet. To teach me one, say \"remember lunch is at noon\"."
                        : "I don't know anything about \(String(oneLine: typed, limit: 60)).")
            }
            try await res.send(words.isEmpty ? Self.subjects(of: facts) : Self.list(facts))
        }

        // Last, so that it doesn't answer questions to other scripts.
        robot.catchAll(onlyAddressed: true) { res in
            let (user, book) = (res.message.user, FactBook(brain: res.brain))
            if let typed = FactQuestion.forgotten(by: res.match) {
                res.finish()
                let subject = Fact.subject(typed, saidBy: user)
                let near = try await book.subjects(near: Fact.key(subject))
                try await res.reply(Self.ignorance(of: subject, near))
                return
            }
            guard let typed = FactQuestion.subject(of: res.match),
                await !Standup.isAwaited(res.message, orLate: false, res.robot)
            else { throw SkipListener() }
            let subject = Fact.subject(typed, saidBy: user)
            if let fact = try await book.fact(Fact.key(subject)) {
                res.finish()
                try await res.send(fact.sentence)
                return
            }
            let near = try await book.subjects(near: Fact.key(subject))
            guard !near.isEmpty else { throw SkipListener() }
            res.finish()
            try await res.reply(Self.ignorance(of: subject, near))
        }
    }

    /// Says that a subject is unknown, and names similar ones.
    private static func ignorance(of subject: String, _ near: [String]) -> String {
        let question = near.isEmpty ? "" : " Do you mean \(near.joined(separator: ", or "))?"
        return "I don't know anything about \(subject).\(question)"
    }

    private static func subjects(of facts: [Fact]) -> String {
        let others = facts.count - mostSubjects
        let names = facts.prefix(mostSubjects).map(\.subject).joined(separator: ", ")
        return "I remember facts about: \(names)\(others > 0 ? " and \(others) more" : "")"
    }

    private static func list(_ facts: [Fact]) -> String {
        let others = facts.count - mostFacts
        let lines = facts.prefix(mostFacts).map { String(oneLine: $0.sentence, limit: 200) }
        return (lines + (others > 0 ? ["and \(others) more"] : [])).joined(separator: "\n")
    }
}
