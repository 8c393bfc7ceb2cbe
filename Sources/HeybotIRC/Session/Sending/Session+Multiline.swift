// Sends the lines of a message as one message (IRCv3 draft/multiline).

extension Session {
    /// The limits of a message with several lines.
    private struct MultilineLimits {
        let lines: Int
        let bytes: Int

        /// More lines are sent as messages of their own, at the rate limit's pace.
        private static let maxLines = 20

        /// Parses the capability's value, such as `max-bytes=4096,max-lines=24`; nil if it has no limit of bytes.
        init?(_ value: String) {
            var numbers: [Substring: Int] = [:]
            for token in value.split(separator: ",") {
                let parts = token.split(separator: "=", maxSplits: 1)
                if parts.count == 2 { numbers[parts[0]] = ISupportValue.number(parts[1]) }
            }
            guard let bytes = numbers["max-bytes"] else { return nil }
            self.bytes = bytes
            lines = min(numbers["max-lines"] ?? Self.maxLines, Self.maxLines)
        }
    }

    /// Whether lines can be sent as one message, which can't be a notice.
    package var sendsMultiline: Bool {
        capabilities.has("draft/multiline") && capabilities.has("batch") && !configuration.speaksInNotices
    }

    /// Returns the lines that send a message with several lines as one; nil if it has only one, or too many.
    ///
    /// - Parameter limit: The most bytes of text in a line.
    mutating func multilineBatch(
        of message: OutgoingMessage, to target: String, _ verb: String, limit: Int, at now: Duration
    ) -> [IRCMessage]? {
        guard !message.isAction,
            message.text.utf8.count > limit || message.text.contains(where: \.isNewline),
            let limits = MultilineLimits(capabilities.offered["draft/multiline"] ?? "")
        else { return nil }
        let lines = OutgoingTextSplitter.lines(of: message.text.filter { $0 != "\u{1}" }, limit: limit)
        let bytes = lines.reduce(lines.count - 1) { $0 + $1.utf8.count }
        guard lines.count > 1, lines.count <= limits.lines, bytes <= limits.bytes else { return nil }
        lastMultiline += 1
        let reference = "m\(lastMultiline)"
        var opening = IRCMessage("BATCH", "+\(reference)", "draft/multiline", target)
        opening.tags["label"] = label(for: message, lines.joined(separator: "\n"), to: target, at: now)
        if let reply = message.reply, passes(.reply) { opening.tags[ClientTag.reply.key] = reply }
        let texts = lines.map { IRCMessage(tags: ["batch": reference], verb, target, $0) }
        return [opening] + texts + [IRCMessage("BATCH", "-\(reference)")]
    }

    /// Whether the server acknowledges what it receives.
    package var confirmsMessages: Bool { capabilities.has("labeled-response") && capabilities.has("batch") }

    /// Returns the label for a text that is sent; nil if the server doesn't acknowledge it, or it was sent before.
    ///
    /// - Parameter isLast: Whether the message ends with this text.
    mutating func label(
        for message: OutgoingMessage, _ text: String, to target: String, isLast: Bool = true, at now: Duration
    ) -> String? {
        // A line that is sent again isn't sent a third time.
        guard !message.isRepeated, confirmsMessages else { return nil }
        var sent = message
        if !isLast { sent.tracking = nil }
        (sent.target, sent.text, sent.since) = (target, text, now)
        return acknowledgements.label(sent)
    }
}
