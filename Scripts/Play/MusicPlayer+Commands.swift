import Heybot
import HeybotMPD

/// What a player is playing.
struct NowPlaying {
    let status: MPDStatus
    /// The song that is playing or paused; nil if there is none.
    let song: MPDSong?

    /// The song, unless it is paused.
    var playing: MPDSong? { status.state == .play ? song : nil }

    /// How far the song is: `, 1:02 of 5:37`.
    var progress: String {
        guard let elapsed = status.elapsed else { return "" }
        return ", \(Self.time(elapsed))\((status.duration ?? song?.duration).map { " of \(Self.time($0))" } ?? "")"
    }

    /// Why the player can't play, as a sentence; usually empty.
    var reason: String {
        status.error.map { " The player reports: \(String(oneLine: $0, limit: 200))" } ?? ""
    }

    private static func time(_ seconds: Int) -> String {
        "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }
}

extension MusicPlayer {
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

extension MPDSong {
    /// The title and the artist: `Blue in Green by Miles Davis`.
    var line: String {
        let by = artist.map { " by \(String(oneLine: $0, limit: 80))" } ?? ""
        return "\(name)\(by)"
    }

    /// The same with the album: `Blue in Green by Miles Davis (Kind of Blue)`.
    var longLine: String {
        let on = album.map { " (\(String(oneLine: $0, limit: 80)))" } ?? ""
        return "\(line)\(on)"
    }

    /// The title, or else the name of the file.
    private var name: String {
        if let title, !title.isEmpty { return String(oneLine: title, limit: 120) }
        let name = file.split(separator: "/").last ?? file[...]
        let stem = file.contains("://") ? name : name.lastIndex(of: ".").map { name[..<$0] } ?? name
        return String(oneLine: stem.isEmpty ? name : stem, limit: 120)
    }
}
