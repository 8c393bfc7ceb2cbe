import Heybot
import HeybotMPD
import Logging
import Synchronization

extension Play {
    /// Emitted when a player may have begun another song, with the player's address.
    static let changed = ScriptEvent<String>("play.changed")

    /// The rooms where songs are announced, with the user who asked for that.
    private static let announced = BrainCollection<String>("play.announced")

    func registerAnnouncing(_ players: RoomPlayers, on robot: inout RobotBuilder) {
        robot.respond(
            /say now playing(?: here| in (?<room>\S+))?$/,
            help: """
                say now playing - Announce each song in this room
                say now playing in <room> - Announce each song in another room; only for admins
                """,
            example: "say now playing in #lounge"
        ) { res in
            let room = try Self.room(res.match.room, res)
            // It tells whether the room has a player.
            _ = try players.player(in: Room(id: room))
            try await res.brain.remember(Self.announced, room.description, res.message.user.id.description)
            try await res.reply("I'll announce each song in \(res.robot.displayName(of: room)).")
        }

        robot.respond(
            /(?:stop saying|don['’]t say) now playing(?: here| in (?<room>\S+))?$/,
            help: "stop saying now playing in <room> - Stop announcing songs in a room",
            example: "stop saying now playing in #lounge"
        ) { res in
            let room = try Self.room(res.match.room, res)
            let name = res.robot.displayName(of: room)
            guard try await res.brain.recall(Self.announced, room.description) != nil else {
                throw Refusal("I don't announce songs in \(name).")
            }
            try await res.brain.forget(Self.announced, room.description)
            try await res.reply("I won't announce songs in \(name) any more.")
        }

        guard !players.isEmpty else { return }
        let (known, limiter) = (SongChangeDetector(), AnnouncementLimiter())

        robot.on(Self.changed) { address, robot in
            guard let player = players.player(at: address), let now = try? await player.now() else { return }
            guard known.isNew(now.playing, at: address), let song = now.playing else { return }
            let text = "Now playing: \(song.longLine)"
            for try await (id, _) in robot.brain.entries(Self.announced) {
                guard let id = Room.ID(id), players.address(in: Room(id: id)) == player.address else { continue }
                guard robot.switches.isOn("Play", in: Room(id: id)) else { continue }
                guard limiter.claim(text, in: id, at: robot.date) else { continue }
                do {
                    try await robot.messageRoom(id, text)
                } catch {
                    robot.logger.debug("couldn't announce a song in \(id): \(error)")
                }
            }
        }

        robot.after(.zero) { robot in
            for player in players.all {
                let (address, changes) = (player.address.description, player.changes())
                // It ends with the player, which belongs to the robot.
                Task { [weak robot] in
                    for await _ in changes { await robot?.emit(Self.changed, address) }
                }
            }
        }
    }

    /// Returns the room that a command names.
    ///
    /// - Throws: A ``Refusal`` if it is another one than the message's, and its author isn't an admin.
    private static func room<Match>(_ name: Substring?, _ res: Response<Match>) throws -> Room.ID {
        let room = res.robot.room(named: name ?? "here", from: res.message.room)
        guard room == res.message.room.id || res.robot.isAdmin(res.message.user) else {
            throw Refusal("Say that in \(res.robot.displayName(of: room)) itself, or ask one of my admins.")
        }
        return room
    }
}

/// The song that each player was last seen to play.
private final class SongChangeDetector: Sendable {
    private let songs = Mutex<[String: MPDSong?]>([:])

    /// Whether a player plays another song than before; false at the first look, so that nothing is announced at startup.
    func isNew(_ song: MPDSong?, at address: String) -> Bool {
        songs.withLock { songs in
            guard let before = songs.updateValue(song, forKey: address) else { return false }
            return song != nil && (before?.id != song?.id || before?.file != song?.file)
        }
    }
}
