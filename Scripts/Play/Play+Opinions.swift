import Heybot
import HeybotMPD

extension Play {
    func registerOpinions(_ players: RoomPlayers, on robot: inout RobotBuilder) {
        robot.respond(
            /i (?:(?<likes>like|love)|hate|don['’]t like|dislike) this(?: song| track| one)?$/,
            help: """
                I like this - Remember that you like the song that is playing
                I hate this - Remember that you don't like the song that is playing
                """,
            example: "I like this"
        ) { res in
            let player = try players.player(in: res.message.room)
            guard let song = try await player.now().song else { throw Self.nothingPlays }
            let opinion: Opinions.Opinion = res.match.likes == nil ? .hates : .likes
            try await Opinions(res.brain, of: res.message.user).add(opinion, song.file)
            try await res.reply(
                opinion == .likes
                    ? "Got it: you like \(song.line)."
                    : "OK, I won't choose \(song.line) for you. To skip it now, say \"next\".")
        }
    }
}

/// What a user likes and hates.
struct Opinions {
    enum Opinion: String, Codable { case likes, hates }

    /// By the user's id; the opinions by file, oldest first.
    private static let opinions = BrainCollection<[Entry]>("play.opinions")
    private static let most = 500

    private struct Entry: Codable {
        let file: String
        let opinion: Opinion
    }

    private let brain: Brain
    private let user: String

    init(_ brain: Brain, of user: User) {
        self.brain = brain
        self.user = user.id.description
    }

    /// Returns the files with an opinion.
    func files(_ opinion: Opinion) async throws -> Set<String> {
        Set(try await brain.recall(Self.opinions, user)?.filter { $0.opinion == opinion }.map(\.file) ?? [])
    }

    /// Remembers an opinion; the oldest one is forgotten if there are too many.
    func add(_ opinion: Opinion, _ file: String) async throws {
        try await brain.update(Self.opinions, user, default: []) { entries in
            entries.removeAll { $0.file == file }
            entries.append(Entry(file: file, opinion: opinion))
            entries.removeFirst(max(entries.count - Self.most, 0))
        }
    }
}
