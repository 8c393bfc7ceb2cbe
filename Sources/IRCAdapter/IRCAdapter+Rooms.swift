public import Heybot
import IRC
import Logging
import NetworkAdapter
import Synchronization

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

    private var memory: Memory<[KeptRoom]> { Memory("\(name).rooms") }

    /// Joins a channel, by its key if it has one.
    ///
    /// - Throws: ``IRCError``, which says why it can't be joined.
    public func join(_ room: String, password: String?) async throws -> Room {
        let isWord = [room, password ?? "x"].allSatisfy { word in
            !word.isEmpty && !word.utf8.contains { $0 <= 32 || $0 == UInt8(ascii: ",") } && word.utf8.count <= 200
                && !word.hasPrefix(":")
        }
        guard isWord else { throw IRCError.noChannel(room) }
        let result = await withCheckedContinuation { continuation in
            let number = act { $0.join(room, key: password, at: timeline.now(), continuation) }
            presence.timers.after(Self.patience) { [weak self] in
                guard let self else { return }
                act { $0.giveUpJoining(room, number, at: self.timeline.now()) }
            }
        }
        await saveRooms()
        return try result.get()
    }

    /// Leaves a channel, and doesn't go back to it by itself.
    ///
    /// - Throws: ``IRCError/notThere(_:)`` if it is in no such channel.
    public func leave(_ room: String) async throws {
        guard act({ $0.part(room, at: timeline.now()) }) else { throw IRCError.notThere(room) }
        await saveRooms()
    }

    public func isInSettings(_ room: String) -> Bool { presence.withLock { $0.isInSettings(room) } }

    /// Wants to be in the rooms that the brain has kept.
    func recallRooms() async {
        guard let brain else { return }
        do {
            guard let rooms = try await brain.recall(memory) else { return }
            saved.withLock { $0 = rooms }
            presence.withLock { $0.keep(rooms.map(\.channel)) }
        } catch {
            logger.warning("the rooms joined by invitation or command aren't known: \(error)")
        }
    }

    /// Has the brain keep the rooms, whenever they have changed, until the task is cancelled.
    func keepRooms() async {
        for await _ in roomChanges { await saveRooms() }
    }

    private func saveRooms() async {
        guard let brain else { return }
        do {
            // Another call may write an older list after ours: until the brain has the present one.
            while true {
                let rooms = presence.withLock { $0.keptRooms.map(KeptRoom.init) }
                guard saved.withLock({ $0 != rooms }) else { return }
                if rooms.isEmpty { try await brain.forget(memory) } else { try await brain.remember(memory, rooms) }
                saved.withLock { $0 = rooms }
            }
        } catch {
            logger.warning("the rooms joined by invitation or command can't be kept: \(error)")
        }
    }
}

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
