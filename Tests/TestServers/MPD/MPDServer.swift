import Foundation

/// A real Music Player Daemon, from Debian's `mpd`, which plays to nowhere.
///
/// It listens on the loopback interface and on a Unix socket. The class has no mutable state of its own.
public final class MPDServer: RunningServer, @unchecked Sendable {
    static let path = "/usr/bin/mpd"

    /// Whether Debian's `mpd` is installed.
    public static let isInstalled = mayUse(path)

    /// A small library.
    public static let library = [
        Tone("Miles Davis/Blue in Green.wav", title: "Blue in Green", artist: "Miles Davis"),
        Tone("Miles Davis/So What.wav", title: "So What", artist: "Miles Davis"),
        Tone("Björk/Jóga.wav", title: "Jóga", artist: "Björk"),
        Tone("Field recordings/rain \"in\" the yard.wav")
    ]

    /// The path of its Unix socket.
    public let socketPath: String

    /// Starts a server, and waits until it has read its library.
    ///
    /// - Parameters:
    ///   - password: The password that commands require; without it a client may not even read. Nil for none.
    ///   - hasVolume: Whether the volume can be changed.
    ///   - settings: Further lines of mpd.conf.
    /// - Throws: ``TestServerError`` if it isn't installed or doesn't start.
    public static func start(
        _ tones: [Tone] = library, password: String? = nil, hasVolume: Bool = true, settings: [String] = []
    ) async throws -> MPDServer {
        guard isInstalled else { throw TestServerError.missing("mpd") }
        return try await started {
            let folder = try ScratchFolder()
            try folder.makeFolder("music")
            for tone in tones {
                let path = "music/\(tone.file)"
                try folder.makeFolder((path as NSString).deletingLastPathComponent)
                try tone.wav.write(to: URL(filePath: folder.path(path)))
            }
            return try MPDServer(tones.count, password, hasVolume, settings, in: folder)
        }
    }

    private init(
        _ songs: Int, _ password: String?, _ hasVolume: Bool, _ settings: [String], in folder: ScratchFolder
    ) throws {
        let port = try Port.free()
        // Short, because the path of a socket is limited to 107 bytes.
        socketPath = folder.path("sock")
        var lines = [
            "music_directory \"\(folder.path("music"))\"", "db_file \"\(folder.path("db"))\"",
            "state_file \"\(folder.path("state"))\"", "bind_to_address \"127.0.0.1\"",
            "bind_to_address \"\(socketPath)\"", "port \"\(port)\"", "zeroconf_enabled \"no\"",
            "audio_output {\ntype \"null\"\nname \"nowhere\"\nmixer_type \"\(hasVolume ? "software" : "none")\"\n}"
        ]
        if let password {
            lines += ["password \"\(password)@read,add,control,admin\"", "default_permissions \"\""]
        }
        let file = try folder.write((lines + settings).joined(separator: "\n") + "\n", to: "mpd.conf")
        let program = Program(words: [Self.path, "--no-daemon", "--stderr", file], ports: [port])
        super.init(folder, [program], port: port, tlsPort: nil, authority: nil) {
            try await Self.waitForSongs(songs, port: port, password: password)
        }
    }

    /// Waits until the library has a number of songs.
    private static func waitForSongs(_ songs: Int, port: Int, password: String?) async throws {
        let client = try RawMPDClient(connectingTo: port)
        try await client.expect("OK MPD")
        if let password {
            client.send("password \"\(password)\"")
            try await client.expect("OK")
        }
        client.send("update")
        while true {
            client.send("stats")
            if try await client.expect("songs: ") == "songs: \(songs)" { return }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// A client that a test scripts.
///
/// The class has no mutable state of its own.
public final class RawMPDClient: ScriptedConnection, @unchecked Sendable {}

/// A player whose answers a test scripts, on a loopback port.
public typealias ScriptedMPD = ScriptedServer<AcceptedMPDClient>

/// A connection that a ``ScriptedMPD`` has accepted.
///
/// The class has no mutable state of its own.
public final class AcceptedMPDClient: ScriptedConnection, @unchecked Sendable {
    /// Lines without a carriage return, which would be part of a value.
    private struct LineFeedFraming: Framing {
        private var lines = LineFraming()
        let ending = "\n"

        mutating func split(_ bytes: ArraySlice<UInt8>) -> [String] { lines.split(bytes) }
    }

    override public class var framing: any Framing { LineFeedFraming() }
}
