import Testing

@testable import HeybotXMPP

/// Joining rooms, being removed, and rejoining.
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

    @Test func `joining a room, and its occupants`() {
        let session = play(.inDev(), inDev)
        #expect(session.joined == [jid("dev@muc.ship.org")])
        #expect(session.occupants(of: jid("dev@muc.ship.org")).keys.sorted() == ["ann", "marvin"])
        let ann = session.occupants(of: jid("dev@muc.ship.org"))["ann"]
        #expect(ann?.person == jid("ann@ship.org"))
        #expect(ann?.affiliation == Occupant.Affiliation.owner && ann?.role == Occupant.Role.moderator)
    }

    @Test func `a room that doesn't mark the own presence`() {
        play(
            .inDev(),
            loggedIn + knock
                + "< <presence from='dev@muc.ship.org/marvin'/>\n* logged in as marvin@ship.org/r1, in dev@muc.ship.org\n. ready"
        )
    }

    @Test func `joining with a password and a status`() {
        let profile = SessionConfiguration.inDev {
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

    /// The session creates the room, and asks for a persistent one.
    private let created =
        loggedIn + knock + """
            < <presence from='dev@muc.ship.org/marvin'><user:x><user:status code='110'/><user:status code='201'/></user:x></presence>
            > <iq to='dev@muc.ship.org' type='set' id='{1}'><owner:query><data:x type='submit'>
              <data:field var='FORM_TYPE'><data:value>http://jabber.org/protocol/muc#roomconfig</data:value></data:field>
              <data:field var='muc#roomconfig_persistentroom'><data:value>1</data:value></data:field></data:x></owner:query></iq>
            * logged in as marvin@ship.org/r1, in dev@muc.ship.org
            . ready

            """

    private let accepted = """
        < <iq from='dev@muc.ship.org' type='result' id='{1}'/>
        > <iq to='dev@muc.ship.org' type='get' id='{2}'><info:query/></iq>

        """
    private let unsure =
        "* dev@muc.ship.org didn't exist: created it, but not as a persistent room; once everyone has left, the server deletes the room, and anyone can recreate and own it; to prevent that, log in with the robot's account and make the room persistent\n"

    @Test func `a new room is unlocked, and made persistent`() {
        play(
            patient,
            created + accepted + """
                < <iq from='dev@muc.ship.org' type='result' id='{2}'><info:query><info:feature var='muc_persistent'/></info:query></iq>
                * dev@muc.ship.org didn't exist: created it as a persistent room
                < <presence from='dev@muc.ship.org/marvin'><user:x><user:status code='110'/><user:status code='201'/></user:x></presence>
                """)
    }

    @Test func `a warning says that a new room isn't persistent`() {
        let info = "<info:query><info:feature var='muc_temporary'/></info:query>"
        play(
            patient,
            created + accepted + "< <iq from='dev@muc.ship.org' type='result' id='{2}'>\(info)</iq>\n" + unsure)
        // Prosody ignores the wish if its configuration doesn't allow it.
        play(patient, created + accepted + "+ 30000\n" + unsure)
    }

    @Test func `a new room that can't be persistent is unlocked with its default configuration`() {
        let again = """
            < <iq from='dev@muc.ship.org' type='error' id='{1}'><error type='modify'><stanzas:not-acceptable/></error></iq>
            > <iq to='dev@muc.ship.org' type='set' id='{2}'><owner:query><data:x type='submit'/></owner:query></iq>

            """
        play(
            patient,
            created + again + accepted.replacing("{2}", with: "{3}").replacing("{1}", with: "{2}")
                + "< <iq from='dev@muc.ship.org' type='result' id='{3}'><info:query/></iq>\n" + unsure)
        let locked =
            "* dev@muc.ship.org didn't exist: created it, but the server rejected the room's configuration ("
        let fix = "): others may be unable to join until you log in with the robot's account and configure the room\n"
        play(
            patient,
            created + again + """
                < <iq from='dev@muc.ship.org' type='error' id='{2}'><error type='cancel'><stanzas:not-allowed/></error></iq>
                \(locked)not-allowed\(fix)
                """)
        play(patient, created + "+ 30000\n" + locked + "remote-server-timeout" + fix)
    }

    @Test func `a preflight check creates no persistent room`() {
        let profile = SessionConfiguration.inDev { $0.makesRoomsPersistent = false }
        let created = created.replacing(#/<data:field.*</data:field>/#.dotMatchesNewlines(), with: "")
        play(profile, created)
    }

    @Test(arguments: [
        ("not-authorized", "it asks for a password"), ("forbidden", "the robot is banned"),
        ("registration-required", "only members may join"),
        ("item-not-found", "there is no such room, or it is still locked"),
        ("not-allowed", "creating rooms isn't allowed there"), ("service-unavailable", "it is full"),
        ("not-acceptable", "it requires another nick"), ("remote-server-not-found", "its server is unreachable"),
        ("remote-server-timeout", "its server is unreachable"), ("gone", "gone")
    ])
    func `refused joins are retried`(_ condition: String, _ reason: String) {
        let ready = "* logged in as marvin@ship.org/r1, in no room\n. ready\n"
        let refused = "* can't join dev@muc.ship.org: \(reason); retrying\n"
        play(
            .inDev(),
            loggedIn + knock + error(condition) + refused + ready
                + "+ 60000\n> <iq type='get' id='{1}'><ping:ping/></iq>\n"
                + knock + rejoined + "< <iq type='result' id='{1}'/>")
    }

    @Test func `the text of a refusal, and a wrong password`() {
        let profile = SessionConfiguration.inDev { $0.rooms[0].password = "x" }
        let knock = knock.replacing("<muc:x>", with: "<muc:x><muc:password>x</muc:password>")
        play(
            profile,
            loggedIn + knock + error("not-authorized", text: "Not&#10;you") + """
                * can't join dev@muc.ship.org: wrong password (Not you); retrying
                * logged in as marvin@ship.org/r1, in no room
                . ready
                """)
    }

    @Test func `a join that isn't answered times out`() {
        play(
            .inDev(),
            loggedIn + knock + """
                + 30000
                * can't join dev@muc.ship.org: it doesn't answer; retrying
                * logged in as marvin@ship.org/r1, in no room
                . ready

                """ + welcome)
    }

    @Test func `errors without a pending join are ignored`() {
        play(
            .inDev(),
            inDev + error("forbidden") + error("conflict") + "< <presence type='error' from='other@muc.ship.org/x'/>")
    }

    // MARK: Removals

    @Test(arguments: [
        (307, "kicked from", 2_000), (301, "banned from", 60_000), (321, "no longer a member of", 60_000),
        (322, "no longer a member of", 60_000), (332, "removed by the service from", 2_000),
        (333, "removed by the service from", 2_000), (999, "removed from", 2_000)
    ])
    func `the reason of a removal, and the delay before rejoining`(_ code: Int, _ how: String, _ wait: Int) {
        let rest = "<user:item role='none'><user:actor nick='zoe'/><user:reason>Too&#10;loud</user:reason></user:item>"
        let alive = wait < 60_000 ? "" : "> <iq type='get' id='{1}'><ping:ping/></iq>\n"
        let gone =
            inDev + leave(110, code, rest: rest)
            + "* \(how) dev@muc.ship.org by zoe (Too loud); rejoining\n+ \(wait - 1)\n+ 1\n"
        let session = play(.inDev(), gone + alive + knock + rejoined)
        #expect(session.joined == [jid("dev@muc.ship.org")])
    }

    @Test(arguments: [307, 301])
    func `no rejoin after a kick, if that is disabled`(_ code: Int) {
        let session = play(
            .inDev { $0.rejoinsAfterKick = false },
            inDev + leave(110, code)
                + "* \(code == 301 ? "banned from" : "kicked from") dev@muc.ship.org; not rejoining\n+ 59999")
        #expect(session.wantedRooms == [])
    }

    @Test func `a removal for technical reasons always leads to a rejoin`() {
        play(
            .inDev { $0.rejoinsAfterKick = false },
            inDev + leave(110, 307, 333) + "* removed by the service from dev@muc.ship.org; rejoining\n+ 2000\n"
                + knock)
    }

    @Test func `messages to a room wait until it is rejoined`() {
        let kicked = inDev + leave(110, 307) + "* kicked from dev@muc.ship.org; rejoining\n"
        let said =
            "! dev@muc.ship.org: one\n! bob@b.org: two\n> <message to='bob@b.org' type='chat'><body>two</body></message>\n"
        play(
            .inDev(),
            kicked + said + "+ 2000\n" + knock + "! dev@muc.ship.org: three\n" + welcome
                + "* joined dev@muc.ship.org as marvin\n"
                + "> <message to='dev@muc.ship.org' type='groupchat'><body>one</body></message>\n"
                + "> <message to='dev@muc.ship.org' type='groupchat'><body>three</body></message>\n")
    }

    @Test func `messages to a room expire`() {
        let session = play(
            .inDev {
                $0.timeouts.pingInterval = .seconds(9_999); $0.timeouts.rejoinDelay = .seconds(400)
            },
            inDev + leave(110, 307)
                + "* kicked from dev@muc.ship.org; rejoining\n! dev@muc.ship.org: one\n"
                + "+ 299999\n+ 1\n* 1 message was never sent: it had waited too long\n+ 100000\n" + knock
                + rejoined)
        #expect(session.unsent == [])
    }

    @Test func `a destroyed room`() {
        let session = play(
            .inDev(),
            inDev
                + leave(
                    rest:
                        "<user:item/><user:destroy jid='new@muc.ship.org'><user:reason>Moved</user:reason></user:destroy>"
                )
                + "* removed by the destruction of dev@muc.ship.org (Moved); rejoining\n+ 59999\n+ 1\n> <iq type='get' id='{1}'><ping:ping/></iq>\n"
                + knock)
        #expect(session.wantedRooms.map(\.address) == [jid("dev@muc.ship.org")])
    }

    @Test func `each kick in a row doubles the delay`() {
        var stage = TranscriptPlayer(
            .inDev {
                $0.timeouts.pingInterval = .seconds(9_999); $0.timeouts.roomPingInterval = .seconds(9_999)
            })
        stage.play(inDev)
        func kick(_ wait: Int) {
            stage.play(
                leave(307) + "* kicked from dev@muc.ship.org; rejoining\n+ \(wait - 1)\n+ 1\n" + knock + rejoined)
        }
        for wait in [2_000, 4_000, 8_000] { kick(wait) }
        stage.play("+ 300000")
        kick(2_000)
    }

    @Test func `an earlier connection that leaves during the join doesn't matter`() {
        play(
            .inDev(),
            loggedIn + knock + leave(307) + welcome
                + "* logged in as marvin@ship.org/r1, in dev@muc.ship.org\n. ready")
    }

    @Test func `late stanzas of a room after a removal`() {
        play(
            .inDev(),
            inDev + leave(307) + "* kicked from dev@muc.ship.org; rejoining\n" + welcome + leave(307) + """
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

    /// Only the rooms' timers run.
    private var patient: SessionConfiguration { .inDev { $0.timeouts.pingInterval = .seconds(9_999) } }

    private func answer(_ condition: String?, from: String = "dev@muc.ship.org/marvin") -> String {
        let error = condition.map { "<error type='cancel'><stanzas:\($0)/></error>" } ?? ""
        return "< <iq from='\(from)' type='\(condition == nil ? "result" : "error")' id='{1}'>\(error)</iq>\n"
    }

    @Test(
        arguments: [
            nil, "service-unavailable", "feature-not-implemented", "remote-server-timeout", "resource-constraint",
            "recipient-unavailable"
        ] as [String?])
    func `self-pings that don't show that the session is out of the room`(_ condition: String?) {
        play(patient, inDev + asked + answer(condition) + asked.replacing("{1}", with: "{2}"))
    }

    @Test(arguments: ["not-acceptable", "not-allowed", "bad-request", "item-not-found", "undefined-condition"])
    func `self-pings that show that the session is out of the room`(_ condition: String) {
        play(
            patient,
            inDev + asked + answer(condition)
                + "* dev@muc.ship.org no longer lists the robot as an occupant; rejoining\n" + knock
                + rejoined
                + knock.replacing("<presence ", with: "<presence id='\(TranscriptPlayer.nonce.prefix(12))join1' "))
    }

    @Test func `only the room can answer a self-ping, and only once`() {
        let session = play(
            patient,
            inDev + asked + answer("not-acceptable", from: "dev@muc.ship.org/ann")
                + answer("not-acceptable", from: "marvin@ship.org") + answer(nil) + answer("not-acceptable"))
        #expect(session.joined == [jid("dev@muc.ship.org")])
    }

    @Test func `a self-ping without an answer is repeated later`() {
        play(
            patient,
            inDev + asked
                + "+ 30000\n+ 269999\n+ 1\n> <iq to='dev@muc.ship.org/marvin' type='get' id='{2}'><ping:ping/></iq>")
    }

    @Test func `no self-ping while the room is active`() {
        play(
            patient,
            inDev + """
                + 200000
                < <presence from='dev@muc.ship.org/ann'><user:x><user:item role='moderator'/></user:x></presence>
                + 200000
                < <message type='groupchat' from='dev@muc.ship.org'/>
                + 299999
                """)
    }

    @Test func `a room that refuses a message because the session isn't in it is rejoined`() {
        let refused =
            "< <message type='error' from='dev@muc.ship.org'><error type='modify'><stanzas:not-acceptable/></error></message>\n"
        play(
            .inDev(),
            inDev + refused + "* dev@muc.ship.org didn't receive my message: not-acceptable\n"
                + "* dev@muc.ship.org no longer lists the robot as an occupant; rejoining\n" + knock + refused)
    }
}
