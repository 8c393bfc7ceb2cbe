import Foundation
import Testing

@testable import HeybotXMPP

/// Invitations, and what malicious senders could try.
@Suite struct InvitationTests {
    private func knock(_ room: String, password: String? = nil) -> String {
        let words = password.map { "<muc:password>\($0)</muc:password>" } ?? ""
        return XMPPTests.knock.replacing("dev@muc.ship.org", with: room).replacing("<muc:x>", with: "<muc:x>" + words)
    }

    private let invited =
        "< <message from='bob@b.org/x'><direct:x jid='tea@muc.b.org' password='milk' reason='Tea?'/></message>\n"
    private let welcome = XMPPTests.welcome.replacing("dev@muc.ship.org", with: "tea@muc.b.org")

    @Test func `mediated and direct invitations`() {
        let session = play(
            alone + """
                < <message from='ale@muc.b.org'><user:x><user:invite from='bob@b.org/x'><user:reason>Beer?</user:reason></user:invite>
                  <user:password>hops</user:password></user:x><direct:x jid='ale@muc.b.org'/></message>
                * bob@b.org/x invited me to ale@muc.b.org

                """ + discovery(of: "muc.b.org") + knock("ale@muc.b.org", password: "hops") + invited
                + "* bob@b.org/x invited me to tea@muc.b.org\n"
                + knock("tea@muc.b.org", password: "milk") + invited + welcome + "* joined tea@muc.b.org as marvin\n"
                + invited)
        var tea = SessionConfiguration.Room(jid("tea@muc.b.org"), password: "milk")
        tea.inviter = "bob@b.org"
        #expect(session.wantedRooms == [tea])
    }

    @Test func `invitations that aren't accepted`() {
        let note = "* bob@b.org/x invited me to tea@muc.b.org; ignored, because that user may not invite me"
        for change: (inout SessionConfiguration) -> Void in [
            { $0.acceptsInvitations = false }, { $0.contacts = .none }, { $0.contacts = .only([jid("ann@b.org")]) }
        ] {
            var profile = SessionConfiguration.marvin
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
    func `invalid and delayed invitations are ignored`(_ xml: String) {
        let session = play(
            alone + "< \(xml)\n"
                + (xml.contains("error") ? "* bob@b.org didn't receive my message: undefined-condition" : ""))
        #expect(session.wantedRooms == [])
    }

    @Test func `a refused join by invitation isn't retried`() {
        let begun =
            alone + invited + "* bob@b.org/x invited me to tea@muc.b.org\n" + discovery(of: "muc.b.org")
            + knock("tea@muc.b.org", password: "milk")
        play(
            begun + """
                < <presence type='error' from='tea@muc.b.org/marvin'><error type='auth'><stanzas:registration-required/></error></presence>
                * can't join tea@muc.b.org: only members may join; not retrying
                + 59999

                """)
        play(begun + "+ 30000\n* can't join tea@muc.b.org: it doesn't answer; not retrying")
    }

    @Test func `a person's address isn't a room, and the person's messages still arrive`() {
        let hears = """
            < <message from='bob@b.org/x'><body>Hi</body></message>
            = bob@b.org/x privately: Hi

            """
        play(
            alone + """
                < <message from='eve@e.org'><direct:x jid='bob@b.org'/></message>
                * eve@e.org invited me to bob@b.org
                > <iq type='get' id='{1}' to='ship.org'><items:query/></iq>
                > <iq type='get' id='{2}' to='b.org'><info:query/></iq>

                """ + hears + """
                    < <iq type='result' id='{2}' from='b.org'><info:query><info:identity category='server' type='im'/></info:query></iq>
                    * not joining bob@b.org: b.org isn't a conference service

                    """ + hears)
    }

    @Test(arguments: [
        ("<error type='cancel'><stanzas:remote-server-not-found/></error>", "its server is unreachable"),
        (
            "<error type='cancel'><stanzas:service-unavailable/></error>",
            "muc.b.org doesn't describe itself (service-unavailable)"
        )
    ])
    func `a service that doesn't describe itself`(_ error: String, _ reason: String) {
        play(
            alone + invited + """
                * bob@b.org/x invited me to tea@muc.b.org
                > <iq type='get' id='{1}' to='ship.org'><items:query/></iq>
                > <iq type='get' id='{2}' to='muc.b.org'><info:query/></iq>
                < <iq type='error' id='{2}' from='muc.b.org'>\(error)</iq>
                * not joining tea@muc.b.org: \(reason)
                """)
        play(
            alone + invited + """
                * bob@b.org/x invited me to tea@muc.b.org
                > <iq type='get' id='{1}' to='ship.org'><items:query/></iq>
                > <iq type='get' id='{2}' to='muc.b.org'><info:query/></iq>
                + 30000
                * not joining tea@muc.b.org: its server doesn't answer
                """)
    }

    @Test func `an occupant's invitation counts as one of the person with the nick`() {
        let direct = "<direct:x jid='tea@muc.b.org'/></message>\n"
        var profile = SessionConfiguration.inDev()
        profile.contacts = .only([jid("ann@ship.org"), jid("muc.ship.org")])
        play(
            profile,
            inDev + "< <message from='dev@muc.ship.org/guest'>" + direct
                + "* dev@muc.ship.org/guest invited me to tea@muc.b.org; ignored, because that user may not invite me\n"
                + "< <message from='dev@muc.ship.org/ann'>" + direct
                + "* dev@muc.ship.org/ann invited me to tea@muc.b.org\n"
                + discovery(of: "muc.b.org") + knock("tea@muc.b.org"))
    }

    @Test func `the rooms of an earlier session are joined again, and refused joins are retried`() {
        let refused = """
            < <presence type='error' from='tea@muc.b.org/marvin'><error type='wait'><stanzas:remote-server-timeout/></error></presence>
            * can't join tea@muc.b.org: its server is unreachable; retrying
            * logged in as marvin@ship.org/r1, in no room
            . ready
            """
        let session = play(
            .inDev(), loggedIn + discovery(of: "muc.b.org") + knock("tea@muc.b.org") + refused,
            rooms: [SessionConfiguration.Room(jid("tea@muc.b.org"))])
        #expect(session.wantedRooms.map(\.address) == [jid("tea@muc.b.org")])
    }

    @Test func `the number of rooms is limited`() {
        var profile = SessionConfiguration.marvin
        profile.timeouts.join = .seconds(9_999)
        var stage = TranscriptPlayer(profile)
        stage.play(alone)
        var (followed, refused) = (0, 0)
        for index in 0..<600 {
            guard
                let event = TranscriptPlayer.event(
                    "<message from='eve\(index)@e\(index / 40).org'><direct:x jid='r\(index)@muc.e.org'/></message>")
            else {
                continue
            }
            stage.act { session, _ in
                for action in session.receive(event, at: .seconds(20) + .milliseconds(200) * index) {
                    if case .log(.invited) = action { followed += 1 }
                    if case .log(.invitationDeclined(_, _, let reason)) = action {
                        refused += reason == "I have reached the limit of 500 rooms" ? 1 : 0
                    }
                }
                return []
            }
        }
        #expect(followed == 500 && refused == 100)
    }

    @Test func `the number of rooms per inviter is limited`() {
        var profile = SessionConfiguration.marvin
        profile.timeouts.join = .seconds(9_999)
        var stage = TranscriptPlayer(profile)
        stage.play(alone)
        var (followed, declined) = (0, 0)
        for index in 0..<40 {
            let from = index < 30 ? "eve@e.org" : "bob@e.org"
            guard
                let event = TranscriptPlayer.event(
                    "<message from='\(from)/x'><direct:x jid='r\(index)@muc.e.org'/></message>")
            else { continue }
            stage.act { session, _ in
                for action in session.receive(event, at: .seconds(10) * index) {
                    if case .log(.invited) = action { followed += 1 }
                    if case .log(
                        .invitationDeclined(
                            _, _, "I have reached the limit of 20 rooms that eve@e.org may invite me to")) = action
                    {
                        declined += 1
                    }
                }
                return []
            }
        }
        #expect((followed, declined) == (30, 10))
    }

    @Test func `the number of rooms per inviting domain is limited`() {
        var profile = SessionConfiguration.marvin
        profile.timeouts.join = .seconds(9_999)
        var stage = TranscriptPlayer(profile)
        stage.play(alone)
        var (followed, declined) = (0, 0)
        func invite(_ from: String, _ room: String, at now: Duration) {
            guard let event = TranscriptPlayer.event("<message from='\(from)'><direct:x jid='\(room)'/></message>")
            else { return }
            stage.act { session, _ in
                for action in session.receive(event, at: now) {
                    if case .log(.invited) = action { followed += 1 }
                    if case .log(.invitationDeclined(_, _, let reason)) = action {
                        declined += reason == "I have reached the limit of 50 rooms that e.org may invite me to" ? 1 : 0
                    }
                }
                return []
            }
        }
        for index in 0..<100 { invite("eve\(index)@e.org", "r\(index)@muc.e.org", at: .milliseconds(100) * index) }
        #expect(followed == 50 && declined == 50)
        // Many inviters of one domain at once use up only their own domain's limit.
        for index in 0..<1_000 { invite("x\(index)@f.org", "r\(index)@muc.f.org", at: .seconds(60)) }
        followed = 0
        invite("bob@b.org", "tea@muc.b.org", at: .seconds(60))
        #expect(followed == 1)
    }

    @Test func `a room where nobody speaks is left after a day`() {
        var profile = SessionConfiguration.marvin
        profile.timeouts.pingInterval = .seconds(99_999_999)
        profile.timeouts.roomPingInterval = .seconds(99_999_999)
        let begun =
            alone + invited + "* bob@b.org/x invited me to tea@muc.b.org\n" + discovery(of: "muc.b.org")
            + knock("tea@muc.b.org", password: "milk") + welcome + "* joined tea@muc.b.org as marvin\n+ 86399999\n"
        let session = play(
            profile,
            begun + """
                + 1
                * left tea@muc.b.org: nobody has spoken there
                > <presence type='unavailable' to='tea@muc.b.org/marvin'/>
                """)
        #expect(session.wantedRooms == [])
        play(
            profile,
            begun + """
                < <message type='groupchat' from='tea@muc.b.org/bob'><body>Tea?</body></message>
                = tea@muc.b.org bob: Tea?
                + 1
                + 86400000
                """)
    }

    @Test func `a wrong password in an invitation is followed by the configured one at once`() {
        var profile = SessionConfiguration.inDev { $0.timeouts.pingInterval = .seconds(9_999) }
        profile.rooms[0].password = "hops"
        let kicked =
            "< <presence type='unavailable' from='dev@muc.ship.org/marvin'><user:x><user:item role='none'/><user:status code='110'/><user:status code='307'/></user:x></presence>\n"
        let knock = knock("dev@muc.ship.org", password: "hops")
        play(
            profile,
            loggedIn + knock + XMPPTests.welcome + """
                * logged in as marvin@ship.org/r1, in dev@muc.ship.org
                . ready
                + 10000

                """ + kicked + """
                    * kicked from dev@muc.ship.org; rejoining
                    < <message from='bob@b.org/x'><direct:x jid='dev@muc.ship.org' password='milk'/></message>
                    * bob@b.org/x invited me to dev@muc.ship.org

                    """ + self.knock("dev@muc.ship.org", password: "milk") + """
                    < <presence type='error' from='dev@muc.ship.org/marvin'><error type='auth'><stanzas:not-authorized/></error></presence>
                    * can't join dev@muc.ship.org: wrong password; retrying

                    """ + knock + XMPPTests.welcome + "* joined dev@muc.ship.org as marvin\n")
    }

    @Test func `an invitation to a configured room that refused the join is tried at once, with its password`() {
        let refused = """
            < <presence type='error' from='dev@muc.ship.org/marvin'><error type='auth'><stanzas:not-authorized/></error></presence>
            * can't join dev@muc.ship.org: it asks for a password; retrying
            * logged in as marvin@ship.org/r1, in no room
            . ready
            + 10000

            """
        let session = play(
            .inDev(),
            loggedIn + XMPPTests.knock + refused + """
                < <message from='bob@b.org/x'><direct:x jid='dev@muc.ship.org' password='milk'/></message>
                * bob@b.org/x invited me to dev@muc.ship.org

                """ + knock("dev@muc.ship.org", password: "milk") + XMPPTests.welcome + """
                    * joined dev@muc.ship.org as marvin

                    """)
        #expect(session.wantedRooms.map(\.password) == ["milk"])
    }

    @Test func `rooms are joined and left on request`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play(alone)
        stage.act { session, now in session.join(SessionConfiguration.Room(jid("tea@muc.b.org")), at: now) ?? [] }
        stage.play(discovery(of: "muc.b.org") + knock("tea@muc.b.org") + welcome + "* joined tea@muc.b.org as marvin")
        #expect(stage.session.wantedRooms == [SessionConfiguration.Room(jid("tea@muc.b.org"))])
        stage.act { session, now in session.leave(jid("tea@muc.b.org"), at: now) ?? [] }
        stage.play(
            """
            * left tea@muc.b.org: on request
            > <presence type='unavailable' to='tea@muc.b.org/marvin'/>
            """)
        #expect(stage.session.wantedRooms == [] && stage.session.joined == [])
        stage.act { session, now in session.join(SessionConfiguration.Room(jid("ann@ship.org")), at: now) ?? [] }
        stage.play("* not joining ann@ship.org: it isn't the address of a room")
    }
}
