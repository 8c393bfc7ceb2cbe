import Heybot
import HeybotIRC
import HeybotTesting
import TestServers
import Testing

@testable import IRCAdapter

/// Moderating a channel of a real server.
@Suite(.enabled(if: IRCServer.hasNgircd)) struct ModerationTests {
    private let room = Room(id: Room.ID(adapter: "irc", value: "#dev"))

    @Test func `it moderates as an operator, and otherwise says that it isn't one`() async throws {
        let server = try await IRCServer.ngircd(penalties: false)
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        ada.send("JOIN #dev")
        try await ada.expect("366")
        try await withBot(Bot(.test(server.port, "#dev"))) { bot in
            let adapter = bot.adapter
            try await bot.isUp()
            let mallory = try RawIRCClient(port: server.port)
            _ = try await mallory.register("mallory")
            mallory.send("JOIN #dev")
            try await ada.expect("welcome, mallory")
            #expect(await adapter.member(named: "marvin", in: room) == nil)
            #expect(await adapter.member(named: "eve", in: room) == nil)
            let member = try #require(await adapter.member(named: "Mallory", in: room))
            #expect(member.user.name == "mallory")
            await #expect(
                throws: AdapterError(.notAllowed, "I'm not an operator in #dev: make me one, or set chanServ")
            ) {
                try await adapter.moderate(.kick(member, reason: "out"), in: room)
            }
            ada.send("MODE #dev +o marvin")
            try await ada.expect("MODE #dev +o marvin")
            try await adapter.moderate(.giveVoice(member), in: room)
            try await ada.expect(":marvin!", "MODE #dev +v", "mallory")
            try await adapter.moderate(.setTopic("tea at four"), in: room)
            try await ada.expect(":marvin!", "TOPIC #dev :tea at four")
            // All clients of the test have the same host.
            await #expect(throws: AdapterError.self) {
                try await adapter.restriction(.ban, of: member, in: room)
            }
            let ban = RoomRestriction(.ban, of: "b *!*@evil.example")
            try await adapter.moderate(.restrict(member, ban, reason: "no spam"), in: room)
            try await ada.expect(":marvin!", "MODE #dev +b *!*@evil.example")
            try await mallory.expect(":marvin!", "KICK #dev mallory", "no spam")
            try await adapter.moderate(.lift(ban, ifOwn: true), in: room)
            try await ada.expect(":marvin!", "MODE #dev -b *!*@evil.example")
            await #expect(throws: AdapterError(.noSuchUser, "mallory isn't in #dev any more")) {
                try await adapter.moderate(.kick(member, reason: "out"), in: room)
            }
            // The same nick in another stay is another member.
            mallory.send("JOIN #dev")
            try await ada.expect("welcome, mallory")
            await #expect(throws: AdapterError(.noSuchUser, "mallory isn't in #dev any more")) {
                try await adapter.moderate(.kick(member, reason: "out"), in: room)
            }
            let elsewhere = Room(id: Room.ID(adapter: "irc", value: "#ops"))
            await #expect(throws: AdapterError(.notInRoom, "I'm not in #ops")) {
                try await adapter.moderate(.setTopic("tea"), in: elsewhere)
            }
            #expect(bot.warnings == [])
        }
        await server.stop()
    }

    @Test func `without a connection nothing is done`() async throws {
        let adapter = IRCAdapter(.test(1, "#dev"))
        await #expect(throws: AdapterError(.notConnected, "irc isn't connected")) {
            try await adapter.moderate(.setTopic("tea"), in: room)
        }
        #expect(await adapter.member(named: "ada", in: room) == nil)
    }
}
