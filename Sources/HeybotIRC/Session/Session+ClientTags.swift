// Replies and reactions, which clients send as tags (IRCv3 client-only tags reply and react).

import HeybotSupport

/// The robot's latest messages, by the ids that the server has given them.
struct OwnMessages: Sendable {
    private static let limit = 200
    /// In code points.
    private static let longestText = 500

    private var ids: [String] = []
    /// The beginnings of their texts.
    private var texts: [String] = []
    /// The index of the oldest message, once the list is full.
    private var oldest = 0

    /// Returns the beginning of a message's text; nil if it isn't one of the latest.
    func text(of id: String) -> String? { ids.firstIndex(of: id).map { texts[$0] } }

    /// Adds a message, in place of the oldest if there are too many.
    mutating func insert(_ id: String, _ text: String) {
        let text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longestText)))
        guard ids.count >= Self.limit else {
            ids.append(id)
            texts.append(text)
            return
        }
        (ids[oldest], texts[oldest]) = (id, text)
        oldest = (oldest + 1) % Self.limit
    }
}

extension Session {
    /// A tag that clients send.
    package enum ClientTag: String, Sendable {
        case reply = "draft/reply"
        case react = "draft/react"
        case unreact = "draft/unreact"
        case typing

        /// The key of the tag in a message.
        var key: String { "+\(rawValue)" }
    }

    /// In bytes.
    private static let longestID = 500
    /// In bytes.
    private static let longestReaction = 64

    /// Whether the server passes a tag on to other clients.
    package func passes(_ tag: ClientTag) -> Bool {
        guard capabilities.has("message-tags") else { return false }
        guard let denied = support["CLIENTTAGDENY"]?.split(separator: ",").map(String.init) else { return true }
        return denied.contains("*") ? denied.contains("-\(tag.rawValue)") : !denied.contains(tag.rawValue)
    }

    /// Returns the id of the message that another one answers; nil if it answers none.
    static func repliedID(in message: IRCMessage) -> String? {
        let id = message.tags[ClientTag.reply.key] ?? message.tags["+reply"]
        return id.flatMap { (1...longestID).contains($0.utf8.count) ? $0 : nil }
    }

    /// Handles a message without a text: a reaction.
    ///
    /// Others, such as typing notifications, are ignored.
    mutating func handleTagMessage(_ message: IRCMessage) -> [Action] {
        guard let prefix = message.source, let target = message.parameters.first,
            let id = Self.repliedID(in: message)
        else { return [] }
        let source = Source(prefix)
        func reactions(_ tag: ClientTag) -> [String] {
            guard let reaction = message.tags[tag.key], (1...Self.longestReaction).contains(reaction.utf8.count) else {
                return []
            }
            return [reaction]
        }
        let (added, removed) = (reactions(.react), reactions(.unreact))
        guard !added.isEmpty || !removed.isEmpty, !nicks.isOurs(source.nick, by: support.caseMapping),
            !isService(source)
        else { return [] }
        members.record(source, fold(source.nick))
        let channel = support.channel(of: target).map { _ in target }
        return hear(.reaction(to: id, added: added, removed: removed), source, channel, message)
    }

    /// Reacts to a message, or takes a reaction back, in turn with the messages that wait.
    ///
    /// - Parameters:
    ///   - id: The server's id of the message.
    ///   - target: The channel or the nick of the conversation.
    /// - Returns: Nil if the server doesn't pass on reactions, or the user whose message it answers is gone.
    package mutating func react(
        _ reaction: String, isAdded: Bool, to id: String, in target: String, requester: RequesterIdentity?,
        at now: Duration
    ) -> [Action]? {
        let tag = isAdded ? ClientTag.react : .unreact
        guard passes(.reply), passes(tag), let recipient = recipient(of: target, for: requester) else { return nil }
        let name = renames[fold(recipient)] ?? recipient
        let line = IRCMessage(tags: [ClientTag.reply.key: id, tag.key: reaction], "TAGMSG", name)
        queue.put(
            .onBehalf(line),
            in: SendQueue.Flow(
                isPrivate: support.channel(of: target) == nil, target: fold(target), requester: requester?.id))
        return flush(at: now)
    }
}
