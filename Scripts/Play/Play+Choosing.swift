import Heybot
import HeybotMPD

// Commands that choose songs.

extension Play {
    func registerChoosing(_ players: RoomPlayers, on robot: inout RobotBuilder) {
        robot.respond(
            /play (?!(?:(?:the )?music|again|next)$|something (?:by |i (?:like|love)$))(?<words>\S.*)$/,
            help: "play <words> - Play a song, or queue it if another one is playing", example: "play blue in green"
        ) { res in
            let player = try players.player(in: res.message.room)
            let query = try SearchQuery(res.match.words, limit: 100)
            let found = try await player.search("any", query)
            guard let song = Self.best(found, for: query) else { throw query.nothingFound }
            let others = found.count - 1
            let hint = others > 0 ? " (\(others) other match\(others == 1 ? "" : "es"))" : ""
            try await Self.queue(song, hint, on: player, res)
        }

        robot.respond(
            /play something by (?<artist>\S.*)$/,
            help: "play something by <artist> - Play any song by an artist", example: "play something by Miles Davis"
        ) { res in
            let player = try players.player(in: res.message.room)
            let query = try SearchQuery(res.match.artist, limit: 100)
            let found = try await player.search("artist", query)
            let hated = try await Opinions(res.brain, of: res.message.user).files(.hates)
            let wanted = found.filter { !hated.contains($0.file) }
            guard let song = res.random(wanted.isEmpty ? found : wanted) else { throw query.nothingFound }
            try await Self.queue(song, on: player, res)
        }

        robot.respond(
            /play something i (?:like|love)$/, help: "play something I like - Play any song that you like",
            example: "play something I like"
        ) { res in
            let player = try players.player(in: res.message.room)
            var liked = try await Opinions(res.brain, of: res.message.user).files(.likes).sorted()
            guard !liked.isEmpty else {
                throw Refusal("I don't know what you like yet. When you hear something good, say \"I like this\".")
            }
            // The file may be gone, or on another player.
            for _ in 0..<min(liked.count, Self.mostTries) {
                guard let file = res.random(liked) else { break }
                liked.removeAll { $0 == file }
                if let song = try await player.song(file) { return try await Self.queue(song, on: player, res) }
            }
            throw Refusal("On this player, I can't find anything that you like.")
        }
    }

    private static let mostTries = 20

    /// The first song with all words in its title, or else the first.
    private static func best(_ found: [MPDSong], for query: SearchQuery) -> MPDSong? {
        let words = query.words.lowercased().split(separator: " ")
        let title = found.first { song in
            let title = song.title?.lowercased() ?? ""
            return words.allSatisfy { title.contains($0) }
        }
        return title ?? found.first
    }

    /// Queues a song, plays it unless another one is playing, and says so.
    private static func queue<Match>(
        _ song: MPDSong, _ hint: String = "", on player: any MPDCommandPerformer, _ res: Response<Match>
    ) async throws {
        let ahead = try await player.queue(song.file)
        try await SongRequestLog(res.brain).add(song, on: player, by: res.message.user)
        switch ahead {
        case nil: try await res.send("Playing \(song.line)\(hint).")
        case 1?: try await res.send("\(song.line) is next\(hint).")
        case let ahead?: try await res.send("\(song.line) is queued, after \(ahead) songs\(hint).")
        }
    }
}
