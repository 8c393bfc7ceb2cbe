import Testing

@testable import HeybotXMPP

/// Going into rooms, being made to leave, and coming back.
@Suite struct RoomTests {
    private let rejoined = welcome + "* joined dev@muc.ship.org as marvin\n"

    private func error(_ condition: String, nick: String = "marvin", text: String = "") -> String {
        "< <presence type='error' from='dev@muc.ship.org/\(nick)'><error type='cancel'><stanzas:\(condition)/>"
            + (text.isEmpty ? "" : "<stanzas:text>\(text)</stanzas:text>") + "</error></presence>\n"
    }

    private func leave(_ codes: Int..., rest: String = "") -> String {
        "< <presence type='unavailable' from='dev@muc.ship.org/marvin'><user:x>\(rest)"
            + codes.map { "<user:status code='\($0)'/>" }.joined() + "</user:x></presence>\n"
    }

    @Test func `into a room, and who is there`() {
        let session = play(.inDev(), inDev)
        #expect(session.joined == [jid("dev@muc.ship.org")])
        #expect(session.occupants(of: jid("dev@muc.ship.org")).keys.sorted() == ["ann", "marvin"])
        let ann = session.occupants(of: jid("dev@muc.ship.org"))["ann"]
        #expect(ann?.person == jid("ann@ship.org"))
        #expect(ann?.affiliation == Occupant.Affiliation.owner && ann?.role == Occupant.Role.moderator)
    }

    @Test func `a room that doesn't say which presence is ours`() {
        play(
            .inDev(),
            loggedIn + knock
                + "< <presence from='dev@muc.ship.org/marvin'/>\n* logged in as marvin@ship.org/r1, in dev@muc.ship.org\n. settled"
        )
    }

    @Test func `with a password and a status`() {
        let profile = Profile.inDev {
            $0.rooms[0].password = "let me in"
            $0.status = "Here I am"
        }
        play(
            profile,
            loggedIn.replacing("<presence>", with: "<presence><status>Here I am</status>") + """
                > <presence to='dev@muc.ship.org/marvin'><muc:x><muc:password>let me in</muc:password>
                  <muc:history maxstanzas='0' maxchars='0'/></muc:x><status>Here I am</status>{caps}</presence>
                """)
    }

    @Test func `a room that is new is opened as it is`() {
        play(
            .inDev(),
            loggedIn + knock + """
                < <presence from='dev@muc.ship.org/marvin'><user:x><user:status code='110'/><user:status code='201'/></user:x></presence>
                > <iq to='dev@muc.ship.org' type='set' id='{1}'><owner:query><data:x type='submit'/></owner:query></iq>
                * logged in as marvin@ship.org/r1, in dev@muc.ship.org
                . settled
                < <iq from='dev@muc.ship.org' type='result' id='{1}'/>
                < <presence from='dev@muc.ship.org/marvin'><user:x><user:status code='110'/><user:status code='201'/></user:x></presence>
                """)
    }

    @Test(arguments: [
        ("not-authorized", "it asks for a password"), ("forbidden", "I am banned"),
        ("registration-required", "only members are let in"),
        ("item-not-found", "there is no such room, or nobody is let in yet"),
        ("not-allowed", "new rooms can't be made there"), ("service-unavailable", "it is full"),
        ("not-acceptable", "it wants another nick"), ("remote-server-not-found", "its server can't be reached"),
        ("remote-server-timeout", "its server can't be reached"), ("gone", "gone")
    ])
    func `refusals, and trying again`(_ condition: String, _ reason: String) {
        let settled = "* logged in as marvin@ship.org/r1, in no room\n. settled\n"
        let refused = "* dev@muc.ship.org doesn't let me in: \(reason); I'll keep trying\n"
        play(
            .inDev(),
            loggedIn + knock + error(condition) + refused + settled
                + "+ 60000\n> <iq type='get' id='{1}'><ping:ping/></iq>\n"
                + knock + rejoined + "< <iq type='result' id='{1}'/>")
    }

    @Test func `the words of who refuses, and a wrong password`() {
        let profile = Profile.inDev { $0.rooms[0].password = "x" }
        let knock = knock.replacing("<muc:x>", with: "<muc:x><muc:password>x</muc:password>")
        play(
            profile,
            loggedIn + knock + error("not-authorized", text: "Not&#10;you") + """
                * dev@muc.ship.org doesn't let me in: the password isn't right (Not you); I'll keep trying
                * logged in as marvin@ship.org/r1, in no room
                . settled
                """)
    }

    @Test func `a room that doesn't answer is waited for, but not for ever`() {
        play(
            .inDev(),
            loggedIn + knock + """
                + 30000
                * dev@muc.ship.org doesn't let me in: it doesn't answer; I'll keep trying
                * logged in as marvin@ship.org/r1, in no room
                . settled

                """ + welcome)
    }

    @Test func `errors of a room we didn't ask, or are in, mean nothing`() {
        play(
            .inDev(),
            inDev + error("forbidden") + error("conflict") + "< <presence type='error' from='other@muc.ship.org/x'/>")
    }

    // MARK: Being made to leave

    @Test(arguments: [
        (307, "kicked out of", 2_000), (301, "banned from", 60_000), (321, "no longer a member of", 60_000),
        (322, "no longer a member of", 60_000), (332, "the service has put me out of", 2_000),
        (333, "the service has put me out of", 2_000), (999, "put out of", 2_000)
    ])
    func `why, and for how long`(_ code: Int, _ how: String, _ wait: Int) {
        let rest = "<user:item role='none'><user:actor nick='zoe'/><user:reason>Too&#10;loud</user:reason></user:item>"
        let alive = wait < 60_000 ? "" : "> <iq type='get' id='{1}'><ping:ping/></iq>\n"
        let gone =
            inDev + leave(110, code, rest: rest)
            + "* \(how) dev@muc.ship.org by zoe (Too loud); I'll go back\n+ \(wait - 1)\n+ 1\n"
        let session = play(.inDev(), gone + alive + knock + rejoined)
        #expect(session.joined == [jid("dev@muc.ship.org")])
    }

    @Test(arguments: [307, 301])
    func `no way back after a kick, where that is set`(_ code: Int) {
        let session = play(
            .inDev { $0.rejoinsAfterKick = false },
            inDev + leave(110, code)
                + "* \(code == 301 ? "banned from" : "kicked out of") dev@muc.ship.org; I stay out\n+ 59999")
        #expect(session.wantedRooms == [])
    }

    @Test func `who was lost for technical reasons comes back in any case`() {
        play(
            .inDev { $0.rejoinsAfterKick = false },
            inDev + leave(110, 307, 333) + "* the service has put me out of dev@muc.ship.org; I'll go back\n+ 2000\n"
                + knock)
    }

    @Test func `what is said to a room while we are out of it is said when we are back`() {
        let kicked = inDev + leave(110, 307) + "* kicked out of dev@muc.ship.org; I'll go back\n"
        let said =
            "! dev@muc.ship.org: one\n! bob@b.org: two\n> <message to='bob@b.org' type='chat'><body>two</body></message>\n"
        play(
            .inDev(),
            kicked + said + "+ 2000\n" + knock + "! dev@muc.ship.org: three\n" + welcome
                + "* joined dev@muc.ship.org as marvin\n"
                + "> <message to='dev@muc.ship.org' type='groupchat'><body>one</body></message>\n"
                + "> <message to='dev@muc.ship.org' type='groupchat'><body>three</body></message>\n")
    }

    @Test func `but not when that was long ago`() {
        let session = play(
            .inDev {
                $0.waits.silence = .seconds(9_999); $0.waits.rejoin = .seconds(400)
            },
            inDev + leave(110, 307)
                + "* kicked out of dev@muc.ship.org; I'll go back\n! dev@muc.ship.org: one\n"
                + "+ 299999\n+ 1\n* 1 message was never said: it had waited for too long\n+ 100000\n" + knock
                + rejoined)
        #expect(session.unsent == [])
    }

    @Test func `a room that is destroyed`() {
        let session = play(
            .inDev(),
            inDev
                + leave(
                    rest:
                        "<user:item/><user:destroy jid='new@muc.ship.org'><user:reason>Moved</user:reason></user:destroy>"
                )
                + "* somebody has destroyed dev@muc.ship.org (Moved); I'll go back\n+ 59999\n+ 1\n> <iq type='get' id='{1}'><ping:ping/></iq>\n"
                + knock)
        #expect(session.wantedRooms.map(\.address) == [jid("dev@muc.ship.org")])
    }

    @Test func `each kick makes us wait longer, until we could stay`() {
        var stage = Stage(
            .inDev {
                $0.waits.silence = .seconds(9_999); $0.waits.roomSilence = .seconds(9_999)
            })
        stage.play(inDev)
        func kick(_ wait: Int) {
            stage.play(
                leave(307) + "* kicked out of dev@muc.ship.org; I'll go back\n+ \(wait - 1)\n+ 1\n" + knock + rejoined)
        }
        for wait in [2_000, 4_000, 8_000] { kick(wait) }
        stage.play("+ 300000")
        kick(2_000)
    }

    @Test func `a ghost of ours that leaves while we come in takes nothing from us`() {
        play(
            .inDev(),
            loggedIn + knock + leave(307) + welcome
                + "* logged in as marvin@ship.org/r1, in dev@muc.ship.org\n. settled")
    }

    @Test func `what comes late from a room we were put out of`() {
        play(
            .inDev(),
            inDev + leave(307) + "* kicked out of dev@muc.ship.org; I'll go back\n" + welcome + leave(307) + """
                < <message type='groupchat' from='dev@muc.ship.org/ann'><body>Bye</body></message>
                < <presence from='dev@muc.ship.org/bob'/>
                + 2000
                """ + "\n" + knock)
    }

    // MARK: Self-ping (XEP-0410)

    private let asked = """
        + 299999
        + 1
        > <iq to='dev@muc.ship.org/marvin' type='get' id='{1}'><ping:ping/></iq>

        """

    /// Only rooms fall silent.
    private var patient: Profile { .inDev { $0.waits.silence = .seconds(9_999) } }

    private func answer(_ condition: String?, from: String = "dev@muc.ship.org/marvin") -> String {
        let error = condition.map { "<error type='cancel'><stanzas:\($0)/></error>" } ?? ""
        return "< <iq from='\(from)' type='\(condition == nil ? "result" : "error")' id='{1}'>\(error)</iq>\n"
    }

    @Test(
        arguments: [
            nil, "service-unavailable", "feature-not-implemented", "remote-server-timeout", "resource-constraint",
            "recipient-unavailable"
        ] as [String?])
    func `still there, or hard to tell`(_ condition: String?) {
        play(patient, inDev + asked + answer(condition) + asked.replacing("{1}", with: "{2}"))
    }

    @Test(arguments: ["not-acceptable", "not-allowed", "bad-request", "item-not-found", "undefined-condition"])
    func `no longer there`(_ condition: String) {
        play(
            patient,
            inDev + asked + answer(condition) + "* I was no longer in dev@muc.ship.org; I'm going back\n" + knock
                + rejoined)
    }

    @Test func `only the room itself can say so, and only once`() {
        let session = play(
            patient,
            inDev + asked + answer("not-acceptable", from: "dev@muc.ship.org/ann")
                + answer("not-acceptable", from: "marvin@ship.org") + answer(nil) + answer("not-acceptable"))
        #expect(session.joined == [jid("dev@muc.ship.org")])
    }

    @Test func `no answer at all, and then another time`() {
        play(
            patient,
            inDev + asked
                + "+ 30000\n+ 269999\n+ 1\n> <iq to='dev@muc.ship.org/marvin' type='get' id='{2}'><ping:ping/></iq>")
    }

    @Test func `a room that talks needn't be asked`() {
        play(
            patient,
            inDev + """
                + 200000
                < <presence from='dev@muc.ship.org/ann'/>
                + 200000
                < <message type='groupchat' from='dev@muc.ship.org'/>
                + 299999
                """)
    }

    @Test func `the room says that we aren't in it when we speak there`() {
        let refused =
            "< <message type='error' from='dev@muc.ship.org'><error type='modify'><stanzas:not-acceptable/></error></message>\n"
        play(
            .inDev(),
            inDev + refused + "* dev@muc.ship.org didn't get what I said: not-acceptable\n"
                + "* I was no longer in dev@muc.ship.org; I'm going back\n" + knock + refused)
    }
}
