import FoundationEssentials
import HeybotSupport
import TestServers
import Testing

@testable import HeybotXMPP
@testable import XMPPAdapter

/// Messages that were sent while the robot was away.
@Suite(.timeLimit(.minutes(15))) struct MissedMessageTests {
    private static let room = "dev@conference.xmpp.test"
    private let now: Duration = .seconds(5_000)
    private let date = Date(timeIntervalSince1970: 1_800_000_000)

    /// Returns a message that was sent some seconds ago, as the server or the room says.
    private func event(
        _ text: String = "marvin: ping", ago seconds: Double?, id: String? = "1", isPublic: Bool = true
    ) throws -> IncomingEvent {
        let ada = try JID(isPublic ? "\(Self.room)/ada" : "ada@xmpp.test/x")
        var event = IncomingEvent(
            content: .text(text), from: ada, person: nil, isPublic: isPublic, room: isPublic ? ada.bare : nil)
        event.senderID = id
        event.stamp = seconds.map { date.addingTimeInterval(-$0).formatted(.iso8601) }
        return event
    }

    private func recent(_ age: Duration = .seconds(600), startedAgo seconds: Double = 3_600) -> RecentMessages {
        RecentMessages(missedAge: age, since: date.addingTimeInterval(-seconds))
    }

    @Test func `a direct message that the server has kept is handled up to the age limit`() throws {
        let ages: [(Double, Bool)] = [(0, true), (590, true), (610, false), (-50, true), (-70, false)]
        for (ago, isHandled) in ages {
            let event = try event(ago: ago, isPublic: false)
            #expect(recent().admits(event, at: now, date: date) == isHandled, "\(ago)")
        }
        for (ago, isHandled) in [(50.0, true), (70, false)] as [(Double, Bool)] {
            let event = try event(ago: ago, isPublic: false)
            #expect(recent(.zero).admits(event, at: now, date: date) == isHandled, "\(ago)")
        }
    }

    @Test func `what was sent before the robot started isn't handled`() throws {
        for (ago, isHandled) in [(100.0, true), (150, true), (170, false)] as [(Double, Bool)] {
            let event = try event(ago: ago, isPublic: false)
            #expect(recent(startedAgo: 100).admits(event, at: now, date: date) == isHandled, "\(ago)")
        }
    }

    @Test func `after a restart, what the earlier robot has received isn't handled, unless the server sends it again`()
        throws
    {
        let recent = RecentMessages(missedAge: .seconds(600), since: date.addingTimeInterval(-100), tolerance: 0)
        for (ago, isHandled) in [(99.0, true), (101, false)] as [(Double, Bool)] {
            let event = try event(ago: ago, isPublic: false)
            #expect(recent.admits(event, at: now, date: date) == isHandled, "\(ago)")
        }
        var resent = try event(ago: 101, isPublic: false)
        resent.isResent = true
        #expect(recent.admits(resent, at: now, date: date))
    }

    @Test func `what got lost on its way to the earlier robot is handled if its stanza id tells that`() throws {
        var recent = RecentMessages(missedAge: .seconds(600), since: date.addingTimeInterval(-100), tolerance: 0)
        let room = try JID(Self.room)
        recent.restore([.init(room: room.description, id: "heard", message: "r1")], at: now)
        for (id, ago, isHandled) in [
            ("lost", 159.0, true), ("lost", 161, false), ("heard", 114, false), (nil, 101, false)
        ]
            as [(String?, Double, Bool)]
        {
            var missed = try event(ago: ago)
            missed.missedSince = now - .seconds(200)
            missed.stanzaID = id
            #expect(recent.admits(missed, at: now, date: date) == isHandled, "\(id ?? "none") \(ago)")
        }
    }

    @Test func `in a room, only what it repeats because the robot was away may be older than a minute`() throws {
        for (ago, isHandled) in [(50.0, true), (70, false)] as [(Double, Bool)] {
            let live = try event(ago: ago)
            #expect(recent().admits(live, at: now, date: date) == isHandled, "\(ago)")
        }
        var resent = try event(ago: 70)
        resent.isResent = true
        #expect(recent().admits(resent, at: now, date: date))
        for (ago, isHandled) in [(10.0, true), (89, true), (104, true), (106, false)] as [(Double, Bool)] {
            var missed = try event(ago: ago)
            missed.missedSince = now - .seconds(90)
            #expect(recent().admits(missed, at: now, date: date) == isHandled, "\(ago)")
        }
    }

    @Test func `a missed message is handled once, and not if it was heard before`() throws {
        var recent = recent()
        var live = try event("marvin: one", ago: nil, id: "1")
        live.stanzaID = "s1"
        recent.record(live, as: "r1", at: now - .seconds(90))
        func missed(_ text: String, id: String?, stanzaID: String?) throws -> IncomingEvent {
            var event = try event(text, ago: 89, id: id)
            event.missedSince = now - .seconds(90)
            event.stanzaID = stanzaID
            return event
        }
        for (id, stanzaID) in [("1", nil), ("x", "s1"), (nil, nil)] as [(String?, String?)] {
            let again = try missed("marvin: one", id: id, stanzaID: stanzaID)
            #expect(!recent.admits(again, at: now, date: date))
        }
        let two = try missed("marvin: two", id: nil, stanzaID: "s2")
        #expect(recent.admits(two, at: now, date: date))
        recent.record(two, as: "r2", at: now)
        #expect(!recent.admits(two, at: now, date: date))
        // The account's server gives ids too, for example to a message that it has kept, and that is in its archive.
        var kept = try event(ago: 89, id: nil, isPublic: false)
        kept.stanzaID = "s1"
        #expect(recent.admits(kept, at: now, date: date))
        recent.record(kept, as: "r3", at: now)
        var archived = kept
        archived.missedSince = now - .seconds(90)
        #expect(!recent.admits(archived, at: now, date: date))
        archived.stanzaID = "s3"
        #expect(recent.admits(archived, at: now, date: date))
        // What an archive has found may still arrive.
        var arriving = kept
        arriving.stamp = nil
        #expect(!recent.admits(arriving, at: now, date: date))
        #expect(recent.admits(arriving, at: now + .seconds(60), date: date))
        // What isn't handled takes no place.
        for number in 1...100 {
            archived.stanzaID = "old \(number)"
            recent.record(archived, as: "r4", isHandled: false, at: now)
        }
        #expect(!recent.admits(kept, at: now, date: date))
        // The same id in another room is another message.
        var ids = RecentStanzaIDs()
        let (dev, ops) = (try JID(Self.room), try JID("ops@conference.xmpp.test"))
        ids.record("s1", as: "r1", in: dev, at: .zero)
        #expect(ids.contains("s1", in: dev) && !ids.contains("s1", in: ops))
        #expect(ids.message("s1", in: dev) == "r1" && ids.message("s1", in: ops) == nil)
    }

    @Test func `a missed correction names the original, also one that was too old to be handled`() throws {
        var recent = recent()
        recent.record(try event("marvin: one", ago: 80, id: "1"), as: "r1", isHandled: false, at: now)
        var correction = try event("marvin: two", ago: 79, id: "2")
        correction.missedSince = now - .seconds(90)
        correction.replaces = "1"
        #expect(recent.admits(correction, at: now, date: date))
        #expect(recent.original(of: correction, at: now) == "r1")
        correction.replaces = "unknown"
        #expect(!recent.admits(correction, at: now, date: date))
    }

    @Test func `a correction of a correction names the first message, if it is by the same user`() throws {
        var recent = recent()
        recent.record(try event("marvin: one", ago: nil, id: "1"), as: "r1", at: now)
        var second = try event("marvin: two", ago: nil, id: "2")
        second.replaces = "1"
        recent.record(second, as: "r2", at: now)
        var third = try event("marvin: three", ago: nil, id: "3")
        third.replaces = "2"
        #expect(recent.original(of: third, at: now) == "r1")
        // Somebody who has taken the nick, and shares its rate limit.
        third.requester = RequesterIdentity("another stay")
        third.requester.limitID = second.requester.limitID
        #expect(recent.original(of: third, at: now) == nil)
    }

    @Test(arguments: ["", "x", "2027-01-15", String(repeating: "2", count: 41)])
    func `a delayed message without a valid time isn't handled`(_ stamp: String) throws {
        var event = try event(ago: 0, isPublic: false)
        event.stamp = stamp
        #expect(!recent().admits(event, at: now, date: date))
    }

    @Test func `the next robot knows what was heard shortly before`() throws {
        var ids = RecentStanzaIDs()
        let room = try JID(Self.room)
        ids.record("old", as: "r1", in: room, at: .zero)
        ids.record("new", as: "r2", in: room, at: .seconds(100))
        ids.record("new", as: "r3", in: nil, at: .seconds(100))
        ids.record(String(repeating: "a", count: 129), as: "r4", in: nil, at: .seconds(100))
        let heard = ids.recorded(since: .seconds(50))
        var restored = RecentStanzaIDs()
        restored.restore(heard, at: .zero)
        #expect(heard.count == 2)
        #expect(restored.message("new", in: room) == "r2" && restored.message("new", in: nil) == "r3")
        #expect(!restored.contains("old", in: room))
    }

    @Test func `a room's ids don't fill the memory`() throws {
        var ids = RecentStanzaIDs()
        let room = try JID(Self.room)
        for index in 0..<1_000 { ids.record("\(index)", as: "r\(index)", in: room, at: .zero) }
        #expect(!ids.contains("699", in: room))
        #expect(ids.contains("700", in: room) && ids.contains("999", in: room))
        // The oldest ones first, so that the next robot forgets them first.
        #expect(ids.recorded(since: .zero).map(\.id) == (700..<1_000).map(String.init))
    }

    @Test func `after a broken connection, the robot answers what was said meanwhile, once`() async throws {
        let server = try ScriptedXMPPServer()
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port, rooms: [Self.room]) {
            $0.missedMessageAge = .seconds(600)
        }
        try await withBot(Bot(configuration)) { bot in
            let first = try await enter(server) { [Self.said("say old", id: "0", isDelayed: true)] }
            try await bot.isUp()
            first.send(Self.said("say one", id: "1"))
            try await first.expect("<body>one</body>")
            first.close()
            let second = try await enter(server) {
                [
                    Self.said("say one", id: "1", isDelayed: true), Self.said("say two", id: "2", isDelayed: true),
                    Self.said("say two", id: "2", isDelayed: true)
                ]
            }
            try await second.expect("<body>two</body>")
            second.send(Self.said("say three", id: "3"))
            let last = try await second.expect("<body>")
            #expect(last.contains("<body>three</body>"))
            let joins = [first, second].map { $0.received.first { $0.hasPrefix("<presence to='\(Self.room)") } ?? "" }
            #expect(joins[0].contains("maxstanzas='0'"))
            #expect(joins[1].contains("seconds='"))
            for answer in ["old", "one"] {
                #expect(!second.received.contains { $0.contains("<body>\(answer)</body>") })
            }
        }
    }

    private static func said(_ text: String, id: String, isDelayed: Bool = false) -> String {
        let stamp = Date.now.formatted(.iso8601)
        let delay = isDelayed ? "<delay xmlns='urn:xmpp:delay' from='\(room)' stamp='\(stamp)'/>" : ""
        return """
            <message type='groupchat' from='\(room)/ada' id='\(id)'><body>marvin: \(text)</body>\(delay)</message>
            """
    }

    /// Lets the robot log in and join the room, which repeats messages.
    private func enter(
        _ server: ScriptedXMPPServer, history: @escaping @Sendable () -> [String]
    ) async throws -> AcceptedXMPPClient {
        let client = try await server.accept()
        let room = Self.room
        client.answer { stanza in
            guard stanza.hasPrefix("<presence to='\(room)/marvin'") else { return [] }
            let begin = "<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='none' role='participant'/>"
            return [
                "<presence from='\(room)/ada'>\(begin)</x></presence>",
                "<presence from='\(room)/marvin'>\(begin)<status code='110'/></x></presence>"
            ] + history() + ["<message type='groupchat' from='\(room)'><subject/></message>"]
        }
        client.answerRequests()
        try await client.logIn(ScriptedLogin(account: ("marvin", "pencil")))
        try await client.expect("<presence to='\(room)/marvin'")
        return client
    }
}
