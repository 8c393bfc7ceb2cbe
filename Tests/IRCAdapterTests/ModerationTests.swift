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
            // Who has left the channel is found by nick; all have the robot's own host.
            let own = AdapterError(.notAllowed, "that would affect me too: I have the host of mallory")
            mallory.send("PART #dev")
            try await ada.expect(":mallory!", "PART")
            await #expect(throws: own) {
                try await adapter.restriction(.ban, ofAbsent: Self.typed("mallory"), in: room)
            }
            let unknown = AdapterError(
                .noSuchUser, "I don't see \"nobody\" in this room now, and don't know their host")
            await #expect(throws: unknown) {
                try await adapter.restriction(.ban, ofAbsent: Self.typed("nobody"), in: room)
            }
            try await adapter.moderate(.restrictAbsent(ban, reason: "no spam"), in: room)
            try await ada.expect(":marvin!", "MODE #dev +b *!*@evil.example")
            let elsewhere = Room(id: Room.ID(adapter: "irc", value: "#ops"))
            await #expect(throws: AdapterError(.notInRoom, "I'm not in #ops")) {
                try await adapter.moderate(.setTopic("tea"), in: elsewhere)
            }
            #expect(bot.warnings == [])
        }
        await server.stop()
    }

    /// A user of whom only a name is known.
    private static func typed(_ name: String) -> User {
        User(id: User.ID(adapter: "irc", value: name), name: name, isAnonymous: true)
    }

    /// Asks for a ban of a user who isn't there, and sends what the server answers after `marvin` and the nick.
    private func ban(
        _ nick: String, _ answers: [(number: String, rest: String)], _ adapter: IRCAdapter,
        _ client: AcceptedIRCClient
    ) async throws -> (restriction: RoomRestriction, user: User, affected: [User]) {
        let place = room
        let task = Task { try await adapter.restriction(.ban, ofAbsent: Self.typed(nick), in: place) }
        try await client.expect("WHOWAS \(nick) 1")
        for (number, rest) in answers { client.send(":irc.test \(number) marvin \(nick) \(rest)") }
        return try await task.value
    }

    @Test func `who isn't there is identified like a member, and nobody else is meant`() async throws {
        let server = try ScriptedIRCServer()
        try await withBot(Bot(.test(server.port, "#dev"))) { bot in
            let client = try await server.accept()
            client.answerJoins(of: "marvin!~marvin@host.test")
            client.answerPings()
            var script = RegistrationScript(capabilities: ["account-tag"])
            script.support = ["CHANTYPES=#", "EXTBAN=~,a", "NETWORK=Tests"]
            _ = try await client.welcome(script)
            try await bot.isUp()
            let shown = try await ban(
                "boss_away",
                [
                    ("311", "b office.example * :Boss"), ("330", "Boss :is logged in as"), ("318", ":End"),
                    ("369", ":End")
                ], bot.adapter, client)
            // So an admin is recognized.
            #expect(shown.user.id.value == "boss" && !shown.user.isAnonymous)
            #expect(shown.restriction.subject == "b ~a:Boss")
            let former = try await ban("eve", [("314", "e evil.example * :Eve"), ("369", ":End")], bot.adapter, client)
            #expect(former.user.isAnonymous && former.restriction.subject == "b *!*@evil.example")
            let unknown = try await ban("mallory", [("406", ":No"), ("369", ":End")], bot.adapter, client)
            #expect(unknown.user.id.value == "mallory" && unknown.restriction.subject == "b ~a:mallory")
            // The account "0" would mean all who aren't logged in.
            await #expect(throws: AdapterError.self) {
                try await ban("0", [("406", ":No"), ("369", ":End")], bot.adapter, client)
            }
            // Without an answer, nobody is guessed.
            let adapter = bot.adapter
            await #expect(
                throws: AdapterError(.notAllowed, "the server hasn't told me who eve is: try again in a moment")
            ) {
                let first = Task { try await adapter.restriction(.ban, ofAbsent: Self.typed("eve"), in: room) }
                try await client.expect("WHOIS eve")
                client.send(":irc.test 263 marvin WHOIS :Try again")
                _ = try await first.value
            }
        }
    }

    @Test func `without a connection nothing is done`() async throws {
        let adapter = IRCAdapter(.test(1, "#dev"))
        await #expect(throws: AdapterError(.notConnected, "irc isn't connected")) {
            try await adapter.moderate(.setTopic("tea"), in: room)
        }
        await #expect(throws: AdapterError(.notConnected, "irc isn't connected")) {
            try await adapter.restriction(.ban, ofAbsent: Self.typed("ada"), in: room)
        }
        #expect(await adapter.member(named: "ada", in: room) == nil)
    }
}
