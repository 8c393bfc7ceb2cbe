import Testing

@testable import HeybotXMPP

/// The join of the configured room for the first time.
private let firstKnock = knock

/// What a room repeats after the robot was away (XEP-0045 section 7.2.14).
@Suite struct MissedMessageTests {
    private let dev = "dev@muc.ship.org"
    private let stamp = "2026-01-01T00:00:00Z"

    private var profile: SessionConfiguration { .inDev { $0.missedMessageAge = .seconds(600) } }

    /// A room that the robot has been away from for a time.
    private func room(_ away: Duration) -> SessionConfiguration.Room {
        var room = SessionConfiguration.Room(jid(dev))
        room.missedSince = Duration.zero - away
        return room
    }

    private func knock(seconds: Int) -> String {
        """
        > <presence to='\(dev)/marvin'><muc:x><muc:history maxstanzas='100' seconds='\(seconds)'/></muc:x>{caps}</presence>

        """
    }

    private func said(_ text: String, by nick: String = "ann", _ more: String = "") -> String {
        "< <message type='groupchat' from='\(dev)/\(nick)' id='m1'><body>\(text)</body>\(more)</message>\n"
    }

    private func delay(_ by: String) -> String { "<delay:delay from='\(by)' stamp='\(stamp)'/>" }

    private let subject = "< <message from='dev@muc.ship.org/ann' type='groupchat'><subject>Tea</subject></message>\n"

    /// Login and return to the room, with Ann in it, who shows her address.
    private func back(seconds: Int) -> String {
        inDev.replacing(firstKnock, with: knock(seconds: seconds)).replacing(
            "< <message from='dev@muc.ship.org/ann' type='groupchat'><subject>Old</subject></message>\n", with: "")
    }

    @Test func `the session remembers when it last heard from the server, in rooms in which it was`() {
        var profile = profile
        profile.rooms.append(SessionConfiguration.Room(jid("tea@muc.ship.org")))
        var stage = TranscriptPlayer(profile)
        let other = firstKnock.replacing("dev@", with: "tea@")
        stage.play(
            """
            \(loggedIn)
            \(firstKnock)
            \(other)
            \(welcome)
            + 5000
            < <message from='bob@b.org/x' type='headline'/>
            + 7000
            """)
        #expect(stage.session.wantedRooms.map(\.missedSince) == [.seconds(5), nil])
        var old = TranscriptPlayer(.inDev())
        old.play(inDev)
        #expect(old.session.wantedRooms.map(\.missedSince) == [nil])
    }

    @Test func `before the robot is in a room for the first time, it asks for nothing`() {
        play(profile, inDev)
    }

    @Test func `the room is asked for what was said meanwhile, up to the limit`() {
        for (away, seconds) in [(0, 1), (90, 91), (599, 600), (86_400, 601)] {
            play(profile, back(seconds: seconds), rooms: [room(.seconds(away))])
        }
        var off = profile
        off.missedMessageAge = .zero
        play(off, inDev, rooms: [room(.seconds(90))])
    }

    @Test func `what the room repeats is heard as missed, until the subject, but identifies nobody by the nick`() {
        let session = play(
            profile,
            """
            \(back(seconds: 91))
            \(said("marvin: ping", delay(dev)))
            = \(dev) ann: marvin: ping missed late, of \(stamp)
            \(said("marvin: gone", by: "zoe", delay(dev)))
            = \(dev) zoe: marvin: gone missed late, of \(stamp)
            \(said("mine", by: "marvin", delay(dev)))
            \(said("without a sender", "<delay:delay stamp='\(stamp)'/>"))
            \(said("forged", delay("\(dev)/ann")))
            \(said("forged", delay("bob@b.org")))
            \(subject)
            \(said("Hi", delay(dev)))
            = \(dev) ann (ann@ship.org): Hi late, of \(stamp)
            """, rooms: [room(.seconds(90))])
        // From now on it misses nothing but what follows the last sign of the server.
        #expect(session.wantedRooms.map(\.missedSince) == [.zero])
    }

    @Test(arguments: [(332, 3), (333, 3), (999, 3), (307, nil)] as [(Int, Int?)])
    func `after a removal for technical reasons or without a reason, the room is asked for what was said meanwhile`(
        _ code: Int, _ seconds: Int?
    ) {
        let how = code == 307 ? "kicked from" : code == 999 ? "removed from" : "removed by the service from"
        play(
            profile,
            inDev + """
                < <presence type='unavailable' from='\(dev)/marvin'><user:x><user:status code='110'/><user:status \
                code='\(code)'/></user:x></presence>

                """ + "* \(how) dev@muc.ship.org; rejoining\n+ 2000\n"
                + (seconds.map(knock) ?? firstKnock))
    }

    @Test func `a repeated subject doesn't make the rest of the history new`() {
        let old = subject.replacing("</message>", with: "\(delay(dev))</message>")
        play(
            profile,
            """
            \(back(seconds: 91))
            \(said("marvin: ping", by: "zoe", "<subject>Tea</subject>" + delay(dev)))
            = \(dev) zoe: marvin: ping missed late, of \(stamp)
            \(old)
            \(said("marvin: deploy", delay(dev)))
            = \(dev) ann: marvin: deploy missed late, of \(stamp)
            \(said("Hi", "<delay:delay stamp='\(stamp)'/>"))
            = \(dev) ann (ann@ship.org): Hi
            \(subject)
            = \(dev) ann (ann@ship.org) sets the topic: Tea
            \(said("marvin: deploy", delay(dev)))
            = \(dev) ann (ann@ship.org): marvin: deploy late, of \(stamp)
            """, rooms: [room(.seconds(90))])
    }

    @Test func `the robot's own messages aren't missed, also if its nick is taken meanwhile`() {
        let error = "<error type='cancel'><stanzas:conflict/></error>"
        play(
            profile,
            """
            \(loggedIn)
            \(knock(seconds: 91))
            < <presence type='error' from='\(dev)/marvin'>\(error)</presence>
            \(knock(seconds: 91).replacing("/marvin", with: "/marvin_"))
            < <presence from='\(dev)/marvin'/>
            \(welcome.replacing("/marvin", with: "/marvin_"))
            * the nick marvin is taken in \(dev); I'm marvin_ until it is free
            * logged in as marvin@ship.org/r1, in \(dev)
            . ready
            \(said("ann: pong", by: "marvin", delay(dev)))
            \(said("marvin: ping", delay(dev)))
            = \(dev) ann: marvin: ping missed late, of \(stamp)
            """, rooms: [room(.seconds(90))])
    }

    @Test func `until the room has repeated everything, another session asks for the same again`() {
        let session = play(profile, back(seconds: 91), rooms: [room(.seconds(90))])
        #expect(session.wantedRooms.map(\.missedSince) == [.seconds(-90)])
    }

    @Test func `an occupant id tells who sent a missed message`() {
        func id(_ id: String) -> String { "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(id)'/>" }
        var stage = TranscriptPlayer(profile, rooms: [room(.seconds(90))], hidesServices: false)
        let info = """
            <info:query><info:identity category='conference' type='text'/><info:feature var='\(Namespace.muc)'/>
              <info:feature var='\(Namespace.occupantID)'/></info:query>
            """
        stage.play(
            """
            \(loggedIn)
            > <iq type='get' id='{1}' to='muc.ship.org'><info:query/></iq>
            \(knock(seconds: 91))
            < <iq type='result' id='{1}' from='muc.ship.org'>\(info)</iq>
            < <presence from='\(dev)/ann'><user:x><user:item jid='ann@ship.org/x'/></user:x>\(id("a"))</presence>
            \(welcome)
            * logged in as marvin@ship.org/r1, in \(dev)
            . ready
            \(said("marvin: one", delay(dev) + id("a")))
            = \(dev) ann (ann@ship.org): marvin: one missed late, of \(stamp)
            \(said("marvin: two", delay(dev) + id("b")))
            = \(dev) ann: marvin: two missed late, of \(stamp)
            \(said("marvin: three", delay(dev)))
            = \(dev) ann: marvin: three missed late, of \(stamp)
            """)
    }

    @Test func `only the room's own stanza id counts`() throws {
        func heard(_ more: String) throws -> String? {
            var session = play(profile, inDev)
            let xml = said("Hi", more).dropFirst(2).dropLast()
            let event = try #require(TranscriptPlayer.event(String(xml)))
            for case .hear(let heard) in session.receive(event, at: .zero) { return heard.stanzaID }
            return nil
        }
        func id(_ id: String, _ by: String) -> String { "<sid:stanza-id id='\(id)' by='\(by)'/>" }
        #expect(try heard(id("1", dev)) == "1")
        #expect(try heard(id("1", dev) + id("2", "ann@ship.org")) == "1")
        #expect(try heard(id("1", "\(dev)/ann")) == nil)
        #expect(try heard(id("1", "@")) == nil)
        #expect(try heard(id("1", dev) + id("2", dev)) == nil)
        #expect(try heard(id(String(repeating: "x", count: 257), dev)) == nil)
    }
}
