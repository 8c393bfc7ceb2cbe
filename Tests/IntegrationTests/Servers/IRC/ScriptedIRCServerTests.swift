import Foundation
import HeybotSASL
import TestServers
import Testing

/// The server that a test plays itself, and the client that a test plays.
@Suite(.timeLimit(.minutes(15))) struct ScriptedIRCServerTests {
    @Test func `it goes through the beginning of a connection`() async throws {
        let server = try ScriptedIRCServer()
        let client = try RawIRCClient(port: server.port)
        client.send("CAP LS 302", "PASS secret", "NICK heybot", "USER bot 0 * :the robot: itself")
        let accepted = try await server.accept()
        async let registered = accepted.welcome(
            RegistrationScript(capabilities: ["server-time", "batch"], support: ["NICKLEN=9"], takenNicks: ["heybot"]))
        try await client.expect("CAP * LS :server-time batch")
        try await client.expect(" 433 * heybot ")
        client.send("NICK heybot_", "CAP REQ :nothing")
        try await client.expect("NAK :nothing")
        client.send("CAP REQ :batch", "CAP END")
        try await client.expect(" 001 heybot_ ")
        try await client.expect(" 005 heybot_ NICKLEN=9 ")
        try await client.expect(" 376 ")
        let said = try await registered
        #expect(said.nick == "heybot_" && said.user == "bot" && said.realName == "the robot: itself")
        #expect(said.password == "secret" && said.capabilities == ["batch"] && said.account == nil)
    }

    @Test func `it answers joins and pings by itself`() async throws {
        let server = try ScriptedIRCServer()
        let client = try RawIRCClient(port: server.port)
        let accepted = try await server.accept()
        accepted.answerJoins(of: "heybot!bot@host", others: ["@alice"])
        accepted.answerPings()
        client.send("JOIN #a,#b", "PING :x y")
        try await client.expect(":heybot!bot@host JOIN #a")
        try await client.expect(" 353 heybot = #a :heybot @alice")
        try await client.expect(" 366 heybot #b ")
        #expect(try await client.next() == ":irc.test PONG irc.test :x y")
        #expect(try await accepted.next() == "JOIN #a,#b")
        accepted.send("PING :z", ":irc.test PING :w")
        try await accepted.expect("PONG :z")
        try await accepted.expect("PONG :w")
    }

    @Test(arguments: [Mechanism.plain, .scramSHA1, .scramSHA256, .scramSHA512])
    func `clients log in to it`(_ mechanism: Mechanism) async throws {
        // So long that what a client sends comes in pieces.
        let account = String(repeating: "a", count: 400)
        let server = try ScriptedIRCServer()
        let client = try RawIRCClient(port: server.port)
        let accepted = try await server.accept()
        async let registered = accepted.welcome(
            RegistrationScript(capabilities: ["sasl"], login: (account, "pencil")))
        client.send("CAP LS 302", "NICK heybot", "USER bot 0 * :robot", "CAP REQ :sasl")
        try await client.expect("ACK")
        for (password, number) in [("wrong", " 904 "), ("pencil", " 903 ")] {
            let nonce = "fyko+d2lbbFgONRv9qkxdawL"
            var login = try SASLClient(mechanism, Credentials(account: account, password: password), nonce: nonce)
            client.send("AUTHENTICATE \(mechanism.rawValue)")
            try await client.expect("AUTHENTICATE +")
            say(login.begin(), client)
            while true {
                let line = try await client.expect(where: { $0.hasPrefix("AUTHENTICATE ") || $0.contains(" 90") })
                if line.contains(" 900 ") { continue }
                guard line.hasPrefix("AUTHENTICATE ") else {
                    #expect(line.contains(number))
                    break
                }
                let challenge = try #require(Data(base64Encoded: String(line.dropFirst(13))))
                say(try login.respond(to: Array(challenge)), client)
            }
            if password == "pencil" { try login.finish(nil) }
        }
        client.send("CAP END")
        let said = try await registered
        #expect(said.account == account && said.mechanism == mechanism.rawValue)
    }

    @Test func `it refuses connections and comes back`() async throws {
        let server = try ScriptedIRCServer()
        let first = try RawIRCClient(port: server.port)
        let accepted = try await server.accept()
        server.stopListening()
        #expect(throws: TestServerError.self) { try RawIRCClient(port: server.port) }
        accepted.send("still here")
        try await first.expect("still here")
        try server.listen()
        #expect(server.connections == 1)
        _ = try RawIRCClient(port: server.port)
        _ = try await server.accept()
    }

    @Test func `either side ends it`() async throws {
        let server = try ScriptedIRCServer()
        var client = try RawIRCClient(port: server.port)
        var accepted = try await server.accept()
        client.send("one", "two")
        try await accepted.expect("two")
        accepted.sendRaw("last\nhalf a li".utf8)
        accepted.close()
        try await client.expect("last")
        await #expect(throws: TestServerError.self) { try await client.expect("half") }
        #expect(client.hasEnded && client.lines == ["last"])

        client = try RawIRCClient(port: server.port)
        accepted = try await server.accept()
        accepted.reset()
        try await client.expectEnd()
        client = try RawIRCClient(port: server.port)
        accepted = try await server.accept()
        client.close()
        try await accepted.expectEnd()
        accepted.send("nobody hears it")
    }

    @Test func `it can leave what comes unread`() async throws {
        let server = try ScriptedIRCServer()
        let client = try RawIRCClient(port: server.port)
        let accepted = try await server.accept()
        accepted.stopReading()
        client.send((1...100_000).map { "line \($0) with something more in it, to fill what buffers there are" })
        try await wait(for: "something to lie there") { accepted.unread > 10_000 || !accepted.lines.isEmpty }
        #expect(accepted.lines.count < 2)
        accepted.resumeReading()
        try await accepted.expect("line 100000 ")
        #expect(accepted.lines.count == 100_000)
    }

    @Test func `the error says what came instead`() async throws {
        let server = try ScriptedIRCServer()
        let client = try RawIRCClient(port: server.port)
        let accepted = try await server.accept()
        accepted.send("one", "two")
        try await wait(for: "both") { client.lines.count == 2 }
        do {
            try await client.expect("three", within: .zero)
            Issue.record("it came")
        } catch { #expect("\(error)" == "three didn't come in time, but\n    one\n    two") }
        accepted.send("four")
        try await client.expect("four")
    }

    /// In pieces of 400, as IRC wants it.
    private func say(_ response: [UInt8], _ client: RawIRCClient) {
        var rest = Data(response).base64EncodedString()[...]
        while rest.utf8.count >= 400 {
            client.send("AUTHENTICATE \(rest.prefix(400))")
            rest = rest.dropFirst(400)
        }
        client.send("AUTHENTICATE \(rest.isEmpty ? "+" : rest)")
    }
}
