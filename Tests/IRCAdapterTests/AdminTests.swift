import Heybot
import HeybotIRC
import HeybotTesting
import Synchronization
import TestServers
import Testing

@testable import IRCAdapter

/// Who is an admin on real servers, and who isn't, whatever they call themselves.
@Suite(.enabled(if: IRCServer.hasNgircd && IRCServer.hasInspIRCd && IRCServer.hasServices))
struct AdminTests {
    private static let refusal = "Only my admins may use that."

    @Test func `where accounts aren't told with messages, WHOX tells them, and a nick proves nothing`() async throws {
        let server = try await IRCServer.inspircd(services: true, without: ["ircv3_accounttag"])
        try await server.register(account: "ada", password: "sesame")
        try await withBot(Bot(.test(server.port, "#dev"), admins: ["irc:Ada"])) { bot in
            try await bot.isUp()
            #expect(!bot.log.lines().contains { $0.contains("can't be an admin") })
            let mallory = try RawClient(port: server.port)
            _ = try await mallory.register("ada")
            mallory.send("JOIN #dev")
            try await mallory.expect("366")
            mallory.send("PRIVMSG #dev :marvin: reboot")
            try await mallory.expect("PRIVMSG #dev", Self.refusal)
            // Once she is known to be logged in as nobody, her id says so.
            let ada = try RawClient(port: server.port)
            _ = try await ada.register("countess")
            ada.send("PRIVMSG NickServ :IDENTIFY ada sesame")
            try await ada.expect("900")
            ada.send("JOIN #dev")
            try await ada.expect("366")
            for _ in 0..<100 {
                ada.send("PRIVMSG #dev :marvin: who am I")
                if try await ada.expect("PRIVMSG #dev :irc:").contains("irc:ada countess ada") { break }
            }
            ada.send("PRIVMSG #dev :marvin: reboot")
            try await ada.expect("rebooting for irc:ada")
            mallory.send("PRIVMSG #dev :marvin: who am I")
            try await mallory.expect("PRIVMSG #dev :irc:!ada ada -")
            // Her nick, taken the moment she has left it, brings nothing along.
            ada.send("NICK gone")
            try await mallory.expect("NICK", "gone")
            mallory.send("NICK countess", "PRIVMSG #dev :marvin: reboot")
            try await mallory.expect("PRIVMSG #dev", Self.refusal)
            ada.send("PRIVMSG #dev :marvin: reboot")
            try await ada.expect("rebooting for irc:ada")
            // Logged out, she is anybody.
            ada.send("PRIVMSG NickServ :LOGOUT")
            try await ada.expect("901")
            ada.send("PRIVMSG #dev :marvin: reboot")
            try await ada.expect("PRIVMSG #dev", "gone: \(Self.refusal)")
        }
        await server.stop()
    }

    @Test(arguments: [["ircv3_accounttag"], []])
    func `where accounts could be told and nobody can have one, the start and the check say so`(_ without: Set<String>)
        async throws
    {
        let server = try await IRCServer.inspircd(without: without)
        let warning = "nobody seems to have an account on this network"
        try await withBot(Bot(.test(server.port, "#dev"), admins: ["irc:ada"])) { bot in
            try await bot.logs(warning)
            let steps = Mutex<[CheckStep]>([])
            await bot.adapter.check(within: .testLimit) { step in
                steps.withLock { $0.append(step) }
            }
            let outcome = steps.withLock { $0.first { $0.subject == "admins" }?.outcome }
            guard case .warned(let words, let cure) = outcome else {
                Issue.record("\(steps.withLock { $0 })")
                return
            }
            #expect(words.contains("ada can't be an admin") && cure.hasPrefix("name a hostmask"))
        }
        try await withBot(Bot(.test(server.port, "#dev"), admins: ["irc:ada!*@staff.example.org"])) { bot in
            try await bot.isUp()
            #expect(!bot.log.lines().contains { $0.contains(warning) })
        }
        // By account-tag, each message says that its sender has no account.
        var trusting = IRCAdapter.Setup.test(server.port, "#dev")
        trusting.trustsNicks = true
        try await withBot(Bot(trusting, admins: ["irc:Ada"])) { bot in
            try await bot.isUp()
            if without.isEmpty {
                try await bot.logs(warning)
            } else {
                #expect(!bot.log.lines().contains { $0.contains(warning) })
            }
        }
        await server.stop()
    }

    @Test func `where the server shows certificates, one of them makes an admin, and a nick doesn't`() async throws {
        let server = try await IRCServer.inspircd(tls: .good)
        let authority = try #require(server.authority)
        let (tlsPort, certificate) = (try #require(server.tlsPort), try await authority.issue(["ada"]))
        func person(_ nick: String, _ certificate: CertificateAuthority.Certificate?) async throws -> RawClient {
            let person = try RawClient(
                tlsPort: tlsPort, caFile: authority.file, name: "irc.test", certificate: certificate)
            _ = try await person.register(nick)
            person.send("JOIN #dev")
            try await person.expect("366")
            return person
        }
        let admin = "irc:CertFP:\(certificate.fingerprint.uppercased())"
        try await withBot(Bot(.test(server.port, "#dev"))) { bot in
            try await bot.isUp()
            let ada = try await person("ada", certificate)
            ada.send("PRIVMSG #dev :marvin: who am I")
            try await ada.expect("PRIVMSG #dev :irc:!ada")
            // Named while the robot is connected.
            try bot.robot.replaceSettings(admins: [admin], switches: ScriptSwitches())
            for _ in 0..<100 {
                ada.send("PRIVMSG #dev :marvin: who am I")
                if try await ada.expect("PRIVMSG #dev :irc:").contains("irc:certfp:") { break }
            }
            ada.send("PRIVMSG marvin :reboot")
            try await ada.expect("rebooting for irc:certfp:\(certificate.fingerprint.lowercased())")
            ada.send("QUIT")
            try await ada.expect("ERROR")
            // With another certificate, and with none.
            let mallory = try await person("ada", try await authority.issue(["mallory"]))
            for _ in 0..<3 {
                mallory.send("PRIVMSG #dev :marvin: reboot")
                try await mallory.expect("PRIVMSG #dev", Self.refusal)
            }
            let eve = try RawClient(port: server.port)
            _ = try await eve.register("eve")
            for _ in 0..<3 {
                eve.send("PRIVMSG marvin :reboot")
                try await eve.expect(Self.refusal)
            }
        }
        await server.stop()
    }

    @Test func `on a server that tells no accounts, a hostmask makes an admin, and a nick only by setting`()
        async throws
    {
        let server = try await IRCServer.ngircd(penalties: false)
        let ada = try RawClient(port: server.port)
        _ = try await ada.register("ada")
        try await withBot(Bot(.test(server.port, "#dev"), admins: ["irc:ada"])) { bot in
            try await bot.logs("a nick proves nothing, so ada can't be an admin")
            ada.send("PRIVMSG marvin :reboot")
            try await ada.expect(Self.refusal)
        }
        for admin in ["irc:ADA!*@127.0.0.1", "irc:Ada!*@localhost"] {
            try await withBot(Bot(.test(server.port, "#dev"), admins: [admin])) { bot in
                try await bot.isUp()
                #expect(!bot.log.lines().contains { $0.contains("can't be an admin") })
                ada.send("PRIVMSG marvin :who am I")
                guard try await ada.expect("PRIVMSG ada :irc:").contains("!*@") else { return }
                ada.send("PRIVMSG marvin :reboot")
                try await ada.expect("rebooting for \(admin.lowercased())")
                let mallory = try RawClient(port: server.port)
                _ = try await mallory.register("mallory")
                mallory.send("PRIVMSG marvin :reboot")
                try await mallory.expect(Self.refusal)
                // While it runs: another mask, a mask that lets her in by another name, and settings that are refused.
                try bot.robot.replaceSettings(admins: ["irc:*!*@staff.example.org"], switches: ScriptSwitches())
                ada.send("PRIVMSG marvin :reboot")
                try await ada.expect("PRIVMSG ada", Self.refusal)
                let host = admin.split(separator: "@")[1]
                try bot.robot.replaceSettings(admins: ["irc:a*!*@\(host)"], switches: ScriptSwitches())
                #expect(throws: RobotError.self) {
                    try bot.robot.replaceSettings(admins: ["irc:ad*!*@\(host)", "irc:a,b"], switches: ScriptSwitches())
                }
                ada.send("PRIVMSG marvin :reboot")
                try await ada.expect("rebooting for irc:a*!*@\(host)")
            }
        }
        var trusting = IRCAdapter.Setup.test(server.port, "#dev")
        trusting.trustsNicks = true
        try await withBot(Bot(trusting, admins: ["irc:Ada"])) { bot in
            try await bot.isUp()
            #expect(bot.warnings.contains { $0.contains("(trustsNicks)") })
            ada.send("PRIVMSG marvin :reboot")
            try await ada.expect("rebooting for irc:ada")
        }
        await server.stop()
    }
}
