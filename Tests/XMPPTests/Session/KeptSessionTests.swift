import Foundation
import Testing

@testable import HeybotXMPP

/// A session that one process leaves open, and with which another one goes on (XEP-0198).
@Suite struct KeptSessionTests {
    private let profile = SessionConfiguration.inDev { $0.isKeptAtStop = true }
    /// With archives.
    private let hearing = SessionConfiguration.inDev {
        ($0.isKeptAtStop, $0.missedMessageAge) = (true, .seconds(600))
    }

    /// The login and the join at a server with stream management, which has sent three stanzas since.
    private let inDevCounted =
        inDev.replacing(
            "<stream:features><bind:bind/></stream:features>",
            with: "<stream:features><bind:bind/><sm:sm/></stream:features>"
        )
        .replacing(
            "> <presence>{caps}</presence>\n",
            with: "> <sm:enable resume='true'/>\n> <presence>{caps}</presence>\n> <sm:r/>\n"
        )
        .replacing(knock, with: "\(knock)< <sm:enabled id='s1' resume='true' max='120'/>\n< <sm:a h='3'/>\n")

    private let comeBack = """
        ^ another process connects
        > <stream:stream to='ship.org' from='marvin@ship.org'>
        < <stream:features><sasl:mechanisms><sasl:mechanism>PLAIN</sasl:mechanism></sasl:mechanisms></stream:features>
        > <sasl:auth mechanism='PLAIN'>AG1hcnZpbgBwZW5jaWw=</sasl:auth>
        < <sasl:success/>
        > <stream:stream to='ship.org' from='marvin@ship.org'>
        < <stream:features><bind:bind/><sm:sm/></stream:features>
        > <sm:resume previd='s1' h='3'/>

        """

    /// A server that has lost the session, so that a new one begins in the room.
    ///
    /// - Parameter count: The number of the session's stanzas that the server has handled, as it says.
    private func begunAnew(_ count: String = "") -> String {
        """
        \(comeBack)
        < <sm:failed \(count)/>
        > <iq type='set' id='bind'><bind:bind/></iq>
        < <iq type='result' id='bind'><bind:bind><bind:jid>marvin@ship.org/r2</bind:jid></bind:bind></iq>
        > <sm:enable resume='true'/>
        > <presence>{caps}</presence>
        > <sm:r/>
        \(knock)
        \(welcome)
        * logged in as marvin@ship.org/r2, in dev@muc.ship.org
        . ready

        """
    }

    /// The other process resumes the session, and asks the room who is there.
    ///
    /// - Parameters:
    ///   - count: The number of the session's stanzas that the server has handled.
    ///   - again: What the session sends again.
    private func resumed(_ count: Int = 3, again: String = "") -> String {
        """
        \(comeBack)
        < <sm:resumed previd='s1' h='\(count)'/>
        * resumed the session\(again.isEmpty ? "" : ", and sent 1 stanza again")
        \(again)
        > <sm:r/>
        \(asks("1"))
        < <sm:a h='\(again.isEmpty ? count : count + 1)'/>
        > <sm:r/>
        * logged in as marvin@ship.org/r1, in dev@muc.ship.org
        . ready

        """
    }

    private let one = "> <message to='dev@muc.ship.org' type='groupchat'><body>1</body></message>\n"
    private let ann = """
        < <presence from='dev@muc.ship.org/ann'><user:x><user:item jid='ann@ship.org/x'/></user:x></presence>

        """

    /// The join that requests a list of occupants.
    private func asks(_ id: String) -> String {
        knock.replacing("<presence ", with: "<presence id='fyko+d2lbbFgjoin\(id)' ")
    }

    /// The own presence that answers it.
    private func answers(_ id: String) -> String {
        welcome.replacing("<presence ", with: "<presence id='fyko+d2lbbFgjoin\(id)' ")
    }

    /// A session in a room, which is left open.
    private func left(
        _ more: String = "", handled: Int = 3, profile: SessionConfiguration? = nil,
        _ change: (inout TranscriptPlayer) -> Void = { _ in }
    ) -> TranscriptPlayer {
        var stage = TranscriptPlayer(profile ?? self.profile)
        stage.play(inDevCounted + more)
        change(&stage)
        stage.act { session, _ in session.quit("Bye") }
        stage.play("> <sm:a h='\(handled)'/>")
        #expect(stage.session.phase == .over && stage.session.isResumable)
        return stage
    }

    /// Has another process go on.
    private func takeOver(_ stage: inout TranscriptPlayer, profile: SessionConfiguration? = nil) throws {
        let kept = try #require(stage.session.kept)
        let stored = try JSONDecoder().decode(KeptSession.self, from: JSONEncoder().encode(kept))
        #expect(stored == kept)
        stage.session = try #require(
            Session(
                stored, profile ?? self.profile, nonce: TranscriptPlayer.nonce, age: .seconds(5), at: stage.now))
    }

    @Test func `the other process is still in the room, and finds out who is there without greeting them`() throws {
        var stage = left()
        #expect(stage.session.kept?.lifetime == 120)
        try takeOver(&stage)
        #expect(stage.session.joined == [jid("dev@muc.ship.org")])
        stage.play(
            """
            \(resumed())
            \(ann)
            \(answers("1"))
            \(asks("1b"))
            \(ann)
            \(answers("1b"))
            < <message from='dev@muc.ship.org/ann' type='groupchat'><body>Hi</body></message>
            = dev@muc.ship.org ann (ann@ship.org): Hi
            < <presence from='dev@muc.ship.org/zoe'/>
            = dev@muc.ship.org zoe joined
            """)
    }

    @Test func `if the room sends no list, nobody is greeted, and the room is joined again later`() throws {
        var stage = left()
        try takeOver(&stage)
        stage.play(
            """
            \(resumed())
            \(answers("1"))
            \(asks("1b"))
            \(answers("1b"))
            < <presence from='dev@muc.ship.org/ann'/>
            """)
        #expect(stage.session.rooms[jid("dev@muc.ship.org")]?.resync.canList == false)
    }

    @Test func `what hasn't arrived is sent again, except to an occupant, who may be another one by now`() throws {
        let private42 = "> <message to='dev@muc.ship.org/ann' type='chat'><body>42</body><user:x/></message>\n"
        let toBob = "> <message to='bob@b.org' type='chat'><body>2</body></message>\n"
        var stage = left("! dev@muc.ship.org: 1\n\(one)> <sm:r/>\n! bob@b.org: 2\n\(toBob)") { stage in
            stage.act { session, now in
                let requester = RequesterIdentity(jid("ann@ship.org"))
                let answer = OutgoingMessage(to: jid("dev@muc.ship.org/ann"), "42", since: now, requester: requester)
                return session.say([answer], at: now)
            }
            stage.play(private42)
        }
        try takeOver(&stage)
        stage.play(
            """
            \(resumed(4, again: toBob))
            * 1 private answer wasn't sent: the user may have left the room
            """)
    }

    @Test func `what a room hasn't shown is kept, because the room may still refuse it`() throws {
        var stage = left("! dev@muc.ship.org: 1\n\(one)> <sm:r/>\n< <sm:a h='4'/>\n", profile: hearing)
        let id = try #require(stage.session.kept?.unshown?.first?.id)
        #expect(stage.session.kept?.stanzas == "")
        try takeOver(&stage, profile: hearing)
        stage.play(resumed(4))
        #expect(stage.session.unconfirmedMessages.sentToRooms(since: .zero).map(\.message.text) == ["1"])
        stage.play("< <message from='dev@muc.ship.org/marvin' type='groupchat' id='\(id)'><body>1</body></message>")
        #expect(stage.session.unconfirmedMessages.sentToRooms(since: .zero).isEmpty)
    }

    /// A room shows a message before the server counts it, and not again.
    @Test func `what a room has shown isn't waited for, also if the server hasn't acknowledged it`() throws {
        var stage = left("! dev@muc.ship.org: 1\n\(one)> <sm:r/>\n", handled: 4, profile: hearing) { stage in
            let id = stage.session.streamManagement.unacknowledgedStanzas.first?["id"] ?? ""
            stage.play("< <message from='dev@muc.ship.org/marvin' type='groupchat' id='\(id)'><body>1</body></message>")
        }
        let kept = try #require(stage.session.kept)
        #expect(kept.unshown == [] && kept.shown?.count == 1 && kept.stanzas.contains("<body>1</body>"))
        try takeOver(&stage, profile: hearing)
        #expect(stage.session.unconfirmedMessages.sentToRooms(since: .seconds(-3_600)).isEmpty)
    }

    @Test func `what a room doesn't show for a minute isn't waited for, however many processes have been there`() throws
    {
        let stage = left("! dev@muc.ship.org: 1\n\(one)> <sm:r/>\n< <sm:a h='4'/>\n", profile: hearing)
        var kept = try #require(stage.session.kept)
        #expect(kept.unshown?.map(\.sent) == [0])
        for (sent, count) in [(10.0, 1), (70.0, 0)] {
            kept.unshown?[0].sent = sent
            let session = try #require(Session(kept, hearing, nonce: TranscriptPlayer.nonce, age: .zero, at: .zero))
            #expect(session.kept?.unshown?.map(\.sent) == (count == 1 ? [sent] : []))
        }
    }

    @Test func `times from the brain are within a day, and a message that is kept twice is taken over once`() throws {
        let stage = left("! dev@muc.ship.org: 1\n\(one)> <sm:r/>\n", profile: hearing)
        var kept = try #require(stage.session.kept)
        let id = stage.session.streamManagement.unacknowledgedStanzas.first?["id"]
        func text(_ seconds: Double, _ id: String?) -> KeptSession.Text {
            KeptSession.Text(
                to: "dev@muc.ship.org", text: "1", thread: nil, id: id, answered: "", created: seconds,
                earliestArrival: -seconds, isSentAgainOnlyIfMissing: false)
        }
        kept.unsent = [text(1e300, nil), text(-1e300, id)]
        kept.absences = [KeptSession.Absence(room: "dev@muc.ship.org", since: 1e300)]
        kept.pages = .max
        let session = try #require(Session(kept, hearing, nonce: TranscriptPlayer.nonce, age: .zero, at: .zero))
        #expect(session.unsentByOther.map(\.since) == [.seconds(-86_400)])
        #expect(session.wantedRooms.map(\.missedSince) == [.seconds(-86_400)])
        #expect(session.unconfirmedMessages.heldCount == 1)
        #expect(session.unconfirmedMessages.sentToRooms(since: .zero).isEmpty)
    }

    @Test func `that the server hasn't answered a request to resume the session is known to the other process`() throws
    {
        var stage = left()
        #expect(stage.session.kept?.hasUnansweredRequest == nil)
        try takeOver(&stage)
        #expect(stage.session.failedResumptions == 0)
        stage.play(comeBack)
        #expect(stage.session.kept?.hasUnansweredRequest == true)
        try takeOver(&stage)
        #expect(stage.session.failedResumptions == 1)
    }

    @Test func `what waits for the room, and what was missed meanwhile, is left to the other process`() throws {
        let removal = """
            < <presence type='unavailable' from='dev@muc.ship.org/marvin'><user:x><user:status code='110'/></user:x></presence>
            * removed from dev@muc.ship.org; rejoining
            ! dev@muc.ship.org: 2

            """
        var stage = left(
            "! dev@muc.ship.org: 1\n\(one)> <sm:r/>\n< <sm:a h='4'/>\n" + removal, handled: 4, profile: hearing)
        let kept = try #require(stage.session.kept)
        #expect(kept.rooms == [] && kept.unshown == [] && kept.absences?.map(\.room) == ["dev@muc.ship.org"])
        #expect(kept.unsent?.map(\.text) == ["1", "2"] && kept.unsent?.map(\.isSentAgainOnlyIfMissing) == [true, false])
        try takeOver(&stage, profile: hearing)
        #expect(stage.session.unconfirmedMessages.heldMessages.map(\.text) == ["1"])
        #expect(stage.session.unsentByOther.map(\.text) == ["2"])
        #expect(stage.session.wantedRooms.map(\.missedSince) == [.seconds(-5)])
    }

    /// Also with a count that can't be right, which tells nothing.
    @Test(arguments: ["", "h='3'", "h='99'", "h='0'", "h='x'"])
    func `if the server has lost the session, the room is joined, and the message sent again`(_ count: String) throws {
        var stage = left("! dev@muc.ship.org: 1\n\(one)> <sm:r/>\n")
        try takeOver(&stage)
        stage.play(
            """
            \(begunAnew(count))
            \(one)
            """)
    }

    @Test func `if the server has lost the session, an edit stays one, and a retraction isn't sent as a text`() throws {
        let dev = jid("dev@muc.ship.org")
        let edit =
            "> <message to='dev@muc.ship.org' type='groupchat'><body>2</body><correct:replace id='k1'/></message>\n"
        let retraction = "<retract:retract id='k1'/><fallback:fallback for='urn:xmpp:message-retract:1'/><hints:store/>"
        var stage = left { stage in
            stage.act { session, now in
                var messages = ["2", "gone"].map { OutgoingMessage(to: dev, $0, since: now) }
                messages[0].reference = .correction(of: "k1")
                messages[1].reference = .retraction(of: "k1")
                return session.say(messages, at: now)
            }
            stage.play(
                """
                \(edit)
                > <sm:r/>
                > <message to='dev@muc.ship.org' type='groupchat'><body>gone</body>\(retraction)</message>
                """)
        }
        try takeOver(&stage)
        stage.play(
            """
            \(begunAnew())
            \(edit)
            """)
    }

    @Test func `a message that is sent again still tells what it answers`() throws {
        var stage = left { stage in
            stage.act { session, now in
                var answer = OutgoingMessage(to: jid("bob@b.org"), "42", since: now)
                answer.answered = .message("a1")
                return session.say([answer], at: now)
            }
            stage.play("> <message to='bob@b.org' type='chat'><body>42</body></message>\n> <sm:r/>\n")
        }
        try takeOver(&stage)
        stage.session.giveUpResumption()
        #expect(stage.session.unsent.map(\.answered) == [.message("a1")])
    }

    @Test func `a session that can't be resumed is ended as usual`() {
        let farewell = """
            > <presence type='unavailable' to='dev@muc.ship.org/marvin'><status>Bye</status></presence>
            > <presence type='unavailable'><status>Bye</status></presence>
            > </stream:stream>
            """
        var uncounted = TranscriptPlayer(profile)
        uncounted.play(inDev)
        uncounted.act { session, _ in session.quit("Bye") }
        uncounted.play(farewell)
        #expect(uncounted.session.kept == nil)
        var givenUp = TranscriptPlayer(profile)
        givenUp.play(inDevCounted)
        givenUp.session.giveUpResumption()
        givenUp.act { session, _ in session.quit("Bye") }
        givenUp.play(farewell)
        var usual = TranscriptPlayer(.inDev())
        usual.play(inDevCounted)
        usual.act { session, _ in session.quit("Bye") }
        usual.play(farewell)
        #expect(usual.session.kept == nil)
    }

    @Test func `what arrives while the robot is being stopped is left to the other process`() {
        let late = """
            < <message from='dev@muc.ship.org/ann' type='groupchat'><body>Late</body></message>
            = dev@muc.ship.org ann (ann@ship.org): Late
            < <sm:r/>
            > <sm:a h='3'/>

            """
        let stage = left { stage in
            stage.session.leaveRest()
            stage.play("+ 5000\n\(late)")
        }
        #expect(stage.session.kept?.handled == 3)
        #expect(stage.session.lastReceived == .zero)
        // A session that isn't kept goes on counting.
        var usual = TranscriptPlayer(.inDev())
        usual.play(inDevCounted)
        usual.session.leaveRest()
        usual.play(late.replacing("h='3'", with: "h='4'"))
    }

    @Test func `a room's password isn't kept`() {
        var stage = TranscriptPlayer(profile)
        stage.play(inDevCounted)
        let password = Element("password", Namespace.muc, text: "milk")
        let join = Element(
            "presence", Namespace.client, ["to": "tea@muc.ship.org/marvin"],
            Element("x", Namespace.muc, [:], password))
        _ = stage.session.recordSent(join)
        #expect(stage.session.kept == nil)
        // Once the server has acknowledged the join, there is no password to keep.
        stage.play("< <sm:a h='4'/>")
        #expect(stage.session.kept != nil)
    }

    @Test func `too much to keep isn't kept`() {
        var stage = TranscriptPlayer(profile)
        stage.play(inDevCounted)
        for _ in 1...200 { _ = stage.session.recordSent(Element("presence", Namespace.client)) }
        #expect(stage.session.kept != nil)
        _ = stage.session.recordSent(Element("presence", Namespace.client))
        #expect(stage.session.kept == nil)
    }

    @Test func `what another account, other rooms or a damaged brain have kept isn't used`() throws {
        let kept = try #require(left().session.kept)
        func changed(_ key: String, _ value: Any) throws -> KeptSession {
            let data = try JSONEncoder().encode(kept)
            var object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
            object[key] = value
            return try JSONDecoder().decode(
                KeptSession.self, from: JSONSerialization.data(withJSONObject: object))
        }
        func isUsed(_ kept: KeptSession) -> Bool {
            Session(kept, profile, nonce: TranscriptPlayer.nonce, age: .zero, at: .zero) != nil
        }
        #expect(isUsed(kept))
        for address in ["eve@ship.org/r1", "marvin@ship.org", "@"] {
            #expect(try !isUsed(changed("address", address)), "\(address)")
        }
        for (room, nick) in [("tea@muc.ship.org", "marvin"), ("@", "marvin"), ("dev@muc.ship.org", "")] {
            let rooms = [["address": room, "nick": nick]]
            #expect(try !isUsed(changed("rooms", rooms)), "\(room)")
        }
        for stanzas in ["</x>", "</stream:stream>", String(repeating: "<presence/>", count: 201)] {
            #expect(try !isUsed(changed("stanzas", stanzas)))
        }
    }
}
