import Heybot
import HeybotSupport

/// The commands that a user may have meant with a text that matched none.
struct CommandSuggestion {
    private static let most = 2
    /// The number of bytes of a text that are considered, longer than any command.
    private static let mostBytes = 400
    /// Other bots' names for commands.
    private static let otherNames = [
        "decide": "choose", "dictionary": "define", "forecast": "weather in",
        "gif": "animate me",
        "giphy": "animate me", "karma": "score", "leaderboard": "top", "lookup": "search me", "photo": "image me",
        "pic": "image me", "picture": "image me", "points": "score", "restart": "die", "shutdown": "die",
        "spell": "define", "urban": "define", "video": "youtube me", "whois": "who is"
    ]
    /// First words of commands that are also common first words of sentences.
    private static let common: Set<Substring> = [
        "all", "flip", "how", "listen", "my", "say", "show", "the", "what", "who"
    ]

    /// Words that make no other command: `weather Rome` and `weather in Rome`.
    private static let fillers: Set<Substring> = ["a", "an", "for", "in", "me", "of", "the", "to"]

    /// The best matches, one or two.
    let commands: [AvailableCommand]
    /// Whether the user typed the commands' own words without the rest.
    private let isIncomplete: Bool

    /// Finds commands that begin similarly to a text; nil if there are none.
    ///
    /// The `me` at the end of a command's words may be missing, and the first word is enough. If nothing is similar, the text
    /// may begin with another bot's name for a command.
    init?(for words: String, among commands: [AvailableCommand]) {
        var text = String(decoding: words.utf8.prefix(Self.mostBytes), as: UTF8.self).lowercased()
        while let last = text.last, "!?. ".contains(last) { text.removeLast() }
        let typed = text.split(whereSeparator: \.isWhitespace)
        guard let first = typed.first else { return nil }
        let name = Self.otherNames[String(first)]?.split(separator: " ") ?? []
        let nearest =
            [
                Self.nearest(to: typed, commands, withSlips: false), Self.beginning(as: typed, commands),
                Self.nearest(to: typed, commands), Self.nearest(to: name, commands)
            ].first { !$0.isEmpty }
        guard let nearest else { return nil }
        var usages: Set<[Substring]> = []
        self.commands = Array(nearest.filter { usages.insert(Self.words(of: $0)).inserted }.prefix(Self.most))
        isIncomplete = nearest.allSatisfy { "\($0.line.command) ".hasPrefix("\(text) ") }
    }

    /// The suggestion as a sentence.
    var text: String {
        let usages = commands.map(\.line.usage)
        let quoted = usages.map { "\"\($0)\"" }.joined(separator: " or ")
        guard isIncomplete else { return "Did you mean \(quoted)?" }
        let listener = commands[0].listener
        let example = commands.allSatisfy { $0.listener.id == listener.id } ? listener.example : nil
        let shown = usages.joined(separator: ", or ")
        return "Usage: \(shown)\(example.map { ", for example: \($0)" } ?? "")"
    }

    /// Returns the words of a command's usage without fillers.
    private static func words(of command: AvailableCommand) -> [Substring] {
        command.line.usage.split(separator: " ").filter { !fillers.contains($0) }
    }

    /// Returns the commands whose own words match except for one or two typos.
    private static func nearest(to typed: [Substring], _ commands: [AvailableCommand], withSlips: Bool = true)
        -> [AvailableCommand]
    {
        var nearest: [AvailableCommand] = []
        var least = withSlips ? Int.max : 0
        for command in commands {
            let head = command.line.command.split(separator: " ")
            let heads = head.count > 1 && head.last == "me" ? [head, head.dropLast()] : [head]
            guard let mistakes = heads.compactMap({ mistakes(in: typed, for: $0) }).min(), mistakes <= least else {
                continue
            }
            if mistakes < least { nearest = [] }
            least = mistakes
            nearest.append(command)
        }
        return nearest
    }

    /// Returns the two-word commands whose first word matches.
    private static func beginning(as typed: [Substring], _ commands: [AvailableCommand]) -> [AvailableCommand] {
        guard typed.count == 1 || !common.contains(typed[0]) else { return [] }
        return commands.filter { command in
            let head = command.line.command.split(separator: " ")
            return head.count == 2 && head[0] == typed[0]
        }
    }

    /// Returns the number of typos compared with a command's words; nil if there are too many.
    private static func mistakes(in typed: [Substring], for head: [Substring]) -> Int? {
        let (said, meant) = (typed.prefix(head.count).joined(separator: " "), head.joined(separator: " "))
        let length = meant.unicodeScalars.count
        guard length > 0 else { return nil }
        return said.slips(from: meant, atMost: length < 4 ? 0 : max(1, length / 5))
    }
}
