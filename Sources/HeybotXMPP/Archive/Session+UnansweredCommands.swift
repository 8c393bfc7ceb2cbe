// Asks archives what a killed robot hasn't answered, and handles that.

extension Session {
    /// Asks the archives which commands a killed robot hasn't answered, and handles those.
    ///
    /// - Parameters:
    ///   - since: The time of the earliest command, on the session's clock.
    ///   - attempts: Returns how many robots have handled a message of an archive since one was killed.
    package mutating func takeOverFromKilledRobot(
        since: Duration, at now: Duration, attempts: @escaping UnansweredCommands.AttemptCounts = { _, _ in 0 }
    ) {
        guard hearsMissedMessages else { return }
        unanswered = UnansweredCommands(
            since: since, at: now, attempts: attempts, account: address.bare, rooms: rooms.wanted.map(\.address))
    }

    /// Handles the commands that a killed robot hasn't answered, once the attempts are recorded.
    package mutating func noteRecordedAttempts(of archive: JID) -> [Action] { unanswered?.noteRecorded(archive) ?? [] }

    /// Whether archives are still telling which commands a killed robot hasn't answered, or will be asked.
    package func isTakingOverCommands(at now: Duration) -> Bool { unanswered?.isUnfinished(at: now) == true }

    /// Whether that was so when the session last heard from the server.
    package var mayTakeOverCommands: Bool { isTakingOverCommands(at: lastReceived) }

    /// Whether the session has heard everything that was said before ``lastReceived``, and no killed robot's commands are left.
    package func isCaughtUp(at now: Duration) -> Bool {
        phase == .ready && archives.isEmpty && absentSince == nil && !isTakingOverCommands(at: now)
    }

    /// Handles a message that a killed robot may have answered, or that is its answer.
    mutating func collect(
        _ message: Element, from sender: JID, _ archive: JID, since: Duration, _ entry: ArchiveEntry, at now: Duration
    ) {
        let id = Self.ownID(of: message)
        if let id = entry.id { unanswered?.noteTold(id, by: archive) }
        if archive == address.bare {
            if isOwn(message, from: sender, in: archive) {
                guard let person = message["to"].flatMap({ addresses.jid($0) })?.bare, Self.isAnswer(message) else {
                    return
                }
                unanswered?.answer(id, in: person, of: archive)
                return
            }
            guard Self.body(message) != nil else { return }
            let actions = hearMissedDirectMessage(message, from: sender, since: since, entry, at: now)
            if !actions.isEmpty { unanswered?.hold(actions, entry.id, of: sender.bare, in: archive) }
            return
        }
        if isOwn(message, from: sender, in: archive) {
            guard Self.isAnswer(message) else { return }
            unanswered?.answer(id, in: archive, of: archive)
        } else if let text = Self.body(message), Self.begins(text, withOneOf: ownNicks(in: archive)) {
            let actions = hearMissedRoomMessage(message, from: sender, in: archive, since: since, entry, at: now)
            if !actions.isEmpty { unanswered?.hold(actions, entry.id, of: archive, in: archive) }
        }
    }

    /// Holds a direct message back that the server has kept for a killed robot, until the archive has told whether that one
    /// has answered it.
    ///
    /// - Returns: False if the message isn't held back.
    mutating func holdKept(_ heard: Action) -> Bool {
        guard case .hear(let event) = heard, event.stamp != nil, let id = event.stanzaID else { return false }
        return unanswered?.holdKept(heard, id, in: address.bare) ?? false
    }

    /// Whether one of the robot's own messages may answer a command: receipts, chat states and corrections don't.
    private static func isAnswer(_ message: Element) -> Bool {
        body(message) != nil && !message.has("replace", Namespace.correction)
    }

    /// Whether a text begins with a nick, or with `@` and a nick.
    private static func begins(_ text: String, withOneOf nicks: [String]) -> Bool {
        let text = (text.hasPrefix("@") ? text.dropFirst() : text[...]).lowercased()
        return nicks.contains { text.hasPrefix($0.lowercased()) }
    }
}
