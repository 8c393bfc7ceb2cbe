import HeybotSupport
import Testing

@testable import HeybotXMPP

@Suite struct SendingTests {
    private let toDev = "> <message to='dev@muc.ship.org' type='groupchat'>"
    private let dev = jid("dev@muc.ship.org")

    private func paced(_ burst: Int, _ interval: Duration, limit: Int = 100) -> SessionConfiguration {
        .inDev {
            $0.rateLimit = RateLimit(burst: burst, interval: interval)
            $0.queueLimit = limit
            $0.longestText = 100
        }
    }

    @Test func `messages to a room, to an occupant, and to a person`() {
        play(
            .inDev(),
            inDev + """
                ! dev@muc.ship.org: Hello
                \(toDev)<body>Hello</body></message>
                ! dev@muc.ship.org/ann: Psst
                > <message to='dev@muc.ship.org/ann' type='chat'><body>Psst</body><user:x/></message>
                ! bob@b.org: Hi <b> & "you"
                > <message to='bob@b.org' type='chat'><body>Hi &lt;b&gt; &amp; "you"</body></message>
                ! bob@b.org/phone: /me waves
                > <message to='bob@b.org/phone' type='chat'><body>/me waves</body></message>
                """)
    }

    @Test func `long texts are split, and blank ones aren't sent`() {
        let (line, words) = (String(repeating: "a", count: 60), String(repeating: "word ", count: 25))
        var stage = TranscriptPlayer(paced(9, .zero))
        stage.play(inDev)
        stage.act { session, now in
            session.say(
                [
                    OutgoingMessage(to: dev, "\(line)\n\(line)"), OutgoingMessage(to: dev, words),
                    OutgoingMessage(to: dev, " \n"), OutgoingMessage(to: dev, "")
                ],
                at: now)
        }
        stage.play(
            """
            \(toDev)<body>\(line)</body></message>
            \(toDev)<body>\(line)</body></message>
            \(toDev)<body>\(words.prefix(99))</body></message>
            \(toDev)<body>\(words.dropFirst(100))</body></message>
            """)
    }

    private static let texts = [
        "", "short", String(repeating: "ä", count: 300), "a\r\n" + String(repeating: "👩‍👩‍👧‍👦", count: 40),
        String(repeating: "x ", count: 500), String(repeating: "\n", count: 500)
    ]

    @Test(arguments: texts.indices)
    func `the parts of a text are short enough, and complete except for the split points`(_ index: Int) {
        let text = Self.texts[index]
        let parts = TextSplitter.parts(of: text, limit: 100)
        #expect(parts.allSatisfy { $0.utf8.count <= 100 && !$0.isEmpty })
        #expect(parts.joined().filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
        #expect(parts.reduce(0) { $0 + $1.count } + max(parts.count - 1, 0) >= text.count)
    }

    @Test func `a character that exceeds the limit is split`() {
        let text = "e" + String(repeating: "\u{301}", count: 300)
        let parts = TextSplitter.parts(of: text + "x", limit: 100)
        #expect(parts.map(\.utf8.count) == [99, 100, 100, 100, 100, 100, 3])
        #expect(parts.joined() == text + "x")
        // A single character stays whole, even at the end of a part.
        let family = "👩‍👩‍👧‍👦"
        #expect(TextSplitter.parts(of: "ab" + family, limit: 26) == ["ab", family])
        #expect(TextSplitter.parts(of: "a" + family, limit: 26) == ["a" + family])
        #expect(TextSplitter.parts(of: "a" + family + "b", limit: 26) == ["a" + family, "b"])
        #expect(TextSplitter.parts(of: "a" + family + "\u{301}", limit: 27) == ["a", family + "\u{301}"])
    }

    @Test func `difficult texts are split in linear time`() {
        for piece in ["\u{301}", "a", " ", "\n", "\r\n", "🇩🇪", "👩‍👩‍👧‍👦", "&", "\u{200d}", "é日本 "] {
            let text = "x" + String(repeating: piece, count: 30_000 / piece.utf8.count)
            let parts = TextSplitter.parts(of: text, limit: 100, escapedLimit: 200)
            #expect(parts.allSatisfy { $0.utf8.count <= 100 && !$0.isEmpty }, "\(piece)")
            #expect(parts.count < 1_000)
        }
    }

    @Test func `the size of a part counts escaping`() {
        let text = String(repeating: "&", count: 50) + String(repeating: "x", count: 100) + "<>\r" + "é"
        for limit in [5, 6, 17, 100, 250, 10_000] {
            let parts = TextSplitter.parts(of: text, limit: 1_000, escapedLimit: limit)
            #expect(parts.allSatisfy { Element("b", "", text: $0).xml(inside: "").utf8.count - 7 <= limit })
            #expect(
                parts.joined()
                    == text.replacing("\r", with: limit < 10_000 && !parts.joined().contains("\r") ? "" : "\r"))
        }
    }

    @Test func `messages are rate-limited and take turns`() {
        play(
            paced(2, .seconds(1)),
            inDev + """
                ! dev@muc.ship.org: 1
                \(toDev)<body>1</body></message>
                ! dev@muc.ship.org: 2
                \(toDev)<body>2</body></message>
                ! dev@muc.ship.org: 3
                ! dev@muc.ship.org: 4
                ! bob@b.org: 5
                + 999
                + 1
                > <message to='bob@b.org' type='chat'><body>5</body></message>
                + 999
                + 1
                \(toDev)<body>3</body></message>
                """)
    }

    @Test func `nothing is sent before the rooms are joined`() {
        play(
            .inDev(),
            loggedIn + knock + "! bob@b.org: 2\n+ 5000\n" + welcome + """
                * logged in as marvin@ship.org/r1, in dev@muc.ship.org
                . ready
                \(toDev)<body>1</body></message>
                > <message to='bob@b.org' type='chat'><body>2</body></message>
                """, waiting: [OutgoingMessage(to: dev, "1")])
    }

    @Test func `messages of a lost connection are sent first`() {
        var stage = TranscriptPlayer(.marvin, waiting: [OutgoingMessage(to: jid("bob@b.org"), "1")])
        stage.act { session, now in session.say([OutgoingMessage(to: jid("bob@b.org"), "2")], at: now) }
        stage.play(
            alone + """
                > <message to='bob@b.org' type='chat'><body>1</body></message>
                > <message to='bob@b.org' type='chat'><body>2</body></message>
                """)
        #expect(stage.session.unsent == [])
    }

    @Test func `messages over the queue limit are dropped, and logged at intervals`() {
        var stage = TranscriptPlayer(paced(1, .seconds(60), limit: 2))
        stage.play(
            inDev + """
                ! dev@muc.ship.org: 1
                \(toDev)<body>1</body></message>
                ! dev@muc.ship.org: 2
                ! dev@muc.ship.org: 3
                ! dev@muc.ship.org: 4
                * 1 message dropped: the send queue is full
                ! dev@muc.ship.org: 5
                ! dev@muc.ship.org: 6
                + 9999
                """)
        #expect(stage.session.dropped == 2)
        #expect(stage.session.unsent.map(\.text) == ["2", "3"])
        stage.play("+ 1\n* 2 messages dropped: the send queue is full\n! dev@muc.ship.org: 7\n+ 9999")
        #expect(stage.session.dropped == 1)
    }

    @Test func `the queue limit holds for messages of an earlier connection too`() {
        let waiting = (1...5).map { OutgoingMessage(to: dev, "\($0)") }
        let stage = TranscriptPlayer(paced(1, .seconds(1), limit: 3), waiting: waiting)
        #expect(stage.session.dropped == 2)
        #expect(stage.session.unsent.map(\.text) == ["1", "2", "3"])
    }

    @Test func `while the connection is congested, messages wait`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(inDev)
        stage.session.isCongested = true
        stage.play(
            """
            ! dev@muc.ship.org: 1
            + 1000
            < <iq type='get' id='p1'><ping:ping/></iq>
            > <iq type='result' id='p1'/>
            """)
        stage.session.isCongested = false
        stage.play("+ 0\n\(toDev)<body>1</body></message>")
    }

    @Test func `a failed delivery is logged once, until the next join`() {
        let refused =
            "< <message type='error' from='dev@muc.ship.org'><error type='auth'><stanzas:forbidden/><stanzas:text>Quiet!</stanzas:text></error></message>\n"
        let noted = "* dev@muc.ship.org didn't receive my message: forbidden: Quiet!\n"
        play(
            .inDev(),
            inDev + refused + noted + refused
                + "< <message type='error' from='bob@b.org/x'><error><stanzas:service-unavailable/></error></message>\n"
                + "* bob@b.org/x didn't receive my message: service-unavailable\n"
                + "< <message type='error' from='bob@b.org/y'/>\n" + welcome + refused + noted)
    }

    @Test func `subjects are set only in joined rooms`() {
        var stage = TranscriptPlayer(.inDev())
        #expect(stage.session.setSubject("x", of: dev) == nil)
        stage.play(inDev)
        stage.act { session, _ in session.setSubject("New & bold", of: dev) ?? [] }
        stage.play(toDev + "<subject>New &amp; bold</subject></message>")
        stage.act { session, _ in session.setSubject("", of: dev) ?? [] }
        stage.play(toDev + "<subject/></message>")
        #expect(stage.session.setSubject("x", of: jid("other@muc.ship.org")) == nil)
    }

    @Test func `leaving`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(inDev)
        stage.act { session, _ in session.quit("Life, don't talk to me about life") }
        stage.play(
            """
            > <presence type='unavailable' to='dev@muc.ship.org/marvin'><status>Life, don't talk to me about life</status></presence>
            > <presence type='unavailable'><status>Life, don't talk to me about life</status></presence>
            > </stream:stream>
            < <message from='bob@b.org'><body>Wait!</body></message>
            ! bob@b.org: No
            + 999999
            """)
        #expect(stage.session.due == nil)
        #expect(stage.session.quit("again") == [])
    }

    @Test func `leaving before the login`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play("> <stream:stream to='ship.org' from='marvin@ship.org'>")
        stage.act { session, _ in session.quit("Bye") }
        stage.play("> </stream:stream>\n< <stream:features/>\n+ 999999")
    }

    // MARK: Fairness

    private func answer(_ text: String, to target: JID, requester: String?, isUrgent: Bool = false) -> OutgoingMessage {
        OutgoingMessage(to: target, text, requester: requester.map(RequesterIdentity.init), isUrgent: isUrgent)
    }

    /// Sends messages at the same time, and returns the order in which they go out.
    private func order(of chats: [OutgoingMessage], _ profile: SessionConfiguration) -> [String] {
        var stage = TranscriptPlayer(profile)
        stage.play(inDev)
        var said: [String] = []
        func note(_ actions: [Session.Action]) {
            for case .send(let element) in actions {
                if let body = element.first("body", Namespace.client) { said.append(body.text) }
            }
        }
        var now = stage.now
        for chat in chats {
            var chat = chat
            chat.since = now
            if let nick = chat.target.resource, chat.target.bare == dev, let id = chat.requester?.id {
                if stage.session.occupants(of: dev)[nick] == nil,
                    let comes = TranscriptPlayer.event("<presence from='\(chat.target)'/>")
                {
                    note(stage.session.receive(comes, at: now))
                }
                chat.requester = stage.session.occupants(of: dev)[nick].map {
                    RequesterIdentity(id, .visible($0.stay, at: now))
                }
            }
            note(stage.session.say([chat], at: now))
        }
        while said.count < chats.count, let due = stage.session.due, due < .seconds(50) {
            now = max(now, due)
            note(stage.session.tick(at: now))
        }
        return said
    }

    @Test func `forty answers for one requester don't delay one for another`() {
        let profile = paced(1, .milliseconds(100))
        let flood = (0..<40).map { answer("flood \($0)", to: dev, requester: "eve") }
        let said = order(of: flood + [answer("one", to: dev, requester: "ada")], profile)
        #expect(said.count == 41)
        #expect((said.firstIndex(of: "one") ?? .max) <= 2)
        // The same holds for direct messages, other rooms, and messages without a requester.
        for other in [jid("ada@ship.org/x"), jid("dev@muc.ship.org/ada"), jid("ada@b.org")] {
            let said = order(of: flood + [answer("one", to: other, requester: other.description)], profile)
            #expect((said.firstIndex(of: "one") ?? .max) <= 2)
        }
        #expect(
            (order(of: flood + [answer("one", to: dev, requester: nil)], profile).firstIndex(of: "one") ?? .max) <= 2)
    }

    @Test func `a person gets one hint an hour, under any nick, and a thousand others don't prevent that`() {
        var stage = TranscriptPlayer(.inDev { $0.rateLimit = RateLimit(burst: 5_000, interval: .zero) })
        stage.play(inDev)
        func hints(_ from: String) -> Int {
            let message =
                "<message type='chat' from='\(from)'><encrypted xmlns='\(Namespace.oldOMEMO)'><payload/></encrypted></message>"
            guard let event = TranscriptPlayer.event(message) else { return 0 }
            return stage.session.receive(event, at: stage.now).count {
                if case .send(let element) = $0 { element.name == "message" } else { false }
            }
        }
        #expect(hints("dev@muc.ship.org/ann") == 1)
        stage.play(
            """
            < <presence type='unavailable' from='dev@muc.ship.org/ann'><user:x><user:item nick='ann2' jid='ann@ship.org/x'/><user:status code='303'/></user:x></presence>
            = dev@muc.ship.org ann2 (ann@ship.org) was ann
            < <presence from='dev@muc.ship.org/ann2'><user:x><user:item affiliation='owner' role='moderator' jid='ann@ship.org/x'/></user:x></presence>
            """)
        #expect(hints("dev@muc.ship.org/ann2") == 0)
        for person in 0..<1_200 { _ = hints("s\(person)@b.org/x") }
        _ = hints("zoe@c.org/x")
        #expect(stage.session.hints["zoe@c.org"] != nil && stage.session.hints.count == 1_000)
    }

    @Test func `hints don't delay others, however many people they are for`() {
        var stage = TranscriptPlayer(paced(1, .milliseconds(100)))
        stage.play(inDev)
        var sent: [String] = []
        func note(_ actions: [Session.Action]) {
            for case .send(let element) in actions where element.name == "message" { sent.append(element["to"] ?? "") }
        }
        for index in 0..<40 {
            let message =
                "<message type='chat' from='s\(index)@b.org/x'><encrypted xmlns='\(Namespace.oldOMEMO)'><payload/></encrypted></message>"
            guard let event = TranscriptPlayer.event(message) else { continue }
            note(stage.session.receive(event, at: stage.now))
        }
        let ada = answer("one", to: jid("ada@c.org"), requester: "ada@c.org")
        note(stage.session.say([ada], at: stage.now))
        for _ in 0..<5 {
            stage.now += .milliseconds(100)
            note(stage.session.tick(at: stage.now))
        }
        #expect((sent.firstIndex(of: "ada@c.org") ?? .max) <= 3)
    }

    @Test func `a thousand requests of strangers don't delay a room`() {
        let strangers = (0..<300).map { answer("\($0)", to: jid("s\($0)@b.org/x"), requester: "s\($0)@b.org") }
        let said = order(
            of: strangers + [answer("one", to: dev, requester: "ada")], paced(1, .milliseconds(100), limit: 1_000))
        #expect((said.firstIndex(of: "one") ?? .max) <= 2)
    }

    @Test func `a thousand strangers from another server delay no other direct messages`() {
        let strangers = (0..<300).map { answer("\($0)", to: jid("s\($0)@b.org/x"), requester: "s\($0)@b.org") }
        for other in ["ann@ship.org/x", "zoe@c.org", "dev@muc.ship.org/bob"] {
            let said = order(
                of: strangers + [answer("one", to: jid(other), requester: jid(other).bare.description)],
                paced(1, .milliseconds(100), limit: 200))
            #expect((said.firstIndex(of: "one") ?? .max) <= 2, "\(other)")
        }
        // One answer for a requester waits for only a few others, even if another requester on the same server has forty.
        let flood = (0..<40).map { answer("flood \($0)", to: jid("eve@b.org/x"), requester: "eve@b.org") }
        let said = order(
            of: flood + [answer("one", to: jid("bob@b.org/x"), requester: "bob@b.org")], paced(1, .milliseconds(100)))
        #expect((said.firstIndex(of: "one") ?? .max) <= 2)
    }

    @Test func `forty answers to one occupant don't delay a direct message to another`() {
        let flood = (0..<40).map { _ in answer("flood", to: jid("dev@muc.ship.org/eve"), requester: "eve") }
        let ones = ["dev@muc.ship.org", "spam@muc.b.org"].map { room in
            (0..<6).map { answer("one", to: jid("\(room)/\($0)"), requester: "\(room)/\($0)") }
        }
        let others = (0..<30).map { answer("other", to: jid("p\($0)@ship.org"), requester: "p\($0)@ship.org") }
        let said = order(of: flood + ones[0] + others, paced(1, .milliseconds(100)))
        // They come before those of later requesters, except in every third turn.
        #expect((said.lastIndex(of: "one") ?? .max) <= 10)
        // A room that isn't joined, or that may be made up for the robot, counts as another server's.
        let strangers = order(
            of: [answer("flood", to: jid("spam@muc.b.org/eve"), requester: "eve")] + ones[1] + others,
            paced(1, .milliseconds(100)))
        #expect((strangers.lastIndex(of: "one") ?? 0) > 15)
    }

    @Test func `urgent messages go first`() {
        let flood = (0..<40).map { answer("flood \($0)", to: dev, requester: "eve") }
        let said = order(
            of: flood + [answer("not so fast", to: dev, requester: nil, isUrgent: true)], paced(1, .milliseconds(100)))
        #expect(said.firstIndex(of: "not so fast") == 1)
    }

    @Test func `over the limit, messages of the requester with most are dropped`() {
        var stage = TranscriptPlayer(paced(1, .seconds(50), limit: 10))
        stage.play(inDev)
        let chats =
            (0..<40).map { answer("flood \($0)", to: dev, requester: "eve") } + [
                answer("one", to: dev, requester: "ada")
            ]
        for chat in chats { _ = stage.session.say([chat], at: .zero) }
        #expect(stage.session.unsent.contains { $0.text == "one" })
        #expect(stage.session.unsentCount == 10)
    }

    @Test func `an answer that has waited a minute behind others expires`() {
        var stage = TranscriptPlayer(paced(1, .seconds(40)))
        stage.play(inDev)
        let chats =
            (0..<3).map { answer("\($0)", to: dev, requester: "eve") } + [answer("news", to: dev, requester: "ada")]
        stage.act { session, now in session.say(chats, at: now) }
        stage.play(
            """
            \(toDev)<body>news</body></message>
            + 40000
            \(toDev)<body>0</body></message>
            + 10000
            < <message from='bob@b.org'/>
            + 9999
            + 1
            * 2 messages were never sent: they had waited too long
            """)
        #expect(stage.session.unsent == [])
    }

    @Test func `an answer for an unavailable room waits five minutes`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(
            inDev + """
                < <presence type='unavailable' from='dev@muc.ship.org/marvin'><user:x><user:status code='110'/><user:status code='332'/></user:x></presence>
                * removed by the service from dev@muc.ship.org; rejoining

                """)
        stage.act { session, now in session.say([answer("1", to: dev, requester: "ada")], at: now) }
        #expect(stage.session.unsentCount == 1)
        _ = stage.session.tick(at: .seconds(200))
        #expect(stage.session.unsentCount == 1)
        _ = stage.session.receive(.element(Element("message", Namespace.client)), at: .seconds(201))
        _ = stage.session.tick(at: .seconds(240))
        #expect(stage.session.unsentCount == 1)
        _ = stage.session.receive(.element(Element("message", Namespace.client)), at: .seconds(300))
        _ = stage.session.tick(at: .seconds(301))
        #expect(stage.session.unsentCount == 0)
    }

    // MARK: Limits of the server

    @Test func `the send window opens when the server has read the messages`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(inDev)
        let long = String(repeating: "x", count: 8_192)
        stage.act { session, now in session.say((0..<3).map { _ in answer(long, to: dev, requester: "eve") }, at: now) }
        stage.play(
            """
            \(toDev)<body>\(long)</body></message>
            > <iq type='get' id='{1}'><ping:ping/></iq>
            """)
        stage.act { session, now in session.say([answer("one", to: jid("ada@b.org"), requester: "ada@b.org")], at: now)
        }
        stage.play(
            """
            + 1000
            < <iq type='result' id='{1}' from='marvin@ship.org'/>
            > <message to='ada@b.org' type='chat'><body>one</body></message>
            \(toDev)<body>\(long)</body></message>
            > <iq type='get' id='{2}'><ping:ping/></iq>
            < <iq type='error' id='{2}' from='ship.org'><error><stanzas:service-unavailable/></error></iq>
            \(toDev)<body>\(long)</body></message>
            > <iq type='get' id='{3}'><ping:ping/></iq>
            < <iq type='result' id='{3}'/>
            """)
    }

    @Test func `no stanza exceeds the server's limit`() {
        let features = "< <stream:features><bind:bind/>"
        for (limits, longest) in [
            ("", 65_536), ("<limits xmlns='urn:xmpp:stream-limits:0'><max-bytes>12000</max-bytes></limits>", 12_000),
            ("<limits xmlns='urn:xmpp:stream-limits:0'><max-bytes>1</max-bytes></limits>", 10_000),
            ("<limits xmlns='urn:xmpp:stream-limits:0'><max-bytes>x</max-bytes></limits>", 65_536)
        ] {
            var stage = TranscriptPlayer(
                .inDev {
                    $0.longestText = 1_000_000; $0.rateLimit = RateLimit(burst: 1_000, interval: .zero)
                })
            stage.play(inDev.replacing(features, with: features + limits))
            #expect(stage.session.longestStanza == longest)
            var bytes: [Int] = []
            let text = "a" + String(repeating: "\u{301}", count: 30_000) + String(repeating: "&<", count: 10_000)
            var actions = stage.session.say([answer(text, to: dev, requester: "eve")], at: .zero)
            while let action = actions.first {
                actions.removeFirst()
                guard case .send(let element) = action else { continue }
                if element.name == "message" {
                    bytes.append(element.description.utf8.count)
                } else {
                    let answer = Element("iq", Namespace.client, ["type": "result", "id": element["id"] ?? ""])
                    actions += stage.session.receive(.element(answer), at: .zero)
                }
            }
            #expect(bytes.allSatisfy { $0 <= longest })
            #expect(bytes.reduce(0, +) > 60_000)
            #expect(stage.session.fitsInOneStanza("short") && !stage.session.fitsInOneStanza(text))
        }
    }
}
