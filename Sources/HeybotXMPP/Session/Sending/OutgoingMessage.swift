/// A message to a room or a person.
package struct OutgoingMessage: Hashable, Sendable {
    /// A room, an occupant of a room, or a person's own address.
    package var target: JID
    package var text: String
    /// When the message was created, on the session's clock.
    package var since: Duration
    /// The requester whom the message answers; nil if it answers nobody.
    ///
    /// A direct message to an occupant of a room is delivered to this person only, whatever their nick is by then.
    package var requester: RequesterIdentity?
    /// What the message does to an earlier one, or says about it; of a text that is split, only the first part does.
    package var reference: MessageReference?
    /// What the message answers; the ids that the session chooses tell that.
    package var answered = AnsweredMessage.nothing
    /// The thread that the message belongs to.
    package var thread: String?
    /// The files that the message shares, whose URL is the text; of a text that is split, only with the first part.
    package var files: [SharedFile] = []
    /// The id of its stanza, or of the first one if the text is split; nil for one that the session chooses.
    package var id: String?
    /// Whether the recipient is asked to confirm that it has arrived and is read; of a text that is split, only the first part is
    /// confirmed.
    package var isTracked = false
    /// Whether the message shows a person's client that the robot takes part in the conversation (XEP-0085).
    ///
    /// After an answer without that, clients no longer show who is writing.
    package var isActive = false
    /// Whether the message goes before all others, such as a warning that must not be late.
    package var isUrgent: Bool
    /// The id of the stanza in which the message was sent before; nil if this is the first time.
    ///
    /// The earlier stanza may have arrived nevertheless.
    package internal(set) var stanzaID: String?
    /// When the message can have arrived at the earliest, on the session's clock.
    package internal(set) var earliestArrival: Duration
    /// Whether the message is sent again only if an archive shows that the earlier stanza hasn't arrived.
    package internal(set) var isSentAgainOnlyIfMissing = false
    /// How often the message was the first one of those that were sent again in another session.
    package internal(set) var repetitions = 0
    /// The first one may be what breaks the sessions, so it isn't repeated forever.
    static let maxRepetitions = 5

    /// Creates a message; its text may have any length.
    package init(
        to target: JID, _ text: String, since: Duration = .zero, requester: RequesterIdentity? = nil,
        isUrgent: Bool = false
    ) {
        self.target = target
        self.text = text
        (self.since, earliestArrival) = (since, since)
        self.requester = requester
        self.isUrgent = isUrgent
    }

    /// Returns those messages that another session sends again, with the first one's repetition counted.
    static func repeated(_ messages: [OutgoingMessage]) -> [OutgoingMessage] {
        var messages = messages.filter { $0.repetitions < maxRepetitions }
        if !messages.isEmpty { messages[0].repetitions += 1 }
        return messages
    }
}
