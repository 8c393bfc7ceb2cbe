/// A command for a Music Player Daemon (MPD): its name and arguments, as one line.
///
/// See <https://mpd.readthedocs.io/en/latest/protocol.html>.
package struct MPDCommand: Hashable, Sendable {
    /// The greatest length of a line in bytes; a server drops a client whose line doesn't fit its buffer.
    package static let longest = 4_000

    /// The line, with its line break.
    package let line: [UInt8]

    /// Creates a command.
    ///
    /// - Throws: ``MPDCommandEncodingError`` if an argument can't be sent.
    package init(_ name: StaticString, _ arguments: String...) throws(MPDCommandEncodingError) {
        try self.init(name, arguments)
    }

    /// Creates a command with a list of arguments.
    ///
    /// - Throws: ``MPDCommandEncodingError`` if an argument can't be sent.
    package init(_ name: StaticString, _ arguments: [String]) throws(MPDCommandEncodingError) {
        let length = arguments.reduce(name.utf8CodeUnitCount) { $0 + $1.utf8.count * 2 + 3 }
        guard length < Self.longest else { throw .tooLong }
        // The protocol has no way to write these in an argument.
        guard !arguments.contains(where: { $0.utf8.contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d } }) else {
            throw .lineBreak
        }
        line = Array(([name.description] + arguments.map(Self.quoted)).joined(separator: " ").utf8) + [0x0a]
    }

    /// Creates a command from a text without anything from outside.
    private init(known text: String) {
        line = Array(text.utf8) + [0x0a]
    }

    /// The argument in double quotes, with `"` and `\` escaped.
    private static func quoted(_ argument: String) -> String {
        var quoted = "\""
        for scalar in argument.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}

/// Why a command can't be sent.
package enum MPDCommandEncodingError: Error, Hashable, CustomStringConvertible {
    /// The line would be longer than ``MPDCommand/longest``.
    case tooLong
    /// An argument contains a line break or a zero byte.
    case lineBreak

    package var description: String {
        switch self {
        case .tooLong: "the command for the player is too long: use fewer words"
        case .lineBreak: "the command for the player contains a line break: use one line"
        }
    }
}

extension MPDCommand {
    /// What the player does: its state, volume, and place in the queue.
    package static let status = MPDCommand(known: "status")
    /// The song that is playing or paused.
    package static let currentSong = MPDCommand(known: "currentsong")
    /// Starts to play, or continues after a pause.
    package static let play = MPDCommand(known: "play")
    /// Interrupts the song.
    package static let pause = MPDCommand(known: "pause 1")
    /// Continues the song after a pause.
    package static let resume = MPDCommand(known: "pause 0")
    /// Ends the song.
    package static let stop = MPDCommand(known: "stop")
    /// Goes to the next song.
    package static let next = MPDCommand(known: "next")
    /// Puts the songs of the queue in a random order; the current one becomes the first.
    package static let shuffle = MPDCommand(known: "shuffle")
    /// Removes all songs from the queue.
    package static let clear = MPDCommand(known: "clear")
    /// Does nothing.
    package static let ping = MPDCommand(known: "ping")

    /// Plays a song of the queue.
    package static func play(id: Int) -> MPDCommand { MPDCommand(known: "playid \(id)") }
    /// Sets the volume, from 0 to 100.
    package static func volume(_ level: Int) -> MPDCommand { MPDCommand(known: "setvol \(level)") }
    /// Some songs of the queue, by their positions.
    package static func queue(_ positions: Range<Int>) -> MPDCommand {
        MPDCommand(known: "playlistinfo \(positions.lowerBound):\(positions.upperBound)")
    }
    /// Adds a song to the end of the queue; the answer has its id.
    package static func add(_ file: String) throws(MPDCommandEncodingError) -> MPDCommand {
        try MPDCommand("addid", file)
    }
    /// Songs with all of these words in a tag, or anywhere; case is ignored.
    package static func search(_ tag: String, _ words: [String], limit: Int) throws(MPDCommandEncodingError)
        -> MPDCommand
    {
        try MPDCommand("search", words.flatMap { [tag, $0] } + ["window", "0:\(limit)"])
    }
}
