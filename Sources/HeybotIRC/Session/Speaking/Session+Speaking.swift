// What we say, in lines, as soon as the pace allows.

import HeybotSupport

extension Session {
    /// How many lines are sent without a look at the connection.
    private static let mostAtOnce = 500

    /// Says these in order, now or as soon as the pace allows.
    package mutating func say(_ chats: [Chat], at now: Duration) -> [Action] {
        for chat in chats { queue.put(chat, from: sender(of: chat)) }
        return flush(at: now)
    }

    /// Tells somebody something before all that waits, in a notice, to which nobody's client answers.
    package mutating func warn(_ nick: String, _ words: String, asker: Asker? = nil, at now: Duration) -> [Action] {
        guard !isAnother(nick, than: asker) else { return [] }
        queue.putFirst(IRCMessage("NOTICE", nick, words))
        return flush(at: now)
    }

    /// The number of lines that wait to be said because of a person.
    package func lines(askedBy asker: String) -> Int { queue.lines(askedBy: asker) }

    func sender(of chat: Chat) -> SendQueue.Sender {
        SendQueue.Sender(
            isPrivate: support.channel(of: chat.target) == nil, target: fold(chat.target), asker: chat.asker?.id)
    }

    /// Makes that a channel's topic.
    ///
    /// - Parameter asker: The person who wants it; nil if nobody in particular does.
    package mutating func setTopic(
        _ topic: String, of channel: String, asker: String? = nil, at now: Duration
    ) -> [Action] {
        // One line, whose end the server would cut off elsewhere.
        let frame = ": TOPIC  :\r\n".utf8.count + channel.utf8.count
        let limit = min(support.lineLength - sourceLength - frame, support.topicLength ?? .max)
        let line = LineSplitter.lines(of: topic.filter { $0 != "\u{1}" }, limit: max(limit, 4)).first ?? ""
        queue.put(
            .deed(IRCMessage("TOPIC", channel, line)),
            from: SendQueue.Sender(isPrivate: false, target: fold(channel), asker: asker))
        return flush(at: now)
    }

    /// Tells who asked by CTCP what time it is with us.
    package mutating func tell(time: String, to nick: String, at now: Duration) -> [Action] {
        urgent(IRCMessage("NOTICE", nick, CTCP("TIME", time).description), at: now)
    }

    /// The lines that a chat makes, as the limits are now: what is longest takes into account what the server puts
    /// before it.
    package func lines(of chat: Chat) -> [String] {
        LineSplitter.lines(of: chat.text, limit: limit(for: chat))
    }

    /// The bytes of text that fit into a line (RFC 1459 2.3: 512 with its end).
    private func limit(for chat: Chat) -> Int {
        let frame = ": \(verb)  :\r\n".utf8.count + chat.target.utf8.count
        let action = chat.isAction ? "\u{1}ACTION \u{1}".utf8.count : 0
        return max(support.lineLength - sourceLength - frame - action, 32)
    }

    /// How long what the server puts before our words may be: as far as it isn't known, as long as it may get.
    private var sourceLength: Int {
        let user = ownSource.user?.utf8.count ?? max(profile.user.utf8.count, 10) + 1
        let host = ownSource.host?.utf8.count ?? 63
        return nick.utf8.count + user + host + 2
    }

    private var verb: String { profile.speaksInNotices ? "NOTICE" : "PRIVMSG" }

    /// Sends what may be sent by now.
    mutating func flush(at now: Duration) -> [Action] {
        guard phase != .over else { return [] }
        var actions: [Action] = []
        queue.expire(at: now)
        if let lost = queue.takeLoss(at: now) { actions.append(.note(.lost(lost))) }
        if let stale = queue.takeStale(at: now) { actions.append(.note(.stale(stale))) }
        if isClogged { return actions }
        var withheld = 0
        // The rest when it has been looked at whether the connection takes it: at once, as `due` says.
        while actions.count < Self.mostAtOnce, let item = queue.next(at: now) {
            let line: IRCMessage?
            switch item {
            case .errand(let errand), .deed(let errand): line = errand
            case .inquiry(let target): line = inquiries.line(about: target)
            case .whois(let nick): line = whois(nick)
            case .chat(let pieces) where isAnother(pieces.chat.target, than: pieces.chat.asker):
                withheld += 1
                continue
            case .chat(let pieces): line = takeLine(of: pieces, at: now)
            }
            guard let line else { continue }
            queue.count(at: now)
            actions.append(.send(line))
        }
        if withheld > 0 { actions.append(.note(.withheld(withheld))) }
        return actions
    }

    /// Whether a nick is seen to be somebody else's than that person's by now.
    private func isAnother(_ nick: String, than asker: Asker?) -> Bool {
        guard let asker, support.channel(of: nick) == nil, let member = roster.member(fold(nick)) else { return false }
        return asker.isOther(than: member)
    }

    /// The first line of a chat, by the limits as they are now; the rest goes back into the queue.
    private mutating func takeLine(of pieces: SendQueue.Pieces, at now: Duration) -> IRCMessage? {
        var pieces = pieces
        let limit = limit(for: pieces.chat)
        if pieces.limit != limit {
            // Lines that are cut already are cut again only if they have less room now.
            let text = pieces.rest.text
            if pieces.limit.map({ limit < $0 }) ?? true {
                let isOneLine = text.utf8.count <= limit && !text.utf8.contains { $0 < 32 }
                pieces.lines = isOneLine ? [text] : LineSplitter.lines(of: text, limit: limit)[...]
                pieces.limit = limit
            }
        }
        guard let first = pieces.lines.popFirst(), !first.isEmpty else { return nil }
        let chat = pieces.chat
        if !pieces.lines.isEmpty {
            pieces.chat.since = now
            queue.putBack(pieces, from: sender(of: chat))
        }
        // What stands between two \u{1} would be a request to everybody's client.
        let text = chat.isAction ? CTCP("ACTION", first).description : first.filter { $0 != "\u{1}" }
        return IRCMessage(verb, renames[fold(chat.target)] ?? chat.target, text)
    }

    /// Sends at once what can't wait; it counts all the same.
    mutating func urgent(_ line: IRCMessage, at now: Duration) -> [Action] {
        queue.count(at: now)
        return [.send(line)]
    }
}
