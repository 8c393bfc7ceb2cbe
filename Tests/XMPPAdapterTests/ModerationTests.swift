import Heybot
import HeybotXMPP
import TestServers
import Testing

@testable import XMPPAdapter

/// Moderating a room of a real server.
@Suite(.enabled(if: XMPPServer.Software.installed.contains(.prosody)), .timeLimit(.minutes(15)))
struct ModerationTests {
    @Test func `it kicks, quiets and bans as the room's admin, and otherwise says that it may not`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let address = server.room("dev")
        let room = Heybot.Room(id: Heybot.Room.ID(adapter: "xmpp", value: address))
        let ada = try await server.person("ada")
        try await ada.join(address, as: "Ada")
        try await withBot(Bot(.test(server.port, caFile: server.caFile, rooms: [address]))) { bot in
            let adapter = bot.adapter
            try await bot.isUp()
            let owner = try #require(await adapter.member(named: "ada", in: room))
            do {
                try await adapter.moderate(.kick(owner, reason: "out"), in: room)
                Issue.record("the room let it kick its owner")
            } catch let error as AdapterError {
                #expect(error.code == .notAllowed)
            }
            try await ada.make("marvin@xmpp.test", "admin", of: address)
            let mallory = try await server.person("mallory")
            try await mallory.join(address, as: "Mallory")
            try await ada.expect("<body>welcome, Mallory</body>")
            let member = try #require(await adapter.member(named: "Mallory", in: room))
            #expect(await adapter.member(named: "marvin", in: room) == nil)

            let quiet = try await adapter.restriction(.quiet, of: member, in: room)
            #expect(quiet.affected.map(\.name) == ["Mallory"])
            try await adapter.moderate(.restrict(member, quiet.restriction, reason: "hush"), in: room)
            try await ada.expect("<presence", "\(address)/Mallory", "visitor")
            try await wait(for: "the robot to see that Mallory has no voice") {
                let changes = try adapter.driver.withLock {
                    try $0.changes(for: .lift(quiet.restriction, ifOwn: true), in: try JID(address))
                }
                return !changes.isEmpty
            }
            try await adapter.moderate(.lift(quiet.restriction, ifOwn: true), in: room)
            try await ada.expect("<presence", "\(address)/Mallory", "participant")

            let ban = try await adapter.restriction(.ban, of: member, in: room)
            #expect(ban.restriction == RoomRestriction(.ban, of: "mallory@xmpp.test"))
            try await adapter.moderate(.restrict(member, ban.restriction, reason: "no spam"), in: room)
            try await mallory.expect("<presence", "unavailable", "301", "no spam")
            await #expect(throws: TestServerError.self) { try await mallory.join(address, as: "Mallory") }
            try await adapter.moderate(.lift(ban.restriction, ifOwn: true), in: room)
            try await mallory.join(address, as: "Mallory")
            // The ban isn't in force any more, so the membership stays.
            try await ada.make("mallory@xmpp.test", "member", of: address)
            try await adapter.moderate(.lift(ban.restriction, ifOwn: true), in: room)
            let jid = try JID(address)
            // A moderator has voice, which doesn't replace the role.
            let chair = try #require(await adapter.member(named: "Ada", in: room))
            let changes = try adapter.driver.withLock { try $0.changes(for: .giveVoice(chair), in: jid) }
            #expect(changes == [])
            // The silent don't get voice by losing a status that they don't have.
            let guest = try #require(await adapter.member(named: "Mallory", in: room))
            let others = try adapter.driver.withLock { try $0.changes(for: .takeOperator(guest), in: jid) }
            #expect(others == [])
            try await wait(for: "the robot to see that Mallory is a member") {
                adapter.driver.withLock { manager in
                    manager.state.session?.occupants(of: jid)["Mallory"]?.affiliation == .member
                }
            }

            try await adapter.moderate(.setTopic("scones"), in: room)
            try await ada.expect("<subject>scones</subject>")
        }
    }

    @Test func `it bans by address who isn't there, and says that the room can't retract messages`() async throws {
        // Only with an archive, rooms give messages ids.
        let server = try await XMPPServer.start(.prosody, hasArchive: true)
        try await server.register(account: "marvin", password: "pencil")
        let address = server.room("dev")
        let room = Heybot.Room(id: Heybot.Room.ID(adapter: "xmpp", value: address))
        let ada = try await server.person("ada")
        try await ada.join(address, as: "Ada")
        try await withBot(Bot(.test(server.port, caFile: server.caFile, rooms: [address]))) { bot in
            let adapter = bot.adapter
            try await bot.isUp()
            try await ada.make("marvin@xmpp.test", "admin", of: address)
            func typed(_ name: String) -> Heybot.User {
                Heybot.User(id: Heybot.User.ID(adapter: "xmpp", value: name), name: name, isAnonymous: true)
            }
            let jid = try JID(address)
            try await wait(for: "the robot to see that it is an admin") {
                adapter.driver.withLock { manager in
                    manager.state.session?.occupants(of: jid)["marvin"]?.affiliation == .admin
                }
            }
            let eve = try await server.person("eve")
            let ban = try await adapter.restriction(.ban, ofAbsent: typed("eve@xmpp.test"), in: room)
            #expect(ban.restriction == RoomRestriction(.ban, of: "eve@xmpp.test"))
            #expect(ban.user.id.value == "eve@xmpp.test" && ban.affected == [])
            try await adapter.moderate(.restrictAbsent(ban.restriction, reason: "spam"), in: room)
            await #expect(throws: TestServerError.self) { try await eve.join(address, as: "Eve") }
            try await adapter.moderate(.lift(ban.restriction, ifOwn: false), in: room)
            try await eve.join(address, as: "Eve")
            for name in ["eve", "marvin@xmpp.test", address, "xmpp.test"] {
                await #expect(throws: AdapterError.self, "\(name)") {
                    try await adapter.restriction(.ban, ofAbsent: typed(name), in: room)
                }
            }

            eve.say("spam", in: address)
            try await ada.expect("<body>spam</body>")
            try await wait(for: "the robot to see Eve") {
                adapter.driver.withLock { $0.member(named: "Eve", in: jid) } != nil
            }
            let member = try #require(await adapter.member(named: "Eve", in: room))
            try await wait(for: "the robot to hear Eve") {
                adapter.driver.withLock { $0.latestMessage(of: member, in: jid) } != nil
            }
            let other = try #require(await adapter.member(named: "Ada", in: room))
            #expect(await adapter.latestMessage(of: other, in: room) == nil)
            let message = try #require(await adapter.latestMessage(of: member, in: room))
            #expect(await adapter.author(of: message, in: room)?.id.value == "eve@xmpp.test")
            // A new nick is no message, and whose the last message is doesn't depend on the nick.
            eve.send("<presence to='\(address)/Evelyn'/>")
            try await wait(for: "the robot to see the new nick") {
                adapter.driver.withLock { $0.member(named: "Evelyn", in: jid) } != nil
            }
            #expect(await adapter.latestMessage(of: member, in: room) == message)
            let error = await #expect(throws: AdapterError.self) {
                try await adapter.moderate(.retract(message, reason: "spam"), in: room)
            }
            #expect(error?.code == .unsupported, "\(String(describing: error))")
            // The robot's own message is retracted all the same.
            let sent = try await adapter.send(.text("oops"), to: Envelope(room: room))
            let own = try #require(sent)
            try await wait(for: "the room to repeat the robot's message") {
                adapter.driver.withLock { $0.ownMessages[own.value]?.stanzaID } != nil
            }
            try await adapter.moderate(.retract(own, reason: ""), in: room)
            try await ada.expect("<retract ")
        }
    }
}
