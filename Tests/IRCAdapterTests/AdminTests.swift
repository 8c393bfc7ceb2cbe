import Heybot
import HeybotIRC
import HeybotTesting
import Synchronization
import TestServers
import Testing

@testable import IRCAdapter

/// Who is an admin on real servers, whatever nicks users choose.
@Suite(.enabled(if: IRCServer.hasNgircd && IRCServer.hasInspIRCd && IRCServer.hasServices))
struct AdminTests {
    private static let refusal = "Only my admins may use that."

    @Test func `without account-tag, WHOX shows accounts, and a nick proves nothing`() async throws {
        let server = try await IRCServer.inspircd(services: true, without: ["ircv3_accounttag"])
        try await server.register(account: "ada", password: "sesame")
        try await withBot(Bot(.test(server.port, "#dev"), admins: ["irc:Ada"])) { bot in
            try await bot.isUp()
            #expect(!bot.log.lines().contains { $0.contains("can't be an admin") })
            let mallory = try RawIRCClient(port: server.port)
            _ = try await mallory.register("ada")
            mallory.send("JOIN #dev")
            try await mallory.expect("366")
            mallory.send("PRIVMSG #dev :marvin: reboot")
            try await mallory.expect("PRIVMSG #dev", Self.refusal)
            // Once it is known that she isn't logged in, her id shows it.
            let ada = try RawIRCClient(port: server.port)
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
            // Her nick, taken as soon as she has left it, proves nothing.
            ada.send("NICK gone")
            try await mallory.expect("NICK", "gone")
            mallory.send("NICK countess", "PRIVMSG #dev :marvin: reboot")
            try await mallory.expect("PRIVMSG #dev", Self.refusal)
            ada.send("PRIVMSG #dev :marvin: reboot")
            try await ada.expect("rebooting for irc:ada")
            // A direct message follows her to the new nick.
            let person = User(id: User.ID(adapter: "irc", value: "ada"), name: "countess")
            #expect(await bot.adapter.locate(person)?.name == "gone")
            // After logging out, she is anonymous.
            ada.send("PRIVMSG NickServ :LOGOUT")
            try await ada.expect("901")
            ada.send("PRIVMSG #dev :marvin: reboot")
            try await ada.expect("PRIVMSG #dev", "gone: \(Self.refusal)")
            #expect(await bot.adapter.locate(person) == nil)
            // Of an anonymous user, only the nick is known.
            let anyone = User(id: User.ID(adapter: "irc", value: "!zoe"), name: "zoe", isAnonymous: true)
            #expect(await bot.adapter.locate(anyone) == anyone)
        }
        await server.stop()
    }

    @Test(arguments: [["ircv3_accounttag"], []])
    func `without services, the start and the check warn about admins`(_ without: Set<String>)
        async throws
    {
        let server = try await IRCServer.inspircd(without: without)
        let warning = "this network seems to have no accounts"
        try await withBot(Bot(.test(server.port, "#dev"), admins: ["irc:ada"])) { bot in
            try await bot.logs(warning)
            let steps = Mutex<[PreflightCheckResult]>([])
            await bot.adapter.check(within: .testLimit) { step in
                steps.withLock { $0.append(step) }
            }
            let outcome = steps.withLock { $0.first { $0.subject == "admins" }?.outcome }
            guard case .warned(let words, let fix) = outcome else {
                Issue.record("\(steps.withLock { $0 })")
                return
            }
            #expect(words.contains("ada can't be an admin") && fix.hasPrefix("name a hostmask"))
        }
        try await withBot(Bot(.test(server.port, "#dev"), admins: ["irc:ada!*@staff.example.org"])) { bot in
            try await bot.isUp()
            #expect(!bot.log.lines().contains { $0.contains(warning) })
        }
        // With account-tag, each message shows that its sender has no account.
        var trusting = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev")
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

    @Test func `an admin can be named by certificate, and a nick proves nothing`() async throws {
        let server = try await IRCServer.inspircd(tls: .good)
        let authority = try #require(server.authority)
        let (tlsPort, certificate) = (try #require(server.tlsPort), try await authority.issue(["ada"]))
        func person(_ nick: String, _ certificate: CertificateAuthority.Certificate?) async throws -> RawIRCClient {
            let person = try RawIRCClient(
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
            try bot.robot.replaceSettings(admins: [admin], switches: DisabledScripts())
            for _ in 0..<100 {
                ada.send("PRIVMSG #dev :marvin: who am I")
                if try await ada.expect("PRIVMSG #dev :irc:").contains("irc:certfp:") { break }
            }
            ada.send("PRIVMSG marvin :reboot")
            try await ada.expect("rebooting for irc:certfp:\(certificate.fingerprint.lowercased())")
            ada.send("QUIT")
            try await ada.expect("ERROR")
            // With another certificate, and without one.
            let mallory = try await person("ada", try await authority.issue(["mallory"]))
            for _ in 0..<3 {
                mallory.send("PRIVMSG #dev :marvin: reboot")
                try await mallory.expect("PRIVMSG #dev", Self.refusal)
            }
            let eve = try RawIRCClient(port: server.port)
            _ = try await eve.register("eve")
            for _ in 0..<3 {
                eve.send("PRIVMSG marvin :reboot")
                try await eve.expect(Self.refusal)
            }
        }
        await server.stop()
    }

    @Test func `on a server without accounts, a hostmask identifies an admin, and a nick only if configured`()
        async throws
    {
        let server = try await IRCServer.ngircd(penalties: false)
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        try await withBot(Bot(.test(server.port, "#dev"), admins: ["irc:ada"])) { bot in
            try await bot.logs("a nick alone isn't proof, so ada can't be an admin")
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
                let mallory = try RawIRCClient(port: server.port)
                _ = try await mallory.register("mallory")
                mallory.send("PRIVMSG marvin :reboot")
                try await mallory.expect(Self.refusal)
                // At run time: another mask, a mask that matches a different user name, and invalid settings.
                try bot.robot.replaceSettings(admins: ["irc:*!*@staff.example.org"], switches: DisabledScripts())
                ada.send("PRIVMSG marvin :reboot")
                try await ada.expect("PRIVMSG ada", Self.refusal)
                let host = admin.split(separator: "@")[1]
                try bot.robot.replaceSettings(admins: ["irc:a*!*@\(host)"], switches: DisabledScripts())
                #expect(throws: RobotError.self) {
                    try bot.robot.replaceSettings(admins: ["irc:ad*!*@\(host)", "irc:a,b"], switches: DisabledScripts())
                }
                ada.send("PRIVMSG marvin :reboot")
                try await ada.expect("rebooting for irc:a*!*@\(host)")
            }
        }
        var trusting = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev")
        trusting.trustsNicks = true
        try await withBot(Bot(trusting, admins: ["irc:Ada"])) { bot in
            try await bot.isUp()
            #expect(bot.warnings.contains { $0.contains("unset trustsNicks") })
            ada.send("PRIVMSG marvin :reboot")
            try await ada.expect("rebooting for irc:ada")
        }
        await server.stop()
    }
}
