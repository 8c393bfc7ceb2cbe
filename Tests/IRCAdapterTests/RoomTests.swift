import Heybot
import HeybotIRC
import HeybotTesting
import TestServers
import Testing

@testable import IRCAdapter

/// Joining and leaving rooms by command and by invitation.
@Suite(.enabled(if: IRCServer.hasNgircd)) struct RoomTests {
    @Test func `rooms joined on request are saved; rooms left or kicked from are not`() async throws {
        let server = try await IRCServer.ngircd(penalties: false)
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        ada.send("JOIN #key,#new,#set,#closed", "MODE #key +k sesame", "MODE #closed +i")
        try await ada.expect("MODE #closed")
        let brain = Brain(store: MemoryStore())
        func names(_ client: RawIRCClient, _ channel: String) async throws -> String {
            client.send("NAMES \(channel)")
            return try await client.expect("353", channel)
        }
        try await withBot(Bot(.test(server.port, "#set"), brain: brain)) { bot in
            try await bot.isUp()
            await #expect(throws: AdapterError.self) { try await bot.adapter.join("#key", password: "wrong") }
            await #expect(throws: AdapterError.self) { try await bot.adapter.join("#closed", password: nil) }
            for name in ["", "dev", "#a,#b", "#a b"] {
                await #expect(throws: AdapterError.self) { try await bot.adapter.join(name, password: nil) }
            }
            #expect(try await bot.adapter.join("#key", password: "sesame").id == Room.ID(adapter: "irc", value: "#key"))
            #expect(try await bot.adapter.join("#more", password: nil).name == "#more")
            try await ada.expect(":marvin!", "JOIN", "#key")
            ada.send("INVITE marvin #new")
            try await ada.expect(":marvin!", "JOIN", "#new")
            try await bot.adapter.leave("#more")
            #expect(bot.adapter.isInSettings("#SET"))
            try await bot.adapter.leave("#set")
            try await ada.expect(":marvin!", "PART", "#set")
            await #expect(throws: AdapterError(.notInRoom, "I'm not in #nowhere")) {
                try await bot.adapter.leave("#nowhere")
            }
        }
        try await withBot(Bot(.test(server.port, "#set"), brain: brain)) { bot in
            try await bot.isUp()
            for channel in ["#key", "#new", "#set"] { #expect(try await names(ada, channel).contains("marvin")) }
            #expect(bot.adapter.driver.withLock { $0.savedRooms.map(\.name).sorted() } == ["#key", "#new"])
            ada.send("KICK #new marvin :no bots")
            try await bot.logs("kicked from #new by ada: no bots; not rejoining")
            try await bot.adapter.leave("#key")
        }
        try await withBot(Bot(.test(server.port, "#set"), brain: brain)) { bot in
            try await bot.isUp()
            #expect(bot.adapter.driver.withLock { $0.savedRooms } == [])
        }
        await server.stop()
    }
}
