import Heybot
import HeybotTesting
import IRCAdapter
import StandardScripts
import TestServers
import Testing

/// Music from an IRC channel, on a real MPD.
@Suite(.timeLimit(.minutes(15))) struct MusicTests {
    /// Songs that don't end meanwhile.
    private static let songs = [
        Tone("Miles Davis/Blue in Green.wav", title: "Blue in Green", artist: "Miles Davis", seconds: 1_200),
        Tone("Miles Davis/So What.wav", title: "So What", artist: "Miles Davis", seconds: 1_200),
        Tone("Björk/Jóga.wav", title: "Jóga", artist: "Björk", seconds: 1_200)
    ]

    @Test(.enabled(if: IRCServer.hasNgircd && MPDServer.isInstalled))
    func `people in two channels play music, each on their own player, one of which is killed meanwhile`() async throws
    {
        let irc = try await IRCServer.ngircd()
        let (lab, den) = (try await MPDServer.start(Self.songs), try await MPDServer.start(Self.songs))
        var network = IRCAdapter.Configuration(
            servers: [.init(host: "127.0.0.1", port: irc.port)], channels: ["#lab", "#den"])
        // Ada repeats commands until the player is gone, and until it is back.
        network.commandLimit = UserCommandRateLimit(burst: 0)
        network.connection.pingTimeout = .testLimit
        let robot = Robot(
            name: "marvin", adapters: [try IRCAdapter(network)], brain: Brain(store: MemoryStore()), scripts: [Play()],
            settings: ["MPD_ROOMS": "#lab=127.0.0.1:\(lab.port), irc:#den=\(den.socketPath)"],
            limits: .forBusyMachine, logger: TestLog().logger)
        let running = Task { try await robot.run() }
        try await wait(for: "the robot to be up: \(robot.adapters.map(\.status))") {
            robot.adapters.allSatisfy { if case .up = $0.status { true } else { false } }
        }
        let ada = try RawIRCClient(port: irc.port)
        _ = try await ada.register("ada")
        for channel in ["#lab", "#den"] {
            ada.send("JOIN \(channel)")
            try await ada.expect("366", channel)
        }

        let grace = try RawIRCClient(port: irc.port)
        _ = try await grace.register("grace")
        for channel in ["#lab", "#den"] {
            grace.send("JOIN \(channel)")
            try await grace.expect("366", channel)
        }

        ada.send("PRIVMSG #lab :marvin: say now playing")
        try await ada.expect("PRIVMSG #lab :ada: I'll announce each song in #lab.")
        ada.send("PRIVMSG #lab :marvin: play so what")
        try await ada.expect("PRIVMSG #lab :Playing So What by Miles Davis.")
        try await grace.expect("PRIVMSG #lab :Now playing: So What by Miles Davis")
        ada.send("PRIVMSG #den :marvin: play jóga")
        try await ada.expect("PRIVMSG #den :Playing Jóga by Björk.")
        ada.send("PRIVMSG #lab :marvin: pause")
        try await ada.expect("PRIVMSG #lab :Paused.")
        ada.send("PRIVMSG #den :marvin: what's playing?")
        try await ada.expect("PRIVMSG #den :Jóga by Björk, ")
        grace.send("PRIVMSG #lab :marvin: what's playing?")
        try await grace.expect("PRIVMSG #lab :Paused: So What by Miles Davis, ", "ada queued it")
        grace.send("PRIVMSG #lab :marvin: play")
        try await grace.expect("PRIVMSG #lab :Playing So What by Miles Davis.")

        await lab.stop(gracefully: false)
        ada.send("PRIVMSG #den :marvin: play blue in green")
        try await ada.expect("PRIVMSG #den :Blue in Green by Miles Davis is next.")
        grace.send("PRIVMSG #den :marvin: queue")
        try await grace.expect("PRIVMSG #den :▶ Jóga by Björk")
        try await grace.expect("PRIVMSG #den :2. Blue in Green by Miles Davis (ada)")
        var said = ""
        while !said.contains("can't be reached") {
            ada.send("PRIVMSG #lab :marvin: what's playing?")
            said = try await ada.expect("PRIVMSG #lab :")
        }
        try await lab.start()
        while !said.contains("Playing Blue in Green by Miles Davis") {
            ada.send("PRIVMSG #lab :marvin: play blue in green")
            said = try await ada.expect("PRIVMSG #lab :")
        }
        robot.stop()
        try await running.value
        await lab.stop()
        await den.stop()
    }
}
