import Heybot
import HeybotTesting
import StandardScripts
import TestServers
import Testing

/// Music from chat, on a real MPD.
@Suite(.serialized, .enabled(if: MPDServer.isInstalled), .timeLimit(.minutes(15))) struct PlayTests {
    /// Says something to the robot, and returns its answers as one text.
    private func say(
        _ text: String, _ robot: TestRobot, from user: String = "alice", in room: String = "#test"
    ) async -> String {
        await robot.hears("hubot \(text)", from: user, in: room).map(\.content).joined(separator: "\n")
    }

    private func robot(_ server: MPDServer, brain: Brain = Brain(store: MemoryStore())) -> TestRobot {
        TestRobot(name: "hubot", brain: brain, settings: ["MPD_ADDRESS": "127.0.0.1:\(server.port)"], Play())
    }

    @Test func `a song is played, paused, continued and stopped`() async throws {
        let server = try await MPDServer.start()
        let robot = robot(server)
        #expect(await say("what's playing?", robot) == "Nothing is playing.")
        #expect(await say("play", robot) == "There's nothing in the queue. Try: play <song or artist>.")
        #expect(await say("pause", robot) == "Nothing is playing.")
        #expect(await say("stop", robot) == "Nothing is playing.")
        #expect(await say("next", robot) == "Nothing is playing.")
        #expect(await say("play blue in green", robot) == "Playing Blue in Green by Miles Davis.")
        let playing = await say("what's playing?", robot)
        #expect(
            playing.wholeMatch(of: /Blue in Green by Miles Davis, 0:\d\d of 1:00\. alice queued it\./) != nil,
            "\(playing)")
        #expect(await say("pause", robot) == "Paused. To continue, say \"play\".")
        #expect(await say("now playing", robot).hasPrefix("Paused: Blue in Green by Miles Davis, 0:"))
        #expect(await say("pause", robot) == "Nothing is playing.")
        #expect(await say("play", robot) == "Playing Blue in Green by Miles Davis.")
        #expect(await say("stop the music", robot) == "Stopped.")
        #expect(await say("what is playing", robot) == "Nothing is playing.")
        #expect(await say("play", robot) == "Playing Blue in Green by Miles Davis.")
        await server.stop()
    }

    @Test func `songs are queued, listed, shuffled and skipped`() async throws {
        let server = try await MPDServer.start()
        let robot = robot(server)
        #expect(await say("queue", robot) == "The queue is empty. Try: play <song or artist>.")
        #expect(await say("shuffle", robot).hasPrefix("There is nothing to shuffle"))
        #expect(await say("play so what", robot, from: "ada") == "Playing So What by Miles Davis.")
        #expect(await say("play BJÖRK", robot, from: "grace") == "Jóga by Björk is next.")
        #expect(
            await say("play yard", robot)
                == "rain \"in\" the yard is queued, after 2 songs.")
        #expect(
            await say("queue", robot) == """
                ▶ So What by Miles Davis (ada)
                2. Jóga by Björk (grace)
                3. rain "in" the yard (alice)
                """)
        #expect(await say("who queued this?", robot) == "ada queued So What by Miles Davis.")
        #expect(await say("next", robot) == "Playing Jóga by Björk.")
        #expect(await say("who queued this", robot) == "grace queued Jóga by Björk.")
        #expect(await say("what's next", robot) == "▶ Jóga by Björk (grace)\n2. rain \"in\" the yard (alice)")
        #expect(await say("skip this song", robot) == "Playing rain \"in\" the yard.")
        #expect(await say("next", robot) == "That was the last song.")
        #expect(await say("shuffle", robot) == "Shuffled.")
        #expect(await say("clear the queue", robot) == "The queue is empty now; it had 3 songs.")
        await server.stop()
    }

    @Test func `words that fit several songs play one, and count the others`() async throws {
        let server = try await MPDServer.start()
        let robot = robot(server)
        let said = await say("play miles", robot)
        #expect(said.hasPrefix("Playing ") && said.hasSuffix(" by Miles Davis (1 other match)."), "\(said)")
        // The title counts for more.
        #expect(await say("play what", robot) == "So What by Miles Davis is next.")
        #expect(await say("play something by björk", robot).hasPrefix("Jóga by Björk is queued, after"))
        #expect(await say("play polka", robot) == "I found nothing for polka.")
        #expect(await say("play something by Abba", robot) == "I found nothing for Abba.")
        #expect(await say("play \"; kill", robot) == "I found nothing for \"; kill.")
        await server.stop()
    }

    @Test func `the volume goes up and down`() async throws {
        let server = try await MPDServer.start()
        let robot = robot(server)
        #expect(await say("volume 40", robot) == "The volume is 40% now.")
        #expect(await say("volume?", robot) == "The volume is 40%.")
        #expect(await say("louder", robot) == "The volume is 50% now.")
        #expect(await say("quieter", robot) == "The volume is 40% now.")
        #expect(await say("volume to 95 %", robot) == "The volume is 95% now.")
        #expect(await say("turn it up", robot) == "The volume is 100% now.")
        #expect(
            await say("louder", robot) == "I can't go any louder: the volume is already 100%.")
        #expect(await say("volume 101", robot) == "The volume goes from 0 to 100.")
        #expect(await say("volume 99999999999999999999", robot) == "The volume goes from 0 to 100.")
        await server.stop()
    }

    @Test func `a player without a volume says so`() async throws {
        let server = try await MPDServer.start(hasVolume: false)
        #expect(
            await say("volume 40", robot(server))
                == "This player has no volume control. Its mpd.conf needs a mixer_type.")
        await server.stop()
    }

    @Test func `what people like and hate is remembered`() async throws {
        let server = try await MPDServer.start()
        let brain = Brain(store: MemoryStore())
        let first = robot(server, brain: brain)
        #expect(await say("I like this", first) == "Nothing is playing.")
        #expect(await say("play something I like", first).hasPrefix("I don't know what you like yet."))
        _ = await say("play so what", first)
        #expect(await say("I like this song", first) == "Got it: you like So What by Miles Davis.")
        #expect(
            await say("I hate this", first, from: "grace")
                == "OK, I won't choose So What by Miles Davis for you. To skip it now, say \"next\".")
        // Another robot with the same brain.
        let robot = robot(server, brain: brain)
        #expect(await say("play something I like", robot) == "So What by Miles Davis is next.")
        #expect(await say("play something I like", robot, from: "grace").hasPrefix("I don't know what you like"))
        for _ in 0..<5 {
            let said = await say("play something by miles", robot, from: "grace")
            #expect(said.hasPrefix("Blue in Green by Miles Davis"))
        }
        // What one hates is played if there is nothing else, or by name.
        #expect(await say("play so what", robot, from: "grace").hasPrefix("So What by Miles Davis"))
        #expect(await say("I don't like this", robot).hasPrefix("OK, I won't choose So What by Miles Davis for you."))
        #expect(await say("play something I like", robot).hasPrefix("I don't know what you like yet."))
        // The brain is closed with the first robot.
        #expect(first.loggedProblems == [])
        await server.stop()
    }

    @Test func `two rooms have a player each`() async throws {
        let (lab, den) = (try await MPDServer.start(), try await MPDServer.start())
        let settings = ["MPD_ROOMS": "#lab=127.0.0.1:\(lab.port), test:#den=\(den.socketPath)"]
        let robot = TestRobot(name: "hubot", settings: settings, Play())
        #expect(await say("play so what", robot, in: "#lab") == "Playing So What by Miles Davis.")
        #expect(await say("play jóga", robot, in: "#den") == "Playing Jóga by Björk.")
        #expect(await say("pause", robot, in: "#lab") == "Paused. To continue, say \"play\".")
        #expect(await say("what's playing", robot, in: "#lab").hasPrefix("Paused: So What"))
        #expect(await say("what's playing", robot, in: "#den").hasPrefix("Jóga by Björk"))
        #expect(
            await say("play", robot, in: "#hall")
                == "This room has no music player, but #lab has one. HEYBOT_MPD_ADDRESS sets a player for rooms without one."
        )
        await lab.stop()
        await den.stop()
    }

    @Test func `songs are announced where people asked for that`() async throws {
        let server = try await MPDServer.start()
        let brain = Brain(store: MemoryStore())
        let address = "127.0.0.1:\(server.port)"
        let robot = TestRobot(
            name: "hubot", admins: ["root"], brain: brain, settings: ["MPD_ADDRESS": address], Play())
        _ = await robot.advance(by: .zero)
        #expect(await say("say now playing", robot, in: "#lounge") == "I'll announce each song in #lounge.")
        #expect(
            await say("say now playing in #hall", robot, in: "#lounge")
                == "Say that in #hall itself, or ask one of my admins.")
        #expect(await say("say now playing in #hall", robot, from: "root") == "I'll announce each song in #hall.")
        _ = await say("play so what", robot)
        let first = "Now playing: So What by Miles Davis"
        try await wait(for: "the announcement: \(robot.lines)") { robot.said(in: "#lounge").contains(.text(first)) }
        try await wait(for: "the announcement: \(robot.lines)") { robot.said(in: "#hall").contains(.text(first)) }
        // Another program changes the song.
        let other = try RawMPDClient(connectingTo: server.port)
        other.send("add \"Björk/Jóga.wav\"", "next")
        let second = "Now playing: Jóga by Björk"
        try await wait(for: "the announcement: \(robot.lines)") { robot.said(in: "#lounge").contains(.text(second)) }
        #expect(
            await say("stop saying now playing", robot, in: "#lounge")
                == "I won't announce songs in #lounge any more.")
        #expect(
            await say("stop saying now playing", robot, in: "#lounge") == "I don't announce songs in #lounge.")
        other.send("add \"Miles Davis/Blue in Green.wav\"", "next")
        let third = "Now playing: Blue in Green by Miles Davis"
        try await wait(for: "the announcement: \(robot.lines)") { robot.said(in: "#hall").contains(.text(third)) }
        #expect(!robot.said(in: "#lounge").contains(.text(third)))
        #expect(robot.said(in: "#hall").filter { $0.content.hasPrefix("Now playing") }.count == 3)
        #expect(robot.said(in: "#test").allSatisfy { !$0.content.hasPrefix("Now playing") })
        await server.stop()
    }

    @Test func `the music is back after the player was killed`() async throws {
        let server = try await MPDServer.start()
        let robot = robot(server)
        _ = await say("play so what", robot)
        await server.stop(gracefully: false)
        // The first answer may be that the connection is lost.
        var said = ""
        while !said.contains("can't be reached") { said = await say("what's playing", robot) }
        #expect(
            said == "No music: 127.0.0.1:\(server.port) can't be reached (connection refused). "
                + "Start mpd there, or correct HEYBOT_MPD_ADDRESS or HEYBOT_MPD_ROOMS.")
        try await server.start()
        while said.contains("can't be reached") { said = await say("play so what", robot) }
        #expect(said.hasPrefix("Playing So What by Miles Davis"))
        await server.stop()
    }

    @Test func `a wrong or missing password is named`() async throws {
        let server = try await MPDServer.start(password: "swordfish")
        let address = "127.0.0.1:\(server.port)"
        func robot(_ settings: [String: String]) -> TestRobot {
            TestRobot(
                name: "hubot", settings: settings.merging(["MPD_ADDRESS": address]) { $1 }, Play())
        }
        #expect(
            await say("play", robot([:])) == "The music player requires a password for that: set HEYBOT_MPD_PASSWORD.")
        #expect(
            await say("play", robot(["MPD_PASSWORD": "guess"]))
                == "The music player doesn't accept my password: correct HEYBOT_MPD_PASSWORD.")
        #expect(await say("play so what", robot(["MPD_PASSWORD": "swordfish"])) == "Playing So What by Miles Davis.")
        await server.stop()
    }
}
