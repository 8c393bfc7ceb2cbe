import Heybot
import HeybotMPD

extension Play {
    func registerQueue(_ players: RoomPlayers, on robot: inout RobotBuilder) {
        robot.respond(
            /(?:(?:show )?(?:the )?queue|what(?:['’]s| is) next)$/, help: "queue - List the next songs",
            example: "queue"
        ) { res in
            let player = try players.player(in: res.message.room)
            let status = try await player.status()
            let first = status.position ?? 0
            let songs = try await player.songs(.queue(first..<first + Self.mostListed))
            guard !songs.isEmpty else { throw Refusal("The queue is empty. Try: play <song or artist>.") }
            let queued = SongRequestLog(res.brain)
            let names = try await queued.users(on: player)
            var lines = songs.enumerated().map { number, song in
                let isCurrent = status.state != .stop && song.position == status.position
                let name = names[song.file].map { " (\($0))" } ?? ""
                return "\(isCurrent ? "▶" : "\(number + 1).") \(song.line)\(name)"
            }
            let rest = status.length - first - songs.count
            if rest > 0 { lines.append("… and \(rest) more") }
            try await res.send(lines.joined(separator: "\n"))
        }

        robot.respond(
            /shuffle(?: (?:the )?(?:queue|music))?$/, help: "shuffle - Shuffle the queue", example: "shuffle"
        ) { res in
            let player = try players.player(in: res.message.room)
            guard try await player.status().length > 1 else {
                throw Refusal("There is nothing to shuffle: the queue has fewer than two songs.")
            }
            try await player.perform(.shuffle)
            try await res.send("Shuffled.")
        }

        robot.respond(
            /clear (?:the )?queue$/, help: "clear the queue - Stop, and remove all songs from the queue",
            example: "clear the queue"
        ) { res in
            let player = try players.player(in: res.message.room)
            let length = try await player.status().length
            try await player.perform(.clear)
            try await res.send("The queue is empty now; it had \(length) song\(length == 1 ? "" : "s").")
        }

        robot.respond(
            /who (?:queued|chose|picked|added) (?:this|that|it)(?: song| track| one)?$/,
            help: "who queued this - Show who queued the song that is playing", example: "who queued this?"
        ) { res in
            let player = try players.player(in: res.message.room)
            guard let song = try await player.now().song else { throw Self.nothingPlays }
            let name = try await SongRequestLog(res.brain).user(who: song, on: player)
            try await res.send(
                name.map { "\($0) queued \(song.line)." }
                    ?? "\(song.line) wasn't queued through me, so I don't know who chose it.")
        }
    }

    private static let mostListed = 10
}
