// Reads what a message refers to: replies, corrections, reactions, retractions and files.

import HeybotSupport

extension Session {
    private static let maxReactions = 20
    /// In bytes.
    private static let longestReaction = 64
    /// In code points.
    private static let longestQuote = 2_000

    // MARK: Changes

    /// Whether a message only does something to an earlier one, so that its body is meant for older clients.
    static func isChange(_ message: Element) -> Bool {
        message.children.contains { child in
            guard case .element(let element) = child else { return false }
            switch element.name {
            case "reactions": return element.namespace == Namespace.reactions
            case "retract": return element.namespace == Namespace.retraction
            case "apply-to": return element.namespace == Namespace.fastening
            default: return false
            }
        }
    }

    /// Returns what a message does to an earlier one; nil if it is an ordinary message.
    ///
    /// The reactions are all those of the user to that message (XEP-0444), not only new ones.
    static func change(in message: Element) -> ChatEvent? {
        guard isChange(message) else { return nil }
        if let reactions = message.first("reactions", Namespace.reactions) {
            guard let id = bounded(reactions["id"]) else { return nil }
            var all: [String] = []
            for element in reactions.all("reaction", Namespace.reactions) where all.count < maxReactions {
                let reaction = element.text
                guard (1...longestReaction).contains(reaction.utf8.count), !all.contains(reaction) else { continue }
                all.append(reaction)
            }
            return .reaction(to: id, added: all, removed: [])
        }
        let id = bounded(message.first("retract", Namespace.retraction)?["id"])
        return id.map { .retraction(of: $0) }
    }

    /// Returns the event of a retraction by a moderator, which only the room itself can tell (XEP-0425); nil if the message is
    /// none, or the room only repeats it.
    func moderatedRetraction(in message: Element, from room: JID) -> Action? {
        guard let retract = message.first("retract", Namespace.retraction),
            let moderated = retract.first("moderated", Namespace.moderation), let id = Self.bounded(retract["id"]),
            rooms[room]?.isInside == true, !message.has("delay", Namespace.delay)
        else { return nil }
        let by = moderated["by"].flatMap { try? JID($0) }
        let moderator = by.flatMap { $0.bare == room && $0.isFull ? $0 : nil } ?? room
        var event = IncomingEvent(
            content: .retraction(of: id), from: moderator, person: nil, isPublic: true, room: room)
        event.isByRoom = true
        return .hear(event)
    }

    // MARK: References

    /// Reads what a message answers, corrects, and belongs to, and its files.
    static func readReferences(in message: Element, into event: inout IncomingEvent) {
        var hasReply = false
        for case .element(let child) in message.children {
            switch child.name {
            case "replace" where child.namespace == Namespace.correction:
                event.replaces = bounded(child["id"]) ?? ""
            // Only one, because reading the quote takes time.
            case "reply" where !hasReply && child.namespace == Namespace.reply:
                hasReply = true
                event.repliesTo = bounded(child["id"])
                event.quote = quote(in: message)
            case "thread" where child.namespace == Namespace.client:
                event.thread = bounded(child.text)
            case "x" where child.namespace == Namespace.outOfBand:
                let url = child.first("url", Namespace.outOfBand)?.text ?? ""
                if (1...SharedFile.longestURL).contains(url.utf8.count) { event.add(SharedFile(url: url)) }
            case "file-sharing" where child.namespace == Namespace.fileSharing:
                if let file = SharedFile(child) { event.add(file) }
            default: break
            }
        }
    }

    /// Returns what a reply quotes above its text for older clients (XEP-0461); nil if it quotes nothing.
    private static func quote(in message: Element) -> String? {
        guard let body = message.first("body", Namespace.client)?.text else { return nil }
        let fallbacks = message.all("fallback", Namespace.fallback).filter { $0["for"] == Namespace.reply }
        var quoted = String.UnicodeScalarView()
        if fallbacks.isEmpty {
            guard let (quote, _) = unmarkedQuote(in: message, body) else { return nil }
            quoted = quote.unicodeScalars
        } else {
            let scalars = Array(body.unicodeScalars)
            for part in parts(of: fallbacks, length: scalars.count) where part.count < scalars.count {
                quoted.append(contentsOf: scalars[part].prefix(longestQuote))
            }
        }
        let lines = String(String.UnicodeScalarView(quoted.prefix(longestQuote)))
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in line.hasPrefix("> ") ? line.dropFirst(2) : line.hasPrefix(">") ? line.dropFirst() : line }
        let text = lines.joined(separator: "\n")
        let end = text.lastIndex { !$0.isWhitespace }
        return end.map { String(text[...$0]) }
    }

    /// Splits a reply whose client doesn't mark the quote above its text; nil if there is no such quote.
    static func unmarkedQuote(in message: Element, _ body: String) -> (quote: String, rest: String)? {
        let bytes = body.utf8
        guard bytes.first == UInt8(ascii: ">"), message.has("reply", Namespace.reply),
            !message.all("fallback", Namespace.fallback).contains(where: { $0["for"] == Namespace.reply })
        else { return nil }
        var start = bytes.startIndex
        while start < bytes.endIndex, bytes[start] == UInt8(ascii: ">") {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            start = bytes.index(after: end)
        }
        let rest = body[start...]
        guard rest.contains(where: { !$0.isWhitespace }) else { return nil }
        return (String(body[..<start]), String(rest))
    }
}
