import FoundationEssentials
import Heybot
import HeybotXMPP
import NetworkAdapter

/// Converts the session's events into the robot's messages.
struct IncomingMessageConverter: Sendable {
    var ids: ReceivedMessageIDGenerator
    var adapter: String { ids.adapter }

    /// Returns the id that distinguishes senders: the person's own address if it is known, otherwise the occupant's.
    static func identity(_ event: IncomingEvent) -> String { (event.person ?? event.from).description }

    /// Returns one of the robot's ids of messages.
    func id(_ value: String) -> Message.ID { Message.ID(adapter: adapter, value: value) }

    /// Returns the message for an event.
    mutating func message(_ event: IncomingEvent, _ content: Message.Content, now: Date) -> Message {
        Message(
            // Not the id that the sender set: it could be the id of another message.
            id: ids.next(),
            user: User(
                id: User.ID(adapter: adapter, value: Self.identity(event)), name: event.name,
                account: event.person?.description, isAnonymous: event.person == nil),
            room: room(event), content: content, time: now, origin: event.requester.limitID)
    }

    /// Returns the user for an occupant, with the same kind of id.
    func user(_ occupant: Occupant, in room: JID) -> User? {
        guard let address = occupant.person ?? (try? room.with(resource: occupant.nick)) else { return nil }
        return User(
            id: User.ID(adapter: adapter, value: address.description), name: occupant.nick,
            account: occupant.person?.description, isAnonymous: occupant.person == nil)
    }

    private func room(_ event: IncomingEvent) -> Room {
        if event.isPublic, let room = event.room { return self.room(room, name: room.description) }
        // Occupants can only be reached in their room; others at any of their devices.
        let address = event.room == nil ? event.from.bare : event.from
        return self.room(address, name: address.description, isPrivate: true)
    }

    /// Returns the room for a room's address.
    func room(_ address: JID) -> Room { room(address, name: address.description) }

    private func room(_ address: JID, name: String, isPrivate: Bool = false) -> Room {
        Room(id: Room.ID(adapter: adapter, value: address.description), name: name, isPrivate: isPrivate)
    }
}
