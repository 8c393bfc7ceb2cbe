package import HeybotSupport

/// Something that somebody said or did, for the robot to hear.
package struct Heard: Hashable, Sendable {
    package let content: RoomEvent
    /// Who it was: in a room the occupant, `room@service/nick`; else somebody's own address.
    package let from: JID
    /// The occupant's own address without its resource, if the room shows it (XEP-0045 section 7.2.3); in a private chat
    /// the sender's.
    package let person: JID?
    /// Whether everybody in the room heard it; else it was said to us alone.
    package let isPublic: Bool

    /// What the sender calls the message, at most 256 bytes; another's may have the same.
    package internal(set) var senderID: String? = nil
    /// What the sender calls an earlier message of theirs that this one replaces (XEP-0308).
    package internal(set) var replaces: String? = nil
    /// When it was really said, as our server or the room writes it, if it comes late (XEP-0203); nobody else is believed.
    package internal(set) var stamp: String? = nil

    /// To whom it is accounted what they have us do.
    package internal(set) var asker: Asker

    /// What to call them: their nick in a room, or what stands before the `@`.
    package var name: String { room == nil ? from.local ?? from.domain : from.resource ?? from.description }

    /// The room it happened in, be it to us alone; nil for a private chat.
    package let room: JID?

    init(content: RoomEvent, from: JID, person: JID?, isPublic: Bool, room: JID?) {
        (self.content, self.from, self.person) = (content, from, person)
        (self.isPublic, self.room) = (isPublic, room)
        asker = Asker(person ?? from)
    }
}
