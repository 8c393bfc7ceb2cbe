import HeybotMPD
import HeybotTesting
import MPDClient
import TestServers
import Testing

/// Players that behave as real ones rarely do.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ScriptedPlayerTests {
    private let server: ScriptedMPD

    init() throws {
        server = try ScriptedMPD()
    }

    private var address: String { "127.0.0.1:\(server.port)" }

    /// Greets, and waits for a command.
    private func accept(_ command: String) async throws -> AcceptedMPDClient {
        let client = try await server.accept()
        client.send("OK MPD 0.23.5")
        try await client.expect(command)
        return client
    }

    @Test func `it connects with the first request, and waits for changes after it`() async throws {
        let player = try player(address)
        #expect(server.connections == 0)
        async let volume = player.status("volume")
        let client = try await accept("status")
        client.send("volume: 40", "OK")
        #expect(try await volume == "40")
        try await client.expect("idle")
    }

    @Test func `a player that doesn't greet is given up`() async throws {
        let player = try player(address, timeout: .seconds(1))
        #expect(await player.failure(.ping) == .timedOut(mayBeDone: false))
        try await server.accept().expectEnd()
    }

    @Test func `a player that doesn't answer is given up, and tried again`() async throws {
        // Time enough for this test to greet, also on a busy machine.
        let player = try player(address, timeout: .seconds(15))
        async let failure = player.failure(.next)
        let client = try await accept("next")
        #expect(await failure == .timedOut(mayBeDone: true))
        try await client.expectEnd()
        async let other = player.failure(.ping)
        try await accept("ping").send("OK")
        #expect(await other == nil)
    }

    @Test func `half a line isn't an answer`() async throws {
        let player = try player(address, timeout: .seconds(15))
        async let failure = player.failure(.status)
        let client = try await accept("status")
        client.sendRaw("volume: 40\nO".utf8)
        #expect(await failure == .timedOut(mayBeDone: true))
    }

    @Test(arguments: ["volume: 40\n", "x", "list_OK\n"])
    func `a player that never ends an answer is given up, and costs little memory`(_ piece: String) async throws {
        let player = try player(address)
        async let failure = player.failure(.status)
        let client = try await accept("status")
        let before = residentMemory()
        client.sendRaw(Array(String(repeating: piece, count: 3 * MPDSession.longestAnswer / piece.utf8.count).utf8))
        #expect(message(of: await failure).hasPrefix("it sent"))
        try await client.expectEnd()
        #expect(residentMemory() - before < 50_000)
    }

    @Test func `something else than a player is named`() async throws {
        let log = TestLog()
        let player = try player(address, log: log)
        async let failure = player.failure(.status)
        try await server.accept().send("SSH-2.0-OpenSSH_9.2")
        #expect(message(of: await failure) == "its greeting isn't MPD's")
        try await wait(for: "a word in the log") { !log.lines(from: .warning).isEmpty }
        #expect(log.lines(from: .warning).first?.contains("\(address) isn't a music player") == true)
    }

    @Test func `a request that was sent fails if the player hangs up, and one that wasn't waits`() async throws {
        let player = try player(address, mostRequests: 2)
        async let sent = player.failure(.next)
        let client = try await accept("next")
        let unsent = Task {
            while true {
                let failure = await player.failure(.stop)
                if failure != .busy { return failure }
            }
        }
        // Once it is waiting, a further one is too much.
        while await player.failure(.ping, within: .milliseconds(20)) != .busy {}
        client.close()
        #expect(await sent == .lost(mayBeDone: true))
        try await accept("stop").send("OK")
        #expect(await unsent.value == nil)
    }

    @Test func `a refused connection is the answer, at once, each time`() async throws {
        server.stopListening()
        let log = TestLog()
        let player = try player(address, log: log)
        for _ in 0..<3 {
            let failure = await player.failure(.status)
            #expect(message(of: failure) == "\(address) can't be reached (connection refused)")
        }
        try server.listen()
        async let answered = player.failure(.status)
        let client = try await accept("status")
        client.send("OK")
        #expect(await answered == nil)
        let lines = log.lines(from: .notice)
        #expect(lines.count == 2)
        #expect(lines.first?.contains("no music: \(address) can't be reached") == true)
        #expect(lines.last?.contains("is back") == true)
        client.close()
    }

    @Test func `a canceled request ends, and doesn't confuse the next`() async throws {
        let player = try player(address)
        let canceled = Task { await player.failure(.status) }
        let client = try await accept("status")
        canceled.cancel()
        #expect(await canceled.value == .timedOut(mayBeDone: true))
        async let next = player.status("volume")
        client.send("volume: 1", "OK")
        try await client.expect("status")
        client.send("volume: 2", "OK")
        #expect(try await next == "2")
    }

    @Test func `it closes the connection with its last reference`() async throws {
        var player: MPDPlayer? = try player(address)
        let changes = player?.changes()
        let client = try await accept("idle")
        player = nil
        try await client.expectEnd()
        if let changes { for await _ in changes {} }
    }

    @Test func `changes are reported, and the connection counts as one`() async throws {
        let player = try player(address)
        var changes = player.changes().makeAsyncIterator()
        let client = try await accept("idle")
        #expect(await changes.next() != nil)
        client.send("changed: mixer", "OK")
        try await client.expect("idle")
        client.send("changed: player", "OK")
        #expect(await changes.next() != nil)
        client.close()
        _ = try await accept("idle")
        #expect(await changes.next() != nil)
    }
}
