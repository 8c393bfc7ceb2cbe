// Messages that were said while the robot was disconnected (IRCv3 chathistory, ZNC's playback).

import HeybotSupport

extension Session {
    /// What the next connection needs to ask for the messages that it has missed; nil if the server keeps none.
    package var historyMark: HistoryMark? {
        // A session that heard messages without recording them has ended the time from which messages were missed.
        guard let history else { return wasReady ? nil : earlierHistory }
        return history.mark(joined: joined, wasReady: wasReady, by: support.caseMapping)
    }

    /// Leaves what is received from now on to the next process, because the robot is stopping.
    package mutating func stopHearing() { history?.stop() }

    /// Starts tracking, if the server keeps messages and sends their times.
    mutating func trackHistory(welcomed time: String?) {
        guard configuration.missedMessageAge > .zero, let time, capabilities.has("batch"),
            capabilities.has("draft/chathistory") || capabilities.has("znc.in/playback")
        else { return }
        history = HistoryTracker(after: earlierHistory, period: configuration.missedMessageAge, welcomed: time)
    }

    /// Asks for what was said in a channel that the robot is in again.
    mutating func requestMissed(in channel: String) {
        guard capabilities.has("draft/chathistory"),
            let line = history?.request(in: channel, limit: support.historyLimit, by: support.caseMapping)
        else { return }
        putRequest(line)
    }

    /// Queues a request in turn with the messages, which mustn't wait for those of many channels.
    private mutating func putRequest(_ line: IRCMessage) {
        queue.put(.history(line), in: SendQueue.Flow(isPrivate: false, target: line.command))
    }

    /// Asks for what was said in private, and for everything that a bouncer has kept.
    mutating func requestOtherMissed(at now: Duration) {
        if capabilities.has("draft/chathistory") {
            guard configuration.hearsPrivateMessages,
                let line = history?.requestTargets(limit: support.historyLimit)
            else { return }
            putRequest(line)
        } else if let line = history?.requestPlayback(at: now) {
            queue.put(line)
        }
    }

    /// Handles `CHATHISTORY TARGETS`, which names a user who said something in private.
    mutating func handleHistoryTarget(_ message: IRCMessage, at now: Duration) -> [Action] {
        guard message.parameters.count > 1, message.parameters[0].uppercased() == "TARGETS" else { return [] }
        let target = message.parameters[1]
        guard support.channel(of: target) == nil, !nicks.isOurs(target, by: support.caseMapping),
            let line = history?.request(from: target, limit: support.historyLimit, by: support.caseMapping)
        else { return [] }
        putRequest(line)
        return flush(at: now)
    }

    /// Handles a message of a batch of earlier messages: it is heard if it was missed.
    ///
    /// Nothing that is known about the users who are there now says who had the nick then.
    mutating func handleReplayed(_ message: IRCMessage) -> [Action] {
        guard let prefix = message.source, message.parameters.count > 1 else { return [] }
        let source = Source(prefix)
        if isRobot(source) {
            history?.noteAnswer(message, to: Self.repliedID(in: message))
            return []
        }
        let channel = support.channel(of: message.parameters[0]).map { _ in message.parameters[0] }
        guard let text = Self.spoken(message.parameters[1]), channel != nil || configuration.hearsPrivateMessages,
            !isService(source), !configuration.ignoresBots || message.tags["bot"] == nil,
            !configuration.ignored.contains(where: { $0.matches(source, by: support.caseMapping) }),
            let replayed = history?.take(message), replayed != .ignored
        else { return [] }
        let nickKey = fold(source.nick)
        var event = IncomingEvent(
            content: .text(Formatting.plain(text)), source: source, nickKey: nickKey,
            account: capabilities.has("account-tag") ? account(of: sender(source), message) : .unknown,
            channel: channel, channelKey: channelKey(of: channel),
            time: message.tags["time"], id: message.tags["msgid"])
        event.isMissed = true
        if replayed == .missed { return [.hear(event)] }
        if channel == nil || isCall(text) { history?.hold(event, message) }
        return []
    }

    /// Whether the author of an earlier message is this robot, or a process of it that was killed.
    func isRobot(_ source: Source) -> Bool {
        if nicks.isOurs(source.nick, by: support.caseMapping) { return true }
        guard history?.mayBeAnswered == true else { return false }
        let key = fold(source.nick)
        return ([configuration.nick] + configuration.alternates).contains { fold($0) == key }
    }

    /// Whether a text begins with a name of the robot, or with `@` and a name, as the robot recognizes it later.
    private func isCall(_ text: String) -> Bool {
        var start = fold(Formatting.plain(text).lowercased()).drop { $0.isWhitespace }
        if start.first == "@" { start = start.dropFirst() }
        return (configuration.names + [configuration.nick, nick]).contains { name in
            let folded = fold(name.lowercased())
            guard let last = folded.last, start.hasPrefix(folded) else { return false }
            let rest = start.dropFirst(folded.count)
            // A name must end at the end of a word, an alias such as "!" needn't.
            guard let next = rest.first, last.isLetter || last.isNumber || last == "_" else { return true }
            return next.isWhitespace || ":,;：，；".contains(next)
                || rest.allSatisfy { "!?.…！？。".contains($0) || $0.isWhitespace }
        }
    }

    /// The text of a message or an action; nil if it is another CTCP request.
    private static func spoken(_ text: String) -> String? {
        guard text.utf8.first == 1 else { return text }
        guard let request = CTCP(parsing: text), request.command == "ACTION" else { return nil }
        return request.text
    }
}
