import HeybotSupport

extension Webhooks {
    /// The messages of Slack's incoming webhooks, and of Mattermost's, which are alike.
    ///
    /// Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks,
    /// https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments;
    /// Mattermost: https://developers.mattermost.com/integrate/webhooks/incoming/.
    /// The field `channel` is ignored: a webhook belongs to one room.
    enum Slack: Format {
        private static let mostAttachments = 10

        static func read(_ payload: Payload) -> Reading? {
            let json = payload.json
            let (blocks, attachments) = (json["blocks"].elements, json["attachments"].elements)
            guard json["text"].stringValue != nil || !blocks.isEmpty || !attachments.isEmpty else { return nil }
            // If there are blocks, the text is for notifications.
            var texts = SlackBlocks.texts(of: blocks)
            if texts.isEmpty, let text = json["text"].text { texts = [Markup.plain(text)] }
            for attachment in attachments.prefix(mostAttachments) { texts += Self.texts(of: attachment) }
            let isBlank = texts.allSatisfy { $0.allSatisfy(\.isWhitespace) }
            if isBlank { return .ignored("it has no text") }
            return .notice(Notice(subject: json["username"].line(limit: 60), texts: texts))
        }

        /// Returns the texts of an attachment.
        private static func texts(of attachment: JSONValue) -> [String] {
            let pretext = attachment["pretext"].text.map(Markup.plain) ?? ""
            var parts = ["author_name", "title", "text"].compactMap { attachment[$0].text.map(Markup.plain) }
            if let link = checkedWebURL(attachment["title_link"].text) { parts.append(link) }
            let main = parts.joined(separator: " - ")
            let fields = attachment["fields"].elements.prefix(20).compactMap { field -> String? in
                let parts = ["title", "value"].compactMap { field[$0].text.map(Markup.plain) }
                return parts.isEmpty ? nil : parts.joined(separator: ": ")
            }
            let blocks = SlackBlocks.texts(of: attachment["blocks"].elements)
            let own = [pretext, main, fields.joined(separator: ", ")].filter { !$0.isEmpty }
            let texts = own + blocks
            guard texts.isEmpty, let fallback = attachment["fallback"].text else { return texts }
            return [Markup.plain(fallback)]
        }
    }

    /// Slack's blocks: https://docs.slack.dev/reference/block-kit/blocks.
    enum SlackBlocks {
        private static let most = 50
        private static let deepest = 5

        /// Returns the text of each block that has one.
        static func texts(of blocks: [JSONValue]) -> [String] {
            blocks.prefix(most).compactMap(Self.text).filter { !$0.allSatisfy(\.isWhitespace) }
        }

        private static func text(of block: JSONValue) -> String? {
            switch block["type"].text {
            case "section":
                let texts = [block["text"]] + block["fields"].elements.prefix(most)
                return texts.compactMap(Self.plain).joined(separator: " · ")
            case "header": return plain(block["text"])
            case "context":
                return block["elements"].elements.prefix(most).compactMap { plain($0) ?? $0["alt_text"].text }
                    .joined(separator: " ")
            case "markdown": return block["text"].text.map(Markup.plain)
            case "image", "video": return plain(block["title"]) ?? block["alt_text"].text
            case "rich_text": return richText(block, depth: 0)
            case "actions":
                // A button without a URL does nothing here.
                return block["elements"].elements.prefix(most).compactMap { button in
                    checkedWebURL(button["url"].text).map { "\(plain(button["text"]) ?? "link") (\($0))" }
                }.joined(separator: ", ")
            default: return nil
            }
        }

        /// Returns the text of a text object, or of an element that has a text.
        private static func plain(_ object: JSONValue) -> String? { object["text"].text.map(Markup.plain) }

        /// Returns the text of a rich text element, and of those in it.
        private static func richText(_ element: JSONValue, depth: Int) -> String {
            let inner = depth < deepest ? element["elements"].elements.prefix(most) : []
            func texts() -> [String] { inner.map { richText($0, depth: depth + 1) } }
            switch element["type"].text {
            case "rich_text": return texts().joined(separator: "\n")
            case "rich_text_list": return texts().map { "• \($0)" }.joined(separator: "\n")
            case "rich_text_section", "rich_text_preformatted", "rich_text_quote": return texts().joined()
            case "link":
                let url = element["url"].text ?? ""
                return element["text"].text.map { "\($0) (\(url))" } ?? url
            case "emoji": return ":\(element["name"].text ?? ""):"
            case "user": return element["user_id"].text ?? ""
            case "usergroup": return element["usergroup_id"].text ?? ""
            case "channel": return "#\(element["channel_id"].text ?? "")"
            case "broadcast": return element["range"].text ?? ""
            case "date": return element["fallback"].text ?? ""
            default: return element["text"].text ?? ""
            }
        }
    }
}
