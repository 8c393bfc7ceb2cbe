public import Heybot
import IRC
import NetworkAdapter

extension IRCAdapter: RoomKnowledge {
    /// Whether the robot is in a channel or means to be; nil of a nick, and while there is no connection.
    public func isIn(_ room: Room) async -> Bool? {
        presence.withLock { presence in
            guard let session = presence.session, session.support.isChannel(room.name) else { return nil }
            let key = presence.fold(room.name)
            return session.roster.channels[key] != nil || session.channels.contains { presence.fold($0.name) == key }
        }
    }
}
