import Pacing
import Testing

@testable import XMPP

@Suite struct SpeakingTests {
    private let toDev = "> <message to='dev@muc.ship.org' type='groupchat'>"
    private let dev = jid("dev@muc.ship.org")

    private func paced(_ burst: Int, _ interval: Duration, limit: Int = 100) -> Profile {
        .inDev {
            $0.pace = Pace(burst: burst, interval: interval)
            $0.queueLimit = limit
            $0.longestText = 100
        }
    }

    @Test func `to a room, to somebody in it, and to somebody`() {
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

    @Test func `long texts become several, and nothing but blanks nothing`() {
        let (line, words) = (String(repeating: "a", count: 60), String(repeating: "word ", count: 25))
        var stage = Stage(paced(9, .zero))
        stage.play(inDev)
        stage.act { session, now in
            session.say(
                [Chat(to: dev, "\(line)\n\(line)"), Chat(to: dev, words), Chat(to: dev, " \n"), Chat(to: dev, "")],
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
    func `parts of a text are short enough, and lack nothing but where they were cut`(_ index: Int) {
        let text = Self.texts[index]
        let parts = TextSplitter.parts(of: text, limit: 100)
        #expect(parts.allSatisfy { $0.utf8.count <= 100 && !$0.isEmpty })
        #expect(parts.joined().filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
        #expect(parts.reduce(0) { $0 + $1.count } + max(parts.count - 1, 0) >= text.count)
    }

    @Test func `a character that is longer than the limit is kept whole`() {
        let text = "e" + String(repeating: "\u{301}", count: 300)
        #expect(TextSplitter.parts(of: text + "x", limit: 100) == [text, "x"])
    }

    @Test func `not faster than the pace, each in its turn`() {
        play(
            paced(2, .seconds(1)),
            inDev + """
                ! dev@muc.ship.org: 1
                \(toDev)<body>1</body></message>
                ! dev@muc.ship.org: 2
                \(toDev)<body>2</body></message>
                ! dev@muc.ship.org: 3
                ! bob@b.org: 4
                + 999
                + 1
                \(toDev)<body>3</body></message>
                + 999
                + 1
                > <message to='bob@b.org' type='chat'><body>4</body></message>
                """)
    }

    @Test func `nothing before we are in our rooms`() {
        play(
            .inDev(),
            loggedIn + knock + "! bob@b.org: 2\n+ 5000\n" + welcome + """
                * logged in as marvin@ship.org/r1, in dev@muc.ship.org
                . settled
                \(toDev)<body>1</body></message>
                > <message to='bob@b.org' type='chat'><body>2</body></message>
                """, waiting: [Chat(to: dev, "1")])
    }

    @Test func `what a dropped connection left is said first`() {
        var stage = Stage(.marvin, waiting: [Chat(to: jid("bob@b.org"), "1")])
        stage.act { session, now in session.say([Chat(to: jid("bob@b.org"), "2")], at: now) }
        stage.play(
            alone + """
                > <message to='bob@b.org' type='chat'><body>1</body></message>
                > <message to='bob@b.org' type='chat'><body>2</body></message>
                """)
        #expect(stage.session.unsent == [])
    }

    @Test func `too much is lost, and told now and then`() {
        var stage = Stage(paced(1, .seconds(60), limit: 2))
        stage.play(
            inDev + """
                ! dev@muc.ship.org: 1
                \(toDev)<body>1</body></message>
                ! dev@muc.ship.org: 2
                ! dev@muc.ship.org: 3
                ! dev@muc.ship.org: 4
                * 1 message lost: too much was waiting to be said
                ! dev@muc.ship.org: 5
                ! dev@muc.ship.org: 6
                + 9999
                """)
        #expect(stage.session.lost == 2)
        #expect(stage.session.unsent.map(\.text) == ["2", "3"])
        stage.play("+ 1\n* 2 messages lost: too much was waiting to be said\n! dev@muc.ship.org: 7\n+ 9999")
        #expect(stage.session.lost == 1)
    }

    @Test func `too much from an earlier connection`() {
        let waiting = (1...5).map { Chat(to: dev, "\($0)") }
        let stage = Stage(paced(1, .seconds(1), limit: 3), waiting: waiting)
        #expect(stage.session.lost == 2)
        #expect(stage.session.unsent.map(\.text) == ["1", "2", "3"])
    }

    @Test func `while the server takes nothing, what can wait does`() {
        var stage = Stage(.inDev())
        stage.play(inDev)
        stage.session.isClogged = true
        stage.play(
            """
            ! dev@muc.ship.org: 1
            + 1000
            < <iq type='get' id='p1'><ping:ping/></iq>
            > <iq type='result' id='p1'/>
            """)
        stage.session.isClogged = false
        stage.play("+ 0\n\(toDev)<body>1</body></message>")
    }

    @Test func `what wasn't taken is noted once, until we come in anew`() {
        let refused =
            "< <message type='error' from='dev@muc.ship.org'><error type='auth'><stanzas:forbidden/><stanzas:text>Quiet!</stanzas:text></error></message>\n"
        let noted = "* dev@muc.ship.org didn't get what I said: forbidden: Quiet!\n"
        play(
            .inDev(),
            inDev + refused + noted + refused
                + "< <message type='error' from='bob@b.org/x'><error><stanzas:service-unavailable/></error></message>\n"
                + "* bob@b.org/x didn't get what I said: service-unavailable\n"
                + "< <message type='error' from='bob@b.org/y'/>\n" + welcome + refused + noted)
    }

    @Test func `topics, where we are`() {
        var stage = Stage(.inDev())
        #expect(stage.session.setSubject("x", of: dev) == nil)
        stage.play(inDev)
        stage.act { session, _ in session.setSubject("New & bold", of: dev) ?? [] }
        stage.play(toDev + "<subject>New &amp; bold</subject></message>")
        stage.act { session, _ in session.setSubject("", of: dev) ?? [] }
        stage.play(toDev + "<subject/></message>")
        #expect(stage.session.setSubject("x", of: jid("other@muc.ship.org")) == nil)
    }

    @Test func `leaving`() {
        var stage = Stage(.inDev())
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

    @Test func `leaving before we were let in`() {
        var stage = Stage(.inDev())
        stage.play("> <stream:stream to='ship.org' from='marvin@ship.org'>")
        stage.act { session, _ in session.quit("Bye") }
        stage.play("> </stream:stream>\n< <stream:features/>\n+ 999999")
    }
}
