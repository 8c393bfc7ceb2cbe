package import HeybotSupport

/// A message, a topic change, or the coming or going of an occupant, for the robot to handle.
package struct IncomingEvent: Hashable, Sendable {
    package let content: ChatEvent
    /// The sender: an occupant of a room, `room@service/nick`, or a full or bare address outside of rooms.
    package let from: JID
    /// The sender's own address without its resource; in a room only if the room shows it (XEP-0045 section 7.2.3).
    package let person: JID?
    /// Whether everyone in the room received it; false for direct messages.
    package let isPublic: Bool

    /// Whether the text is an action, as in `/me waves`, but without the `/me` (XEP-0245).
    package internal(set) var isAction = false
    /// The message's id, as its sender set it: at most 256 bytes, and not unique.
    package internal(set) var senderID: String? = nil
    /// The id of the sender's earlier message that this one corrects (XEP-0308).
    package internal(set) var replaces: String? = nil
    /// The id of the message that this one answers (XEP-0461): the room's id of it, or outside of rooms its sender's.
    package internal(set) var repliesTo: String? = nil
    /// The part of that message that is quoted for older clients, without the marks of the quote.
    package internal(set) var quote: String? = nil
    /// The thread that the message belongs to (RFC 6121 section 5.2.5).
    package internal(set) var thread: String? = nil
    /// The files that were sent with the message (XEP-0066, XEP-0447).
    package internal(set) var files: [SharedFile] = []
    /// Whether the sender's client shows who is writing in a direct conversation (XEP-0085).
    package internal(set) var showsTyping = false
    /// Whether the room itself has sent the event, in the name of a moderator (XEP-0425).
    package internal(set) var isByRoom = false
    /// The time at which a delayed message was sent (XEP-0203), if the account's server or the room says so; other senders
    /// aren't believed.
    package internal(set) var stamp: String? = nil

    /// The time since which the session has missed messages, on the session's clock, if the room repeats the message because
    /// of that, or an archive has found it.
    package internal(set) var missedSince: Duration? = nil
    /// Whether the server may have kept the message while the connection was broken, before it resumed the session.
    package internal(set) var isResent = false
    /// The id that the room, or the account's server for a message outside of rooms, has given the message, unique there
    /// (XEP-0359).
    package internal(set) var stanzaID: String? = nil

    /// The requester whom rate limits apply to.
    package internal(set) var requester: RequesterIdentity

    /// The sender's display name: the nick in a room, otherwise the local part of the address.
    package var name: String { room == nil ? from.local ?? from.domain : from.resource ?? from.description }

    /// The room it happened in, also for a direct message from an occupant; nil outside of rooms.
    package let room: JID?

    init(content: ChatEvent, from: JID, person: JID?, isPublic: Bool, room: JID?) {
        (self.content, self.from, self.person) = (content, from, person)
        (self.isPublic, self.room) = (isPublic, room)
        requester = RequesterIdentity(person ?? from)
    }
}
