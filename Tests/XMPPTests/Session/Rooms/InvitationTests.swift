import Foundation
import Testing

@testable import HeybotXMPP

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

                """ + discovery(of: "muc.b.org") + knock("ale@muc.b.org", password: "hops") + invited
                + "* bob@b.org/x invites me to tea@muc.b.org\n"
                + knock("tea@muc.b.org", password: "milk") + invited + welcome + "* joined tea@muc.b.org as marvin\n"
                + invited)
        var tea = Profile.Room(jid("tea@muc.b.org"), password: "milk")
        tea.inviter = "bob@b.org"
        #expect(session.wantedRooms == [tea])
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
        (
            "<error type='cancel'><stanzas:service-unavailable/></error>",
            "muc.b.org doesn't say what it is (service-unavailable)"
        )
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
            .inDev(), loggedIn + discovery(of: "muc.b.org") + knock("tea@muc.b.org") + refused,
            rooms: [Profile.Room(jid("tea@muc.b.org"))])
        #expect(session.wantedRooms.map(\.address) == [jid("tea@muc.b.org")])
    }

    @Test func `not into more rooms than are good for us`() {
        var profile = Profile.marvin
        profile.waits.join = .seconds(9_999)
        var stage = Stage(profile)
        stage.play(alone)
        var (followed, refused) = (0, 0)
        for index in 0..<600 {
            guard
                let event = Stage.event(
                    "<message from='eve\(index)@e\(index / 40).org'><direct:x jid='r\(index)@muc.e.org'/></message>")
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

    @Test func `one person has us join twenty rooms, and others more`() {
        var profile = Profile.marvin
        profile.waits.join = .seconds(9_999)
        var stage = Stage(profile)
        stage.play(alone)
        var (followed, declined) = (0, 0)
        for index in 0..<40 {
            let from = index < 30 ? "eve@e.org" : "bob@e.org"
            guard let event = Stage.event("<message from='\(from)/x'><direct:x jid='r\(index)@muc.e.org'/></message>")
            else { continue }
            stage.act { session, _ in
                for action in session.receive(event, at: .seconds(10) * index) {
                    if case .note(.invited) = action { followed += 1 }
                    if case .note(.declined(_, _, "I am in 20 rooms already that eve@e.org has invited me to")) = action
                    {
                        declined += 1
                    }
                }
                return []
            }
        }
        #expect((followed, declined) == (30, 10))
    }

    @Test func `people of one domain don't take all the places, and what is due to others isn't used up`() {
        var profile = Profile.marvin
        profile.waits.join = .seconds(9_999)
        var stage = Stage(profile)
        stage.play(alone)
        var (followed, declined) = (0, 0)
        func invite(_ from: String, _ room: String, at now: Duration) {
            guard let event = Stage.event("<message from='\(from)'><direct:x jid='\(room)'/></message>") else { return }
            stage.act { session, _ in
                for action in session.receive(event, at: now) {
                    if case .note(.invited) = action { followed += 1 }
                    if case .note(.declined(_, _, let reason)) = action {
                        declined += reason == "I am in 50 rooms already that e.org has invited me to" ? 1 : 0
                    }
                }
                return []
            }
        }
        for index in 0..<100 { invite("eve\(index)@e.org", "r\(index)@muc.e.org", at: .milliseconds(100) * index) }
        #expect(followed == 50 && declined == 50)
        // All at once, too many of one domain use up only what is theirs.
        for index in 0..<1_000 { invite("x\(index)@f.org", "r\(index)@muc.f.org", at: .seconds(60)) }
        followed = 0
        invite("bob@b.org", "tea@muc.b.org", at: .seconds(60))
        #expect(followed == 1)
    }

    @Test func `a room where nobody speaks is left after a day, and one where somebody does isn't`() {
        var profile = Profile.marvin
        profile.waits.silence = .seconds(99_999_999)
        profile.waits.roomSilence = .seconds(99_999_999)
        let begun =
            alone + invited + "* bob@b.org/x invites me to tea@muc.b.org\n" + discovery(of: "muc.b.org")
            + knock("tea@muc.b.org", password: "milk") + welcome + "* joined tea@muc.b.org as marvin\n+ 86399999\n"
        let session = play(
            profile,
            begun + """
                + 1
                * I leave tea@muc.b.org: nobody has said a word in it
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

    @Test func `invited to a room of ours that refuses us, we try at once with the password`() {
        let refused = """
            < <presence type='error' from='dev@muc.ship.org/marvin'><error type='auth'><stanzas:not-authorized/></error></presence>
            * dev@muc.ship.org doesn't let me in: it asks for a password; I'll keep trying
            * logged in as marvin@ship.org/r1, in no room
            . settled
            + 10000

            """
        let session = play(
            .inDev(),
            loggedIn + XMPPTests.knock + refused + """
                < <message from='bob@b.org/x'><direct:x jid='dev@muc.ship.org' password='milk'/></message>
                * bob@b.org/x invites me to dev@muc.ship.org

                """ + knock("dev@muc.ship.org", password: "milk") + XMPPTests.welcome + """
                    * joined dev@muc.ship.org as marvin

                    """)
        #expect(session.wantedRooms.map(\.password) == ["milk"])
    }

    @Test func `joining and leaving on request`() {
        var stage = Stage(.marvin)
        stage.play(alone)
        stage.act { session, now in session.join(Profile.Room(jid("tea@muc.b.org")), at: now) ?? [] }
        stage.play(discovery(of: "muc.b.org") + knock("tea@muc.b.org") + welcome + "* joined tea@muc.b.org as marvin")
        #expect(stage.session.wantedRooms == [Profile.Room(jid("tea@muc.b.org"))])
        stage.act { session, now in session.leave(jid("tea@muc.b.org"), at: now) ?? [] }
        stage.play(
            """
            * I leave tea@muc.b.org: I was told to
            > <presence type='unavailable' to='tea@muc.b.org/marvin'/>
            """)
        #expect(stage.session.wantedRooms == [] && stage.session.joined == [])
        stage.act { session, now in session.join(Profile.Room(jid("ann@ship.org")), at: now) ?? [] }
        stage.play("* I don't go into ann@ship.org: that isn't the address of a room")
    }
}
