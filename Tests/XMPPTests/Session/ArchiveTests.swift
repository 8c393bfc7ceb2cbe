import Testing

@testable import HeybotXMPP

/// What archives have kept while the session was away (XEP-0313).
@Suite struct ArchiveTests: ArchiveTranscripts {
    @Test func `direct messages are found page by page, and heard as missed`() {
        var stage = back(profile())
        stage.play(
            """
            \(loggedIn)
            \(request(1))
            \(ready)
            \(found("one"))
            = bob@b.org/x privately: one missed late, of \(stamp)
            """)
        // Until the archive has told everything, another session asks for the same again.
        #expect(stage.session.missedSince == .seconds(-90))
        stage.play(
            """
            \(end(iq: 1, last: "a1"))
            \(request(2, after: "a1"))
            \(found("old", page: 1))
            """)
        // Another session begins with the page that isn't complete.
        #expect(stage.session.missedSince == .seconds(-60))
        stage.play(
            """
            \(found("two", page: 2, from: "marvin@ship.org"))
            = bob@b.org/x privately: two missed late, of \(stamp)
            \(end(iq: 2, from: "marvin@ship.org"))
            \(found("three", page: 2))
            < <message from='bob@b.org/x'><body>four</body></message>
            = bob@b.org/x privately: four
            """)
        #expect(stage.session.missedSince == .zero)
    }

    @Test func `the id in the archive is the message's stanza id`() throws {
        func heard(_ xml: String, in session: inout Session) throws -> String? {
            let event = try #require(TranscriptPlayer.event(String(xml.dropFirst(2).dropLast())))
            for case .hear(let heard) in session.receive(event, at: .zero) { return heard.stanzaID }
            return nil
        }
        var stage = back(profile())
        stage.play(loggedIn + request(1) + ready)
        #expect(try heard(found("one", id: "a7"), in: &stage.session) == "a7")
        let id = "<sid:stanza-id id='a8' by='marvin@ship.org'/>"
        let live = "< <message from='bob@b.org/x'><body>Hi</body>\(id)</message>\n"
        #expect(try heard(live, in: &stage.session) == "a8")
        #expect(try heard(live.replacing("by='marvin@ship.org'", with: "by='b.org'"), in: &stage.session) == nil)
    }

    @Test func `results that weren't asked for, or don't come from the archive, are ignored`() {
        let strangers = ["bob@b.org", "b.org", "ship.org", "marvin@ship.org/r2", "dev@muc.ship.org"]
        var stage = back(profile())
        stage.play(
            """
            \(loggedIn)
            \(request(1))
            \(ready)
            \(strangers.map { found("forged", from: $0) }.joined())
            \(found("forged", page: 2))
            < <iq type='result' id='{1}' from='bob@b.org'><mam:fin/></iq>
            \(found("one"))
            = bob@b.org/x privately: one missed late, of \(stamp)
            """)
    }

    @Test func `what isn't a direct message of somebody else is ignored, and what was done to messages too`() {
        let reactions = "<reactions:reactions id='1'><reactions:reaction>+1</reactions:reaction></reactions:reactions>"
        let encrypted = "<omemo:encrypted><omemo:payload/></omemo:encrypted>"
        var stage = back(profile())
        stage.play(
            """
            \(loggedIn)
            \(request(1))
            \(ready)
            \(found("mine", by: "marvin@ship.org/phone"))
            \(found("public", by: "\(dev)/ann", type: "groupchat"))
            \(found("occupant", by: "\(dev)/ann", "<user:x/>"))
            \(found("secret", encrypted))
            \(found("come", "<direct:x jid='tea@muc.ship.org'/>"))
            \(found("", "<subject>Tea</subject>"))
            \(found("bad", by: "@"))
            \(found("+1", reactions))
            \(found("gone", "<retract:retract id='1'/>"))
            \(found("new", "<correct:replace id='1'/>"))
            = bob@b.org/x privately: new missed late, of \(stamp) in place of 1
            < <message><mam:result queryid='missed-1' id='a1'/></message>
            """)
    }

    @Test func `an archive without an end is asked for a limited number of pages and results`() {
        var stage = back(profile())
        stage.play(loggedIn + request(1) + ready)
        for page in 1...200 {
            for number in 1...50 {
                let heard = "= bob@b.org/x privately: \(number) missed late, of \(stamp)"
                stage.play(found("\(number)", page: page) + heard)
            }
            stage.play(found("51", page: page))
            let next = page < 200 ? request(page + 1, after: "a\(page)") : ""
            stage.play(end(iq: page, last: "a\(page)") + next)
        }
        stage.play(found("late", page: 200))
    }

    @Test(arguments: ["<iq type='error' id='{1}'/>", "<iq type='result' id='{1}'/>", ""])
    func `without an archive, nothing more is asked`(_ answer: String) {
        var stage = back(profile())
        stage.play(loggedIn + request(1) + ready)
        stage.play(answer.isEmpty ? "+ 30000" : "< \(answer)")
        stage.play(found("late"))
        #expect(stage.session.archives.isEmpty)
    }

    @Test func `nothing older than the limit is asked for, and nothing at all without a limit or an absence`() {
        var stage = back(profile())
        stage.session.absentSince = .seconds(-86_400)
        stage.play(loggedIn + request(1, start: "2025-12-31T23:49:45Z") + ready)
        var off = back(.marvin)
        off.play(alone)
        #expect(off.session.missedSince == nil)
        var first = TranscriptPlayer(profile())
        first.session.epoch = epoch
        #expect(first.session.missedSince == nil)
        first.play(alone + "+ 5000\n< <message from='bob@b.org/x' type='headline'/>\n")
        #expect(first.session.missedSince == .seconds(5))
    }

    @Test func `a room's archive is asked after the join, and its results identify nobody by the nick`() {
        let profile = profile(.inDev())
        var room = SessionConfiguration.Room(jid(dev))
        room.missedSince = .seconds(-90)
        var stage = TranscriptPlayer(profile, rooms: [room])
        stage.session.epoch = epoch
        func said(_ text: String, by nick: String = "ann", from archive: String = "dev@muc.ship.org") -> String {
            found(text, by: "\(dev)/\(nick)", from: archive, type: "groupchat")
        }
        let history = "<muc:history maxstanzas='100' seconds='91'/>"
        stage.play(
            """
            \(loggedIn)
            > <presence to='\(dev)/marvin'><muc:x>\(history)</muc:x>{caps}</presence>
            < <presence from='\(dev)/ann'><user:x><user:item jid='ann@ship.org/x'/></user:x></presence>
            \(welcome)
            \(request(1, to: dev))
            * logged in as marvin@ship.org/r1, in \(dev)
            . ready
            < <message from='\(dev)' type='groupchat'><subject>Tea</subject></message>
            \(said("marvin: ping"))
            = \(dev) ann: marvin: ping missed late, of \(stamp)
            \(said("marvin: gone", by: "zoe"))
            = \(dev) zoe: marvin: gone missed late, of \(stamp)
            \(said("mine", by: "marvin"))
            \(said("forged", from: "\(dev)/ann"))
            \(said("forged", from: "tea@muc.ship.org"))
            \(said("forged", from: ""))
            \(found("forged", by: "tea@muc.ship.org/ann", from: dev, type: "groupchat"))
            \(found("private", by: "\(dev)/ann", from: dev))
            """)
        #expect(stage.session.wantedRooms.map(\.missedSince) == [.seconds(-90)])
        stage.play(end(iq: 1, from: dev) + said("marvin: late"))
        #expect(stage.session.wantedRooms.map(\.missedSince) == [.zero])
    }

    @Test func `what a page doesn't show can only have arrived later, so the next query begins there`() {
        var stage = TranscriptPlayer(profile(.inDev()))
        stage.session.epoch = epoch
        stage.play(
            """
            \(inDev)
            ! \(dev): one
            > <message to='\(dev)' type='groupchat'><body>one</body></message>
            < <presence type='unavailable' from='\(dev)/marvin'><user:x><user:status code='110'/></user:x></presence>
            * removed from \(dev); rejoining
            ! \(dev): two
            + 2000
            > <presence to='\(dev)/marvin'><muc:x><muc:history maxstanzas='100' seconds='3'/></muc:x>{caps}</presence>
            \(welcome)
            * joined \(dev) as marvin
            \(request(1, to: dev, start: "2025-12-31T23:59:45Z"))
            \(found("new", by: "\(dev)/ann", from: dev, type: "groupchat").replacing(stamp, with: "2026-01-01T00:00:01Z"))
            = \(dev) ann: new missed late, of 2026-01-01T00:00:01Z
            \(end(iq: 1, from: dev, last: "a1"))
            \(request(2, to: dev, start: "2025-12-31T23:59:45Z", after: "a1"))
            """)
        let held = stage.session.unconfirmedMessages.heldMessages
        #expect(held.map(\.text) == ["one", "two"] && held.map(\.earliestArrival) == [.seconds(1), .zero])
    }
}
