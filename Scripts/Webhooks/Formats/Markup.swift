extension Webhooks {
    /// The markup of Slack, Mattermost and Discord in texts.
    ///
    /// Slack: https://docs.slack.dev/messaging/formatting-message-text
    enum Markup {
        /// The number of bytes of a text that are read.
        private static let longest = 20_000

        /// Replaces references and links by plain text: `<https://example.org|this>` by `this (https://example.org)`.
        ///
        /// A bracket with combining marks isn't a bracket, so marks from several places can't be gathered.
        static func plain(_ text: String) -> String {
            var rest = text[...].beginning(bytes: longest)
            var plain = ""
            while let open = rest.firstIndex(of: "<") {
                let inner = rest[rest.index(after: open)...]
                guard let close = inner.firstIndex(of: ">") else { break }
                plain += rest[..<open]
                plain += reference(inner[..<close])
                rest = inner[inner.index(after: close)...]
            }
            plain += rest
            return withPlainLinks(decoded(plain))
        }

        /// Returns the plain text of `<…>`.
        private static func reference(_ inner: Substring) -> String {
            let halves = inner.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
            guard let target = halves.first, let kind = target.first else { return "<\(inner)>" }
            let label = halves.count > 1 && !halves[1].isEmpty ? String(halves[1]) : nil
            switch kind {
            // A user, or a role of Discord's.
            case "@": return label ?? String(target.drop { "@!&".contains($0) })
            case "#": return "#\(label ?? String(target.dropFirst()))"
            // A group, everyone, or a date.
            case "!":
                let name = target.dropFirst().prefix { $0 != "^" }
                return (label ?? String(name)).drop { $0 == "@" }.description
            // An emoji of Discord's.
            case ":", "a":
                let parts = target.split(separator: ":")
                if target.contains(":"), parts.count >= 2, Int(parts[parts.count - 1]) != nil {
                    return ":\(parts[parts.count - 2]):"
                }
                return "<\(inner)>"
            default:
                if target.hasPrefix("http://") || target.hasPrefix("https://") {
                    return label.map { "\($0) (\(target))" } ?? String(target)
                }
                if target.hasPrefix("mailto:") { return label ?? String(target.dropFirst("mailto:".count)) }
                return "<\(inner)>"
            }
        }

        /// Decodes the three characters that Slack escapes.
        private static func decoded(_ text: String) -> String {
            guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
            return text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
        }

        /// Replaces Markdown's links: `[this](https://example.org)` by `this (https://example.org)`.
        private static func withPlainLinks(_ text: String) -> String {
            guard text.contains("](") else { return text }
            let link = /\[(?<label>[^\[\]\n]{1,200})\]\((?<url>https?:\/\/[^\s()]{1,500})\)/
            return text.replacing(link) { match in "\(match.label) (\(match.url))" }
        }
    }
}
