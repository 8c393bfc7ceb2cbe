import Heybot
import HeybotIRC
import HeybotSASL
import HeybotSockets
import HeybotSupport
import HeybotTesting
import IRCAdapter
import NetworkAdapter
import TestServers
import Testing

@Suite(.enabled(if: IRCServer.hasNgircd && IRCServer.hasInspIRCd && IRCServer.hasServices))
struct RealServerTests {
    @Test func `a conversation on ngircd`() async throws {
        let server = try await IRCServer.ngircd(penalties: false)
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        ada.send("JOIN #dev")
        try await ada.expect("366")
        try await withBot(Bot(.test(server.port, "#dev", "#ops"))) { bot in
            try await ada.expect(":marvin!", "JOIN", "#dev")
            try await bot.isUp()
            ada.send("PRIVMSG #dev :marvin: ping")
            try await ada.expect(":marvin!", "PRIVMSG #dev :PONG")
            ada.send("PRIVMSG #dev :Hello everybody")
            try await ada.expect("PRIVMSG #dev :ada: hello")
            ada.send("PRIVMSG marvin :who am I")
            try await ada.expect("PRIVMSG ada :irc:ada ada -")
            ada.send("PRIVMSG #dev :marvin wave")
            try await ada.expect("PRIVMSG #dev :\u{1}ACTION waves\u{1}")
            ada.send("PRIVMSG #dev :marvin secret")
            try await ada.expect("PRIVMSG ada :between you and me")
            ada.send("PRIVMSG #dev :marvin topic tea at four")
            try await ada.expect(":marvin!", "TOPIC #dev :tea at four")
        }
        try await ada.expect(":marvin!", "QUIT")
        await server.stop()
    }

    @Test func `a long answer is sent in pages without splitting characters`() async throws {
        let server = try await IRCServer.ngircd(penalties: false)
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("Ada")
        try await withBot(Bot(.test(server.port))) { bot in
            try await bot.isUp()
            ada.send("PRIVMSG marvin :long")
            var words: [Substring] = []
            while words.count < TestScript.long.split(separator: " ").count {
                let line = try await ada.expect("PRIVMSG Ada :")
                #expect(line.utf8.count <= 510)
                words += line.split(separator: " :", maxSplits: 1).last.map { $0.split(separator: " ") } ?? []
            }
            #expect(words == TestScript.long.split(separator: " "))
            ada.send("PRIVMSG marvin :count 9")
            try await ada.expect("PRIVMSG Ada :5")
            try await ada.expect("PRIVMSG Ada :(4 more lines: say \"more\")")
            ada.send("PRIVMSG marvin :more")
            try await ada.expect("PRIVMSG Ada :9")
            ada.send("PRIVMSG marvin :more")
            try await ada.expect("PRIVMSG Ada :That's all.")
        }
        await server.stop()
    }

    @Test func `TLS with certificate verification`() async throws {
        for certificate in [ServerCertificate.good, .wrongName, .expired] {
            let server = try await IRCServer.ngircd(tls: certificate)
            var configuration = IRCAdapter.ResolvedConfiguration.test(
                server.tlsPort ?? 0, tls: TLSOptions(trust: .authorities(file: server.caFile ?? ""), name: "localhost"),
                "#dev"
            )
            configuration.connection.refusedRetryDelay = .seconds(60)
            try await withBot(Bot(configuration)) { bot in
                switch certificate {
                case .good: try await bot.isUp()
                case .wrongName: try await bot.logs("not localhost")
                default: try await bot.logs("expired")
                }
                if certificate != .good { #expect(bot.adapter.status.description.contains("can't be trusted")) }
            }
            await server.stop()
        }
    }

    @Test func `SASL login, and other users' accounts`() async throws {
        let server = try await IRCServer.inspircd(services: true)
        try await server.register(account: "marvin", password: "pencil")
        try await server.register(account: "ada", password: "sesame")
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.account = Credentials(account: "marvin", password: "pencil")
            $0.loginFailurePolicy = .disconnect
        }
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            try await bot.logs("logged in as marvin")
            let ada = try RawIRCClient(port: server.port)
            _ = try await ada.register("countess")
            ada.send("JOIN #dev")
            try await ada.expect("welcome, countess")
            ada.send("PRIVMSG #dev :marvin: who am I")
            try await ada.expect("PRIVMSG #dev :irc:!countess countess -")
            let here = Room(id: Room.ID(adapter: "irc", value: "#dev"), name: "#DEV")
            func present() async -> [User] { await bot.adapter.users(in: here).filter { $0.name == "countess" } }
            #expect(await present().map(\.id.value) == ["!countess"])
            #expect(await present().map(\.isAnonymous) == [true])
            ada.send("PRIVMSG NickServ :IDENTIFY ada sesame")
            try await ada.expect("900")
            ada.send("PRIVMSG #dev :marvin: who am I")
            try await ada.expect("PRIVMSG #dev :irc:ada countess ada")
            #expect(await present().map(\.id.value) == ["ada"])
            #expect(await present().map(\.isAnonymous) == [false])
            #expect(await bot.adapter.users(in: here).contains { $0.name == "marvin" } == false)
            func isIn(_ name: String) async -> Bool? {
                await bot.adapter.isIn(Room(id: Room.ID(adapter: "irc", value: name)))
            }
            #expect(await isIn("#DEV") == true)
            #expect(await isIn("#dve") == false)
            #expect(await isIn("countess") == nil)
            ada.send("WHOIS marvin")
            try await ada.expect("335", "marvin")
            // Bots' messages are ignored.
            let before = ada.lines.count
            ada.send(
                "MODE countess +B", "PRIVMSG #dev :marvin: ping", "MODE countess -B", "PRIVMSG #dev :marvin: say done")
            try await ada.expect("PRIVMSG #dev :done")
            #expect(!ada.lines.dropFirst(before).contains { $0.contains("PONG") })
        }
        await server.stop()
    }

    @Test func `login by client certificate (EXTERNAL)`() async throws {
        let server = try await IRCServer.inspircd(services: true, tls: true)
        let authority = try await CertificateAuthority()
        let certificate = try await authority.issue(["marvin"])
        try await server.register(account: "marvin", password: "pencil")
        try await server.trust(certificate.fingerprint, for: "marvin", password: "pencil")
        let tls = TLSOptions(
            trust: .authorities(file: server.caFile ?? ""), name: "localhost",
            clientCertificate: TLSOptions.ClientCertificate(
                certificateFile: certificate.file, keyFile: certificate.keyFile))
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.tlsPort ?? 0, tls: tls, "#dev") {
            $0.hasCertificate = true
            $0.loginFailurePolicy = .disconnect
        }
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            try await bot.logs("logged in as marvin")
        }
        await server.stop()
    }

    @Test func `login by a key (ECDSA-NIST256P-CHALLENGE)`() async throws {
        let server = try await IRCServer.inspircd(services: true)
        try await server.register(account: "marvin", password: "pencil")
        let folder = try ScratchFolder()
        let file = folder.path("key.pem")
        try await ChildProcess.run(
            ["openssl", "ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", file], in: folder)
        var settings = IRCAdapter.Configuration(
            servers: [.init(host: "127.0.0.1", port: server.port)], channels: ["#dev"])
        settings.saslKeyFile = file
        settings.mustLogIn = true
        let resolved = try settings.resolved(robotName: "marvin")
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.signer = resolved.session.signer
            $0.loginFailurePolicy = .disconnect
        }
        configuration.connection.refusedRetryDelay = .milliseconds(200)
        try await withBot(Bot(configuration)) { bot in
            try await bot.logs("reconnecting in")
            #expect(bot.warnings.contains { $0.contains("SET PUBKEY") })
            // As the guide says.
            let command = "openssl pkey -in \(file) -pubout -ec_conv_form compressed -outform DER | tail -c 33 | base64"
            let key = try await ChildProcess.run(["sh", "-c", command], in: folder)
            try await server.trust(
                publicKey: String(key.prefix { !$0.isWhitespace }), for: "marvin", password: "pencil")
            try await bot.logs("logged in as marvin")
            try await bot.isUp()
        }
        await server.stop()
    }

    @Test func `a wrong password is logged once, and isn't fatal unless login is required`() async throws {
        let server = try await IRCServer.inspircd(services: true)
        try await server.register(account: "marvin", password: "pencil")
        func configuration(_ failure: SessionConfiguration.LoginFailurePolicy) -> IRCAdapter.ResolvedConfiguration {
            .test(server.port, "#dev") {
                $0.account = Credentials(account: "marvin", password: "eraser")
                $0.loginFailurePolicy = failure
                $0.timeouts.login = .seconds(20)
            }
        }
        try await withBot(Bot(configuration(.continueWithoutAccount))) { bot in
            try await bot.isUp()
            #expect(bot.warnings.contains { $0.hasPrefix("login failed: PLAIN: ") })
            #expect(!bot.log.lines().contains { $0.contains("eraser") })
        }
        var strict = configuration(.disconnect)
        strict.connection.refusedRetryDelay = .milliseconds(200)
        try await withBot(Bot(strict)) { bot in
            try await wait(for: "three attempts") {
                bot.log.lines().count { $0.hasPrefix("connecting") && !$0.contains("again") } >= 3
            }
            #expect(bot.warnings.count { $0.contains("reconnecting in") } == 1)
        }
        await server.stop()
    }

    @Test func `with an alternative nick the robot answers to both names, until its own is free`() async throws {
        let server = try await IRCServer.inspircd()
        let holder = try RawIRCClient(port: server.port)
        _ = try await holder.register("marvin")
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        ada.send("JOIN #dev")
        try await ada.expect("366")
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.timeouts.nickRetryInterval = .seconds(3_600)
        }
        try await withBot(Bot(configuration)) { bot in
            try await ada.expect(":marvin_!", "JOIN")
            try await bot.isUp()
            ada.send("PRIVMSG #dev :marvin_: ping")
            try await ada.expect(":marvin_!", "PONG")
            ada.send("PRIVMSG #dev :marvin: ping")
            try await ada.expect(":marvin_!", "PONG")
            holder.send("QUIT")
            // The server reports that the nick is free (MONITOR); the timer would take an hour.
            try await ada.expect(":marvin_!", "NICK", "marvin")
            ada.send("PRIVMSG #dev :marvin: ping")
            try await ada.expect(":marvin!", "PONG")
        }
        await server.stop()
    }

    @Test func `a start right after a failed check gets the nick`() async throws {
        // It delays clients after a refusal.
        let server = try await IRCServer.ngircd()
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        ada.send("JOIN #secret", "MODE #secret +k sesame")
        try await ada.expect("MODE #secret")
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev", "#secret")
        let visitor = IRCAdapter(configuration, in: AdapterDependencies())
        await visitor.check(within: .testLimit) { _ in }
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            #expect(!bot.warnings.contains { $0.contains("is taken") }, "\(bot.warnings)")
        }
        await server.stop()
    }

    @Test func `of two robots with one account the newer keeps the nick, and the older yields`() async throws {
        let server = try await IRCServer.inspircd(services: true)
        try await server.register(account: "marvin", password: "pencil")
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.account = Credentials(account: "marvin", password: "pencil")
            $0.timeouts.nickRetryInterval = .seconds(3_600)
        }
        try await withBot(Bot(configuration)) { older in
            try await older.isUp()
            try await withBot(Bot(configuration)) { newer in
                try await older.logs("another robot with this account has reclaimed the nick marvin twice")
                try await newer.isUp()
                try await older.isUp()
                let kills = older.log.lines().count { $0.contains("GHOST command used") }
                #expect(kills == 2, "\(older.log.lines())")
                try await newer.logs("I'm marvin again")
                #expect(newer.log.lines().count { $0.contains("GHOST command used") } <= 1)
            }
            // It is free now, and taking it isn't a fight.
            try await wait(for: "its nick") { older.log.lines().count { $0 == "I'm marvin again" } == 2 }
        }
        await server.stop()
    }

    @Test func `the robot returns after a kick, a kill, a ban and an invitation`() async throws {
        let server = try await IRCServer.inspircd()
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        ada.send("OPER \(IRCServer.oper.name) \(IRCServer.oper.password)")
        try await ada.expect("381")
        ada.send("JOIN #dev,#new")
        try await ada.expect("366 ada #new")
        ada.send("SAMODE #dev +o ada", "SAMODE #new +o ada")
        try await ada.expect("MODE #new +o")
        try await withBot(Bot(.test(server.port, "#dev"))) { bot in
            try await ada.expect(":marvin!", "JOIN")
            ada.send("KICK #dev marvin :out")
            try await ada.expect(":marvin!", "JOIN")
            ada.send("INVITE marvin #new")
            try await ada.expect(":marvin!", "JOIN", "#new")
            ada.send("KILL marvin :enough")
            try await ada.expect(":marvin!", "JOIN", "#dev")
            ada.send("MODE #dev +i", "KICK #dev marvin :and stay out")
            try await bot.logs("can't join #dev")
            ada.send("MODE #dev -i")
            // Not before.
            try await ada.expect("MODE #dev", "-i")
            try await ada.expect(":marvin!", "JOIN", "#dev")
            ada.send("PRIVMSG #dev :marvin: ping")
            try await ada.expect("PONG")
            #expect(bot.warnings.count { $0.contains("can't join #dev") } == 1)
        }
        await server.stop()
    }

    @Test func `a server with flood protection doesn't disconnect the robot`() async throws {
        let server = try await IRCServer.inspircd(floods: .throwsOut)
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") { $0.rateLimit = RateLimit() }
        configuration.page = 0
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            ada.send("PRIVMSG marvin :count 14")
            try await ada.expect("PRIVMSG ada :14")
            #expect(bot.warnings == [])
        }
        await server.stop()
    }

    @Test func `the robot survives a restart and a freeze of the server`() async throws {
        let server = try await IRCServer.ngircd(penalties: false)
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.timeouts.pingInterval = .milliseconds(300)
            $0.timeouts.pingTimeout = .seconds(10)
        }
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            await server.stop()
            try await bot.logs("reconnecting in")
            try await server.start()
            try await bot.isUp()
            server.pause()
            try await bot.logs("ping timeout: the server stopped responding")
            server.resume()
            try await bot.isUp()
            let ada = try RawIRCClient(port: server.port)
            _ = try await ada.register("ada")
            // Until the server notices that the old connection is dead, that one has the nick.
            try await wait(for: "an answer") {
                ada.send("PRIVMSG marvin :ping")
                return ada.lines.contains { $0.contains("PONG") }
            }
        }
        await server.stop()
    }
}
