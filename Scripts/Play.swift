public import Heybot
import HeybotMPD

/// Plays music on a Music Player Daemon, with the commands of Hubot's script for Play.
///
/// A room may have a player of its own. The names of songs, and who queued and likes them, are kept by the songs' files.
public struct Play: Script {
    static let address = ScriptSetting<MPDAddress?>(
        "MPD_ADDRESS", "the default music player (MPD): a host, `host:port`, or a socket's path",
        expected: "a host such as localhost, a host and port such as localhost:6600, or the path of a socket",
        read: MPDAddress.init)
    static let rooms = ScriptSetting<[RoomPlayers.ConfiguredPlayer]?>(
        "MPD_ROOMS", "the music players of rooms, such as `#lab=lab.example.org:6600, irc:#den=/run/mpd/socket`",
        expected: "rooms with their players, such as #lab=lab.example.org:6600, #den=/run/mpd/socket",
        read: RoomPlayers.entries)
    static let password = ScriptSetting(
        "MPD_PASSWORD", "the password of the music players that require one", isSecret: true)

    public init() {}

    public var topic: ScriptTopic { .fun }
    public var settings: [any AnyScriptSetting] { [Self.address, Self.rooms, Self.password] }

    public func register(on robot: inout RobotBuilder) {
        let players = RoomPlayers(
            usual: robot.value(of: Self.address), rooms: robot.value(of: Self.rooms) ?? [],
            password: robot.value(of: Self.password))
        if players.isEmpty { robot.reportMissingSetting("HEYBOT_MPD_ADDRESS or HEYBOT_MPD_ROOMS") }
        registerPlaying(players, on: &robot)
        registerChoosing(players, on: &robot)
        registerVolume(players, on: &robot)
        registerQueue(players, on: &robot)
        registerOpinions(players, on: &robot)
        registerAnnouncing(players, on: &robot)
    }

    private func registerPlaying(_ players: RoomPlayers, on robot: inout RobotBuilder) {
        robot.respond(
            /(?:play|resume|unpause)(?: (?:the )?music| again)?$/,
            help: "play - Play the queue, or continue after a pause", example: "play"
        ) { res in
            let player = try players.player(in: res.message.room)
            let status = try await player.status()
            guard status.length > 0 else {
                throw Refusal("There's nothing in the queue. Try: play <song or artist>.")
            }
            let now = try await player.now(after: status.state == .pause ? .resume : .play)
            guard let song = now.song else { throw Refusal("The music didn't start.\(now.reason)") }
            try await res.send("Playing \(song.line).")
        }

        robot.respond(/pause(?: (?:the )?music)?$/, help: "pause - Pause the music", example: "pause") { res in
            let player = try players.player(in: res.message.room)
            guard try await player.status().state == .play else { throw Self.nothingPlays }
            try await player.perform(.pause)
            try await res.send("Paused. To continue, say \"play\".")
        }

        robot.respond(/stop(?: (?:the )?music| playing)?$/, help: "stop - Stop the music", example: "stop") { res in
            let player = try players.player(in: res.message.room)
            guard try await player.status().state != .stop else { throw Self.nothingPlays }
            try await player.perform(.stop)
            try await res.send("Stopped.")
        }

        robot.respond(
            /(?:play next|(?:next|skip)(?: (?:song|track|this(?: song| track| one)?))?)$/,
            help: "next - Play the next song", example: "next"
        ) { res in
            let player = try players.player(in: res.message.room)
            guard try await player.status().state != .stop else { throw Self.nothingPlays }
            let now = try await player.now(after: .next)
            try await res.send(now.song.map { "Playing \($0.line)." } ?? "That was the last song.")
        }

        robot.respond(
            /(?:what(?:['’]s| is)(?: now)? playing|now playing)$/,
            help: "what's playing - Show which song is playing, and who queued it", example: "what's playing?"
        ) { res in
            let player = try players.player(in: res.message.room)
            let now = try await player.now()
            guard let song = now.song else { throw Refusal("Nothing is playing.\(now.reason)") }
            let name = try await SongRequestLog(res.brain).user(who: song, on: player)
            let queued = name.map { " \($0) queued it." } ?? ""
            let state = now.status.state == .pause ? "Paused: " : ""
            try await res.send("\(state)\(song.longLine)\(now.progress).\(queued)\(now.reason)")
        }
    }

    /// The answer if a command needs a song that is playing.
    static let nothingPlays = Refusal("Nothing is playing.")
}
