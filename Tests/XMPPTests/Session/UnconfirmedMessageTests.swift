import HeybotSupport
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

    @Test func `an archive is asked from when the first of them can have arrived`() {
        var old = OutgoingMessage(to: jid("bob@b.org"), "old", since: .seconds(-250))
        (old.stanzaID, old.isSentAgainOnlyIfMissing, old.earliestArrival) = ("r0-1", true, .seconds(-200))
        var stage = back(profile(), waiting: [old])
        stage.play(
            """
            \(loggedIn)
            \(request(1, start: "2025-12-31T23:56:25Z"))
            \(ready)
            \(found("new"))
            = bob@b.org/x privately: new missed late, of \(stamp)
            \(end(iq: 1))\(toBob("old"))
            """)
        // It hadn't arrived before.
        #expect(stage.session.unsent.map(\.earliestArrival) == [.zero])
    }

    @Test func `a message that was long in the queue can't have arrived before it was sent`() {
        var stage = TranscriptPlayer(
            profile(), waiting: [OutgoingMessage(to: jid("bob@b.org"), "old", since: .seconds(-250))])
        stage.session.epoch = epoch
        stage.play(alone + toBob("old"))
        #expect(stage.session.unsent.map(\.earliestArrival) == [.zero])
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

    /// A session whose room removes it without a reason, after two texts that the room hasn't shown, and lets it return.
    ///
    /// - Parameter meanwhile: What happens before the return, with the id of the first text.
    private func removed(_ meanwhile: (String) -> String = { _ in "" }) -> (stage: TranscriptPlayer, ids: [String]) {
        var stage = TranscriptPlayer(profile(.inDev()))
        stage.session.epoch = epoch
        let sent = ["one", "two"].map {
            "! \(dev): \($0)\n> <message to='\(dev)' type='groupchat'><body>\($0)</body></message>\n"
        }
        stage.play(inDev + sent.joined())
        let ids = stage.session.unsent.compactMap(\.stanzaID)
        stage.play(
            """
            < <presence type='unavailable' from='\(dev)/marvin'><user:x><user:status code='110'/></user:x></presence>
            * removed from \(dev); rejoining
            \(meanwhile(ids.first ?? ""))
            ! \(dev): three
            + 2000
            > <presence to='\(dev)/marvin'><muc:x><muc:history maxstanzas='100' seconds='3'/></muc:x>{caps}</presence>
            \(welcome)
            * joined \(dev) as marvin
            \(request(1, to: dev, start: "2025-12-31T23:59:45Z"))
            """)
        return (stage, ids)
    }

    @Test func `what a room hasn't shown when it removes the session is sent again if its archive lacks it`() {
        var (stage, ids) = removed()
        #expect(ids.count == 2)
        stage.play(
            """
            \(found("one", by: "\(dev)/marvin", from: dev, type: "groupchat").replacing("id='m1'", with: "id='\(ids[0])'"))
            # \(ids[0]) is a1 in \(dev)
            \(end(iq: 1, from: dev))
            > <message to='\(dev)' type='groupchat'><body>two</body></message>
            > <message to='\(dev)' type='groupchat'><body>three</body></message>
            """)
        #expect(stage.session.unsent.compactMap(\.stanzaID).first == ids[1])
    }

    @Test func `what is to be sent after it waits too`() {
        var profile = profile(.inDev())
        profile.rateLimit = RateLimit(burst: 1, interval: .seconds(1))
        var stage = TranscriptPlayer(profile)
        stage.session.epoch = epoch
        stage.play(
            """
            \(inDev)
            ! \(dev): one
            > <message to='\(dev)' type='groupchat'><body>one</body></message>
            ! \(dev): two
            ! \(dev): three
            < <presence type='unavailable' from='\(dev)/marvin'><user:x><user:status code='110'/></user:x></presence>
            * removed from \(dev); rejoining
            + 2000
            > <presence to='\(dev)/marvin'><muc:x><muc:history maxstanzas='100' seconds='3'/></muc:x>{caps}</presence>
            \(welcome)
            * joined \(dev) as marvin
            \(request(1, to: dev, start: "2025-12-31T23:59:45Z"))
            \(found("new", by: "\(dev)/ann", from: dev, type: "groupchat"))
            = \(dev) ann: new missed late, of \(stamp)
            \(end(iq: 1, from: dev))
            > <message to='\(dev)' type='groupchat'><body>one</body></message>
            + 1000
            > <message to='\(dev)' type='groupchat'><body>two</body></message>
            + 1000
            > <message to='\(dev)' type='groupchat'><body>three</body></message>
            """)
    }

    @Test func `a query that is under way when the room removes the session is asked again, and its end says nothing`()
    {
        var stage = TranscriptPlayer(profile(.inDev()))
        stage.session.epoch = epoch
        stage.play(inDev)
        stage.session.rooms.update(jid(dev)) { $0.noteAbsence(since: .seconds(-100)) }
        stage.act { session, now in session.queryArchive(of: jid(dev), at: now) }
        stage.play(
            """
            \(request(1, to: dev, start: "2025-12-31T23:58:05Z"))
            ! \(dev): one
            > <message to='\(dev)' type='groupchat'><body>one</body></message>
            < <presence type='unavailable' from='\(dev)/marvin'><user:x><user:status code='110'/></user:x></presence>
            * removed from \(dev); rejoining
            < <iq type='error' id='{1}' from='\(dev)'/>
            + 2000
            > <presence to='\(dev)/marvin'><muc:x><muc:history maxstanzas='100' seconds='103'/></muc:x>{caps}</presence>
            \(welcome)
            * joined \(dev) as marvin
            \(request(2, to: dev, start: "2025-12-31T23:58:05Z"))
            """)
        #expect(stage.session.unconfirmedMessages.heldMessages.map(\.text) == ["one"])
    }

    @Test func `a killed robot's time isn't the room's own absence, and a replaced query's end says nothing`() {
        var session = TranscriptPlayer(profile(.inDev())).session
        session.epoch = epoch
        session.takeOverFromKilledRobot(since: .seconds(-300), at: .zero)
        _ = session.queryArchive(of: jid(dev), at: .zero)
        #expect(session.unanswered?.isAsking(jid(dev)) == true && session.isCurrent("missed-1", of: jid(dev)))
        let (since, _) = session.holdUnshownMessages(to: jid(dev), missedSince: .seconds(-60), at: .zero)
        #expect(since == .seconds(-60))
        #expect(!session.isCurrent("missed-1", of: jid(dev)))
    }

    @Test
    func `what a room has refused for another reason isn't sent again, nor what was said in a room that it has left`() {
        var stage = TranscriptPlayer(profile(.inDev()))
        stage.session.epoch = epoch
        stage.play(inDev + "! \(dev): one\n> <message to='\(dev)' type='groupchat'><body>one</body></message>\n")
        let id = stage.session.unsent.first?.stanzaID ?? ""
        stage.play(
            """
            < <message type='error' from='\(dev)' id='\(id)'><error type='auth'><stanzas:forbidden/></error></message>
            * \(dev) didn't receive my message: forbidden
            ! \(dev): two
            > <message to='\(dev)' type='groupchat'><body>two</body></message>
            """)
        #expect(stage.session.unsent.map(\.text) == ["two"])
        stage.act { session, now in session.leave(jid(dev), at: now) ?? [] }
        #expect(stage.session.unsent == [])
    }

    @Test func `a text with which the room always removes the session isn't sent forever`() {
        var session = TranscriptPlayer(profile(.inDev())).session
        var message = OutgoingMessage(to: jid(dev), "one")
        (message.stanzaID, message.repetitions) = ("r0-1", OutgoingMessage.maxRepetitions)
        session.takeOverUnshown(message, as: "r0-1", at: .zero)
        let (_, log) = session.holdUnshownMessages(to: jid(dev), missedSince: .zero, at: .zero)
        #expect(log.count == 1)
        #expect(session.unconfirmedMessages.heldCount == 0)
    }

    @Test func `the room has shown a message also if the server repeats that on a resumed stream`() {
        var stage = TranscriptPlayer(profile(.inDev()))
        stage.session.epoch = epoch
        stage.play(inDev + "! \(dev): one\n> <message to='\(dev)' type='groupchat'><body>one</body></message>\n")
        let id = stage.session.unsent.first?.stanzaID ?? ""
        let delay = "<delay:delay from='ship.org' stamp='\(stamp)'/>"
        stage.play("< <message from='\(dev)/marvin' type='groupchat' id='\(id)'><body>one</body>\(delay)</message>")
        #expect(stage.session.unsent == [])
    }

    @Test func `what the room has refused is sent again, even if its archive can't be asked`() {
        var (stage, _) = removed { id in
            """
            < <message type='error' from='\(dev)' id='\(id)'><error type='modify'><stanzas:not-acceptable/></error></message>
            * \(dev) didn't receive my message: not-acceptable
            """
        }
        stage.play(
            """
            < <iq type='error' id='{1}' from='\(dev)'/>
            * 1 message may not have arrived: the connection was lost shortly after it was sent
            > <message to='\(dev)' type='groupchat'><body>one</body></message>
            > <message to='\(dev)' type='groupchat'><body>three</body></message>
            """)
    }

    @Test func `only the first of the messages counts as repeated, because it may be what breaks the sessions`() {
        var messages = [1, 2, 3].map { OutgoingMessage(to: jid("bob@b.org"), "\($0)") }
        for _ in 1...5 { messages = OutgoingMessage.repeated(messages) }
        #expect(messages.map(\.text) == ["1", "2", "3"])
        #expect(OutgoingMessage.repeated(messages).map(\.text) == ["2", "3"])
    }
}
