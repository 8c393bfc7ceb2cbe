import FoundationEssentials
import Heybot
import HeybotXMPP
import NetworkAdapter

/// Makes the robot's messages of what is heard.
struct Hearing: Sendable {
    var ids: MessageIDs
    var adapter: String { ids.adapter }

    /// Who said it, as they are told apart: their own address if it is known, else what they are in the room.
    static func identity(_ heard: Heard) -> String { (heard.person ?? heard.from).description }

    /// - Parameters:
    ///   - nick: What we are called where it was said.
    ///   - robotName: What the robot is called wherever it is.
    mutating func message(_ heard: Heard, nick: String, robotName: String, now: Date) -> Message {
        Message(
            // Never what others call it: they could name somebody else's.
            id: ids.next(),
            user: User(
                id: User.ID(adapter: adapter, value: Self.identity(heard)), name: heard.name,
                account: heard.person?.description, isAnonymous: heard.person == nil),
            room: room(heard), content: heard.content.content(nick: nick, robotName: robotName),
            time: now, origin: heard.asker.id)
    }

    /// Somebody in a room, told apart in the same way.
    func user(_ occupant: Occupant, in room: JID) -> User? {
        guard let address = occupant.person ?? (try? room.with(resource: occupant.nick)) else { return nil }
        return User(
            id: User.ID(adapter: adapter, value: address.description), name: occupant.nick,
            account: occupant.person?.description, isAnonymous: occupant.person == nil)
    }

    private func room(_ heard: Heard) -> Room {
        if heard.isPublic, let room = heard.room { return self.room(room, name: room.description) }
        // In a room, only there they can be reached; else wherever they are.
        let address = heard.room == nil ? heard.from.bare : heard.from
        return self.room(address, name: address.description, isPrivate: true)
    }

    /// A room that everybody in it hears.
    func room(_ address: JID) -> Room { room(address, name: address.description) }

    private func room(_ address: JID, name: String, isPrivate: Bool = false) -> Room {
        Room(id: Room.ID(adapter: adapter, value: address.description), name: name, isPrivate: isPrivate)
    }
}
