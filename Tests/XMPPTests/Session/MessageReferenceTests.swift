import Testing

@testable import HeybotXMPP

/// Replies, reactions, retractions, threads and files, in both directions.
@Suite struct MessageReferenceTests {
    private let dev = "dev@muc.ship.org"

    private func says(_ xml: String, as nick: String = "ann") -> String {
        "< <message type='groupchat' from='\(dev)/\(nick)' id='m1'>\(xml)</message>\n"
    }

    // MARK: Replies

    @Test func `a reply is read without the quote above it`() {
        let quote = "<fallback:fallback for='urn:xmpp:reply:0'><fallback:body start='0' end='13'/></fallback:fallback>"
        let body = "<body>&gt; Which one?&#10;the second</body><reply:reply id='s1' to='\(dev)/marvin'/>"
        play(
            .inDev(),
            inDev + says(body + quote) + """
                = \(dev) ann (ann@ship.org): the second in reply to s1, which says Which one?
                < <message from='bob@b.org/x'>\(body)\(quote)</message>
                = bob@b.org/x privately: the second in reply to s1, which says Which one?

                """)
    }

    @Test(
        arguments: [
            ("&gt; Which one?&#10;the second", "the second", "Which one?"),
            ("&gt;a&#10;&gt; b&#10;c", "c", "a\nb"), ("&gt; only a quote", "> only a quote", nil),
            ("&gt; a&#10; &#10;", "> a\n \n", nil), ("1 &gt; 0", "1 > 0", nil)
        ] as [(String, String, String?)])
    func `a quote that the client doesn't mark is removed`(_ body: String, _ text: String, _ quote: String?) throws {
        var session = play(alone)
        let xml = "<message from='bob@b.org/x'><body>\(body)</body><reply:reply id='1'/></message>"
        let event = try #require(TranscriptPlayer.event(xml))
        guard case .hear(let heard)? = session.receive(event, at: .zero).first else {
            Issue.record("nothing was heard")
            return
        }
        #expect(heard.content == .text(text))
        #expect(heard.quote == quote)
    }

    @Test func `a quote that isn't part of a reply belongs to the text`() throws {
        var session = play(alone)
        let xml = "<message from='bob@b.org/x'><body>&gt; a&#10;b</body></message>"
        let event = try #require(TranscriptPlayer.event(xml))
        guard case .hear(let heard)? = session.receive(event, at: .zero).first else {
            Issue.record("nothing was heard")
            return
        }
        #expect(heard.content == .text("> a\nb"))
        #expect(heard.repliesTo == nil)
    }

    @Test func `of several replies in a message, the first one counts`() {
        let replies = (1...3).map { "<reply:reply id='\($0)'/>" }.joined()
        play(
            alone + """
                < <message from='bob@b.org/x'><body>&gt; a&#10;b</body>\(replies)</message>
                = bob@b.org/x privately: b in reply to 1, which says a
                """)
    }

    @Test func `a reply is sent with the id that the room has given the message`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(inDev)
        stage.act { session, now in
            var message = OutgoingMessage(to: jid(dev), "ann: PONG", since: now)
            message.reference = .reply(to: "s1", author: jid("\(dev)/ann"), fallback: 5)
            message.thread = "t1"
            return session.say([message], at: now)
        }
        stage.play(
            """
            > <message to='\(dev)' type='groupchat'><body>ann: PONG</body><thread>t1</thread>
              <reply:reply id='s1' to='\(dev)/ann'/><fallback:fallback for='urn:xmpp:reply:0'>
              <fallback:body start='0' end='5'/></fallback:fallback></message>
            """)
    }

    @Test func `threads and files`() {
        let (url, long) = ("https://ship.org/a.png", String(repeating: "x", count: 2_049))
        play(
            alone + """
                < <message from='bob@b.org/x'><body>\(url)</body><thread>t1</thread><oob:x><oob:url>\(url)</oob:url></oob:x></message>
                = bob@b.org/x privately: \(url) in thread t1 with \(url)
                < <message from='bob@b.org/x'><body>Hi</body><oob:x/><oob:x><oob:url>\(long)</oob:url></oob:x></message>
                = bob@b.org/x privately: Hi
                """)
    }

    // MARK: Reactions

    @Test func `reactions aren't read as texts`() {
        let reactions = """
            <reactions:reactions id='s1'><reactions:reaction>👍</reactions:reaction><reactions:reaction>👍</reactions:reaction>\
            <reactions:reaction>🎉</reactions:reaction><reactions:reaction/></reactions:reactions><body>👍🎉</body>
            """
        let late = "<delay:delay from='\(dev)' stamp='2026-01-01T00:00:00Z'/>"
        let transcript: [String] = [
            inDev, says(reactions), "= \(dev) ann (ann@ship.org) reacts to s1: 👍 🎉\n", says(reactions + late),
            "< <message from='bob@b.org/x'>\(reactions)</message>\n",
            "= bob@b.org/x privately reacts to s1: 👍 🎉\n",
            "< <message from='\(dev)/ann'>\(reactions)</message>\n",
            "= \(dev) ann (ann@ship.org) privately reacts to s1: 👍 🎉\n",
            "< <message from='bob@b.org/x'><reactions:reactions id='s1'/></message>\n",
            "= bob@b.org/x privately reacts to s1: \n"
        ]
        play(.inDev(), transcript.joined())
    }

    @Test func `the number and the length of reactions are limited`() throws {
        func reaction(_ text: String) -> String { "<reactions:reaction>\(text)</reactions:reaction>" }
        let many = (1...30).map { reaction("\($0)") }.joined()
        let long = reaction(String(repeating: "x", count: 65))
        let event = try #require(
            TranscriptPlayer.event(
                "<message from='bob@b.org/x'><reactions:reactions id='1'>\(long)\(many)</reactions:reactions></message>"
            ))
        guard case .element(let message) = event, case .reaction(_, let all, _)? = Session.change(in: message) else {
            Issue.record("that's no reaction")
            return
        }
        #expect(all == (1...20).map { "\($0)" })
    }

    @Test func `reactions are sent without a text`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play(alone)
        stage.act { session, now in
            var message = OutgoingMessage(to: jid("bob@b.org"), "", since: now)
            message.reference = .reactions(["👍"], to: "m1")
            return session.say([message], at: now)
        }
        stage.play(
            """
            > <message to='bob@b.org' type='chat'><reactions:reactions id='m1'><reactions:reaction>👍</reactions:reaction>
              </reactions:reactions><hints:store/></message>
            """)
    }

    // MARK: Corrections and retractions

    @Test func `corrections and retractions are sent`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play(alone)
        for reference in [MessageReference.correction(of: "k1"), .retraction(of: "k1")] {
            stage.act { session, now in
                var message = OutgoingMessage(to: jid("bob@b.org"), "Done", since: now)
                message.reference = reference
                return session.say([message], at: now)
            }
        }
        stage.play(
            """
            > <message to='bob@b.org' type='chat'><body>Done</body><correct:replace id='k1'/></message>
            > <message to='bob@b.org' type='chat'><body>Done</body><retract:retract id='k1'/>
              <fallback:fallback for='urn:xmpp:message-retract:1'/><hints:store/></message>
            """)
    }

    @Test func `only the room itself can say that a moderator has retracted a message`() {
        let plain = "<retract:retract id='s1'/>"
        func moderated(_ by: String) -> String {
            "<retract:retract id='s1'><moderate:moderated by='\(by)'/></retract:retract>"
        }
        func room(_ xml: String, _ address: String) -> String {
            "< <message type='groupchat' from='\(address)'>\(xml)</message>\n"
        }
        let byBob = moderated("\(dev)/bob")
        let byAnn = "= \(dev) ann (ann@ship.org) retracts s1\n"
        let transcript: [String] = [
            inDev, says(plain), byAnn, says(byBob), byAnn, room(byBob, dev), "= \(dev) bob retracts s1 for the room\n",
            room(moderated("eve@b.org/x"), dev), "= \(dev) \(dev) retracts s1 for the room\n", room(plain, dev),
            room(byBob + "<delay:delay from='\(dev)' stamp='2026-01-01T00:00:00Z'/>", dev),
            room(byBob, "other@muc.ship.org"), "< <message from='bob@b.org/x'>\(byBob)</message>\n",
            "= bob@b.org/x privately retracts s1\n"
        ]
        play(.inDev(), transcript.joined())
    }

    // MARK: Ids

    @Test func `the ids that a room gives the session's messages are reported`() {
        let ids = "<sid:origin-id id='k1'/><sid:stanza-id id='s1' by='\(dev)'/>"
        let transcript: [String] = [
            inDev, says("<body>Mine</body>" + ids, as: "marvin"), "# k1 is s1 in \(dev)\n",
            says("<body>Mine</body><sid:stanza-id id='s2' by='\(dev)'/>", as: "marvin"), "# m1 is s2 in \(dev)\n",
            says("<body>Mine</body><sid:stanza-id id='s3' by='eve@b.org'/>", as: "marvin"),
            says("<body>Old</body><delay:delay/>" + ids, as: "marvin")
        ]
        play(.inDev(), transcript.joined())
    }

    @Test func `of a long text only the first part is a reply, with the chosen id`() {
        var session = play(alone)
        var message = OutgoingMessage(to: jid("bob@b.org"), String(repeating: "word ", count: 3_000))
        message.reference = .correction(of: "k1")
        message.id = "k2"
        message.answered = .message("a1")
        var sent: [Element] = []
        for case .send(let element) in session.say([message], at: .zero) where element.name == "message" {
            sent.append(element)
        }
        let first = sent.first
        #expect(first?["id"] == "k2" && first?.has("replace", Namespace.correction) == true)
        #expect(sent.dropFirst().allSatisfy { !$0.has("replace", Namespace.correction) && $0["id"] != "k2" })
        // The other parts tell by their ids what the text answers.
        #expect(sent.dropFirst().allSatisfy { $0["id"]?.hasSuffix("~a1") == true })
        #expect(session.unsent.allSatisfy { $0.reference == nil && $0.id == nil && $0.answered == .message("a1") })
        #expect(sent.count + session.unsent.count == 2)
    }
}
