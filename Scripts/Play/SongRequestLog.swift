import Heybot
import HeybotMPD

/// Who queued the recent songs of each player.
struct SongRequestLog {
    /// By the player's address; oldest first.
    private static let songs = BrainCollection<[Request]>("play.queued")
    private static let most = 200

    private struct Request: Codable {
        let file: String
        let name: String
    }

    private let brain: Brain

    init(_ brain: Brain) {
        self.brain = brain
    }

    func add(_ song: MPDSong, on player: any MPDCommandPerformer, by user: User) async throws {
        let name = String(oneLine: user.name, limit: 60)
        try await brain.update(Self.songs, player.address.description, default: []) { songs in
            songs.removeAll { $0.file == song.file }
            songs.append(Request(file: song.file, name: name))
            songs.removeFirst(max(songs.count - Self.most, 0))
        }
    }

    /// Returns the users by file.
    func users(on player: any MPDCommandPerformer) async throws -> [String: String] {
        let songs = try await brain.recall(Self.songs, player.address.description) ?? []
        return Dictionary(songs.map { ($0.file, $0.name) }, uniquingKeysWith: { $1 })
    }

    /// Returns the user who queued a song; nil if it wasn't queued with the robot.
    func user(who song: MPDSong, on player: any MPDCommandPerformer) async throws -> String? {
        try await users(on: player)[song.file]
    }
}
