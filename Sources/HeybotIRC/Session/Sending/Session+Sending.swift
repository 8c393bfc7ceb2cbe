// Sends queued messages line by line, at the rate limit's pace.

import HeybotSupport

extension Session {
    /// The most lines that are sent between two checks for congestion.
    private static let maxAtOnce = 500

    /// Queues messages, and sends what the rate limit allows.
    package mutating func say(_ messages: [OutgoingMessage], at now: Duration) -> [Action] {
        for message in messages { queue.put(message, in: flow(of: message)) }
        return flush(at: now)
    }

    /// Sends a notice to a user before everything that is queued.
    ///
    /// Clients don't reply to notices automatically.
    package mutating func warn(_ nick: String, _ text: String, requester: RequesterIdentity? = nil, at now: Duration)
        -> [Action]
    {
        guard let nick = recipient(of: nick, for: requester) else { return [] }
        queue.putFirst(IRCMessage("NOTICE", nick, text))
        return flush(at: now)
    }

    /// The number of lines that wait for a user.
    package func lines(requestedBy requester: String) -> Int { queue.lines(requestedBy: requester) }

    func flow(of message: OutgoingMessage) -> SendQueue.Flow {
        SendQueue.Flow(
            isPrivate: support.channel(of: message.target) == nil, target: fold(message.target),
            requester: message.requester?.id)
    }

    /// Sets a channel's topic.
    ///
    /// - Parameter requester: The id of the user who requested it; nil if no user did.
    package mutating func setTopic(
        _ topic: String, of channel: String, requester: String? = nil, at now: Duration
    ) -> [Action] {
        queue.put(
            .onBehalf(topicLine(topic, of: channel)),
            in: SendQueue.Flow(isPrivate: false, target: fold(channel), requester: requester))
        return flush(at: now)
    }

    /// Returns the command that sets a topic.
    ///
    /// A topic is one line, and the server would truncate it anywhere, even inside a character.
    func topicLine(_ topic: String, of channel: String) -> IRCMessage {
        let frame = ": TOPIC  :\r\n".utf8.count + channel.utf8.count
        let limit = min(support.lineLength - sourceLength - frame, support.topicLength ?? .max)
        let line = OutgoingTextSplitter.lines(of: topic.filter { $0 != "\u{1}" }, limit: max(limit, 4)).first ?? ""
        return IRCMessage("TOPIC", channel, line)
    }

    /// Answers a CTCP TIME request.
    package mutating func tell(time: String, to nick: String, at now: Duration) -> [Action] {
        sendNow(IRCMessage("NOTICE", nick, CTCP("TIME", time).description), at: now)
    }

    /// Splits a message into lines, at the current length limit, which depends on the prefix that the server adds.
    package func lines(of message: OutgoingMessage) -> [String] {
        OutgoingTextSplitter.lines(of: message.text, limit: limit(for: message))
    }

    /// The most bytes of text in a line (RFC 1459 2.3: 512 with CR LF).
    private func limit(for message: OutgoingMessage, to target: String? = nil) -> Int {
        let frame = ": \(verb)  :\r\n".utf8.count + (target ?? message.target).utf8.count
        let action = message.isAction ? "\u{1}ACTION \u{1}".utf8.count : 0
        return max(support.lineLength - sourceLength - frame - action, 32)
    }

    /// The length of the prefix that the server adds; for unknown parts, the longest they can be.
    private var sourceLength: Int {
        let user = ownSource.user?.utf8.count ?? max(configuration.user.utf8.count, 10) + 1
        let host = ownSource.host?.utf8.count ?? 63
        return nick.utf8.count + user + host + 2
    }

    private var verb: String { configuration.speaksInNotices ? "NOTICE" : "PRIVMSG" }

    /// Sends what the rate limit allows.
    mutating func flush(at now: Duration) -> [Action] {
        guard phase != .over else { return [] }
        var actions: [Action] = []
        queue.expire(at: now)
        if let dropped = queue.takeDropped(at: now) { actions.append(.log(.dropped(dropped))) }
        if let stale = queue.takeStale(at: now) { actions.append(.log(.stale(stale))) }
        if isCongested { return actions }
        var withheld = 0
        // `due` is at once if there is more, so that congestion is checked in between.
        while actions.count < Self.maxAtOnce, let item = nextItem(at: now) {
            let line: IRCMessage?
            switch item {
            case .command(let command), .onBehalf(let command), .history(let command): line = command
            case .who(let target):
                line = accountQueries.line(about: target, channel: support.isChannel(target) ? fold(target) : nil)
            case .whois(let nick): line = whois(nick)
            case .monitor(let nick): line = monitorLine(nick)
            case .message(let pieces):
                guard let target = recipient(of: pieces.message.target, for: pieces.message.requester) else {
                    withheld += 1
                    continue
                }
                if !typing.isEmpty { endTyping(in: target, at: now) }
                if let batch = nextBatch(of: pieces, to: target, at: now) {
                    actions += batch
                    continue
                }
                line = nextLine(of: pieces, to: target, at: now)
            }
            guard let line else { continue }
            queue.count(at: now)
            actions.append(.send(line))
        }
        if withheld > 0 { actions.append(.log(.withheld(withheld))) }
        return actions
    }

    /// The target to send an answer to: the asker's nick, or the one they changed it to; nil if they were seen to leave, if
    /// another user is seen to have the nick, or if only an account could prove who has it.
    package func recipient(of target: String, for requester: RequesterIdentity?) -> String? {
        guard let requester, support.channel(of: target) == nil else { return target }
        let key = fold(target)
        if requester.isForgotten { return members.member(key).map { requester.isSurely($0) } == true ? target : nil }
        if let member = members.member(key) {
            if !isOther(requester, than: member, key) { return target }
        } else if !isGone(requester, key) {
            return target
        }
        // Only of a user who was shown it is known that the change of nick was theirs, not an earlier holder's.
        guard requester.shownIn?.session == id, let nick = newNicks[key], let member = members.member(fold(nick)),
            !isOther(requester, than: member, fold(nick))
        else { return nil }
        return nick
    }

    /// Whether a visible member with that nick is another user.
    ///
    /// Behind a gateway, many users have the same user name and host, so these don't show that a newcomer is the asker.
    private func isOther(_ requester: RequesterIdentity, than member: ChannelMembers.Member, _ key: String) -> Bool {
        guard !requester.isSurely(member), let shown = requester.shownIn, shown.session == id else {
            return requester.isOther(than: member)
        }
        return !members.isVisible(key, in: shown.stay) || requester.isOther(than: member)
    }

    /// Whether a user without that nick in any trusted channel was visible when they asked, and isn't any more.
    private func isGone(_ requester: RequesterIdentity, _ key: String) -> Bool {
        guard let shown = requester.shownIn, let source = requester.source, !leftByCommand.contains(shown.channel)
        else {
            return false
        }
        guard let current = members.view(of: key, source).stay else { return true }
        return shown.session == id && shown.stay != current.stay
    }

    /// Whether an answer waits: a mode change may have hidden the asker, whom nobody has seen leave, and the server is about to
    /// list the channel's members again.
    private static func waits(
        _ message: OutgoingMessage, _ members: ChannelMembers, _ queries: AccountQueries, _ support: ISupport,
        at now: Duration
    ) -> Bool {
        guard let shown = message.requester?.shownIn, support.channel(of: message.target) == nil,
            queries.isResyncing(shown.channel, at: now)
        else { return false }
        let key = support.caseMapping.fold(message.target)
        return members.channels[shown.channel]?[key]?.mayBeHidden == true && members.member(key) == nil
    }

    /// When the next item that can be sent now may be sent; nil if there is none.
    var queueDue: Duration? {
        queue.isEmpty ? nil : queue.due { !Self.waits($0, members, accountQueries, support, at: now) }
    }

    /// Removes and returns the next item that can be sent now.
    private mutating func nextItem(at now: Duration) -> SendQueue.Item? {
        if queue.isEmpty { return nil }
        // Otherwise no answer waits, and nothing has to be copied.
        if !accountQueries.isResyncing { return queue.next(at: now) { _ in true } }
        // The queue can't be changed while the whole session is in use.
        return queue.next(at: now) { [members, accountQueries, support] in
            !Self.waits($0, members, accountQueries, support, at: now)
        }
    }

    /// When answers that wait for a list will have waited for too long; nil if there are none.
    var waitEnd: Duration? { isCongested ? nil : accountQueries.patienceEnd(after: now) }

    /// Records that a user has changed the nick, so that answers can follow.
    mutating func recordNewNick(_ nick: String, of key: String) {
        guard fold(nick) != key else { return }
        // Without it, an answer isn't sent.
        if newNicks.count >= 500 { newNicks = [:] }
        newNicks[key] = nick
        // Earlier nicks lead to the newest one.
        newNicks = newNicks.mapValues { fold($0) == key ? nick : $0 }
    }

    /// Returns the actions that send a message with several lines as one; nil if that isn't possible.
    private mutating func nextBatch(of pieces: SendQueue.SplitMessage, to target: String, at now: Duration)
        -> [Action]?
    {
        guard sendsMultiline, pieces.limit == nil else { return nil }
        let name = renames[fold(target)] ?? target
        let most = limit(for: pieces.message, to: name)
        guard let batch = multilineBatch(of: pieces.message, to: name, verb, limit: most, at: now) else { return nil }
        // The first and the last message have no text.
        for _ in batch.dropFirst(2) { queue.count(at: now) }
        return batch.map(Action.send)
    }

    /// Returns a message's first line, at the current length limit; the rest goes back into the queue.
    private mutating func nextLine(of pieces: SendQueue.SplitMessage, to target: String, at now: Duration)
        -> IRCMessage?
    {
        var pieces = pieces
        let limit = limit(for: pieces.message, to: target)
        if pieces.limit != limit {
            // Split lines are split again only if the limit has shrunk.
            let text = pieces.restOfText
            if pieces.limit.map({ limit < $0 }) ?? true {
                let isOneLine = text.utf8.count <= limit && !text.utf8.contains { $0 < 32 }
                pieces.lines = isOneLine ? [text] : OutgoingTextSplitter.lines(of: text, limit: limit)[...]
                pieces.limit = limit
                pieces.total = pieces.total ?? pieces.lines.count
            }
        }
        guard let first = pieces.lines.popFirst(), !first.isEmpty else { return nil }
        // Text between two \u{1} would be a CTCP request to every client in the channel.
        let text = pieces.message.isAction ? CTCP("ACTION", first).description : Self.withoutCTCP(first)
        let name = renames.isEmpty ? target : renames[fold(target)] ?? target
        var line = IRCMessage(verb, name, text)
        if let label = label(for: pieces.message, first, to: name, isLast: pieces.lines.isEmpty, at: now) {
            line.tags["label"] = label
        }
        if let reply = pieces.message.reply, passes(.reply) { line.tags[ClientTag.reply.key] = reply }
        if !pieces.lines.isEmpty {
            pieces.message.since = now
            pieces.message.reply = nil
            let flow = flow(of: pieces.message)
            queue.putBack(pieces, in: flow)
        }
        return line
    }

    /// Few texts have one, and going through their characters costs more than all else.
    private static func withoutCTCP(_ text: String) -> String {
        text.utf8.contains(1) ? text.filter { $0 != "\u{1}" } : text
    }

    /// Sends a message at once; it still counts against the rate limit.
    mutating func sendNow(_ line: IRCMessage, at now: Duration) -> [Action] {
        queue.count(at: now)
        return [.send(line)]
    }
}
