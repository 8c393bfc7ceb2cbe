import Heybot
import HeybotTesting
import IRC
import IRCServers
import TestServers
import Testing

@testable import IRCAdapter

/// Who is an admin on real servers, and who isn't, whatever they call themselves.
@Suite(.enabled(if: RealServer.hasNgircd && RealServer.hasInspIRCd && RealServer.hasServices))
struct AdminTests {
    private static let refusal = "Only my admins may use that."

    @Test func `where accounts aren't told with messages, WHOX tells them, and a nick proves nothing`() async throws {
        let server = try await RealServer.inspircd(services: true, without: ["ircv3_accounttag"])
        try await server.register(account: "ada", password: "sesame")
        try await withBot(Bot(.test(server.port, "#dev"), admins: ["irc:Ada"])) { bot in
            try await bot.isUp()
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

    @Test func `on a server that tells no accounts, a hostmask makes an admin, and a nick only by setting`()
        async throws
    {
        let server = try await RealServer.ngircd(penalties: false)
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
                #expect(!bot.log.lines().contains { $0.contains("proves nothing") })
                ada.send("PRIVMSG marvin :who am I")
                guard try await ada.expect("PRIVMSG ada :irc:").contains("!*@") else { return }
                ada.send("PRIVMSG marvin :reboot")
                try await ada.expect("rebooting for \(admin.lowercased())")
                let mallory = try RawClient(port: server.port)
                _ = try await mallory.register("mallory")
                mallory.send("PRIVMSG marvin :reboot")
                try await mallory.expect(Self.refusal)
            }
        }
        var trusting = IRCAdapter.Configuration.test(server.port, "#dev")
        trusting.trustsNicks = true
        try await withBot(Bot(trusting, admins: ["irc:Ada"])) { bot in
            try await bot.isUp()
            #expect(bot.warnings.contains { $0.contains("HEYBOT_IRC_TRUST_NICKS") })
            ada.send("PRIVMSG marvin :reboot")
            try await ada.expect("rebooting for irc:ada")
        }
        await server.stop()
    }
}
