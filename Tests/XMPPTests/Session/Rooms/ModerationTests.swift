import Testing

@testable import HeybotXMPP

/// Changes of rooms as a moderator or an admin.
@Suite struct ModerationTests {
    private let room = jid("dev@muc.ship.org")

    private func stage() -> TranscriptPlayer {
        var stage = TranscriptPlayer(.inDev())
        stage.play(inDev)
        return stage
    }

    private func change(_ stage: inout TranscriptPlayer, _ change: RoomChange) {
        stage.act { session, now in session.moderate(change, in: room, as: "it", at: now) }
    }

    private func stay(_ stage: TranscriptPlayer) throws -> String {
        try #require(stage.session.occupants(of: room)["ann"]?.stayText)
    }

    @Test func `roles are changed by nick, and the room's answer is the outcome`() throws {
        var stage = stage()
        let ann = try stay(stage)
        change(&stage, .role(.none, of: ann, reason: "out"))
        stage.play(
            """
            > <iq type='set' id='{1}' to='dev@muc.ship.org'><admin:query><admin:item nick='ann' role='none'><admin:reason>out</admin:reason></admin:item></admin:query></iq>
            < <iq type='error' id='{1}' from='dev@muc.ship.org'><error type='cancel'><stanzas:not-allowed/></error></iq>
            ? it: cancel not-allowed
            """)
        change(&stage, .role(.visitor, of: ann, reason: ""))
        stage.play(
            """
            > <iq type='set' id='{2}' to='dev@muc.ship.org'><admin:query><admin:item nick='ann' role='visitor'/></admin:query></iq>
            < <iq type='result' id='{2}' from='dev@muc.ship.org'/>
            ? it: yes
            """)
    }

    @Test func `an affiliation is changed by address`() {
        var stage = stage()
        change(&stage, .affiliation(.outcast, of: jid("ann@ship.org/x"), reason: "spam"))
        stage.play(
            """
            > <iq type='set' id='{1}' to='dev@muc.ship.org'><admin:query><admin:item jid='ann@ship.org' affiliation='outcast'><admin:reason>spam</admin:reason></admin:item></admin:query></iq>
            < <iq type='result' id='{1}' from='dev@muc.ship.org'/>
            ? it: yes
            """)
    }

    @Test func `the outcasts are read before one is let in again`() throws {
        var stage = stage()
        change(&stage, .outcasts)
        stage.play(
            """
            > <iq type='get' id='{1}' to='dev@muc.ship.org'><admin:query><admin:item affiliation='outcast'/></admin:query></iq>
            < <iq type='result' id='{1}' from='dev@muc.ship.org'/>
            ? it: yes
            """)
        var list = Element("query", Namespace.mucAdmin)
        list.append(Element("item", Namespace.mucAdmin, ["affiliation": "outcast", "jid": "eve@ship.org"]))
        list.append(Element("item", Namespace.mucAdmin, ["affiliation": "member", "jid": "ann@ship.org"]))
        #expect(RoomChange.isOutcast(jid("eve@ship.org"), in: list))
        #expect(!RoomChange.isOutcast(jid("ann@ship.org"), in: list))
        #expect(!RoomChange.isOutcast(jid("eve@ship.org"), in: nil))
    }

    @Test func `a message of an occupant is retracted, in the current form and the earlier one`() {
        var stage = stage()
        change(&stage, .retraction(of: "s1", reason: "spam", isOld: false))
        stage.play(
            """
            > <iq type='set' id='{1}' to='dev@muc.ship.org'><moderate:moderate id='s1'><retract:retract/><moderate:reason>spam</moderate:reason></moderate:moderate></iq>
            < <iq type='error' id='{1}' from='dev@muc.ship.org'><error type='cancel'><stanzas:service-unavailable/></error></iq>
            ? it: cancel service-unavailable
            """)
        change(&stage, .retraction(of: "s1", reason: "", isOld: true))
        stage.play(
            """
            > <iq type='set' id='{2}' to='dev@muc.ship.org'><fasten:apply-to id='s1'><oldmoderate:moderate><oldretract:retract/></oldmoderate:moderate></fasten:apply-to></iq>
            < <iq type='result' id='{2}' from='dev@muc.ship.org'/>
            ? it: yes
            """)
    }

    @Test func `another stay, another room, and a stream without a login are refused`() throws {
        var stage = stage()
        change(&stage, .role(.none, of: "elsewhere 1", reason: ""))
        stage.play("? it: cancel item-not-found")
        stage.act { session, now in session.moderate(.subject("tea"), in: jid("ops@muc.ship.org"), as: "it", at: now) }
        stage.play("? it: cancel not-acceptable")
        var young = Session(.inDev(), isSecure: true, nonce: TranscriptPlayer.nonce, at: .zero)
        let actions = young.moderate(.subject("tea"), in: room, as: "it", at: .zero)
        #expect(actions == [.answer("it", .failure(StanzaError(type: "wait", condition: .notConnected)))])
    }

    @Test func `a subject is set once the room has read it, unless it was refused before`() {
        let request = """
            > <message to='dev@muc.ship.org' type='groupchat'><subject>tea</subject></message>
            > <iq type='get' id='{1}' to='dev@muc.ship.org'><info:query/></iq>

            """
        let read = "< <iq type='result' id='{1}' from='dev@muc.ship.org'><info:query/></iq>"
        var stage = stage()
        change(&stage, .subject("tea"))
        stage.play(request + read + "\n? it: yes")
        var other = self.stage()
        change(&other, .subject("tea"))
        // An error from elsewhere is about something else.
        other.play(
            request + """
                < <message type='error' id='fyko+d2lbbFg-1' from='ops@muc.ship.org'><error type='auth'><stanzas:forbidden/></error></message>
                * ops@muc.ship.org didn't receive my message: forbidden
                < <message type='error' id='fyko+d2lbbFg-1' from='dev@muc.ship.org'><error type='auth'><stanzas:forbidden/></error></message>
                ? it: auth forbidden

                """ + read)
    }

    @Test func `an occupant is found again by address`() throws {
        let session = stage().session
        let ann = try #require(session.occupants(of: room)["ann"])
        #expect(session.lastingName(of: ann, in: room) == "ann@ship.org")
        #expect(session.occupant(in: ann.stayText, of: room) == ann)
        #expect(session.occupant(in: ann.stayText, of: jid("ops@muc.ship.org")) == nil)
    }
}
