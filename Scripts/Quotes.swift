public import Heybot

/// Remembers quotes.
public struct Quotes: Script {
    static let quotes = BrainCollection<Quote>("quotes")
    /// The number of the newest quote.
    static let lastNumber = BrainKey<Int>("quotes.last")
    private static let mostListed = 10

    public init() {}

    public var topic: ScriptTopic { .people }

    public func register(on robot: inout RobotBuilder) {
        // "remember standup is at 9: bring coffee" is for the script Facts.
        robot.respond(
            /remember (?:that (?<who>[^\s:][^:]{0,99}?) said:?|(?<name>(?![^:]{1,100} (?:is|are|was|were|has|have|means|mean|=) )[^\s:][^:]{0,99}):) (?<words>\S[\s\S]*)$/,
            help: """
                remember <name>: <words> - Remember what someone said
                remember that <name> said <words> - Remember what someone said
                """,
            example: "remember ada: it is the bug that found me"
        ) { res in
            let quote = try Quote(
                res.match.words, by: res.match.who ?? res.match.name ?? "", addedBy: res.message.user.id,
                date: res.robot.date)
            for try await (number, known) in res.brain.entries(Self.quotes) where known.isSame(as: quote) {
                throw Refusal("I know that one: it's quote \(number).")
            }
            let number = try await res.brain.update(Self.lastNumber, default: 0) { last in
                last &+= 1
                return last
            }
            try await res.brain.remember(Self.quotes, "\(number)", quote)
            try await res.reply("Got it: that's quote \(number).")
        }

        robot.respond(
            /(?:quote me(?: (?<words>\S.*))?|quote)$/,
            help: """
                quote me - Show a random quote
                quote me <words> - Show a quote with all of these words in its text or its speaker's name
                """,
            example: "quote me bug"
        ) { res in
            // Longer than any quote, so a longer query can't match.
            let typed = (res.match.words ?? "").beginning(bytes: 4_000).lowercased().normalized
            let words = typed.split(whereSeparator: \.isWhitespace)
            // Reservoir sampling, so that memory doesn't grow with the number of quotes.
            var chosen: String?
            var count = 0
            for try await (number, quote) in res.brain.entries(Self.quotes) where quote.has(words) {
                count += 1
                if res.random(in: 1...count) == 1 { chosen = quote.line(number: number) }
            }
            guard let chosen else { throw Self.nothing(res.match.words.map { "with \($0) in it" }) }
            try await res.send(chosen)
        }

        robot.respond(
            /quotes by (?<name>\S.*)$/, help: "quotes by <name> - List someone's ten newest quotes",
            example: "quotes by ada"
        ) { res in
            let name = Quote.name(res.match.name)
            // Keyed by number, since an entry may occur twice. Only the newest quotes are kept.
            var newest: [Int: Quote] = [:]
            var hasMore = false
            for try await (number, quote) in res.brain.entries(Self.quotes) where quote.isBy(name) {
                guard let number = Int(number) else { continue }
                newest[number] = quote
                guard newest.count > Self.mostListed, let oldest = newest.keys.min() else { continue }
                newest[oldest] = nil
                hasMore = true
            }
            guard !newest.isEmpty else { throw Self.nothing("by \(name)") }
            var lines = newest.sorted { $0.key > $1.key }.map { $0.value.line(number: "\($0.key)", limit: 100) }
            if hasMore { lines.append("… and more") }
            try await res.send(lines.joined(separator: "\n"))
        }

        robot.respond(
            /forget quote #?(?<number>[0-9]+)$/,
            help: "forget quote <number> - Forget a quote that you added; admins can forget any",
            example: "forget quote 12"
        ) { res in
            let digits = res.match.number.drop { $0 == "0" }
            let number = digits.isEmpty ? "0" : String(oneLine: digits, limit: 20)
            let (user, isAdmin) = (res.message.user.id, res.robot.isAdmin(res.message.user))
            try await res.brain.update(Self.quotes, number) { quote in
                guard let present = quote else { throw Refusal("There is no quote \(number).") }
                guard isAdmin || present.addedBy == user else {
                    throw Refusal("Someone else added quote \(number). Ask them, or one of my admins.")
                }
                quote = nil
            }
            try await res.reply("Quote \(number) is gone.")
        }
    }

    /// Returns the refusal if there is no matching quote.
    private static func nothing(_ kind: String?) -> Refusal {
        Refusal(
            kind.map { "I have no quote \(String(oneLine: $0, limit: 100))." }
                ?? "I have no quotes yet. To add one, say \"remember ada: hello\".")
    }
}
