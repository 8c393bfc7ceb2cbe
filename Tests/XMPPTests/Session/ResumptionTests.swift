import Testing

@testable import HeybotXMPP

/// The resumption of sessions (XEP-0198).
@Suite struct ResumptionTests: StreamManagementTranscripts, ArchiveTranscripts {
    @Test func `after a broken connection the session goes on: nobody joins or leaves, nothing is lost or doubled`() {
        let session = play(
            .inDev(),
            """
            \(inDevCounted)
            ! dev@muc.ship.org: 1
            \(toDev("1"))
            > <sm:r/>
            ! dev@muc.ship.org: 2
            \(toDev("2"))
            < <sm:a h='4'/>
            > <sm:r/>
            \(comeBack())
            > <sm:resume previd='s1' h='3'/>
            ! dev@muc.ship.org: 3
            < <sm:resumed previd='s1' h='4'/>
            * resumed the session, and sent 1 stanza again
            \(toDev("2"))
            > <sm:r/>
            < <message from='dev@muc.ship.org/ann' type='groupchat'><body>Hi</body></message>
            = dev@muc.ship.org ann (ann@ship.org): Hi
            < <sm:a h='5'/>
            * logged in as marvin@ship.org/r1, in dev@muc.ship.org
            . ready
            \(toDev("3"))
            > <sm:r/>
            < <sm:r/>
            > <sm:a h='4'/>
            < <sm:a h='6'/>
            """)
        #expect(session.joined == [jid("dev@muc.ship.org")])
        #expect(session.unsent == [])
    }

    @Test func `a private answer is sent again only if its recipient is still there`() {
        let toAnn = "> <message to='dev@muc.ship.org/ann' type='chat'><body>42</body><user:x/></message>"
        let other = """
            < <presence type='unavailable' from='dev@muc.ship.org/ann'/>
            = dev@muc.ship.org ann (ann@ship.org) left
            < <presence from='dev@muc.ship.org/ann'/>
            = dev@muc.ship.org ann joined
            """
        for isGone in [false, true] {
            var stage = TranscriptPlayer(.inDev())
            stage.play(inDevCounted)
            stage.act { session, now in
                let ann = RequesterIdentity(jid("ann@ship.org"))
                let answer = OutgoingMessage(to: jid("dev@muc.ship.org/ann"), "42", since: now, requester: ann)
                return session.say([answer], at: now)
            }
            stage.play(
                """
                \(toAnn)
                > <sm:r/>
                \(comeBack())
                > <sm:resume previd='s1' h='3'/>
                < <sm:resumed previd='s1' h='3'/>
                * resumed the session
                > <sm:r/>
                \(isGone ? other : "")
                < <sm:a h='3'/>
                * logged in as marvin@ship.org/r1, in dev@muc.ship.org
                . ready
                \(isGone ? "* 1 private answer wasn't sent: the user may have left the room" : "\(toAnn)\n> <sm:r/>")
                """)
        }
    }

    @Test func `a session is resumed again and again, also after a stream that broke before it was resumed`() {
        let resumed = """
            < <sm:resumed previd='s1' h='1'/>
            * resumed the session
            > <sm:r/>
            < <sm:a h='1'/>
            * logged in as marvin@ship.org/r1, in no room
            . ready

            """
        let asked = "> <sm:resume previd='s1' h='0'/>\n"
        play(aloneCounted + comeBack() + asked + resumed + comeBack() + asked + comeBack() + asked + resumed)
    }

    @Test func `if no connection lasts until the session is resumed, a new one begins`() {
        let asked = "> <sm:resume previd='s1' h='0'/>\n"
        let attempts = String(repeating: comeBack() + asked, count: 5)
        play(
            """
            \(aloneCounted)
            \(attempts)
            \(comeBack())
            \(bindAgain)
            > <sm:enable resume='true'/>
            > <presence>{caps}</presence>
            > <sm:r/>
            * logged in as marvin@ship.org/r2, in no room
            . ready
            """)
    }

    /// ejabberd loses what it sends to a connection that ends before the session is resumed.
    @Test func `after a request that the server hasn't answered, archives are asked for what it may have lost`() {
        var stage = TranscriptPlayer(profile(.inDev()))
        stage.session.epoch = epoch
        stage.play(
            """
            \(inDevCounted)
            \(comeBack())
            > <sm:resume previd='s1' h='3'/>
            \(comeBack())
            > <sm:resume previd='s1' h='3'/>
            < <sm:resumed previd='s1' h='3'/>
            * resumed the session
            > <sm:r/>
            \(request(1, start: "2025-12-31T23:59:45Z"))
            \(request(2, to: dev, start: "2025-12-31T23:59:45Z"))
            < <sm:a h='3'/>
            > <sm:r/>
            * logged in as marvin@ship.org/r1, in \(dev)
            . ready
            \(comeBack())
            > <sm:resume previd='s1' h='3'/>
            """)
        // What is being asked for goes on after another such connection.
        let since = [jid("marvin@ship.org"), jid(dev)].map { stage.session.archives.missedSince(in: $0) }
        stage.session.failedResumptions = 2
        stage.act { session, now in
            _ = session.finishResumption(5, at: now)
            return []
        }
        #expect(since == [.zero, .zero])
        #expect([jid("marvin@ship.org"), jid(dev)].map { stage.session.archives.missedSince(in: $0) } == since)
        #expect(stage.session.archives.count == 2)
    }

    @Test func `a server that resumes the session but doesn't answer after that gets nothing`() {
        let session = play(
            """
            \(aloneCounted)
            \(comeBack())
            > <sm:resume previd='s1' h='0'/>
            < <sm:resumed previd='s1' h='1'/>
            * resumed the session
            > <sm:r/>
            ! bob@b.org: 1
            + 30000
            x ping timeout: the server stopped responding
            """)
        #expect(!session.isResumable)
        #expect(session.unsent.map(\.text) == ["1"])
    }

    @Test func `a server that stops responding may have kept the session`() {
        let session = play(
            aloneCounted + """
                + 60000
                > <iq type='get' id='{1}'><ping:ping/></iq>
                > <sm:r/>
                + 30000
                x ping timeout: the server stopped responding
                """)
        #expect(session.isResumable)
    }

    @Test func `if the session is lost, what wasn't acknowledged is sent again after the rooms are joined`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(
            """
            \(inDevCounted)
            ! dev@muc.ship.org: 1
            \(toDev("1"))
            > <sm:r/>
            ! dev@muc.ship.org: 2
            \(toDev("2"))
            ! dev@muc.ship.org: 3
            \(toDev("3"))
            \(comeBack())
            > <sm:resume previd='s1' h='3'/>
            < <sm:failed h='4'><stanzas:item-not-found/></sm:failed>
            \(bindAgain)
            > <sm:enable resume='true'/>
            > <presence>{caps}</presence>
            > <sm:r/>
            \(knock)
            < <sm:enabled id='s2' resume='true'/>
            + 5000
            \(welcome)
            * logged in as marvin@ship.org/r2, in dev@muc.ship.org
            . ready
            \(toDev("2"))
            \(toDev("3"))
            """)
        // The next session has ended before the server has acknowledged them.
        stage.play("< <stream:error><errors:reset/></stream:error>\nx the server closed the stream: reset")
        #expect(!stage.session.isResumable)
        #expect(stage.session.unsent.map(\.text) == ["2", "3"])
        #expect(stage.session.unconfirmed == 0)
    }

    @Test func `a message that no session has acknowledged is repeated in five at most`() throws {
        var message = OutgoingMessage(to: jid("bob@b.org"), "1")
        func afterAnotherSession() -> StreamManagement {
            var session = StreamManagement()
            session.request()
            session.expect(message, as: "m1")
            _ = session.recordSent(Element("message", Namespace.client, ["id": "m1"]))
            return session
        }
        for _ in 1...5 {
            let session = afterAnotherSession()
            #expect(session.unrepeatableCount == 0)
            message = try #require(session.repeatableMessages.first)
            #expect(message.stanzaID == "m1")
        }
        #expect(afterAnotherSession().repeatableMessages == [])
        #expect(afterAnotherSession().unrepeatableCount == 1)
    }

    @Test func `a repeated message keeps its id`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play(aloneCounted)
        var ids: [String?] = []
        stage.act { session, now in
            let actions = session.say([OutgoingMessage(to: jid("bob@b.org"), "1", since: now)], at: now)
            for case .send(let message) in actions {
                ids.append(message["id"])
                _ = session.recordSent(message)
            }
            return session.receive(.close, at: now)
        }
        #expect(stage.session.unsent.map(\.stanzaID) == ids)
        #expect(ids.count == 1 && ids[0] != nil)
    }

    @Test func `what a server refuses as too large isn't sent again`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play(
            aloneCounted + """
                ! bob@b.org: 1
                > <message to='bob@b.org' type='chat'><body>1</body></message>
                > <sm:r/>
                < <stream:error><errors:policy-violation/></stream:error>
                x the server closed the stream: policy-violation
                """)
        #expect(stage.session.unsent == [])
        #expect(stage.session.unconfirmed == 1)
    }

    @Test(arguments: ["<bind:bind/>", "<bind:bind/><sm:sm/>"])
    func `without the session, a new one begins`(_ features: String) {
        let isOffered = features.contains("sm:sm")
        let early = "< <message from='bob@b.org'><body>Early</body></message>"
        let asked = isOffered ? "> <sm:resume previd='s1' h='0'/>\n\(early)\n< <sm:failed/>" : ""
        let session = play(
            """
            \(aloneCounted)
            \(comeBack(features))
            \(asked)
            \(bindAgain)
            \(isOffered ? "> <sm:enable resume='true'/>" : "")
            > <presence>{caps}</presence>
            \(isOffered ? "> <sm:r/>" : "")
            * logged in as marvin@ship.org/r2, in no room
            . ready
            """)
        #expect(!session.isResumable)
    }

    @Test(arguments: ["previd='s2' h='1'", "h='1'", "previd='s1'", "previd='s1' h='x'"])
    func `a server that resumes another session isn't believed`(_ answer: String) {
        let session = play(
            aloneCounted + comeBack() + """
                > <sm:resume previd='s1' h='0'/>
                < <sm:resumed \(answer)/>
                x the server resumed another session than the robot's
                """)
        #expect(!session.isResumable)
    }

    @Test(arguments: ["s1", "s2"]) func `a resumption that wasn't asked for changes nothing`(_ id: String) {
        let session = play(aloneCounted + "< <sm:resumed previd='\(id)' h='9'/>\n")
        #expect(session.isResumable)
    }

    @Test func `a server that resumes the session with too high a count isn't believed`() {
        let resumed = "> <sm:resume previd='s1' h='0'/>\n< <sm:resumed previd='s1' h='9'/>\n"
        let session = play(aloneCounted + comeBack() + resumed + Self.refusal(of: 9))
        #expect(!session.isResumable)
    }

    @Test(arguments: ["", "resume='true'", "id='s1'", "id='' resume='true'", "id='s1' resume='false'"])
    func `a session that the server doesn't keep isn't resumed`(_ answer: String) {
        let session = play(Self.counted(alone) + "< <sm:enabled \(answer)/>\n")
        #expect(!session.isResumable)
    }

    @Test func `a session that either side has closed isn't resumed`() {
        let closed = play(aloneCounted + "< </stream:stream>\nx the server closed the stream")
        #expect(!closed.isResumable)
        var stage = TranscriptPlayer(.marvin)
        stage.play(aloneCounted)
        stage.act { session, _ in session.quit("Bye") }
        stage.play("> <presence type='unavailable'><status>Bye</status></presence>\n> </stream:stream>")
        #expect(!stage.session.isResumable)
    }

    @Test func `a room that the robot leaves while it has no connection is left when the session is resumed`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(inDevCounted + comeBack() + "> <sm:resume previd='s1' h='3'/>\n")
        stage.act { session, now in session.leave(jid("dev@muc.ship.org"), at: now) ?? [] }
        stage.play(
            """
            * left dev@muc.ship.org: on request
            < <sm:resumed previd='s1' h='3'/>
            * resumed the session, and sent 1 stanza again
            > <presence type='unavailable' to='dev@muc.ship.org/marvin'/>
            > <sm:r/>
            < <sm:a h='4'/>
            * logged in as marvin@ship.org/r1, in no room
            . ready
            """)
    }

    @Test(
        arguments: [
            ("other.ship.org", "other.ship.org", nil), ("[2001:db8::1]:5223", "2001:db8::1", 5_223),
            ("other.ship.org:0", nil, nil), ("https://other.ship.org/", nil, nil), ("", nil, nil)
        ] as [(String, String?, Int?)])
    func `the server that the session is to be resumed at`(_ location: String, _ host: String?, _ port: Int?) {
        let session = play(Self.counted(alone) + "< <sm:enabled id='s1' resume='1' location='\(location)'/>\n")
        #expect(session.isResumable)
        #expect(session.resumptionServer?.host == host)
        #expect(session.resumptionServer?.port == port)
    }
}
