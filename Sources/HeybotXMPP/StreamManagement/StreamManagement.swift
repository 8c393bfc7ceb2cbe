import DequeModule

/// The stanzas that have arrived on both sides of a session, and how to resume it on another stream (XEP-0198).
///
/// All counts are modulo 2^32.
struct StreamManagement: Sendable {
    private enum State: Hashable, Sendable {
        /// The server doesn't count stanzas.
        case off
        /// Everything after the request counts as sent.
        case requested
        case on
    }

    /// A sent stanza that the server hasn't acknowledged.
    private struct SentStanza: Sendable {
        let stanza: Element
        /// The message that it transports; nil for other stanzas.
        let message: OutgoingMessage?
    }

    /// A server that acknowledges nothing mustn't fill the memory.
    private static let maxUnacknowledged = 4_000
    /// In bytes (XEP-0198 section 3).
    private static let longestID = 4_000

    private var state = State.off
    /// The number of the server's stanzas that the session has handled.
    var handled: UInt32 = 0
    /// The number of the session's stanzas that the server has handled.
    var acknowledged: UInt32 = 0
    private var unacknowledged = Deque<SentStanza>()
    /// Whether the server's stanzas are counted as handled.
    private(set) var isCounting = true
    /// The messages whose stanzas are about to be sent, by the stanzas' ids.
    private var sending: [String: OutgoingMessage] = [:]
    /// Whether the server has been asked how many stanzas it has handled, and hasn't answered.
    private var isRequestPending = false
    /// Whether the server has acknowledged nothing for so long that sent stanzas aren't kept any more.
    private var isOverfull = false
    /// The id by which the session can be resumed; nil if it can't be.
    private(set) var id: String?
    /// The server to resume the session at, if the server prefers one.
    private(set) var location: ServerAddress?
    /// How long the server keeps the session after the connection has broken; nil if it doesn't say.
    private(set) var lifetime: Duration?

    /// Whether sent stanzas are kept until the server acknowledges them.
    var isActive: Bool { state != .off && !isOverfull }
    /// Whether the server has agreed to count stanzas.
    var isOn: Bool { state == .on }

    private var sent: UInt32 { acknowledged &+ UInt32(truncatingIfNeeded: unacknowledged.count) }

    /// The error for an acknowledgement of stanzas that were never sent (XEP-0198 section 4).
    func countTooHigh(_ handled: UInt32) -> DisconnectReason { .handledCountTooHigh(handled: handled, sent: sent) }

    // MARK: Enabling

    /// Begins to count, when the server is asked to.
    mutating func request() {
        self = StreamManagement()
        state = .requested
    }

    /// Handles that the server counts stanzas from now on.
    mutating func enable(_ answer: Element) {
        guard state == .requested else { return }
        state = .on
        guard ["true", "1"].contains(answer["resume"]), let id = answer["id"],
            (1...Self.longestID).contains(id.utf8.count)
        else { return }
        self.id = id
        location = answer["location"].flatMap { ServerAddress($0) }
        lifetime = answer["max"].flatMap { UInt32($0) }.map { Duration.seconds($0) }
    }

    /// Handles that the server doesn't count stanzas after all.
    mutating func refuse() {
        if state == .requested { self = StreamManagement() }
    }

    /// Handles that the session can't be resumed any more.
    mutating func giveUpResumption() { (id, location) = (nil, nil) }

    // MARK: Receiving

    /// Counts an element of the server if it is a stanza; its name is nil if it couldn't be read.
    mutating func countReceived(_ name: String?, _ namespace: String?) {
        guard state == .on, isCounting, namespace ?? Namespace.client == Namespace.client else { return }
        switch name {
        case nil, "message", "presence", "iq": handled &+= 1
        default: break
        }
    }

    /// Stops counting the server's stanzas as handled.
    mutating func stopCounting() { isCounting = false }

    /// Removes the stanzas that the server has handled.
    ///
    /// - Returns: Whether that many were sent.
    mutating func acknowledge(_ handled: UInt32) -> Bool {
        guard isActive else { return true }
        let count = handled &- acknowledged
        guard count <= UInt32(truncatingIfNeeded: unacknowledged.count) else { return false }
        unacknowledged.removeFirst(Int(count))
        acknowledged = handled
        isRequestPending = false
        return true
    }

    // MARK: Sending

    /// Notes the message that a stanza transports which is about to be sent.
    mutating func expect(_ message: OutgoingMessage, as id: String) {
        guard isActive else { return }
        // Of a message that is too long to be sent, an entry is left.
        if sending.count >= Self.maxUnacknowledged { sending = [:] }
        sending[id] = message
    }

    /// Keeps a sent stanza until the server acknowledges it.
    ///
    /// - Returns: Whether to ask the server now for how many it has handled: always, unless it is being asked.
    mutating func recordSent(_ stanza: Element) -> Bool {
        guard isActive, stanza.namespace == Namespace.client else { return false }
        let message = sending.isEmpty ? nil : stanza["id"].flatMap { sending.removeValue(forKey: $0) }
        unacknowledged.append(SentStanza(stanza: stanza, message: message))
        if unacknowledged.count > Self.maxUnacknowledged {
            (unacknowledged, sending, isOverfull) = ([], [:], true)
            giveUpResumption()
            return false
        }
        return requestAcknowledgement()
    }

    /// Returns whether to ask the server for how many stanzas it has handled, and counts that as done.
    mutating func requestAcknowledgement() -> Bool {
        guard isActive, !isRequestPending, !unacknowledged.isEmpty else { return false }
        isRequestPending = true
        return true
    }

    // MARK: After a broken stream

    /// Removes and returns the stanzas to send again on the stream that resumes the session, and the messages to queue again.
    ///
    /// - Parameter mustWait: Whether a message may be sent only once the recipient is known again.
    mutating func takeUnacknowledged(
        where mustWait: (OutgoingMessage) -> Bool
    ) -> (stanzas: [Element], messages: [OutgoingMessage]) {
        let all = unacknowledged
        unacknowledged = []
        var (stanzas, messages): ([Element], [OutgoingMessage]) = ([], [])
        for sent in all {
            guard var message = sent.message, let id = sent.stanza["id"] else {
                stanzas.append(sent.stanza)
                continue
            }
            if mustWait(message) {
                message.stanzaID = id
                messages.append(message)
            } else {
                stanzas.append(sent.stanza)
                sending[id] = message
            }
        }
        // The first of the stanzas asks the server for an acknowledgement; without any, the session does.
        isRequestPending = stanzas.isEmpty
        return (stanzas, messages)
    }

    /// The messages that another session sends again, if this one isn't resumed.
    var repeatableMessages: [OutgoingMessage] {
        OutgoingMessage.repeated(
            unacknowledged.compactMap { sent in
                guard var message = sent.message, let id = sent.stanza["id"] else { return nil }
                message.stanzaID = id
                return message
            })
    }

    /// The number of unacknowledged messages that aren't sent again.
    var unrepeatableCount: Int {
        unacknowledged.count { $0.message.map { $0.repetitions >= OutgoingMessage.maxRepetitions } ?? false }
    }

    /// Handles that the server has refused something that was sent: it isn't sent again.
    mutating func markUnrepeatable() {
        unacknowledged = Deque(
            unacknowledged.map { sent in
                var message = sent.message
                message?.repetitions = OutgoingMessage.maxRepetitions
                return SentStanza(stanza: sent.stanza, message: message)
            })
    }
}

extension StreamManagement {
    /// The stanzas that the server hasn't acknowledged, in the order in which they were sent.
    var unacknowledgedStanzas: [Element] { unacknowledged.map(\.stanza) }

    /// Creates the state of a session that another process has left open.
    ///
    /// - Parameter unacknowledged: The stanzas that the server hadn't acknowledged, and the messages that they transport.
    init(
        id: String, location: ServerAddress?, handled: UInt32, acknowledged: UInt32,
        unacknowledged: [(stanza: Element, message: OutgoingMessage?)]
    ) {
        self.init()
        state = .on
        (self.id, self.location) = (id, location)
        (self.handled, self.acknowledged) = (handled, acknowledged)
        self.unacknowledged = Deque(unacknowledged.map { SentStanza(stanza: $0.stanza, message: $0.message) })
    }
}
