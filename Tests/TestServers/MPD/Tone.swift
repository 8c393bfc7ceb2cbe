import Foundation

/// A WAV file with a tone and tags.
public struct Tone: Sendable {
    /// The path in the music folder, such as `Ada/One.wav`.
    public let file: String
    public let title: String?
    public let artist: String?
    public let seconds: Int

    public init(_ file: String, title: String? = nil, artist: String? = nil, seconds: Int = 60) {
        (self.file, self.title, self.artist, self.seconds) = (file, title, artist, seconds)
    }

    private static let rate = 8_000

    /// The file's content: 8 bits, one channel, with the tags in an `INFO` list.
    ///
    /// See <https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html>.
    var wav: Data {
        // A wave of 20 samples, again and again.
        let wave = [UInt8](repeating: 128, count: 10) + [UInt8](repeating: 148, count: 10)
        var samples = Data(capacity: seconds * Self.rate)
        for _ in 0..<seconds * Self.rate / wave.count { samples.append(contentsOf: wave) }
        let format =
            Self.number(1, 2) + Self.number(1, 2) + Self.number(Self.rate, 4) + Self.number(Self.rate, 4)
            + Self.number(1, 2) + Self.number(8, 2)
        var tags = Data("INFO".utf8)
        if let title { tags += Self.chunk("INAM", Data("\(title)\0".utf8)) }
        if let artist { tags += Self.chunk("IART", Data("\(artist)\0".utf8)) }
        let content =
            Data("WAVE".utf8) + Self.chunk("fmt ", format) + Self.chunk("LIST", tags) + Self.chunk("data", samples)
        return Self.chunk("RIFF", content)
    }

    private static func number(_ value: Int, _ bytes: Int) -> Data {
        Data((0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }

    /// A chunk, whose content is filled up to an even length.
    private static func chunk(_ name: String, _ content: Data) -> Data {
        let padding = content.count % 2 == 0 ? Data() : Data([0])
        return Data(name.utf8) + number(content.count, 4) + content + padding
    }
}
