import HeybotSupport

extension Webhooks {
    /// The messages of Discord's webhooks: https://discord.com/developers/docs/resources/webhook#execute-webhook.
    enum Discord: Format {
        private static let mostEmbeds = 10

        static func read(_ payload: Payload) -> Reading? {
            let json = payload.json
            let embeds = json["embeds"].elements
            guard json["content"].stringValue != nil || !embeds.isEmpty else { return nil }
            var texts: [String] = []
            if let content = json["content"].text { texts.append(Markup.plain(content)) }
            for embed in embeds.prefix(mostEmbeds) { texts += Self.texts(of: embed) }
            let isBlank = texts.allSatisfy { $0.allSatisfy(\.isWhitespace) }
            if isBlank { return .ignored("it has no text") }
            return .notice(Notice(subject: json["username"].line(limit: 60), texts: texts))
        }

        /// Returns the texts of an embed.
        private static func texts(of embed: JSONValue) -> [String] {
            let sources = [embed["author"]["name"], embed["title"], embed["description"]]
            var parts = sources.compactMap { $0.text.map(Markup.plain) }
            if let link = checkedWebURL(embed["url"].text) { parts.append(link) }
            let main = parts.joined(separator: " - ")
            let fields = embed["fields"].elements.prefix(25).compactMap { field -> String? in
                let parts = ["name", "value"].compactMap { field[$0].text.map(Markup.plain) }
                return parts.isEmpty ? nil : parts.joined(separator: ": ")
            }
            let shown = [main, fields.joined(separator: ", ")].filter { !$0.isEmpty }
            guard shown.isEmpty, let footer = embed["footer"]["text"].text else { return shown }
            return [Markup.plain(footer)]
        }
    }

    /// JSON or a form with a message in a field of a common name, such as `{"title": "Backup", "message": "Done"}`.
    enum PlainFields: Format {
        static func read(_ payload: Payload) -> Reading? {
            let json = payload.json
            let message = ["message", "msg", "body"].compactMap { json[$0].text }.first
            guard let message else { return nil }
            let title = (json["title"].line() ?? json["subject"].line()).map { "\($0): " } ?? ""
            return .notice(Notice(texts: ["\(title)\(Markup.plain(message))"]))
        }
    }
}
