import FoundationEssentials
import Heybot
import HeybotTesting

/// Patterns and messages for the router, the same in every run.
///
/// Seven of ten patterns respond only to commands, as in most robots. Nine of ten messages match only patterns that are
/// always tried.
struct RouterWorkload {
    struct Pattern: Encodable {
        /// The pattern, with exactly one group.
        let source: String
        /// The flags in JavaScript.
        let flags: String
        let respond: Bool
    }

    private struct File: Encodable {
        let patterns: [Pattern]
        let messages: [String]
    }

    let patterns: [Pattern]
    let messages: [String]

    /// - Parameter without: The number of patterns without a required literal, besides the six in every workload.
    init(_ count: Int, without: Int = 0) {
        var generator = SeededGenerator(seed: 9)
        let vocabulary = (0..<4_000).map { _ in Self.word(&generator) }
        var patterns = Self.special
        for number in 0..<without {
            patterns.append(Pattern(source: "(\\d{2}[.:/-]\\d{\(number % 7 + 2)})", flags: "i", respond: false))
        }
        // Each pattern has its own word.
        func own(_ number: Int) -> String { "\(vocabulary[number % 4_000])\(number)" }
        for number in 0..<max(count - patterns.count, 0) {
            let (own, other) = (own(number), vocabulary[(number * 7) % 4_000])
            let source =
                switch number % 5 {
                case 0: "\(own) (\\w+) to \\w+"
                case 1: "(?:\(other) )?\(own)(?: me)? (.+)"
                case 2: "(?:show|list) \(own) (\\w+)$"
                case 3: "\(own)(?:s|ed)? (\\d+) times"
                default: "(\(own)|\(own)er)\\b"
                }
            patterns.append(Pattern(source: source, flags: "i", respond: number % 10 > 2))
        }
        self.patterns = patterns
        messages = (0..<10_000).map { number in
            let words = (0..<Int.random(in: 3...16, using: &generator)).map { _ in
                vocabulary.randomElement(using: &generator) ?? ""
            }
            let talk = words.joined(separator: " ")
            guard number % 10 == 0 else { return talk }
            // These match the first patterns, so that there are as many matches with few listeners as with many.
            return switch number / 10 % 4 {
            case 0: "\(talk) \(own(0)) rome to paris"
            case 1: "\(talk) 1234567"
            case 2: "heybot: \(own(3)) 12 times \(talk)"
            default: "see ABC-12 \(talk)"
            }
        }
    }

    /// A pattern that is always tried, and five that required bytes or lengths exclude.
    private static let special = [
        Pattern(source: "(.*)", flags: "i", respond: false),
        Pattern(source: "(\\b[A-Z]{2,}-\\d+\\b)", flags: "", respond: false),
        Pattern(source: "(\\d{5,})", flags: "i", respond: false),
        Pattern(source: "^(\\s*)$", flags: "i", respond: false),
        Pattern(source: "([<>]{2,})", flags: "i", respond: false),
        Pattern(source: "(#\\d+)\\b", flags: "i", respond: false)
    ]

    private static func word(_ generator: inout SeededGenerator) -> String {
        let syllables = [
            "ba", "co", "du", "el", "fi", "ga", "ho", "in", "ka", "lo", "mi", "no", "or", "pu", "ra", "se", "tu"
        ]
        return (0..<Int.random(in: 2...4, using: &generator)).map { _ in
            syllables.randomElement(using: &generator) ?? ""
        }.joined()
    }

    /// The listeners that have these patterns.
    func listeners() throws -> [Listener] {
        var builder = RobotBuilder()
        for pattern in patterns {
            let regex = try Regex(pattern.source, as: (Substring, Substring).self)
            if pattern.respond {
                builder.respond(regex) { _ in }
            } else {
                builder.hear(regex, caseSensitive: pattern.flags.isEmpty) { _ in }
            }
        }
        return builder.listeners
    }

    /// The messages in the form that the router takes.
    func inputs() -> [RoutingInput] {
        let addressing = Addressing(name: "heybot", alias: nil)
        return messages.map { text in
            RoutingInput(
                Message(
                    id: .init(adapter: "a", value: "1"), user: User(id: .init(adapter: "a", value: "al"), name: "al"),
                    room: Room(id: .init(adapter: "a", value: "#room")), content: .text(text)),
                addressing)
        }
    }

    /// Writes the workload as JSON.
    func write(to path: String) throws {
        try JSONEncoder().encode(File(patterns: patterns, messages: messages)).write(to: URL(filePath: path))
    }
}
