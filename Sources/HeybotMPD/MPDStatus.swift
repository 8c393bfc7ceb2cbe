/// What a player is doing, from its answer to `status`.
package struct MPDStatus: Hashable, Sendable {
    package enum State: String, Sendable {
        case play, pause, stop
    }

    package let state: State
    /// The volume from 0 to 100; nil if it can't be changed.
    package let volume: Int?
    /// The position of the current song in the queue; nil if there is none.
    package let position: Int?
    /// The number of songs in the queue.
    package let length: Int
    /// How much of the current song has been played, in seconds.
    package let elapsed: Int?
    /// The length of the current song in seconds.
    package let duration: Int?
    /// Whether the songs are played in a random order.
    package let isRandom: Bool
    /// Why the player can't play, in its words.
    package let error: String?

    package init(_ answer: MPDResponse) {
        state = answer["state"].flatMap(State.init) ?? .stop
        // Older players say -1.
        volume = answer["volume"].flatMap { Int($0) }.flatMap { 0...100 ~= $0 ? $0 : nil }
        position = answer["song"].flatMap(wholeNumber)
        length = answer["playlistlength"].flatMap(wholeNumber) ?? 0
        elapsed = answer["elapsed"].flatMap(wholeNumber)
        duration = answer["duration"].flatMap(wholeNumber)
        isRandom = answer["random"] == "1"
        error = answer["error"]
    }
}

/// A song, from a player's answer.
package struct MPDSong: Hashable, Sendable {
    /// The greatest length of a file's name in bytes; songs with longer names are skipped.
    static let longestFile = 1_900

    /// The path in the player's music folder, or the URL of a stream.
    package let file: String
    package let title: String?
    package let artist: String?
    package let album: String?
    /// The length in seconds.
    package let duration: Int?
    /// The position in the queue; nil if it isn't from there.
    package let position: Int?
    /// The id in the queue; nil if it isn't from there.
    package let id: Int?

    /// Reads the songs of an answer.
    ///
    /// A song begins with its file; directories and playlists are skipped.
    package static func all(in answer: MPDResponse) -> [MPDSong] {
        var songs: [MPDSong] = []
        var fields: [String: String] = [:]
        func end() { if let song = MPDSong(fields) { songs.append(song) } }
        for field in answer.fields {
            if ["file", "directory", "playlist"].contains(field.name) {
                end()
                fields = [:]
            }
            // A song may have several artists; the first is shown.
            if fields[field.name] == nil { fields[field.name] = field.value }
        }
        end()
        return songs
    }

    private init?(_ fields: [String: String]) {
        guard let file = fields["file"], file.utf8.count <= Self.longestFile else { return nil }
        self.file = file
        // A stream has a name instead.
        title = fields["Title"] ?? fields["Name"]
        artist = fields["Artist"] ?? fields["AlbumArtist"]
        album = fields["Album"]
        duration = (fields["duration"] ?? fields["Time"]).flatMap(wholeNumber)
        position = fields["Pos"].flatMap(wholeNumber)
        id = fields["Id"].flatMap(wholeNumber)
    }
}

/// The whole part of a number such as `12.345`; nil if it isn't a number, or too large to calculate with.
private func wholeNumber(_ text: String) -> Int? {
    guard let whole = Int(text.prefix { $0 != "." }), 0...1_000_000_000 ~= whole else { return nil }
    return whole
}
