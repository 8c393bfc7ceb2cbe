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
