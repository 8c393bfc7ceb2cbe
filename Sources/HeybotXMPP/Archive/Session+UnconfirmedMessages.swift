// Finds out from archives which messages have arrived after the session, or its place in a room, was lost, and sends the others
// again.

extension Session {
    /// How old a message may be, at the server's last sign, that hasn't arrived.
    private static let longestUnconfirmed: Duration = .seconds(10)

    /// The messages that aren't sent yet, and those whose arrival is unknown, unless the session can be resumed.
    package var unsent: [OutgoingMessage] { (isResumable ? [] : repeatableMessages) + queue.unsent }

    /// The number of messages that were sent, that the server may not have read, and that aren't sent again.
    package var unconfirmed: Int {
        guard streamManagement.isActive else { return unconfirmedMessages.unrepeatableCount(since: unconfirmedSince) }
        return isResumable ? 0 : streamManagement.unrepeatableCount
    }

    /// The time before which everything that was sent has arrived.
    var unconfirmedSince: Duration { lastReceived - Self.longestUnconfirmed }

    /// The messages that another session sends again, unless an archive shows that they have arrived.
    var repeatableMessages: [OutgoingMessage] {
        let unacknowledged = streamManagement.repeatableMessages
        let unconfirmed = unconfirmedMessages.repeatable(since: unconfirmedSince)
        guard !unconfirmed.isEmpty, !unacknowledged.isEmpty else { return unconfirmed + unacknowledged }
        // Messages to rooms may be in both. What the server hasn't acknowledged is sent again in any case.
        var rest = Dictionary(unacknowledged.map { ($0.stanzaID, $0) }, uniquingKeysWith: { $1 })
        let all = unconfirmed.map { rest.removeValue(forKey: $0.stanzaID) ?? $0 }
        return all + unacknowledged.filter { rest[$0.stanzaID] != nil }
    }

    /// Queues a message of an earlier session, or if it may have arrived, holds it back until an archive has shown that.
    mutating func enqueueAgain(_ message: OutgoingMessage, at now: Duration) {
        guard message.stanzaID != nil else { return enqueueInOrder(message, at: now) }
        if hearsMissedMessages, let archive = archive(of: message.target),
            unconfirmedMessages.heldCount < configuration.queueLimit
        {
            unconfirmedMessages.hold(message, in: archive, at: now)
        } else if message.isSentAgainOnlyIfMissing {
            unconfirmedMessages.noteUncheckable()
        } else {
            enqueue(message)
        }
    }

    /// Queues a message behind those to the same recipient that wait for an archive.
    mutating func enqueueInOrder(_ message: OutgoingMessage, at now: Duration) {
        guard unconfirmedMessages.isHolding, !message.isUrgent, let archive = archive(of: message.target),
            unconfirmedMessages.isHolding(in: archive, for: message.target),
            unconfirmedMessages.heldCount < configuration.queueLimit
        else { return enqueue(message) }
        unconfirmedMessages.hold(message, in: archive, at: now)
    }

    /// Notes a sent message if its arrival has to be proven: any text to a room, and everything if the server counts no stanzas.
    mutating func recordUnconfirmed(_ message: OutgoingMessage, as id: String, at now: Duration) {
        let isToRoom = !isPrivate(message)
        guard isToRoom || !streamManagement.isActive else { return }
        let isCheckable = hearsMissedMessages && !message.text.isEmpty && archive(of: message.target) != nil
        guard isCheckable || !streamManagement.isActive else { return }
        unconfirmedMessages.recordSent(
            message, as: id, isToRoom: isToRoom, isCheckable: isCheckable, at: now, unconfirmedSince: unconfirmedSince)
    }

    /// Handles that the session is no longer in a room, and will return: what the room hasn't shown, and what is to be sent after
    /// it, is held back until the room's archive has shown what has arrived.
    ///
    /// An unfinished query of the archive ends.
    ///
    /// - Parameter time: The time since which the session has missed messages there.
    /// - Returns: The same, or the time since which the unfinished query was to find messages, if that is earlier; and what is to be
    ///   done now.
    mutating func holdUnshownMessages(
        to room: JID, missedSince time: Duration, at now: Duration
    ) -> (missedSince: Duration, actions: [Action]) {
        let unshown = unconfirmedMessages.takeSent(to: room, since: unconfirmedSince)
        let space = max(configuration.queueLimit - unconfirmedMessages.heldCount, 0)
        let repeated = OutgoingMessage.repeated(unshown).prefix(space)
        if !repeated.isEmpty {
            for message in repeated + queue.takeMessages(to: room) {
                unconfirmedMessages.hold(message, in: room, at: now)
            }
        }
        unconfirmedMessages.extendWait(for: room, until: now + SendQueue.maxAge)
        let rest = archives.abandon(room)
        let dropped = unshown.count - repeated.count
        let log: [Action] = dropped > 0 ? [.log(.unconfirmed(dropped))] : []
        guard unanswered?.isAsking(room) != true else {
            // A killed robot's time is asked for again anyway, and only commands without an answer are handled.
            return (time, log + (unanswered?.giveUp(room) ?? []))
        }
        return (min(time, rest ?? time), log)
    }

    /// Takes over what another process has sent to rooms that haven't shown it.
    ///
    /// - Parameter time: When it was sent last.
    mutating func takeOverUnshown(_ message: OutgoingMessage, as id: String, at time: Duration) {
        guard hearsMissedMessages else { return }
        unconfirmedMessages.recordSent(
            message, as: id, isToRoom: true, isCheckable: true, at: time, unconfirmedSince: unconfirmedSince)
    }

    /// Handles a message in an archive: if it is the session's own, it has arrived.
    mutating func confirmArrival(
        of message: Element, from sender: JID, in archive: JID, _ entry: ArchiveEntry
    ) -> [Action] {
        guard unconfirmedMessages.isHolding(in: archive) else { return [] }
        let id = isOwn(message, from: sender, in: archive) ? Self.ownID(of: message) : nil
        guard unconfirmedMessages.noteArchived(id, in: archive), let id, archive != address.bare else { return [] }
        let confirmation = tracksMessages ? [Action.confirmed(id, isRead: false, by: archive)] : []
        return (entry.id.map { [.stanzaID($0, of: id, in: archive)] } ?? []) + confirmation
    }

    /// Queues the messages that an archive hasn't shown.
    ///
    /// - Parameter isComplete: Whether the archive has answered completely. Otherwise only what a server that counts stanzas hasn't
    ///   confirmed is sent again: the rest has probably arrived.
    mutating func sendMissing(_ archive: JID, isComplete: Bool, at now: Duration) -> [Action] {
        let (missing, dropped) = unconfirmedMessages.release(archive, isComplete: isComplete, at: now)
        for message in missing { enqueue(message) }
        return dropped > 0 ? [.log(.unconfirmed(dropped))] : []
    }

    /// Queues the messages whose archives have taken too long, or can't be asked, because a room can't be joined.
    mutating func sendOverdue(at now: Duration) -> [Action] {
        guard let due = unconfirmedMessages.due, due <= now else { return [] }
        return unconfirmedMessages.overdueArchives(at: now).flatMap { sendMissing($0, isComplete: false, at: now) }
    }

    /// Returns the archive that shows whether a message has arrived: the room's or the account's; nil for a message to an occupant
    /// of a room, which archives may leave out.
    private func archive(of target: JID) -> JID? {
        guard rooms[target.bare] != nil else { return address.bare }
        return target.isBare ? target : nil
    }

    // MARK: The session's own messages in archives

    /// The nicks under which a room's archive may have the session's messages.
    func ownNicks(in room: JID) -> [String] { [configuration.nick, nick(in: room)] }

    /// Whether a message in an archive is the robot's own.
    ///
    /// In a room, somebody else may have had the nick; if the room shows addresses, its archive tells whose the message is.
    func isOwn(_ message: Element, from sender: JID, in archive: JID) -> Bool {
        guard sender.bare == archive else { return false }
        if archive == address.bare { return true }
        guard let nick = sender.resource, ownNicks(in: archive).contains(nick) else { return false }
        let told = message.first("x", Namespace.mucUser)?.first("item", Namespace.mucUser)?["jid"]
        guard let occupant = told.flatMap({ try? JID($0) }) else { return true }
        return occupant.bare == address.bare
    }

    /// Returns the id that the session has given its message; services on the way may change the stanza's own.
    static func ownID(of message: Element) -> String? {
        message.first("origin-id", Namespace.stanzaID)?["id"] ?? message["id"]
    }
}
