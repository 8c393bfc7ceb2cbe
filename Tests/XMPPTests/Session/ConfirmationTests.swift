import Testing

@testable import HeybotXMPP

/// Receipts (XEP-0184) and chat markers (XEP-0333), in both directions.
@Suite struct ConfirmationTests {
    private let asks = "<receipts:request/><markers:markable/>"

    private func tracked(_ text: String, to target: String, id: String) -> OutgoingMessage {
        var message = OutgoingMessage(to: jid(target), text)
        (message.id, message.isTracked) = (id, true)
        return message
    }

    // MARK: Incoming messages

    @Test func `a direct message is confirmed as far as its sender asks`() {
        play(
            alone + """
                < <message from='bob@b.org/x' type='chat' id='m1'><body>ping</body>\(asks)<thread>t</thread></message>
                = bob@b.org/x privately: ping in thread t
                > <message to='bob@b.org/x' type='chat'><receipts:received id='m1'/><hints:store/></message>
                > <message to='bob@b.org/x' type='chat'><markers:displayed id='m1'/><hints:store/><thread>t</thread></message>
                < <message from='bob@b.org/x' id='m2'><body>ping</body><receipts:request/></message>
                = bob@b.org/x privately: ping
                > <message to='bob@b.org/x'><receipts:received id='m2'/><hints:store/></message>
                < <message from='bob@b.org/x' id='m3'><body>ping</body></message>
                = bob@b.org/x privately: ping
                """)
    }

    @Test func `nothing is confirmed in rooms, to strangers, without an id or a text, and to messages that confirm`() {
        play(
            .inDev { $0.contacts = .only([jid("bob@b.org")]) },
            inDev + """
                < <message from='dev@muc.ship.org/ann' type='groupchat' id='m1'><body>hi</body>\(asks)</message>
                = dev@muc.ship.org ann (ann@ship.org): hi
                < <message from='eve@b.org/x' type='chat' id='m2'><body>ping</body>\(asks)</message>
                < <message from='bob@b.org/x' type='chat'><body>ping</body>\(asks)</message>
                = bob@b.org/x privately: ping
                < <message from='bob@b.org/x' type='chat' id='m3'>\(asks)</message>
                < <message from='bob@b.org/x' type='headline' id='m4'><body>ping</body>\(asks)</message>
                < <message from='bob@b.org/x' type='chat' id='m5'><receipts:received id='a'/>\(asks)</message>
                < <message from='bob@b.org/x' type='chat' id='\(String(repeating: "x", count: 257))'>
                  <body>ping</body>\(asks)</message>
                = bob@b.org/x privately: ping
                """)
    }

    @Test func `nobody makes the robot confirm any number of messages`() {
        let message = "< <message from='bob@b.org/x' id='m'><body>ping</body><receipts:request/></message>\n"
        let heard = "= bob@b.org/x privately: ping\n"
        let confirmed = heard + "> <message to='bob@b.org/x'><receipts:received id='m'/><hints:store/></message>\n"
        play(alone + (1...22).map { message + ($0 <= 20 ? confirmed : heard) }.joined())
    }

    @Test func `if the robot is to show no activity, it neither confirms nor writes`() {
        var profile = SessionConfiguration.marvin
        profile.showsActivity = false
        var session = play(
            profile,
            alone + """
                < <message from='bob@b.org/x' type='chat' id='m1'><body>ping</body>\(asks)</message>
                = bob@b.org/x privately: ping
                """)
        #expect(session.showTyping(true, to: jid("bob@b.org"), requester: nil, at: .zero).isEmpty)
    }

    // MARK: Own messages

    @Test func `the recipient is asked to confirm a tracked message, in its first part only`() {
        var profile = SessionConfiguration.marvin
        profile.longestText = 100
        let line = String(repeating: "a", count: 100)
        var stage = TranscriptPlayer(profile)
        stage.play(alone)
        stage.act { session, now in
            session.say(
                [
                    tracked("Dinner!", to: "bob@b.org", id: "t1"), tracked(line + line, to: "bob@b.org", id: "t2"),
                    OutgoingMessage(to: jid("bob@b.org"), "end")
                ], at: now)
        }
        stage.play(
            """
            > <message to='bob@b.org' type='chat'><body>Dinner!</body>\(asks)</message>
            > <message to='bob@b.org' type='chat'><body>\(line)</body>\(asks)</message>
            > <message to='bob@b.org' type='chat'><body>\(line)</body></message>
            > <message to='bob@b.org' type='chat'><body>end</body></message>
            < <message from='bob@b.org/x'><receipts:received id='t1'/></message>
            # t1 was received by bob@b.org/x
            < <message from='bob@b.org/x'><markers:received id='t1'/></message>
            # t1 was received by bob@b.org/x
            < <message from='bob@b.org/x'><hints:store/><markers:displayed id='t1'/></message>
            # t1 was read by bob@b.org/x
            < <message from='bob@b.org/x'><markers:acknowledged id='t1'/></message>
            # t1 was read by bob@b.org/x
            < <message from='eve@b.org/x'><receipts:received id='t1'/></message>
            # t1 was received by eve@b.org/x
            < <message from='bob@b.org/x'><receipts:displayed id='t1'/></message>
            < <message from='bob@b.org/x'><receipts:received/></message>
            < <message from='bob@b.org/x'><receipts:received id=''/></message>
            < <message from='bob@b.org/x'><receipts:received id='\(String(repeating: "x", count: 257))'/></message>
            """)
    }

    @Test func `an error says that a tracked message hasn't arrived`() {
        var stage = TranscriptPlayer(.marvin)
        let error = "<error type='cancel'><stanzas:service-unavailable/></error></message>"
        stage.play(alone)
        stage.act { session, now in session.say([tracked("Dinner!", to: "bob@b.org", id: "t1")], at: now) }
        stage.play(
            """
            > <message to='bob@b.org' type='chat'><body>Dinner!</body>\(asks)</message>
            < <message from='bob@b.org' type='error' id='t1'>\(error)
            * bob@b.org didn't receive my message: service-unavailable
            # t1 was refused by bob@b.org
            < <message from='eve@b.org' type='error' id='t1'>\(error)
            * eve@b.org didn't receive my message: service-unavailable
            # t1 was refused by eve@b.org
            < <message from='bob@b.org' type='error'>\(error)
            """)
    }

    @Test func `a room confirms a tracked message by repeating it, and nobody else does`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(inDev)
        stage.play("< <message from='dev@muc.ship.org/marvin' type='groupchat' id='t0'><body>old</body></message>")
        stage.act { session, now in session.say([tracked("Dinner!", to: "dev@muc.ship.org", id: "t1")], at: now) }
        stage.play(
            """
            > <message to='dev@muc.ship.org' type='groupchat'><body>Dinner!</body></message>
            < <message from='dev@muc.ship.org/ann' type='groupchat' id='t1'><body>Dinner!</body></message>
            = dev@muc.ship.org ann (ann@ship.org): Dinner!
            < <message from='dev@muc.ship.org/ann' type='groupchat'><receipts:received id='t1'/></message>
            < <message from='dev@muc.ship.org/marvin' type='groupchat' id='t1'><body>Dinner!</body></message>
            # t1 was received by dev@muc.ship.org
            < <message from='dev@muc.ship.org/marvin' type='groupchat' id='t1'><body>Dinner!</body>
              <sid:stanza-id id='s1' by='dev@muc.ship.org'/></message>
            # t1 is s1 in dev@muc.ship.org
            # t1 was received by dev@muc.ship.org
            """)
    }

    @Test func `without a tracked message, confirmations mean nothing`() {
        play(alone + "< <message from='bob@b.org/x'><receipts:received id='t1'/></message>\n")
    }
}
