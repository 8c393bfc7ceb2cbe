import Heybot

/// What somebody may have meant who said something to the robot that it doesn't know.
struct Suggestion {
    private static let most = 3
    /// How much of a text is looked at, in bytes: more than any command has.
    private static let mostBytes = 400
    /// What other bots call what these commands do.
    private static let otherNames = [
        "decide": "choose", "dictionary": "define", "forecast": "weather in",
        "gif": "animate me",
        "giphy": "animate me", "karma": "score", "leaderboard": "top", "lookup": "search me", "photo": "image me",
        "pic": "image me", "picture": "image me", "points": "score", "restart": "die", "shutdown": "die",
        "spell": "define", "urban": "define", "video": "youtube me", "whois": "who is"
    ]
    /// Words that begin a command, but far more that is none.
    private static let common: Set<Substring> = ["flip", "how", "listen", "say", "show", "the", "what", "who"]

    /// The commands that come nearest, at most three; there is one at least.
    let offers: [Offer]
    /// Whether the commands' own words were said, and nothing behind them.
    private let isIncomplete: Bool

    /// Finds the commands that begin nearly as the words do; nil if there are none.
    ///
    /// The `me` at the end of a command's words may be left out, and its first word is enough. If nothing is near, it is a
    /// command that other bots have under that name.
    init?(for words: String, among offers: [Offer]) {
        var text = String(decoding: words.utf8.prefix(Self.mostBytes), as: UTF8.self).lowercased()
        while let last = text.last, "!?. ".contains(last) { text.removeLast() }
        let typed = text.split(whereSeparator: \.isWhitespace)
        guard let first = typed.first else { return nil }
        let name = Self.otherNames[String(first)]?.split(separator: " ") ?? []
        let nearest =
            [
                Self.nearest(to: typed, offers, withSlips: false), Self.beginning(as: typed, offers),
                Self.nearest(to: typed, offers), Self.nearest(to: name, offers)
            ].first { !$0.isEmpty }
        guard let nearest else { return nil }
        var usages: Set<String> = []
        self.offers = Array(nearest.filter { usages.insert($0.line.usage).inserted }.prefix(Self.most))
        isIncomplete = nearest.allSatisfy { "\(HelpText.head(of: $0.line.usage)) ".hasPrefix("\(text) ") }
    }

    /// What to say about it.
    var text: String {
        let usages = offers.map(\.line.usage).joined(separator: ", or ")
        guard isIncomplete else { return "Do you mean \(usages)?" }
        let listener = offers[0].listener
        let example = offers.allSatisfy { $0.listener.id == listener.id } ? listener.example : nil
        return "Usage: \(usages)\(example.map { ", for example \($0)" } ?? "")"
    }

    /// The commands whose own words are all there, but for a slip or two: what follows them is missing, or unfit.
    private static func nearest(to typed: [Substring], _ offers: [Offer], withSlips: Bool = true) -> [Offer] {
        var nearest: [Offer] = []
        var least = withSlips ? Int.max : 0
        for offer in offers {
            let head = HelpText.head(of: offer.line.usage).split(separator: " ")
            let heads = head.count > 1 && head.last == "me" ? [head, head.dropLast()] : [head]
            guard let mistakes = heads.compactMap({ mistakes(in: typed, for: $0) }).min(), mistakes <= least else {
                continue
            }
            if mistakes < least { nearest = [] }
            least = mistakes
            nearest.append(offer)
        }
        return nearest
    }

    /// The commands of two words of which the first was said.
    private static func beginning(as typed: [Substring], _ offers: [Offer]) -> [Offer] {
        guard typed.count == 1 || !common.contains(typed[0]) else { return [] }
        return offers.filter { offer in
            let head = HelpText.head(of: offer.line.usage).split(separator: " ")
            return head.count == 2 && head[0] == typed[0]
        }
    }

    /// How many slips it takes to say a command's words so; nil if that is too many.
    private static func mistakes(in typed: [Substring], for head: [Substring]) -> Int? {
        let (said, meant) = (
            Array(typed.prefix(head.count).joined(separator: " ").unicodeScalars),
            Array(head.joined(separator: " ").unicodeScalars)
        )
        guard !meant.isEmpty else { return nil }
        let most = meant.count < 4 ? 0 : max(1, meant.count / 5)
        guard abs(said.count - meant.count) <= most else { return nil }
        let distance = distance(said, meant)
        return distance <= most ? distance : nil
    }

    /// How many letters have to be put in, left out, changed, or swapped with the next one, to make one of the other.
    private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var next = [row + 1]
            for (column, otherLetter) in other.enumerated() {
                var least = min(last[column] + (letter == otherLetter ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, last) = (last, next)
        }
        return last[other.count]
    }
}
