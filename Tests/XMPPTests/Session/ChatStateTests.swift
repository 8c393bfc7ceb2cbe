import Testing

@testable import HeybotXMPP

/// Chat states (XEP-0085).
@Suite struct ChatStateTests {
    private let dev = jid("dev@muc.ship.org")
    private let bob = jid("bob@b.org")
    private let composing = "<states:composing/><hints:no-store/></message>"

    private func shows(_ isTyping: Bool, _ target: JID, _ stage: inout TranscriptPlayer) {
        stage.act { session, now in session.showTyping(isTyping, to: target, requester: nil, at: now) }
    }

    @Test func `others see the robot writing once, until it speaks or stops`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(inDev)
        shows(true, dev, &stage)
        shows(true, dev, &stage)
        stage.play(
            """
            > <message to='dev@muc.ship.org' type='groupchat'>\(composing)
            ! dev@muc.ship.org: Hello
            > <message to='dev@muc.ship.org' type='groupchat'><body>Hello</body><states:active/></message>
            ! dev@muc.ship.org: again
            > <message to='dev@muc.ship.org' type='groupchat'><body>again</body></message>
            """)
        shows(false, dev, &stage)
        shows(true, bob, &stage)
        shows(true, jid("dev@muc.ship.org/ann"), &stage)
        shows(false, bob, &stage)
        shows(false, bob, &stage)
        shows(true, bob, &stage)
        stage.play(
            """
            > <message to='bob@b.org' type='chat'>\(composing)
            > <message to='dev@muc.ship.org/ann' type='chat'><states:composing/><hints:no-store/><user:x/></message>
            > <message to='bob@b.org' type='chat'><states:paused/><hints:no-store/></message>
            > <message to='bob@b.org' type='chat'>\(composing)
            """)
    }

    @Test func `a message shows once that the robot takes part, unless it is to show no activity`() {
        for showsActivity in [true, false] {
            var stage = TranscriptPlayer(.inDev { $0.showsActivity = showsActivity })
            stage.play(inDev)
            shows(true, bob, &stage)
            stage.act { session, now in
                let messages = ["1", "2"].map { text in
                    var message = OutgoingMessage(to: jid("bob@b.org"), text, since: now)
                    message.isActive = true
                    return message
                }
                return session.say(messages, at: now)
            }
            let active = showsActivity ? "<states:active/>" : ""
            stage.play(
                (showsActivity ? "> <message to='bob@b.org' type='chat'>\(composing)\n" : "")
                    + """
                    > <message to='bob@b.org' type='chat'><body>1</body>\(active)</message>
                    > <message to='bob@b.org' type='chat'><body>2</body>\(active)</message>
                    ! bob@b.org: 3
                    > <message to='bob@b.org' type='chat'><body>3</body></message>
                    """)
        }
    }

    @Test func `nothing is shown before the rooms are joined, where nobody may speak, and while data is held back`() {
        var stage = TranscriptPlayer(.inDev())
        shows(true, bob, &stage)
        stage.play(inDev)
        stage.session.isCongested = true
        shows(true, dev, &stage)
        stage.session.isCongested = false
        stage.play(
            """
            < <presence from='dev@muc.ship.org/marvin'><user:x><user:item role='visitor'/><user:status code='110'/></user:x></presence>
            """)
        shows(true, dev, &stage)
        stage.play("")
    }

    @Test func `a limited number of conversations is remembered`() {
        var session = play(.inDev(), inDev)
        for number in 1...501 {
            let actions = session.showTyping(true, to: jid("p\(number)@b.org"), requester: nil, at: .zero)
            #expect(actions.count == 1)
        }
        #expect(session.composing.count == 1)
    }

    @Test func `what others do is ignored, but it shows that their clients show it`() {
        let session = play(
            .inDev(),
            inDev + """
                < <message from='bob@b.org/x' type='chat'><states:composing/></message>
                < <message from='bob@b.org/x' type='chat'><states:gone/></message>
                < <message from='dev@muc.ship.org/ann' type='groupchat'><states:composing/></message>
                < <message from='dev@muc.ship.org/ann' type='chat'><states:paused/><user:x/></message>
                """)
        for (xml, isShown) in [("<states:active/>", true), ("", false), ("<active xmlns='a'/>", false)] {
            var session = session
            let event = TranscriptPlayer.event("<message from='bob@b.org/x'><body>hi</body>\(xml)</message>")
            guard let event, case .hear(let heard)? = session.receive(event, at: .zero).first else {
                Issue.record("nothing was heard")
                return
            }
            #expect(heard.showsTyping == isShown)
        }
    }
}
