extension Webhooks {
    /// What a payload says.
    struct Notice: Sendable {
        /// The maximum number of lines of a message.
        static let mostLines = 5
        /// The maximum number of characters in a line, without its label.
        private static let longestLine = 400
        /// The number of bytes of a text that are considered.
        private static let longestText = 20_000

        /// The name of the tool that sent it; nil if that isn't known.
        var tool: String?
        /// What it is about, such as a repository, or the name under which its sender writes; nil if that isn't known.
        var subject: String?
        /// Identifies what happened, if the tool may report it twice.
        var id: String?
        /// Alerts, which are posted before the texts.
        var alerts: [Alert] = []
        /// Texts of one or more lines, not yet safe for chat.
        var texts: [String] = []
        /// The keys of a payload that isn't recognized.
        var unknownKeys: [String]?

        /// Formats the lines to post.
        func lines(label: String) -> [String] {
            let all = Alert.lines(of: alerts, limit: Self.mostLines) + texts
            var lines: [String] = []
            for text in all where lines.count <= Self.mostLines {
                let start = text[...].beginning(bytes: Self.longestText)
                for line in start.split(whereSeparator: \.isNewline) where lines.count <= Self.mostLines {
                    let safe = Webhooks.safeLine(line, limit: Self.longestLine)
                    // The fence of a code block says nothing by itself.
                    if !safe.isEmpty, safe != "```" { lines.append(safe) }
                }
            }
            if lines.count > Self.mostLines { lines = Array(lines.prefix(Self.mostLines - 1)) + ["…"] }
            return lines.map { "[\(label)] \($0)" }
        }
    }

    /// How a format reads a payload.
    enum Reading: Sendable {
        case notice(Notice)
        /// The payload is of the format, but isn't posted; the text says what it is, for its sender.
        case ignored(String)
    }
}
