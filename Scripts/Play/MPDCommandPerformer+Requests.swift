import HeybotMPD

extension MPDCommandPerformer {
    /// The number of songs that a search returns at most.
    private var mostFound: Int { 100 }

    /// Carries out commands whose answers don't matter.
    func perform(_ commands: MPDCommand...) async throws {
        _ = try await perform(commands)
    }

    func status() async throws -> MPDStatus {
        MPDStatus(try await perform([.status]).first ?? MPDResponse())
    }

    /// Returns the song that is playing, after a command if there is one.
    func now(after command: MPDCommand? = nil) async throws -> NowPlaying {
        let answers = try await perform([command, .status, .currentSong].compactMap { $0 }).suffix(2)
        let status = MPDStatus(answers.first ?? MPDResponse())
        let song = answers.last.flatMap { MPDSong.all(in: $0).first }
        return NowPlaying(status: status, song: status.state == .stop ? nil : song)
    }

    func songs(_ command: MPDCommand) async throws -> [MPDSong] {
        try await perform([command]).first.map(MPDSong.all) ?? []
    }

    /// Searches for songs with all words in a tag, or else in the names of their files.
    func search(_ tag: String, _ query: SearchQuery) async throws -> [MPDSong] {
        let words = query.words.split(separator: " ").prefix(10).map(String.init)
        let found = try await songs(.search(tag, words, limit: mostFound))
        return found.isEmpty ? try await songs(.search("file", words, limit: mostFound)) : found
    }

    /// Returns the song of a file; nil if the player doesn't have it.
    func song(_ file: String) async throws -> MPDSong? {
        try await songs(MPDCommand("find", "file", file)).first
    }

    /// Adds a song to the queue, and plays it unless another one is playing.
    ///
    /// - Returns: The number of songs before it; nil if it is playing.
    func queue(_ file: String) async throws -> Int? {
        let answers = try await perform([.add(file), .status])
        let status = MPDStatus(answers.last ?? MPDResponse())
        if status.state == .play { return max(status.length - 1 - (status.position ?? 0), 1) }
        guard let id = answers.first?["Id"].flatMap({ Int($0) }) else { return 1 }
        try await perform(.play(id: id))
        return nil
    }
}
