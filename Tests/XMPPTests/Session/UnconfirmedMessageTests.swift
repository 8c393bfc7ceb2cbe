import Testing

@testable import HeybotXMPP

/// Messages of which only archives know whether they have arrived (XEP-0313).
@Suite struct UnconfirmedMessageTests: ArchiveTranscripts {
    private func toBob(_ text: String) -> String {
        "> <message to='bob@b.org' type='chat'><body>\(text)</body></message>\n"
    }

    /// What is left after a session has sent this to Bob, and its connection has broken.
    private func left(_ texts: [String], _ after: String = "") -> [OutgoingMessage] {
        var stage = TranscriptPlayer(profile())
        stage.session.epoch = epoch
        stage.play(alone + texts.map { "! bob@b.org: \($0)\n\(toBob($0))" }.joined() + after)
        return stage.session.unsent
    }

    /// A message of the robot to Bob in the account's archive.
    private func mine(_ message: OutgoingMessage, by sender: String = "marvin@ship.org/r0") -> String {
        let id = message.stanzaID ?? ""
        return found(message.text, by: sender, "<sid:origin-id id='\(id)'/>")
            .replacing(" type='chat' id='m1'", with: " to='bob@b.org' type='chat' id='changed'")
    }

    @Test func `without stream management, what archives lack is sent again`() {
        let messages = left(["one", "two", "three"])
        #expect(messages.map(\.text) == ["one", "two", "three"])
        var stage = back(profile(), waiting: messages)
        // Until the archive has told everything, they wait.
        stage.play(
            """
            \(loggedIn)
            \(request(1))
            \(ready)
            \(mine(messages[1]))
            \(mine(messages[2], by: "eve@b.org/x"))
            = eve@b.org/x privately: three missed late, of \(stamp)
            """)
        #expect(stage.session.unsentCount == 2)
        #expect(stage.session.unsent.map(\.text) == ["one", "three"])
        stage.play("\(end(iq: 1))\(toBob("one"))\(toBob("three"))")
        #expect(stage.session.unsent.map(\.stanzaID) == [messages[0].stanzaID, messages[2].stanzaID])
    }

    @Test(arguments: ["< <iq type='error' id='{1}'/>", "< <iq type='result' id='{1}'><mam:fin/></iq>", "+ 30000"])
    func `if the archive doesn't tell everything, they aren't sent again`(_ answer: String) {
        var stage = back(profile(), waiting: left(["one", "two"]))
        stage.play(
            """
            \(loggedIn)
            \(request(1))
            \(ready)
            \(answer)
            * 2 messages may not have arrived: the connection was lost shortly after they were sent
            """)
        #expect(stage.session.unsent == [])
    }

    @Test func `an archive that shows nothing at all proves nothing`() {
        var stage = back(profile(), waiting: left(["one"]))
        stage.play(
            """
            \(loggedIn)
            \(request(1))
            \(ready)
            \(end(iq: 1))
            * 1 message may not have arrived: the connection was lost shortly after it was sent
            """)
    }

    @Test func `an archive that is asked only for later messages proves nothing`() {
        var profile = profile()
        profile.missedMessageAge = .seconds(60)
        var old = OutgoingMessage(to: jid("bob@b.org"), "old", since: .seconds(-80))
        (old.stanzaID, old.isSentAgainOnlyIfMissing) = ("r0-1", true)
        var stage = back(profile, waiting: [old])
        stage.play(
            """
            \(loggedIn)
            \(request(1, start: "2025-12-31T23:58:45Z"))
            \(ready)
            \(found("new"))
            = bob@b.org/x privately: new missed late, of \(stamp)
            \(end(iq: 1))
            * 1 message may not have arrived: the connection was lost shortly after it was sent
            """)
    }

    @Test func `later messages to the same person wait too, and keep their order`() {
        var stage = back(profile(), waiting: left(["one"]) + [OutgoingMessage(to: jid("bob@b.org"), "two")])
        stage.play(
            """
            \(loggedIn)
            \(request(1))
            \(ready)
            ! bob@b.org: three
            ! zoe@b.org: hi
            > <message to='zoe@b.org' type='chat'><body>hi</body></message>
            \(found("new"))
            = bob@b.org/x privately: new missed late, of \(stamp)
            \(end(iq: 1))\(toBob("one"))\(toBob("two"))\(toBob("three"))
            """)
    }

    @Test func `messages don't wait forever for a room that can't be joined`() {
        var message = OutgoingMessage(to: jid(dev), "one")
        message.stanzaID = "r0-1"
        var stage = back(profile(.inDev()), rooms: [SessionConfiguration.Room(jid(dev))], waiting: [message])
        stage.session.absentSince = nil
        stage.play(
            """
            \(loggedIn)\(knock)
            < <presence from='\(dev)/marvin' type='error'><error type='auth'><stanzas:forbidden/></error></presence>
            * can't join dev@muc.ship.org: the robot is banned; retrying
            \(ready)
            """)
        #expect(stage.session.unconfirmedMessages.heldCount == 1)
        stage.act { session, now in session.tick(at: .seconds(31)) }
        #expect(stage.session.unconfirmedMessages.heldCount == 0)
    }

    @Test func `what the server has read, or the room has shown, has arrived`() {
        // Long before the server's last sign.
        let sign = "+ 10001\n< <message from='bob@b.org' type='headline'/>\n"
        #expect(left(["one"], sign) == [])
        // A whole window of text is followed by a ping.
        let long = String(repeating: "a", count: 8_192)
        let ping = "> <iq type='get' id='{1}'><ping:ping/></iq>\n"
        #expect(left([long], ping).count == 1)
        #expect(left([long], ping + "< <iq type='result' id='{1}'/>\n") == [])
        var stage = TranscriptPlayer(profile(.inDev()))
        stage.session.epoch = epoch
        let sent = ["one", "two"].map {
            "! \(dev): \($0)\n> <message to='\(dev)' type='groupchat'><body>\($0)</body></message>\n"
        }
        stage.play(inDev + sent.joined())
        let id = stage.session.unsent.first?.stanzaID ?? ""
        stage.play("< <message from='\(dev)/marvin' type='groupchat' id='\(id)'><body>one</body></message>")
        #expect(stage.session.unsent.map(\.text) == ["two"])
    }

    @Test(arguments: ["< <iq type='error' id='{1}'/>", "+ 30000"])
    func `what a server that counts stanzas hasn't confirmed is sent again then`(_ answer: String) {
        var message = OutgoingMessage(to: jid("bob@b.org"), "one")
        message.stanzaID = "r0-1"
        var stage = back(profile(), waiting: [message])
        stage.play("\(loggedIn)\(request(1))\(ready)\(answer)\n\(toBob("one"))")
    }

    @Test func `what a server refuses isn't sent again`() {
        var stage = TranscriptPlayer(profile())
        stage.session.epoch = epoch
        stage.play(
            """
            \(alone)
            ! bob@b.org: one
            \(toBob("one"))
            < <stream:error><errors:policy-violation/></stream:error>
            x the server closed the stream: policy-violation
            """)
        #expect(stage.session.unsent == [])
        #expect(stage.session.unconfirmed == 1)
    }

    @Test func `a room's archive tells what has arrived in the room`() {
        var first = TranscriptPlayer(profile(.inDev()))
        first.session.epoch = epoch
        let sent = ["one", "two"].map {
            "! \(dev): \($0)\n> <message to='\(dev)' type='groupchat'><body>\($0)</body></message>\n"
        }
        first.play(inDev + sent.joined())
        let messages = first.session.unsent
        let room = SessionConfiguration.Room(jid(dev))
        var missed = room
        missed.missedSince = .seconds(-90)
        var stage = back(profile(.inDev()), rooms: [missed], waiting: messages)
        stage.session.absentSince = nil
        func said(_ message: OutgoingMessage, by nick: String = "marvin") -> String {
            found(message.text, by: "\(dev)/\(nick)", from: dev, type: "groupchat")
                .replacing("id='m1'", with: "id='\(message.stanzaID ?? "")'")
        }
        stage.play(
            """
            \(loggedIn)
            > <presence to='\(dev)/marvin'><muc:x><muc:history maxstanzas='100' seconds='91'/></muc:x>{caps}</presence>
            \(welcome)
            \(request(1, to: dev))
            * logged in as marvin@ship.org/r1, in \(dev)
            . ready
            \(said(messages[0]))
            # \(messages[0].stanzaID ?? "") is a1 in \(dev)
            \(said(messages[1], by: "eve"))
            = \(dev) eve: two missed late, of \(stamp)
            \(end(iq: 1, from: dev))
            > <message to='\(dev)' type='groupchat'><body>two</body></message>
            """)
    }

    @Test func `only the first of the messages counts as repeated, because it may be what breaks the sessions`() {
        var messages = [1, 2, 3].map { OutgoingMessage(to: jid("bob@b.org"), "\($0)") }
        for _ in 1...5 { messages = OutgoingMessage.repeated(messages) }
        #expect(messages.map(\.text) == ["1", "2", "3"])
        #expect(OutgoingMessage.repeated(messages).map(\.text) == ["2", "3"])
    }
}
