import Testing

@testable import HeybotXMPP

/// The nicks of the robot and of other occupants.
@Suite struct NickTests {
    private func error(_ condition: String, _ nick: String) -> String {
        "< <presence type='error' from='dev@muc.ship.org/\(nick)'><error type='cancel'><stanzas:\(condition)/></error></presence>\n"
    }

    private func knock(_ nick: String) -> String { XMPPTests.knock.replacing("/marvin", with: "/\(nick)") }

    private func own(_ nick: String, _ codes: Int...) -> String {
        "< <presence from='dev@muc.ship.org/\(nick)'><user:x>"
            + ([110] + codes).map { "<user:status code='\($0)'/>" }.joined()
            + "</user:x></presence>\n"
    }

    private func rename(_ nick: String, _ new: String) -> String {
        "< <presence type='unavailable' from='dev@muc.ship.org/\(nick)'><user:x><user:item nick='\(new)'/><user:status code='303'/></user:x></presence>\n"
    }

    private let ready = "* logged in as marvin@ship.org/r1, in dev@muc.ship.org\n. ready\n"
    private let regain = "> <presence to='dev@muc.ship.org/marvin'>{caps}</presence>\n"
    private let taken = "* the nick marvin is taken in dev@muc.ship.org; I'm marvin_ until it is free\n"

    /// In the room as `marvin_`.
    private var displaced: String {
        loggedIn + knock("marvin") + error("conflict", "marvin") + knock("marvin_")
            + "< <presence from='dev@muc.ship.org/marvin'/>\n" + own("marvin_") + taken + ready
    }

    /// Without timers that the tests don't need.
    private let patient = SessionConfiguration.inDev { $0.timeouts.pingInterval = .seconds(9_999) }

    @Test func `an earlier connection with the nick leaves, and the nick is taken back`() {
        let session = play(
            patient,
            displaced + """
                + 10000
                < <presence type='unavailable' from='dev@muc.ship.org/marvin'/>
                = dev@muc.ship.org marvin left
                + 0

                """ + regain + rename("marvin_", "marvin") + """
                    * I'm marvin again in dev@muc.ship.org
                    > <iq to='dev@muc.ship.org/marvin' type='get' id='{1}'><ping:ping/></iq>

                    """ + own("marvin") + "< <iq from='dev@muc.ship.org/marvin' type='result' id='{1}'/>\n+ 200000")
        #expect(session.nick(in: jid("dev@muc.ship.org")) == "marvin")
        #expect(session.occupants(of: jid("dev@muc.ship.org")).keys.sorted() == ["marvin"])
    }

    @Test func `a taken nick is requested again at intervals`() {
        play(
            patient,
            displaced + "+ 59999\n+ 1\n" + regain + error("conflict", "marvin") + own("marvin_") + "+ 59999\n+ 1\n"
                + regain)
    }

    @Test func `all alternatives of the nick are taken`() {
        play(
            patient,
            loggedIn
                + ["marvin", "marvin_", "marvin__", "marvin___", "marvin_fdbe4b"].map {
                    knock($0) + error("conflict", $0)
                }
                .joined()
                    + """
                    * can't join dev@muc.ship.org: the nick marvin is taken; retrying
                    * logged in as marvin@ship.org/r1, in no room
                    . ready
                    + 60000

                    """ + knock("marvin"))
    }

    @Test func `users who hold the nick and its first alternatives don't keep the robot out`() {
        let last = "marvin_fdbe4b"
        let tried = ["marvin", "marvin_", "marvin__", "marvin___"].map { knock($0) + error("conflict", $0) }.joined()
        let session = play(
            patient, loggedIn + tried + knock(last) + own(last) + taken.replacing("marvin_", with: last) + ready)
        #expect(session.nick(in: jid("dev@muc.ship.org")) == last)
        // What others see doesn't tell which one is next, nor does the last one.
        let seen = TranscriptPlayer.nonce
        var other = TranscriptPlayer(patient, nonce: seen.prefix(12) + "secret to others" + seen.suffix(12)).session
        var same = session
        let nicks = [last, same.unguessableNick(), other.unguessableNick(), other.unguessableNick()]
        #expect(Set(nicks).count == 4 && nicks.allSatisfy { $0.utf8.count == last.utf8.count })
    }

    @Test func `the room assigns another nick (210)`() {
        let session = play(
            patient,
            loggedIn + knock("marvin") + own("android", 210)
                + "* dev@muc.ship.org assigned me the nick android instead of marvin\n"
                + ready + own("android") + """
                    < <message type='groupchat' from='dev@muc.ship.org/android'><body>Me</body></message>
                    < <presence type='unavailable' from='dev@muc.ship.org/marvin'/>
                    + 200000
                    """)
        #expect(session.nick(in: jid("dev@muc.ship.org")) == "android")
    }

    @Test func `the nick is changed by the room, and requested back`() {
        play(
            patient,
            inDev + rename("marvin", "toaster")
                + "> <iq to='dev@muc.ship.org/toaster' type='get' id='{1}'><ping:ping/></iq>\n"
                + own("toaster") + "< <iq from='dev@muc.ship.org/toaster' type='result' id='{1}'/>\n+ 60000\n" + regain)
    }

    @Test func `repeated changes of the nick are answered at a limited rate`() {
        var session = play(patient, inDev)
        var asked = 0
        for index in 0..<100 {
            let change = rename(session.nick(in: jid("dev@muc.ship.org")), "n\(index)").dropFirst(2).dropLast()
            guard let event = TranscriptPlayer.event(String(change)) else { continue }
            for case .send in session.receive(event, at: .zero) { asked += 1 }
        }
        #expect(asked == 20)
        #expect(session.nick(in: jid("dev@muc.ship.org")) == "n99")
    }

    @Test func `a nick in another normalization is the same`() {
        let profile = SessionConfiguration.inDev { $0.nick = "mar\u{a0}vin" }
        let session = play(profile, loggedIn + knock("mar vin") + own("mar vin") + ready + "+ 59999")
        #expect(session.nick(in: jid("dev@muc.ship.org")) == "mar vin")
    }

    @Test func `an invalid nick is reported`() {
        play(
            .inDev { $0.nick = "\u{7}" },
            loggedIn + """
                * can't join dev@muc.ship.org: "\u{7}" isn't a valid nick there: choose another; retrying
                * logged in as marvin@ship.org/r1, in no room
                . ready
                """)
    }

    // MARK: Others

    @Test func `an occupant whose address isn't in its normal form is nobody in particular`() {
        play(
            .inDev(),
            inDev + """
                < <presence from='dev@muc.ship.org/bob'><user:x><user:item jid='当麻@b.org/1'/></user:x></presence>
                = dev@muc.ship.org bob (当麻@b.org) joined
                < <presence from='dev@muc.ship.org/eve'><user:x><user:item jid='\u{2F874}麻@b.org/1'/></user:x></presence>
                = dev@muc.ship.org eve joined
                """)
    }

    @Test func `an occupant whose nick isn't in its normal form isn't the one with that form`() {
        let (zoe, other) = ("zo\u{eb}", "zoe\u{308}")
        func says(_ nick: String) -> String {
            "< <message type='groupchat' from='dev@muc.ship.org/\(nick)'><body>Hi</body></message>\n"
        }
        func comes(_ nick: String, _ address: String) -> String {
            "< <presence from='dev@muc.ship.org/\(nick)'><user:x><user:item jid='\(address)'/></user:x></presence>\n"
        }
        let known = "= dev@muc.ship.org \(zoe) (zoe@b.org): Hi\n"
        let unknown = "= dev@muc.ship.org \(zoe): Hi\n"
        let leaves = "< <presence type='unavailable' from='dev@muc.ship.org/\(other)'/>\n"
        let isZoe = "= dev@muc.ship.org \(zoe) (zoe@b.org) joined\n"
        play(
            .inDev(),
            inDev + comes(other, "zoe@b.org/1") + says(other) + unknown + comes(zoe, "zoe@b.org/1") + isZoe
                + says(other)
                + unknown + comes(other, "eve@b.org/1") + says(zoe) + known + leaves + says(zoe) + known)
        // Nor is it, if it changes the nick to one.
        let session = play(
            .inDev(),
            inDev + comes(zoe, "zoe@b.org/1") + isZoe + rename("ann", other)
                + "= dev@muc.ship.org ann (ann@ship.org) left\n"
                + comes(other, "ann@ship.org/1") + says(zoe) + known)
        #expect(session.occupants(of: jid("dev@muc.ship.org")).keys.sorted() == ["marvin", zoe])
    }

    @Test func `an occupant whose nick only has the same normal form isn't the robot`() {
        let profile = SessionConfiguration.inDev { $0.nick = "mar vin" }
        let other = "mar\u{a0}vin"
        play(
            profile,
            loggedIn + knock("mar vin") + "< <presence from='dev@muc.ship.org/\(other)'/>\n" + own("mar vin") + ready
                + "< <presence type='unavailable' from='dev@muc.ship.org/\(other)'/>\n")
    }

    @Test func `others join and leave`() {
        let session = play(
            .inDev(),
            inDev + """
                < <presence from='dev@muc.ship.org/bob'><user:x><user:item jid='bob@b.org/1'/></user:x></presence>
                = dev@muc.ship.org bob (bob@b.org) joined
                < <presence from='dev@muc.ship.org/bob'><show>away</show><user:x><user:item jid='bob@b.org/1'/></user:x></presence>
                < <presence type='unavailable' from='dev@muc.ship.org/bob'><status>Lunch</status></presence>
                = dev@muc.ship.org bob (bob@b.org) left: Lunch
                < <presence type='unavailable' from='dev@muc.ship.org/bob'/>
                < <presence type='unavailable' from='dev@muc.ship.org/ann'><user:x><user:item><user:reason>Rude</user:reason></user:item><user:status code='307'/></user:x></presence>
                = dev@muc.ship.org ann (ann@ship.org) left: Rude
                < <presence from='dev@muc.ship.org'/>
                < <presence type='probe' from='dev@muc.ship.org/zoe'/>
                """)
        #expect(session.occupants(of: jid("dev@muc.ship.org")).keys.sorted() == ["marvin"])
    }

    @Test func `a change of nick is neither a join nor a leave`() {
        let session = play(
            .inDev(),
            inDev + rename("ann", "anna") + """
                = dev@muc.ship.org anna was ann
                < <presence from='dev@muc.ship.org/anna'><user:x><user:item role='moderator' jid='ann@ship.org/x'/></user:x></presence>
                < <message type='groupchat' from='dev@muc.ship.org/anna'><body>Hi</body></message>
                = dev@muc.ship.org anna (ann@ship.org): Hi
                """)
        #expect(session.occupants(of: jid("dev@muc.ship.org")).keys.sorted() == ["anna", "marvin"])
    }

    @Test func `a change to an invalid nick is ignored`() {
        let session = play(.inDev(), inDev + rename("ann", "") + "= dev@muc.ship.org ann (ann@ship.org) left")
        #expect(session.occupants(of: jid("dev@muc.ship.org")).keys.sorted() == ["marvin"])
    }

    @Test func `the number of remembered occupants is limited`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(inDev)
        let long = String(repeating: "x", count: 20_000)
        for index in 0..<10_005 {
            stage.act { session, now in
                let item = Element("item", Namespace.mucUser, ["affiliation": long, "role": long])
                _ = session.receive(
                    .element(
                        Element(
                            "presence", Namespace.client, ["from": "dev@muc.ship.org/n\(index)"],
                            Element("x", Namespace.mucUser, [:], item))), at: now)
                return []
            }
        }
        let occupants = stage.session.occupants(of: jid("dev@muc.ship.org"))
        #expect(occupants.count == 10_000)
        #expect(
            occupants["n1"]?.affiliation == Occupant.Affiliation.none && occupants["n1"]?.role == Occupant.Role.none)
    }
}
