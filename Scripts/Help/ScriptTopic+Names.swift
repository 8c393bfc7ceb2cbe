import Heybot

/// The names of topics in help.
extension ScriptTopic {
    /// The heading of the topic's commands.
    var title: String {
        switch self {
        case .lookup: "Look things up"
        case .people: "People and karma"
        case .fun: "Chat and fun"
        case .work: "Work"
        case .administration: "Administration"
        case .other: "Other commands"
        }
    }

    /// The word after `help` that lists the topic's commands.
    var word: String {
        switch self {
        case .lookup: "lookup"
        case .people: "people"
        case .fun: "fun"
        case .work: "work"
        case .administration: "admin"
        case .other: "other"
        }
    }

    /// Finds a topic by its word, its title, or a synonym.
    init?(named name: String) {
        let folded = name.lowercased()
        let names: [ScriptTopic: [String]] = [
            .lookup: ["look up", "look things up"], .people: ["karma"], .fun: ["chat"],
            .administration: ["administration", "admins"]
        ]
        let topic = ScriptTopic.allCases.first { topic in
            topic.word == folded || topic.title.lowercased() == folded || names[topic]?.contains(folded) == true
        }
        guard let topic else { return nil }
        self = topic
    }
}
