import DequeModule

/// Sent messages of which it isn't known whether they have arrived: rooms show that, or archives later.
struct UnconfirmedMessages: Sendable {
    /// A message that this session has sent to a room, or to a server that counts no stanzas.
    struct SentMessage: Sendable {
        let message: OutgoingMessage
        let isToRoom: Bool
        var sentAt: Duration
    }

    /// The messages that wait for an archive, and later ones to the same recipients.
    private struct HeldMessages: Sendable {
        var messages: [OutgoingMessage] = []
        /// When they are sent without the archive.
        var deadline: Duration
        /// Whether the archive is asked from so early a time that it has all of them.
        var isCovered = true
        /// Whether the archive has shown any message; some archives answer, but store nothing.
        var hasShownMessage = false
    }

    /// In that time an archive shows thousands of messages, and answers don't expire.
    private static let longestWait: Duration = .seconds(30)
    private static let maxSent = 1_000
    /// An overloaded room shows what the server has read so much later.
    private static let roomDelay: Duration = .seconds(50)

    private var sent = Deque<SentMessage>()
    private var held: [JID: HeldMessages] = [:]
    /// The number of sent messages that may not have arrived, and that no archive shows or that the server has refused.
    private var unrepeatableCount = 0

    /// The messages that wait for archives.
    var heldMessages: [OutgoingMessage] { held.values.flatMap(\.messages) }

    /// Whether messages wait for archives.
    var isHolding: Bool { !held.isEmpty }

    /// The number of messages that wait for an archive.
    var heldCount: Int { held.isEmpty ? 0 : held.values.reduce(0) { $0 + $1.messages.count } }

    // MARK: This session's messages

    /// Notes a sent message.
    ///
    /// - Parameters:
    ///   - isToRoom: Whether it goes to a room, which shows it when it has arrived.
    ///   - isCheckable: Whether an archive may show whether it has arrived.
    ///   - earliest: What was sent before this time has arrived.
    mutating func recordSent(
        _ message: OutgoingMessage, as id: String, isToRoom: Bool, isCheckable: Bool, at now: Duration,
        unconfirmedSince earliest: Duration
    ) {
        while let first = sent.first, !Self.mayBeUnderWay(first, since: earliest) { sent.removeFirst() }
        guard isCheckable, sent.count < Self.maxSent else {
            unrepeatableCount += 1
            return
        }
        var message = message
        if message.stanzaID == nil { message.earliestArrival = now }
        message.stanzaID = id
        message.isSentAgainOnlyIfMissing = true
        sent.append(SentMessage(message: message, isToRoom: isToRoom, sentAt: now))
    }

    /// Handles that a room has shown a message, or has refused it for good.
    mutating func confirm(_ id: String, in room: JID) {
        guard let index = sent.firstIndex(where: { $0.message.stanzaID == id && $0.message.target == room }) else {
            return
        }
        sent.remove(at: index)
    }

    /// Handles that the server has read everything that was sent: only rooms may still refuse it.
    mutating func confirmRead() {
        if !sent.isEmpty { sent.removeAll { !$0.isToRoom } }
        unrepeatableCount = 0
    }

    /// The messages that were sent to rooms since a time, and that these haven't shown.
    func sentToRooms(since: Duration) -> [SentMessage] {
        sent.filter { $0.isToRoom && Self.mayBeUnderWay($0, since: since) }
    }

    /// Removes and returns the messages that were sent to a room since a time, and that it hasn't shown.
    mutating func takeSent(to room: JID, since: Duration) -> [OutgoingMessage] {
        guard !sent.isEmpty else { return [] }
        defer { sent.removeAll { $0.message.target == room } }
        return sent.filter { $0.message.target == room && Self.mayBeUnderWay($0, since: since) }.map(\.message)
    }

    /// Handles that the time in which the connection was broken doesn't count.
    mutating func extendTimes(by duration: Duration) {
        for index in sent.indices { sent[index].sentAt += duration }
        for archive in held.keys { held[archive]?.deadline += duration }
    }

    /// The messages that another session sends again unless they have arrived: those that were sent since a time, and those of
    /// earlier sessions.
    func repeatable(since: Duration) -> [OutgoingMessage] {
        held.values.flatMap(\.messages) + OutgoingMessage.repeated(unconfirmed(since: since))
    }

    /// The number of messages that were sent since a time, may not have arrived, and aren't sent again.
    func unrepeatableCount(since: Duration) -> Int {
        unrepeatableCount + unconfirmed(since: since).count { $0.repetitions >= OutgoingMessage.maxRepetitions }
    }

    private func unconfirmed(since: Duration) -> [OutgoingMessage] {
        sent.filter { Self.mayBeUnderWay($0, since: since) }.map(\.message)
    }

    private static func mayBeUnderWay(_ message: SentMessage, since: Duration) -> Bool {
        message.sentAt >= (message.isToRoom ? since - roomDelay : since)
    }

    /// Handles that the server has refused something that was sent: nothing is sent again.
    mutating func markUnrepeatable() {
        unrepeatableCount += sent.count
        sent = []
    }

    /// Notes that a message isn't sent again, because no archive shows whether it has arrived.
    mutating func noteUncheckable() { unrepeatableCount += 1 }

    // MARK: The messages that wait for archives

    /// Holds a message back until an archive has shown whether it has arrived.
    mutating func hold(_ message: OutgoingMessage, in archive: JID, at now: Duration) {
        held[archive, default: HeldMessages(deadline: now + Self.longestWait)].messages.append(message)
    }

    /// Lets messages wait longer for an archive that can't be asked yet.
    mutating func extendWait(for archive: JID, until deadline: Duration) { held[archive]?.deadline = deadline }

    /// Handles the login: from now on, archives can be asked.
    mutating func restartWait(at now: Duration) {
        for archive in held.keys { held[archive]?.deadline = now + Self.longestWait }
    }

    /// Whether messages wait for an archive.
    func isHolding(in archive: JID) -> Bool { held[archive] != nil }

    /// Whether messages to a recipient wait for an archive: later ones wait behind them.
    func isHolding(in archive: JID, for recipient: JID) -> Bool {
        held[archive]?.messages.contains { $0.target == recipient } ?? false
    }

    /// When the first of the messages that wait for an archive can have arrived; nil if none wait.
    func earliestArrival(in archive: JID) -> Duration? { held[archive]?.messages.map(\.earliestArrival).min() }

    /// Notes that an archive has shown everything before a time: what it hasn't shown of the messages that wait for it can
    /// only have arrived later.
    mutating func noteShown(by archive: JID, before time: Duration) {
        guard let waiting = held[archive], waiting.isCovered else { return }
        for index in waiting.messages.indices where waiting.messages[index].stanzaID != nil {
            let earliest = waiting.messages[index].earliestArrival
            held[archive]?.messages[index].earliestArrival = max(earliest, time)
        }
    }

    /// Notes the time from which on an archive is asked.
    mutating func noteQuery(of archive: JID, from start: Duration, at now: Duration) {
        held[archive]?.deadline = now + Self.longestWait
        guard let messages = held[archive]?.messages,
            messages.contains(where: { $0.isSentAgainOnlyIfMissing && $0.earliestArrival < start })
        else { return }
        held[archive]?.isCovered = false
    }

    /// Handles that a room has refused a message, so it hasn't arrived.
    ///
    /// - Returns: Whether it is held back, and will be sent again even if the archive doesn't answer.
    mutating func noteRefusal(of id: String, by room: JID) -> Bool {
        guard let index = held[room]?.messages.firstIndex(where: { $0.stanzaID == id }) else { return false }
        held[room]?.messages[index].isSentAgainOnlyIfMissing = false
        return true
    }

    /// Forgets what was sent to a room that the session has left for good.
    mutating func forget(_ room: JID) {
        held[room] = nil
        if !sent.isEmpty { sent.removeAll { $0.message.target == room } }
    }

    /// Notes that an archive has shown a message.
    ///
    /// - Parameter ownID: The message's id, if the message is the account's own.
    /// - Returns: Whether it was held back, and has arrived.
    mutating func noteArchived(_ ownID: String?, in archive: JID) -> Bool {
        held[archive]?.hasShownMessage = true
        guard let ownID, let index = held[archive]?.messages.firstIndex(where: { $0.stanzaID == ownID }) else {
            return false
        }
        held[archive]?.messages.remove(at: index)
        return true
    }

    /// Removes and returns the messages that an archive hasn't shown.
    ///
    /// - Parameter isComplete: Whether the archive has answered completely.
    /// - Returns: The messages to send, and the number of those that have probably arrived: only an archive could tell that they
    ///   haven't.
    mutating func release(
        _ archive: JID, isComplete: Bool, at now: Duration
    ) -> (missing: [OutgoingMessage], dropped: Int) {
        guard let held = held.removeValue(forKey: archive) else { return ([], 0) }
        let isProof = isComplete && held.isCovered && held.hasShownMessage
        var missing = held.messages.filter { isProof || !$0.isSentAgainOnlyIfMissing }
        for index in missing.indices {
            missing[index].isSentAgainOnlyIfMissing = false
            if isProof { missing[index].earliestArrival = now }
        }
        return (missing, held.messages.count - missing.count)
    }

    /// When an archive's time is over; nil if no messages wait.
    var due: Duration? { held.isEmpty ? nil : held.values.map(\.deadline).min() }

    /// The archives whose time is over.
    func overdueArchives(at now: Duration) -> [JID] { held.filter { $0.value.deadline <= now }.map(\.key) }
}
