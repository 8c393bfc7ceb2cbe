import HeybotMPD
import HeybotTesting
import Testing

/// What a player sends that is broken, or isn't a player.
@Suite struct HostilePlayerTests {
    private static let transcript = """
        OK MPD 0.23.5
        changed: player
        OK
        state: play
        list_OK
        file: Björk/Jóga.wav
        list_OK
        OK

        """

    private func played(_ pieces: [[UInt8]]) -> [String] {
        var player = SessionPlayer()
        player.requests(1, .status, .currentSong)
        for piece in pieces { player.receives(piece) }
        return player.takeDone()
    }

    @Test func `lines may come in any pieces`() {
        // The request comes first, so the change is a part of no answer.
        let bytes = Array(Self.transcript.replacing("changed: player\nOK\n", with: "").utf8)
        let whole = played([bytes])
        #expect(whole.last == "> idle")
        #expect(whole.count == 4)
        for cut in bytes.indices { #expect(played([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole) }
        #expect(played(bytes.map { [$0] }) == whole)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 400 Bad Request\n", "\n", "OK\n",
        "OK MPD \(String(repeating: "x", count: 100))\n"
    ])
    func `something else isn't a player`(_ greeting: String) {
        var player = SessionPlayer()
        player.receives(greeting)
        #expect(player.takeDone() == ["fail notAPlayer(\"its greeting isn\\'t MPD\\'s\")"])
        // It is left alone from then on.
        player.receives("OK MPD 0.23.5\n")
        player.requests(1, .ping)
        #expect(player.takeDone() == [])
    }

    @Test func `an endless line has an end`() {
        var player = SessionPlayer.idling()
        var size = 0
        while player.takeDone().isEmpty, size < 1 << 20 {
            player.receives([UInt8](repeating: 0x61, count: 4_096))
            size += 4_096
        }
        #expect(size < 80_000)
    }

    @Test func `a long line within a piece counts too`() {
        var player = SessionPlayer.idling()
        player.receives("a: " + String(repeating: "x", count: 65_536) + "\n")
        #expect(player.takeDone().first?.hasPrefix("fail notAPlayer(\"it sent a line of more than") == true)
    }

    @Test(arguments: ["a: b\n", "list_OK\n", "file: x\nlist_OK\n", "changed: player\n"])
    func `an endless answer has an end`(_ piece: String) {
        var player = SessionPlayer.idling()
        player.requests(1, .status)
        player.receives("OK\n")
        _ = player.takeDone()
        let pieces = Array(String(repeating: piece, count: 1_000).utf8)
        var count = 0
        while player.takeDone().isEmpty, count < 1_000 {
            player.receives(pieces)
            count += 1
        }
        #expect(count < 1_000)
        #expect(player.session.unanswered.sent == 1)
    }

    @Test func `endless changes have an end`() {
        var player = SessionPlayer.idling()
        player.receives(String(repeating: "changed: player\n", count: 1_000) + "OK\n")
        let done = player.takeDone()
        #expect(done.count == 2)
        #expect(done.first?.split(separator: " ").count == 33)
    }

    @Test(arguments: ["nonsense\n", ": x\n", "\n", "ACK nonsense\n", "ACK [99999999999999999999@0] {x} y\n"])
    func `nonsense ends the connection`(_ line: String) {
        var player = SessionPlayer.idling()
        player.requests(1, .status)
        player.receives("OK\n")
        _ = player.takeDone()
        player.receives(line)
        let done = player.takeDone()
        #expect(done.count == 1)
        // An unknown ACK has a name before its colon only by chance.
        #expect(done.first?.hasPrefix("fail") == true, "\(done)")
    }

    @Test func `an answer to nothing ends the connection`() {
        var player = SessionPlayer()
        player.receives("OK MPD 0.23.5\nACK [4@0] {idle} no\nOK\n")
        #expect(player.takeDone().last == "fail notAPlayer(\"it sent a line without being asked\")")
    }

    @Test(arguments: ["OK\n", "list_OK\nOK\n", "list_OK\nlist_OK\nlist_OK\nOK\n"])
    func `a list needs as many answers as commands`(_ answer: String) {
        var player = SessionPlayer.idling()
        player.requests(1, .status, .currentSong)
        player.receives("OK\n")
        _ = player.takeDone()
        player.receives(answer)
        let done = player.takeDone()
        #expect(done.first == "1 failed: lost(mayBeDone: true)")
        #expect(done.last?.hasPrefix("fail notAPlayer") == true)
    }

    @Test func `bytes that aren't UTF-8 are replaced`() {
        var player = SessionPlayer.idling()
        player.requests(1, .status)
        player.receives(Array("OK\nTitle: a".utf8) + [0xff, 0x00] + Array("b\nOK\n".utf8))
        #expect(player.takeDone().contains("1: Title=a\u{fffd}\0b"))
    }

    @Test func `random pieces of the protocol end in an answer or a failure`() {
        let pieces = [
            "OK\n", "OK MPD 0.23.5\n", "list_OK\n", "ACK [4@0] {x} y\n", "file: a\n", "changed: player\n", "x", "\n",
            ":",
            "ACK [", "\u{0}"
        ]
        for seed in 0..<2_000 {
            var random = SeededGenerator(seed: UInt64(seed))
            var player = SessionPlayer(password: seed % 2 == 0 ? "p" : nil)
            player.receives("OK MPD 0.23.5\n")
            var requested = 0
            for _ in 0..<30 {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    requested += 1
                    player.requests(requested, .status)
                } else {
                    player.receives(pieces.randomElement(using: &random) ?? "")
                }
            }
            let done = player.takeDone()
            let answered = done.count { $0.first?.isNumber == true }
            let left = player.session.unanswered
            let unanswered = left.unsent.count + (left.sent == nil ? 0 : 1)
            // After a failure, requests are the caller's to end.
            #expect(done.contains { $0.hasPrefix("fail") } || answered + unanswered == requested, "\(seed): \(done)")
        }
    }
}
