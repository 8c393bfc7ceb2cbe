import Heybot

/// What help says in chat.
struct HelpText {
    private let robot: Robot
    private let name: String
    private let offers: [Offer]
    private let page: String?

    /// - Parameters:
    ///   - name: What stands before a command that is said to the robot, as `heybot `.
    ///   - page: Where the help page is, in words; nil if there is none.
    init(of robot: Robot, name: String, _ offers: [Offer], page: String?) {
        self.robot = robot
        self.name = name
        self.offers = offers
        self.page = page
    }

    /// The lines for these words: a few on everything if there are none; nil if no command has the words.
    func lines(for words: String) -> [String]? {
        let words = String(decoding: words.utf8.prefix(400), as: UTF8.self)
        let search = HelpPage.Search(words)
        if search.isEmpty { return overview }
        let typed = Self.head(of: words)
        let named = offers.filter { "\(Self.head(of: $0.line.usage)) ".hasPrefix("\(typed) ") }
        let ofTopic = Topic(named: words).map { topic in offers.filter { self.topic($0) == topic } } ?? []
        if !ofTopic.isEmpty { return ofTopic.map(line) + legend(ofTopic) }
        let found = offers.filter { search.finds("\($0.line) \($0.listener.script)") }
        // One command by its own name, else whatever has the words in it.
        for chosen in [named, found] {
            if let listener = chosen.first?.listener, chosen.allSatisfy({ $0.listener.id == listener.id }) {
                return about(listener)
            }
        }
        return found.isEmpty ? nil : found.map(line) + legend(found)
    }

    /// The commands by topic, without what they do, and how to find out.
    private var overview: [String] {
        let topics = Topic.allCases.filter { topic in offers.contains { self.topic($0) == topic } }
        let lines = topics.map { topic in
            var names: [String] = []
            for offer in offers where self.topic(offer) == topic && offer.line == offer.listener.help.first {
                let name = "\(Self.name(of: offer.line.usage))\(mark(offer))"
                if !names.contains(name) { names.append(name) }
            }
            return "\(topic.title): \(names.joined(separator: ", "))"
        }
        let command = offers.first { $0.listener.example != nil && $0.listener.trigger == .respond }
        let example = command.map { Self.name(of: $0.line.usage) } ?? "help"
        let how = name.isEmpty ? "" : "Say my name first, as in \(name)help. "
        let word = topics.first?.word ?? Topic.other.word
        return lines + ["\(how)\(name)help \(word) explains a group, \(name)help \(example) a command."]
            + legend(offers)
            + [page.map { "All of them, explained: \($0)" }].compactMap { $0 }
    }

    /// All there is to know about a listener's commands, the example under the one that it shows.
    private func about(_ listener: Listener) -> [String] {
        var lines: [String] = []
        for offer in offers where offer.listener.id == listener.id {
            lines.append("\(prefix(of: listener))\(offer.line)")
            guard offer.line == listener.exampleLine, let example = listener.example else { continue }
            lines.append("For example: \(prefix(of: listener))\(example)")
        }
        if listener.access == .admins { lines.append("Only admins may use it.") }
        if let settings = robot.missingSettings(of: listener.script) {
            lines.append("It can't work yet: set \(settings).")
        }
        return lines
    }

    private func line(_ offer: Offer) -> String { "\(prefix(of: offer.listener))\(offer.line)\(mark(offer))" }

    private func topic(_ offer: Offer) -> Topic { robot.topic(of: offer.listener.script) }

    /// What stands behind a command that can't work yet.
    private func mark(_ offer: Offer) -> String { robot.missingSettings(of: offer.listener.script) == nil ? "" : "*" }

    /// What the mark means, if there is one.
    private func legend(_ offers: [Offer]) -> [String] {
        offers.contains { !mark($0).isEmpty } ? ["* can't work yet: help on the command tells what to set."] : []
    }

    private func prefix(of listener: Listener) -> String { listener.trigger == .respond ? name : "" }

    /// The words a command begins with, before anything that stands for something else, in lower case.
    static func head(of usage: String) -> String {
        usage.lowercased().split(whereSeparator: \.isWhitespace).prefix { !$0.contains("<") }.joined(separator: " ")
    }

    /// What a list calls a command: the words it begins with, without `me`, or all of one that begins with `<`.
    private static func name(of usage: String) -> String {
        let head = head(of: usage)
        return head.isEmpty ? usage : head.hasSuffix(" me") ? String(head.dropLast(3)) : head
    }
}

extension Listener {
    /// The line of its help that its example shows: the one with the most words of its own that are all in the example.
    var exampleLine: HelpLine? {
        guard let example = example?.lowercased() else { return nil }
        var best: (line: HelpLine, length: Int)?
        for line in help {
            let parts = line.usage.lowercased().split(separator: /<[^<>]*>/, omittingEmptySubsequences: false)
            var rest = example[...]
            let isShown = parts.enumerated().allSatisfy { index, part in
                // The first part begins the example, and the last one ends it.
                if part.isEmpty { return true }
                guard let range = rest.firstRange(of: part), index > 0 || range.lowerBound == rest.startIndex else {
                    return false
                }
                rest = rest[range.upperBound...]
                return true
            }
            let length = parts.reduce(0) { $0 + $1.count }
            guard isShown, parts.last?.isEmpty == true || rest.isEmpty, length > best?.length ?? -1 else { continue }
            best = (line, length)
        }
        return best?.line ?? help.first
    }
}
