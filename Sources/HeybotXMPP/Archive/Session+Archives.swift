// Asks archives for what was said while the session was away (XEP-0313).

import FoundationEssentials

extension Session {
    /// How much earlier than the first missed message the archive is asked from.
    ///
    /// Its clock may differ, and the server may have stored messages seconds before it would have delivered them.
    static let archiveMargin: Duration = .seconds(15)

    /// Asks the account's archive for the direct messages that the session has missed, if it was away.
    mutating func queryOwnArchive(at now: Duration) -> [Action] {
        let account = address.bare
        guard let since = start(of: account, missedSince: absentSince, at: now) else {
            return sendMissing(account, isComplete: false, at: now)
        }
        absentSince = nil
        return query(account, since: since, at: now)
    }

    /// Asks a room's archive for the messages that the session has missed there, if it was away: the room may repeat too few
    /// by itself.
    mutating func queryArchive(of room: JID, at now: Duration) -> [Action] {
        guard let since = start(of: room, missedSince: rooms[room]?.wanted.missedSince, at: now) else {
            return sendMissing(room, isComplete: false, at: now)
        }
        return query(room, since: since, at: now)
    }

    /// Returns the time since which to ask an archive: the session was away, or a killed robot may have left commands
    /// unanswered; nil if neither is the case.
    private mutating func start(of archive: JID, missedSince: Duration?, at now: Duration) -> Duration? {
        guard canAskArchives, let since = unanswered?.ask(archive, at: now) else { return missedSince }
        return min(since, missedSince ?? since)
    }

    private var canAskArchives: Bool {
        epoch != nil && hearsMissedMessages && !requests.isFull
    }

    private mutating func query(_ archive: JID, since: Duration, at now: Duration) -> [Action] {
        guard let epoch, canAskArchives else { return sendMissing(archive, isComplete: false, at: now) }
        // Later results wouldn't show whether the robot's own messages have arrived.
        let earliest = min(since, unconfirmedMessages.earliestArrival(in: archive) ?? since)
        let start = max(earliest, now - configuration.missedMessageAge) - Self.archiveMargin
        unconfirmedMessages.noteQuery(of: archive, from: start, at: now)
        let seconds: TimeInterval = start / .seconds(1)
        let stamp = DateTimeProfile.text(Date(timeIntervalSince1970: epoch + seconds))
        let page = archives.begin(archive, since: since, start: stamp)
        return [ask(page, of: archive, at: now)]
    }

    private mutating func ask(_ page: ArchiveQueries.Page, of archive: JID, at now: Duration) -> Action {
        let to = archive == address.bare ? nil : archive
        return ask(page.request, "set", to: to, for: .archivePage(page.id, of: archive), at: now)
    }

    /// Whether the end of a page counts: that of another query says nothing, and what the session leaves to another process is asked
    /// for by that.
    func isCurrent(_ page: String, of archive: JID) -> Bool {
        archives.isCurrent(page, of: archive) && streamManagement.isCounting
    }

    /// Asks for the next page of an archive, if there is one.
    ///
    /// - Parameter end: The archive's answer, which comes after the results; nil if the archive has refused the request.
    mutating func handleArchivePageEnd(
        _ page: String, of archive: JID, _ end: Element?, at now: Duration
    ) -> [Action] {
        guard isCurrent(page, of: archive) else { return [] }
        guard let next = archives.endPage(page, of: archive, end, epoch: epoch ?? 0, at: now) else {
            let isComplete = ["true", "1"].contains(end?["complete"])
            let log = sendMissing(archive, isComplete: isComplete, at: now)
            let heard = unanswered?.end(archive, isComplete: isComplete) ?? []
            return log + heard + flush(at: now)
        }
        if let time = next.shownBefore { unconfirmedMessages.noteShown(by: archive, before: time) }
        return [ask(next, of: archive, at: now)]
    }

    /// Handles a message that an archive has found; one that wasn't asked for is ignored.
    ///
    /// - Parameter archive: The sender of the result.
    mutating func handleArchived(_ result: Element, from archive: JID, at now: Duration) -> [Action] {
        guard let forwarded = result.first("forwarded", Namespace.forward),
            let stamp = forwarded.first("delay", Namespace.delay)?["stamp"],
            let since = archives.admit(result, of: stamp, from: archive),
            let message = forwarded.first("message", Namespace.client),
            let sender = message["from"].flatMap({ addresses.jid($0) })
        else { return [] }
        let entry = ArchiveEntry(id: Self.bounded(result["id"]), stamp: stamp)
        let confirmations = confirmArrival(of: message, from: sender, in: archive, entry)
        if unanswered?.isAsking(archive) == true {
            collect(message, from: sender, archive, since: since, entry, at: now)
            return confirmations
        }
        return confirmations
            + (archive == address.bare
                ? hearMissedDirectMessage(message, from: sender, since: since, entry, at: now)
                : hearMissedRoomMessage(message, from: sender, in: archive, since: since, entry, at: now))
    }

    /// Handles a direct message that the account's archive has found.
    mutating func hearMissedDirectMessage(
        _ message: Element, from sender: JID, since: Duration, _ entry: ArchiveEntry, at now: Duration
    ) -> [Action] {
        switch message["type"] {
        case nil, "normal", "chat": break
        default: return []
        }
        // Somebody else may have the nick of an occupant by now. Encrypted messages get no hint that late.
        guard rooms[sender.bare] == nil, !message.has("x", Namespace.mucUser),
            Invitation(message, from: sender) == nil, Self.encryption(of: message) == nil
        else { return [] }
        return handleDirectMessage(message, from: sender, missedSince: since, archived: entry, at: now)
    }

    /// Handles a message that the archive of a room has found.
    func hearMissedRoomMessage(
        _ message: Element, from sender: JID, in address: JID, since: Duration, _ entry: ArchiveEntry, at now: Duration
    ) -> [Action] {
        guard message["type"] == "groupchat", sender.bare == address, let nick = sender.resource,
            let room = rooms[address], room.isInside, nick != room.nick, nick != configuration.nick
        else { return [] }
        let known = room.occupants(nick, from: message["from"])
        return hearMissed(message, from: sender, known, since: since, archived: entry, at: now)
    }
}
