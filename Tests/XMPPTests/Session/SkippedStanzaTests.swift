import Testing

@testable import HeybotXMPP

/// The effects of stanzas that exceed a limit.
@Suite struct SkippedStanzaTests {
    private let many = (0..<65).map { " a\($0)=''" }.joined()

    @Test func `a skipped stanza is logged, as a warning once a minute`() {
        play(
            .inDev(),
            inDev + """
                < <message from='dev@muc.ship.org/ann' type='groupchat'\(many)><body>marvin: ping</body></message>
                * a stanza from dev@muc.ship.org/ann was skipped: an element has more than 64 attributes
                < <presence from='bob@b.org/x'\(many)/>
                * (again) a stanza from bob@b.org/x was skipped: an element has more than 64 attributes
                < <presence from='@'\(many)/>
                * (again) a stanza was skipped: an element has more than 64 attributes
                < <x\(many)/>
                * (again) a stanza was skipped: an element has more than 64 attributes
                + 59000
                < <message\(many)/>
                * (again) a stanza was skipped: an element has more than 64 attributes
                + 1000
                < <message\(many)/>
                * a stanza was skipped: an element has more than 64 attributes
                < <message from='dev@muc.ship.org/ann' type='groupchat'><body>Hi</body></message>
                = dev@muc.ship.org ann (ann@ship.org): Hi
                """)
    }

    @Test func `a skipped presence makes the nick's occupant unknown`() {
        play(
            .inDev(),
            inDev + """
                < <presence from='dev@muc.ship.org/ann'\(many)/>
                * a stanza from dev@muc.ship.org/ann was skipped: an element has more than 64 attributes
                < <message from='dev@muc.ship.org/ann' type='groupchat'><body>Hi</body></message>
                = dev@muc.ship.org ann: Hi
                """)
    }

    @Test func `a skipped presence and the next one make the robot list nothing, and delay no private answer`() throws {
        let eve = "<user:x><user:item role='participant' jid='eve@ship.org/x'/></user:x>"
        var stage = TranscriptPlayer(.inDev())
        stage.play(
            inDev + """
                < <presence from='dev@muc.ship.org/eve'>\(eve)</presence>
                = dev@muc.ship.org eve (eve@ship.org) joined
                < <presence from='dev@muc.ship.org/eve'\(many)/>
                * a stanza from dev@muc.ship.org/eve was skipped: an element has more than 64 attributes
                < <presence from='dev@muc.ship.org/eve'>\(eve)</presence>

                """)
        #expect(stage.session.rooms[jid("dev@muc.ship.org")]?.resync == .idle)
        // A newcomer's too.
        stage.play(
            """
            < <presence from='dev@muc.ship.org/mal'\(many)/>
            * (again) a stanza from dev@muc.ship.org/mal was skipped: an element has more than 64 attributes
            < <presence from='dev@muc.ship.org/mal'>\(eve.replacing("eve@", with: "mal@"))</presence>
            """)
        #expect(stage.session.rooms[jid("dev@muc.ship.org")]?.resync == .idle)
    }

    @Test func `a skipped presence doesn't hide a change of role`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(
            inDev + """
                < <presence from='dev@muc.ship.org/ann'\(many)/>
                * a stanza from dev@muc.ship.org/ann was skipped: an element has more than 64 attributes
                < <presence from='dev@muc.ship.org/ann'><user:x><user:item role='visitor' jid='ann@ship.org/x'/></user:x></presence>

                """ + requested)
    }

    private let long = String(repeating: "A", count: 60_000)
    private let tooLong = "was skipped: a tag has more than 32768 bytes"
    private let hello = "< <message from='dev@muc.ship.org/ann' type='groupchat'><body>Hi</body></message>\n"
    private let known = "= dev@muc.ship.org ann (ann@ship.org): Hi\n"
    private let unknown = "= dev@muc.ship.org ann: Hi\n"
    private let requested =
        "> <presence id='fyko+d2lbbFgjoin1' to='dev@muc.ship.org/marvin'><muc:x><muc:history maxstanzas='0' maxchars='0'/></muc:x>{caps}</presence>\n"

    @Test(arguments: [
        "message from='eve@b.org/x' to='marvin@ship.org'", "message from='dev@muc.ship.org/eve' type='groupchat'",
        "message from='dev@muc.ship.org/ann'", "presence from='eve@b.org/x'", "presence from='dev@muc.ship.org/eve'",
        "message from='dev@muc.ship.org'", "a:presence from='eve@b.org/x' xmlns:a='jabber:client'"
    ])
    func `strangers can't make occupants unverified by overlong tags`(_ tag: String) {
        let from = tag.split(separator: "'")[1]
        play(.inDev(), inDev + "< <\(tag) id='\(long)'/>\n* a stanza from \(from) \(tooLong)\n" + hello + known)
    }

    @Test func `an overlong tag of a presence makes the occupant unknown, and one of the room everyone`() {
        play(
            .inDev(),
            inDev + "< <presence from='dev@muc.ship.org/ann' id='\(long)'/>\n"
                + "* a stanza from dev@muc.ship.org/ann \(tooLong)\n" + hello + unknown)
        // Without a readable name, it is as if the occupant might have left, and another one come.
        let eve = "a:presence from='dev@muc.ship.org/eve' xmlns:a='jabber:client'"
        play(
            .inDev(),
            inDev + "< <\(eve) id='\(long)'/>\n* a stanza from dev@muc.ship.org/eve \(tooLong)\n" + requested + hello
                + known)
        for tag in [
            "a:presence from='dev@muc.ship.org/ann' xmlns:a='jabber:client'",
            "message from='dev@muc.ship.org' type='groupchat'",
            "presence from='dev@muc.ship.org'"
        ] {
            let from = tag.split(separator: "'")[1]
            play(
                .inDev(),
                inDev + "< <\(tag) id='\(long)'/>\n* a stanza from \(from) \(tooLong)\n" + requested + hello + unknown)
        }
    }

    @Test func `if even the sender can't be read, the rooms are asked once a minute`() {
        var profile = SessionConfiguration.inDev()
        profile.timeouts.pingInterval = .seconds(1_000)
        let doubt = "< <presence from='\(long)'/>\n* (again) a stanza \(tooLong)\n"
        func listed(_ number: Int) -> String {
            let own = "< <presence from='dev@muc.ship.org/marvin' id='fyko+d2lbbFgjoin\(number)"
            let rest = "'><user:x><user:status code='110'/></user:x></presence>\n"
            let ann =
                "< <presence from='dev@muc.ship.org/ann'><user:x><user:item role='moderator' affiliation='owner' jid='ann@ship.org/x'/></user:x></presence>\n"
            return own + rest + requested.replacing("join1", with: "join\(number)b") + ann + own + "b" + rest
        }
        play(
            profile,
            inDev + doubt.replacing("(again) ", with: "") + requested + hello + unknown + listed(1) + hello + known
                + "+ 20000\n" + doubt + hello + unknown + doubt + "+ 39999\n" + hello + unknown + "+ 1\n"
                + requested.replacing("join1", with: "join2") + listed(2) + hello + known)
    }

    @Test func `an unreadable presence during a join makes the list doubtful`() {
        play(
            .inDev(),
            loggedIn + knock + """
                < <presence from='dev@muc.ship.org/ann'><user:x><user:item jid='ann@ship.org/x'/></user:x></presence>
                < <presence from='\(long)' type='unavailable'/>
                * a stanza \(tooLong)

                """ + welcome + requested + """
                    * logged in as marvin@ship.org/r1, in dev@muc.ship.org
                    . ready

                    """ + hello + unknown)
    }

    @Test func `a skipped request gets an error, and a skipped response counts as one`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(
            inDev + """
                < <iq type='get' id='7' from='bob@b.org/x'\(many)/>
                * a stanza from bob@b.org/x was skipped: an element has more than 64 attributes
                > <iq type='error' id='7' to='bob@b.org/x'><error type='modify'><stanzas:policy-violation/></error></iq>
                """)
        stage.act { session, now in session.ask(Element("x", "urn:x"), to: jid("muc.ship.org"), as: "q", at: now) }
        stage.play(
            """
            > <iq type='get' id='{1}' to='muc.ship.org'><x xmlns='urn:x'/></iq>
            < <iq type='result' id='{1}' from='eve@muc.ship.org'\(many)/>
            * (again) a stanza from eve@muc.ship.org was skipped: an element has more than 64 attributes
            < <iq type='result' id='{1}' from='muc.ship.org'\(many)/>
            * (again) a stanza from muc.ship.org was skipped: an element has more than 64 attributes
            ? q: modify policy-violation: an element has more than 64 attributes
            """)
    }

    @Test func `before the login a skipped element ends the stream`() {
        play(
            """
            > <stream:stream to='ship.org' from='marvin@ship.org'>
            < <stream:features\(many)/>
            x the server sent an element over a limit: an element has more than 64 attributes
            """)
    }
}
