import Foundation
import Testing

@testable import XMPP

/// Invitations, and what whoever sends them could want.
@Suite struct InvitationTests {
    private func knock(_ room: String, password: String? = nil) -> String {
        let words = password.map { "<muc:password>\($0)</muc:password>" } ?? ""
        return XMPPTests.knock.replacing("dev@muc.ship.org", with: room).replacing("<muc:x>", with: "<muc:x>" + words)
    }

    private let invited =
        "< <message from='bob@b.org/x'><direct:x jid='tea@muc.b.org' password='milk' reason='Tea?'/></message>\n"
    private let welcome = XMPPTests.welcome.replacing("dev@muc.ship.org", with: "tea@muc.b.org")

    @Test func `by way of the room, and directly`() {
        let session = play(
            alone + """
                < <message from='ale@muc.b.org'><user:x><user:invite from='bob@b.org/x'><user:reason>Beer?</user:reason></user:invite>
                  <user:password>hops</user:password></user:x><direct:x jid='ale@muc.b.org'/></message>
                * bob@b.org/x invites me to ale@muc.b.org

                """ + discovery(of: "muc.b.org") + knock("ale@muc.b.org", password: "hops") + invited + "* bob@b.org/x invites me to tea@muc.b.org\n"
                + knock("tea@muc.b.org", password: "milk") + invited + welcome + "* joined tea@muc.b.org as marvin\n"
                + invited)
        #expect(session.wantedRooms == [Profile.Room(jid("tea@muc.b.org"), password: "milk")])
    }

    @Test func `whom we don't follow`() {
        let note = "* bob@b.org/x invites me to tea@muc.b.org; I don't follow invitations of theirs"
        for change: (inout Profile) -> Void in [
            { $0.acceptsInvitations = false }, { $0.contacts = .none }, { $0.contacts = .only([jid("ann@b.org")]) }
        ] {
            var profile = Profile.marvin
            change(&profile)
            play(profile, alone + invited + note)
        }
    }

    @Test(arguments: [
        "<message from='bob@b.org'><direct:x jid='@@'/></message>", "<message from='bob@b.org'><direct:x/></message>",
        "<message from='tea@muc.b.org'><user:x><user:invite/></user:x></message>",
        "<message from='tea@muc.b.org/bob'><user:x><user:invite from='bob@b.org'/></user:x></message>",
        "<message from='bob@b.org'><direct:x jid='tea@muc.b.org'/><delay:delay from='ship.org'/></message>",
        "<message type='error' from='bob@b.org'><direct:x jid='tea@muc.b.org'/></message>"
    ])
    func `invitations that are none, or of yesterday`(_ xml: String) {
        let session = play(
            alone + "< \(xml)\n"
                + (xml.contains("error") ? "* bob@b.org didn't get what I said: undefined-condition" : ""))
        #expect(session.wantedRooms == [])
    }

    @Test func `a room that doesn't let us in after all isn't tried again`() {
        let begun =
            alone + invited + "* bob@b.org/x invites me to tea@muc.b.org\n" + discovery(of: "muc.b.org")
            + knock("tea@muc.b.org", password: "milk")
        play(
            begun + """
                < <presence type='error' from='tea@muc.b.org/marvin'><error type='auth'><stanzas:registration-required/></error></presence>
                * tea@muc.b.org doesn't let me in after all: only members are let in
                + 59999

                """)
        play(begun + "+ 30000\n* tea@muc.b.org doesn't let me in after all: it doesn't answer")
    }

    @Test func `somebody's address isn't a room, and they are heard as before`() {
        let hears = """
            < <message from='bob@b.org/x'><body>Hi</body></message>
            = bob@b.org/x privately: Hi

            """
        play(
            alone + """
                < <message from='eve@e.org'><direct:x jid='bob@b.org'/></message>
                * eve@e.org invites me to bob@b.org
                > <iq type='get' id='{1}' to='ship.org'><items:query/></iq>
                > <iq type='get' id='{2}' to='b.org'><info:query/></iq>

                """ + hears + """
                    < <iq type='result' id='{2}' from='b.org'><info:query><info:identity category='server' type='im'/></info:query></iq>
                    * I don't go into bob@b.org: b.org isn't a service for rooms

                    """ + hears)
    }

    @Test(arguments: [
        ("<error type='cancel'><stanzas:remote-server-not-found/></error>", "its server can't be reached"),
        ("<error type='cancel'><stanzas:service-unavailable/></error>", "muc.b.org isn't a service for rooms")
    ])
    func `a service that doesn't say what it is`(_ error: String, _ reason: String) {
        play(
            alone + invited + """
                * bob@b.org/x invites me to tea@muc.b.org
                > <iq type='get' id='{1}' to='ship.org'><items:query/></iq>
                > <iq type='get' id='{2}' to='muc.b.org'><info:query/></iq>
                < <iq type='error' id='{2}' from='muc.b.org'>\(error)</iq>
                * I don't go into tea@muc.b.org: \(reason)
                """)
        play(
            alone + invited + """
                * bob@b.org/x invites me to tea@muc.b.org
                > <iq type='get' id='{1}' to='ship.org'><items:query/></iq>
                > <iq type='get' id='{2}' to='muc.b.org'><info:query/></iq>
                + 30000
                * I don't go into tea@muc.b.org: its server doesn't answer
                """)
    }

    @Test func `in a room, whoever has the nick invites us`() {
        let direct = "<direct:x jid='tea@muc.b.org'/></message>\n"
        var profile = Profile.inDev()
        profile.contacts = .only([jid("ann@ship.org"), jid("muc.ship.org")])
        play(
            profile,
            inDev + "< <message from='dev@muc.ship.org/guest'>" + direct
                + "* dev@muc.ship.org/guest invites me to tea@muc.b.org; I don't follow invitations of theirs\n"
                + "< <message from='dev@muc.ship.org/ann'>" + direct
                + "* dev@muc.ship.org/ann invites me to tea@muc.b.org\n"
                + discovery(of: "muc.b.org") + knock("tea@muc.b.org"))
    }

    @Test func `rooms of an earlier session are gone into again, and what they refuse is tried again`() {
        let refused = """
            < <presence type='error' from='tea@muc.b.org/marvin'><error type='wait'><stanzas:remote-server-timeout/></error></presence>
            * tea@muc.b.org doesn't let me in: its server can't be reached; I'll keep trying
            * logged in as marvin@ship.org/r1, in no room
            . settled
            """
        let session = play(
            .inDev(), loggedIn + discovery(of: "muc.b.org") + knock("tea@muc.b.org") + refused, rooms: [Profile.Room(jid("tea@muc.b.org"))])
        #expect(session.wantedRooms.map(\.address) == [jid("tea@muc.b.org")])
    }

    @Test func `not into more rooms than are good for us`() {
        var profile = Profile.marvin
        profile.waits.join = .seconds(9_999)
        var stage = Stage(profile)
        stage.play(alone)
        var (followed, refused) = (0, 0)
        for index in 0..<600 {
            guard let event = Stage.event("<message from='eve@e.org'><direct:x jid='r\(index)@muc.e.org'/></message>")
            else {
                continue
            }
            stage.act { session, _ in
                for action in session.receive(event, at: .seconds(20) + .milliseconds(200) * index) {
                    if case .note(.invited) = action { followed += 1 }
                    if case .note(.declined(_, _, let reason)) = action {
                        refused += reason == "I am in 500 rooms already" ? 1 : 0
                    }
                }
                return []
            }
        }
        #expect(followed == 500 && refused == 100)
    }
}
