import HeybotMPD
import HeybotTesting
import MPDClient
import TestServers
import Testing

/// A real MPD, which is also killed and started again.
@Suite(.serialized, .enabled(if: MPDServer.isInstalled), .timeLimit(.minutes(15))) struct RealPlayerTests {
    @Test func `it is used over TCP and over a Unix socket`() async throws {
        let server = try await MPDServer.start()
        for address in ["127.0.0.1:\(server.port)", server.socketPath] {
            let player = try player(address)
            #expect(try await player.status("state") == "stop")
            let found = try await player.perform([.search("any", ["miles", "BLUE"], limit: 10)])
            #expect(found.flatMap(MPDSong.all).map(\.title) == ["Blue in Green"])
        }
        await server.stop()
    }

    @Test func `names with quotes and other scripts arrive as they are`() async throws {
        let server = try await MPDServer.start()
        let player = try player("127.0.0.1:\(server.port)")
        for tone in MPDServer.library {
            let found = try await player.perform([MPDCommand("find", "file", tone.file)]).flatMap(MPDSong.all)
            #expect(found.map(\.file) == [tone.file])
            #expect(found.first?.title == tone.title)
            #expect(found.first?.artist == tone.artist)
        }
        #expect(message(of: await player.failure(try .add("no such file"))) == "No such song")
        await server.stop()
    }

    @Test func `the longest command is accepted`() async throws {
        let server = try await MPDServer.start()
        let player = try player("127.0.0.1:\(server.port)")
        let words = String(repeating: "\"", count: 1_900)
        #expect(try await player.perform([.search("any", [words], limit: 10)]).flatMap(MPDSong.all) == [])
        await server.stop()
    }

    @Test func `passwords are used, and their absence is named`() async throws {
        let server = try await MPDServer.start(password: "swordfish")
        let address = "127.0.0.1:\(server.port)"
        #expect(await (try player(address, password: "swordfish")).failure(.status, .stop) == nil)
        #expect(await (try player(address, password: "guess")).failure(.status) == .wrongPassword)
        #expect(await (try player(address)).failure(.status) == .needsPassword)
        await server.stop()
    }

    @Test func `it reports changes that another client makes`() async throws {
        let server = try await MPDServer.start()
        let player = try player(server.socketPath)
        var changes = player.changes().makeAsyncIterator()
        #expect(await changes.next() != nil)
        let other = try RawMPDClient(connectingTo: server.port)
        other.send("add \"Björk/Jóga.wav\"", "play")
        while true {
            #expect(await changes.next() != nil)
            if try await player.status("state") == "play" { break }
        }
        await server.stop()
    }

    @Test(arguments: [true, false]) func `it comes back after the player was killed`(_ isSocket: Bool) async throws {
        let server = try await MPDServer.start()
        let log = TestLog()
        let player = try player(isSocket ? server.socketPath : "127.0.0.1:\(server.port)", log: log)
        _ = try await player.perform([.add("Björk/Jóga.wav"), .play])
        #expect(try await player.status("state") == "play")
        await server.stop(gracefully: false)
        let failure = await player.failure(.status)
        #expect(failure == .lost(mayBeDone: true) || message(of: failure).contains("can't be reached"))
        try await wait(for: "a word in the log") { !log.lines(from: .warning).isEmpty }
        try await server.start()
        // An attempt may have begun before it started.
        while await player.failure(.status) != nil {}
        try await wait(for: "its return in the log") { log.lines(from: .notice).last?.contains("is back") == true }
        await server.stop()
    }

    @Test func `a frozen player is given up`() async throws {
        let server = try await MPDServer.start()
        let player = try player("127.0.0.1:\(server.port)", timeout: .seconds(2))
        while await player.failure(.status) != nil {}
        server.pause()
        let failure = await player.failure(.status)
        #expect(failure == .timedOut(mayBeDone: false) || failure == .timedOut(mayBeDone: true), "\(failure as Any)")
        server.resume()
        while await player.failure(.status) != nil {}
        await server.stop()
    }

    @Test func `many callers share it`() async throws {
        let server = try await MPDServer.start()
        let player = try player(server.socketPath, mostRequests: 200)
        try await withThrowingTaskGroup(of: String?.self) { group in
            for level in 0..<100 {
                group.addTask { try await player.perform([.volume(level), .status]).last?["volume"] }
            }
            var levels: [String] = []
            for try await level in group { levels.append(level ?? "") }
            // Nothing comes between the commands of a request.
            #expect(Set(levels) == Set((0..<100).map { "\($0)" }))
        }
        await server.stop()
    }
}
