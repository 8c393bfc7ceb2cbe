import Foundation
import HeybotSASL
import TestServers
import Testing

/// Real servers, spoken to by hand.
@Suite struct IRCServerTests {
    @Test(.enabled(if: IRCServer.hasNgircd), .timeLimit(.minutes(15)))
    func `ngircd lets clients talk`() async throws {
        let server = try await IRCServer.ngircd()
        let (alice, bob) = (try RawIRCClient(port: server.port), try RawIRCClient(port: server.port))
        #expect(try await alice.register("alice").contains("Tests IRC Network") == false)
        try await bob.register("bob")
        alice.send("JOIN #test")
        try await alice.expect(" 366 alice #test ")
        bob.send("JOIN #test")
        try await alice.expect(":bob!", "JOIN :#test")
        bob.send("PRIVMSG #test :hello")
        try await alice.expect(/^:bob!\S+ PRIVMSG #test :hello$/)
        alice.send("OPER oper oper")
        try await alice.expect(" 381 ")
        alice.send("KILL bob :bye")
        try await bob.expect("ERROR :")
        try await bob.expectEnd()
        try await ends(server)
    }

    @Test(.enabled(if: IRCServer.hasNgircd), .timeLimit(.minutes(15)))
    func `ngircd has TLS, with a certificate of the test's own`() async throws {
        let server = try await IRCServer.ngircd(tls: true)
        let (port, file) = (try #require(server.tlsPort), try #require(server.caFile))
        let client = try RawIRCClient(tlsPort: port, caFile: file)
        try await client.register("alice")
        let other = try await CertificateAuthority()
        let suspicious = try RawIRCClient(tlsPort: port, caFile: other.file)
        suspicious.send("NICK bob", "USER bob 0 * :bob")
        try await suspicious.expect("certificate verify failed")
        try await ends(server)
    }

    @Test(
        .enabled(if: IRCServer.hasNgircd), .timeLimit(.minutes(15)),
        arguments: [(ServerCertificate.wrongName, "mismatch"), (.expired, "verify failed")])
    func `bad certificates are bad`(_ certificate: ServerCertificate, _ reason: String) async throws {
        let server = try await IRCServer.ngircd(tls: certificate)
        let (port, file) = (try #require(server.tlsPort), try #require(server.caFile))
        let client = try RawIRCClient(tlsPort: port, caFile: file)
        client.send("NICK bob", "USER bob 0 * :bob")
        do {
            try await client.register("bob")
            Issue.record("it was taken")
        } catch { #expect("\(error)".contains(reason)) }
        await server.stop()
    }

    @Test(.enabled(if: IRCServer.hasNgircd), .timeLimit(.minutes(15)))
    func `ngircd has a password, short nicks and pings where they're asked for`() async throws {
        let server = try await IRCServer.ngircd(nickLength: 9, password: "secret", pingAfter: 1)
        let client = try RawIRCClient(port: server.port, answersPings: false)
        client.send("PASS secret")
        try await client.register("alice")
        #expect(client.lines.contains { $0.contains(" 005 ") && $0.contains("NICKLEN=9 ") })
        try await client.expect("PING")
        let stranger = try RawIRCClient(port: server.port)
        stranger.send("NICK bob", "USER bob 0 * :bob")
        try await stranger.expect("ERROR")
        try await ends(server)
    }

    @Test(.enabled(if: IRCServer.hasNgircd), .timeLimit(.minutes(15)), arguments: [true, false])
    func `ngircd's penalties make clients wait, or don't`(_ penalties: Bool) async throws {
        let server = try await IRCServer.ngircd(penalties: penalties)
        let client = try RawIRCClient(port: server.port)
        try await client.register("alice")
        let start = ContinuousClock.now
        for _ in 0..<45 { client.send("JOIN #a", "PART #a") }
        client.send("PING :last")
        try await client.expect("PONG", "last")
        // Without penalties it takes as long as the machine is busy; with them seconds, which ngircd counts by the clock.
        if penalties { #expect(ContinuousClock.now - start > .seconds(1)) }
        await server.stop()
    }

    @Test(.enabled(if: IRCServer.hasInspIRCd), .timeLimit(.minutes(15)))
    func `inspircd has IRCv3's capabilities`() async throws {
        let server = try await IRCServer.inspircd()
        let client = try RawIRCClient(port: server.port)
        client.send("CAP LS 302")
        let list = try await client.expect("CAP * LS")
        for name in [
            "account-notify", "account-tag", "away-notify", "batch", "cap-notify", "chghost", "echo-message",
            "extended-join", "invite-notify", "labeled-response", "message-tags", "multi-prefix", "server-time",
            "setname", "userhost-in-names"
        ] { #expect(list.contains(name), "\(name)") }
        #expect(!list.contains("sasl"))
        client.send("CAP REQ :echo-message message-tags server-time", "CAP END")
        try await client.register("alice")
        #expect(client.lines.contains { $0.contains(" 005 ") && $0.contains(" BOT=B ") })
        client.send("PRIVMSG alice :hello")
        try await client.expect(/^@\S*time=\S* :alice!\S+ PRIVMSG alice :hello$/)
        try await ends(server)
    }

    @Test(.enabled(if: IRCServer.hasInspIRCd), .timeLimit(.minutes(15)))
    func `an operator of inspircd changes hosts and throws people out`() async throws {
        let server = try await IRCServer.inspircd()
        let (oper, client) = (try RawIRCClient(port: server.port), try RawIRCClient(port: server.port))
        client.send("CAP REQ :chghost", "CAP END")
        try await client.register("alice")
        try await oper.register("boss")
        oper.send("OPER \(IRCServer.oper.name) \(IRCServer.oper.password)")
        try await oper.expect(" 381 ")
        oper.send("CHGHOST alice elsewhere.test")
        try await client.expect("elsewhere.test")
        oper.send("KILL alice :bye")
        try await client.expect(" KILL alice ")
        try await client.expectEnd()
        try await ends(server)
    }

    @Test(
        .enabled(if: IRCServer.hasInspIRCd), .timeLimit(.minutes(15)),
        arguments: [IRCServer.FloodRule.none, .slows, .throwsOut])
    func `inspircd does to floods what it's told to`(_ rule: IRCServer.FloodRule) async throws {
        let server = try await IRCServer.inspircd(floods: rule)
        let client = try RawIRCClient(port: server.port)
        try await client.register("alice")
        let start = ContinuousClock.now
        client.send((1...20).map { "PING :\($0)" })
        switch rule {
        case .none:
            try await client.expect("PONG", ":20")
        case .slows:
            try await client.expect("PONG", ":14")
            #expect(ContinuousClock.now - start > .seconds(1))
        case .throwsOut:
            try await client.expect("ERROR", "Excess Flood")
        }
        await server.stop()
    }

    @Test(.enabled(if: IRCServer.hasInspIRCd && IRCServer.hasServices), .timeLimit(.minutes(15)))
    func `the services take a password by PLAIN, and know no SCRAM`() async throws {
        let server = try await IRCServer.inspircd(services: true)
        try await server.register(account: "heybot", password: "secret")
        #expect(server.processes.count == 2)
        let client = try RawIRCClient(port: server.port)
        client.send("CAP LS 302")
        try await client.expect("CAP * LS", "sasl=PLAIN,EXTERNAL")
        client.send("CAP REQ :sasl")
        try await client.expect("ACK")
        client.send("AUTHENTICATE SCRAM-SHA-256")
        try await client.expect(" 904 ")
        for (password, answer) in [("wrong", " 904 "), ("secret", " 903 ")] {
            var login = try SASLClient(.plain, Credentials(account: "heybot", password: password), nonce: "")
            client.send("AUTHENTICATE PLAIN")
            try await client.expect("AUTHENTICATE", "+")
            client.send("AUTHENTICATE \(Data(login.begin()).base64EncodedString())")
            try await client.expect(answer)
        }
        client.send("CAP END")
        try await client.register("heybot")
        // What they know outlives them.
        await server.stop()
        try await server.start()
        let second = try RawIRCClient(port: server.port)
        try await second.register("heybot2")
        second.send("PRIVMSG NickServ :IDENTIFY heybot secret")
        try await second.expect("You are now logged in as")
        try await ends(server)
    }

    @Test(.enabled(if: IRCServer.hasInspIRCd && IRCServer.hasServices), .timeLimit(.minutes(15)))
    func `the services take a certificate by EXTERNAL`() async throws {
        let server = try await IRCServer.inspircd(services: true, tls: .good)
        let authority = try #require(server.authority)
        let certificate = try await authority.issue(["heybot"])
        try await server.register(account: "heybot", password: "secret")
        try await server.trust(certificate.fingerprint, for: "heybot", password: "secret")
        let client = try RawIRCClient(
            tlsPort: try #require(server.tlsPort), caFile: authority.file, certificate: certificate)
        client.send("CAP REQ :sasl")
        try await client.expect("ACK")
        client.send("AUTHENTICATE EXTERNAL")
        try await client.expect("AUTHENTICATE", "+")
        client.send("AUTHENTICATE +")
        try await client.expect(" 900 ", "logged in as heybot")
        try await client.expect(" 903 ")
        try await ends(server)
    }

    @Test(.enabled(if: IRCServer.hasNgircd), .timeLimit(.minutes(15)))
    func `a server stops, comes back and pauses`() async throws {
        let server = try await IRCServer.ngircd()
        let client = try RawIRCClient(port: server.port)
        try await client.register("alice")
        await server.stop(gracefully: false)
        try await client.expectEnd()
        #expect(throws: TestServerError.self) { try RawIRCClient(port: server.port) }
        try await server.start()
        let second = try RawIRCClient(port: server.port)
        try await second.register("alice")
        server.pause()
        try await wait(for: "it to stand still") { server.processes.allSatisfy(ChildProcess.isStopped) }
        second.send("PING :x")
        server.resume()
        try await second.expect("PONG")
        server.pause()
        try await ends(server)
    }

    @Test(.enabled(if: IRCServer.hasNgircd), .timeLimit(.minutes(15)))
    func `a server that nobody holds any more ends`() async throws {
        let process = try await { try #require(try await IRCServer.ngircd().processes.first) }()
        // It was waited for, so that nobody else has its number yet.
        #expect(kill(process, 0) == -1 && errno == ESRCH)
    }

    /// That nothing of it is left.
    private func ends(_ server: IRCServer, at place: SourceLocation = #_sourceLocation) async throws {
        let processes = server.processes
        #expect(!processes.isEmpty, sourceLocation: place)
        await server.stop()
        #expect(server.processes.isEmpty, sourceLocation: place)
        for process in processes { #expect(kill(process, 0) == -1 && errno == ESRCH, sourceLocation: place) }
    }
}
