import Heybot

/// What help says in chat.
struct HelpText {
    private let name: String
    private let offers: [Offer]

    /// - Parameter name: What stands before a command that is said to the robot, as `heybot `.
    init(name: String, _ offers: [Offer]) {
        self.name = name
        self.offers = offers
    }

    /// The lines for these words: all scripts with their commands where there are none; nil where nothing is found.
    func lines(for words: String) -> [String]? {
        let search = HelpPage.Search(words)
        if search.isEmpty { return overview }
        let typed = Self.head(of: words)
        let named = offers.filter { "\(Self.head(of: $0.line.usage)) ".hasPrefix("\(typed) ") }
        let found = offers.filter { search.finds("\($0.line) \($0.listener.script)") }
        // One command by its own name, else whatever has the words in it.
        for chosen in [named, found] {
            if let listener = chosen.first?.listener, chosen.allSatisfy({ $0.listener.id == listener.id }) {
                return page(of: listener)
            }
        }
        return found.isEmpty ? nil : found.map(line)
    }

    /// A line for each script.
    private var overview: [String] {
        var scripts: [String] = []
        for offer in offers where !scripts.contains(offer.listener.script) { scripts.append(offer.listener.script) }
        let examples = offers.filter { $0.listener.trigger == .respond }.compactMap(\.listener.example)
        let example = examples.min { $0.count < $1.count } ?? "help"
        let how =
            name.isEmpty ? "Say any of these" : "Say any of these with my name in front, as in \(name)\(example)"
        return ["\(how); \(name)help <words> tells more."]
            + scripts.map { script in
                let usages = offers.filter { $0.listener.script == script }.map(\.line.usage)
                return "\(script): \(usages.joined(separator: " · "))"
            }
    }

    /// All there is to know of a listener's commands.
    private func page(of listener: Listener) -> [String] {
        var lines = offers.filter { $0.listener.id == listener.id }.map(line)
        if let example = listener.example { lines.append("For example: \(prefix(of: listener))\(example)") }
        if listener.access == .admins { lines.append("Only admins may use it.") }
        return lines
    }

    private func line(_ offer: Offer) -> String { "\(prefix(of: offer.listener))\(offer.line)" }

    private func prefix(of listener: Listener) -> String { listener.trigger == .respond ? name : "" }

    /// The words a command begins with, before anything that stands for something else, in lower case.
    static func head(of usage: String) -> String {
        usage.lowercased().split(whereSeparator: \.isWhitespace).prefix { !$0.contains("<") }.joined(separator: " ")
    }
}
