public import Heybot
import NetworkAdapter
import XMPP

extension XMPPAdapter: RoomKnowledge {
    /// Whether the robot is in a room or means to be; nil of an address that may be somebody's, and while there is no
    /// connection.
    public func isIn(_ room: Room) async -> Bool? {
        guard let address = try? JID(room.id.value) else { return false }
        return presence.withLock { presence in
            guard let rooms = presence.session?.wantedRooms.map(\.address) else { return nil }
            if rooms.contains(address.bare) { return true }
            // A service that has one of our rooms has no people.
            return rooms.contains { $0.domain == address.domain } ? false : nil
        }
    }
}
