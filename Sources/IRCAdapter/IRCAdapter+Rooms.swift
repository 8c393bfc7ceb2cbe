public import Heybot
import HeybotIRC
import NetworkAdapter

// The rooms it joins on request, and is back in after a restart.

/// A room that isn't in the settings, as the brain keeps it.
struct KeptRoom: Codable, Hashable {
    var name: String
    var key: String?
    var isInvited: Bool

    init(_ channel: Profile.Channel) {
        (name, key, isInvited) = (channel.name, channel.key, channel.origin == .invitation)
    }

    var channel: Profile.Channel { Profile.Channel(name, key: key, origin: isInvited ? .invitation : .command) }
}

extension IRCAdapter: RoomMembership {
    /// How long a server may take to say whether a channel lets us in.
    private static var patience: Duration { .seconds(20) }

    /// Joins a channel, by its key if it has one.
    ///
    /// - Throws: ``Heybot/AdapterError``, which says why it can't be joined.
    public func join(_ room: String, password: String?) async throws -> Room {
        let isWord = [room, password ?? "x"].allSatisfy { word in
            !word.isEmpty && !word.utf8.contains { $0 <= 32 || $0 == UInt8(ascii: ",") } && word.utf8.count <= 200
                && !word.hasPrefix(":")
        }
        guard isWord else { throw AdapterError.noChannel(room) }
        let result = await withCheckedContinuation { continuation in
            let number = driver.act { $0.join(room, key: password, at: $1, continuation) }
            driver.timers.after(Self.patience) { [weak driver] in
                driver?.act { $0.giveUpJoining(room, number, at: $1) }
            }
        }
        await driver.saveRooms()
        return try result.get()
    }

    /// Leaves a channel, and doesn't go back to it by itself.
    ///
    /// - Throws: ``Heybot/AdapterError`` if it is in no such channel.
    public func leave(_ room: String) async throws {
        guard driver.act({ $0.part(room, at: $1) }) else { throw AdapterError(.notThere, "I'm not in \(room)") }
        await driver.saveRooms()
    }

    public func isInSettings(_ room: String) -> Bool { driver.withLock { $0.isInSettings(room) } }
}

extension IRCAdapter: RoomKnowledge {
    /// Whether the robot is in a channel or means to be; nil of a nick, and while there is no connection.
    public func isIn(_ room: Room) async -> Bool? {
        // The address of a room on another network; no nick has one (RFC 2812 section 2.3.1).
        if room.name.contains("@") { return false }
        return driver.withLock { controller in
            guard let session = controller.state.session, session.support.isChannel(room.name) else { return nil }
            let key = controller.fold(room.name)
            return session.roster.channels[key] != nil || session.channels.contains { controller.fold($0.name) == key }
        }
    }
}
