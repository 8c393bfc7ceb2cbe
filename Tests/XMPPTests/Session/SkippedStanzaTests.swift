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
