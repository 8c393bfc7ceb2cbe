import Heybot
import HeybotMPD

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
