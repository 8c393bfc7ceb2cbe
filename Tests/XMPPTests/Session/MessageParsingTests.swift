import Testing

@testable import HeybotXMPP

/// The text, the time and the id of a message.
@Suite struct MessageParsingTests {
    private let said = "2026-01-01T00:00:00Z"

    @Test(arguments: [
        "<delay:delay stamp='2026-01-01T00:00:00Z'/>", "<delay:delay from='bob@b.org/x' stamp='2026-01-01T00:00:00Z'/>",
        "<delay:delay from='b.org' stamp='2026-01-01T00:00:00Z'/>",
        "<delay:delay from='@' stamp='2026-01-01T00:00:00Z'/>",
        "<delay:delay from='dev@muc.ship.org' stamp='2026-01-01T00:00:00Z'/>"
    ])
    func `a delay that the sender claims is ignored`(_ delay: String) {
        play(
            alone + "< <message from='bob@b.org/x'><body>Hi</body>\(delay)</message>\n= bob@b.org/x privately: Hi")
    }

    @Test(arguments: ["ship.org", "marvin@ship.org", "marvin@ship.org/r1"])
    func `the earliest delay from the account's server counts`(_ by: String) {
        play(
            alone + """
                < <message from='bob@b.org/x'><body>Hi</body><delay:delay from='\(by)' stamp='2026-01-02T00:00:00Z'/>
                  <delay:delay from='ship.org' stamp='\(said)'/></message>
                = bob@b.org/x privately: Hi late, of \(said)
                """)
    }

    @Test func `a room's own delay counts, and delayed messages before the subject are history`() {
        play(
            .inDev(),
            inDev + """
                < <message type='groupchat' from='dev@muc.ship.org/ann'><body>Hi</body><delay:delay stamp='\(said)'/></message>
                = dev@muc.ship.org ann (ann@ship.org): Hi
                < <message type='groupchat' from='dev@muc.ship.org/ann'><body>Hi</body><delay:delay from='dev@muc.ship.org' stamp='\(said)'/></message>
                = dev@muc.ship.org ann (ann@ship.org): Hi late, of \(said)
                < <message type='groupchat' from='dev@muc.ship.org/ann'><subject>Tea</subject><delay:delay from='dev@muc.ship.org' stamp='\(said)'/></message>
                """)
    }

    // MARK: Recipients

    @Test(arguments: [
        (
            "<body>&gt; Hi&#10;ping</body><fallback:fallback for='urn:xmpp:reply:0'><fallback:body start='0' end='5'/></fallback:fallback>",
            "ping"
        ),
        (
            "<body>&gt; 👋🏽&#10;ping</body><fallback:fallback for='urn:xmpp:reply:0'><fallback:body start='0' end='5'/></fallback:fallback>",
            "ping"
        ),
        ("<body>ping</body><fallback:fallback for='x'><fallback:body start='9' end='-1'/></fallback:fallback>", "ping"),
        ("<body>ping</body><fallback:fallback for='x'><fallback:subject/></fallback:fallback>", "ping"),
        ("<body>/me pings</body>", "pings")
    ])
    func `fallback text for older clients is removed`(_ xml: String, _ text: String) {
        play(alone + "< <message from='bob@b.org/x'>\(xml)</message>\n= bob@b.org/x privately: \(text)")
    }

    @Test(arguments: [
        "<body>I took it back</body><retract:retract/>", "<body>👍</body><reactions:reactions/>",
        "<body>I took it back</body><fasten:apply-to id='1'><fasten:external/></fasten:apply-to>",
        "<body>👍</body><fallback:fallback for='urn:xmpp:reactions:0'/>",
        "<body>👍</body><fallback:fallback for='x'><fallback:body/></fallback:fallback>",
        "<body>👍 </body><fallback:fallback for='x'><fallback:body start='0' end='1'/></fallback:fallback>"
    ])
    func `messages with only fallback text are ignored`(_ xml: String) {
        play(alone + "< <message from='bob@b.org/x'>\(xml)</message>")
        play(.inDev(), inDev + "< <message type='groupchat' from='dev@muc.ship.org/ann'>\(xml)</message>")
    }

    @Test func `senders of encrypted messages get a hint once an hour`() {
        let omemo =
            "<omemo:encrypted><omemo:payload>x</omemo:payload></omemo:encrypted><body>I sent you an OMEMO message</body></message>\n"
        let hint = "I can't read OMEMO. Please turn off encryption and send the message again."
        var profile = SessionConfiguration.inDev { $0.timeouts.pingInterval = .seconds(9_999) }
        profile.timeouts.roomPingInterval = .seconds(9_999)
        play(
            profile,
            inDev + "< <message from='bob@b.org/x'>" + omemo
                + "> <message to='bob@b.org' type='chat'><body>\(hint)</body></message>\n"
                + "< <message from='bob@b.org/x'>" + omemo + "< <message from='bob@b.org/y'>" + omemo
                + "< <message from='cid@b.org/x'><omemo:encrypted/></message>\n"
                + "< <message type='groupchat' from='dev@muc.ship.org/ann'>" + omemo
                + "< <message from='dev@muc.ship.org/ann'>" + omemo
                + "> <message to='dev@muc.ship.org/ann' type='chat'><body>\(hint)</body><user:x/></message>\n"
                + "+ 3600000\n< <message from='bob@b.org/x'>" + omemo
                + "> <message to='bob@b.org' type='chat'><body>\(hint)</body></message>\n")
        profile.contacts = .none
        play(profile, inDev + "< <message from='bob@b.org/x'>" + omemo)
    }

    // MARK: Ids

    @Test func `a message's id, and the id of the message that it corrects`() {
        var session = play(alone)
        func heard(_ xml: String) -> IncomingEvent? {
            guard let event = TranscriptPlayer.event(xml),
                case .hear(let heard)? = session.receive(event, at: .zero).first
            else {
                return nil
            }
            return heard
        }
        #expect(heard("<message from='bob@b.org/x' id='1'><body>Hi</body></message>")?.senderID == "1")
        #expect(heard("<message from='bob@b.org/x'><body>Hi</body><sid:origin-id id='2'/></message>")?.senderID == "2")
        #expect(heard("<message from='bob@b.org/x'><body>Hi</body></message>")?.senderID == nil)
        let long = String(repeating: "x", count: 257)
        #expect(heard("<message from='bob@b.org/x' id='\(long)'><body>Hi</body></message>")?.senderID == nil)
        #expect(
            heard("<message from='bob@b.org/x' id='3'><body>Hi</body><correct:replace id='1'/></message>")?.replaces
                == "1")
    }

    @Test func `every sent message has a unique id, which reveals no secret`() {
        var session = play(alone)
        var ids: Set<String> = []
        for _ in 0..<10 {
            for case .send(let message) in session.say([OutgoingMessage(to: jid("bob@b.org"), "Hi")], at: .zero) {
                guard let id = message["id"] else { continue }
                #expect(message.first("origin-id", Namespace.stanzaID)?["id"] == id)
                #expect(!id.contains(TranscriptPlayer.nonce.suffix(12)))
                ids.insert(id)
            }
        }
        #expect(ids.count == 10)
    }

    // MARK: Voice

    @Test func `voice is requested at most once an hour`() {
        var stage = TranscriptPlayer(.inDev())
        let room = jid("dev@muc.ship.org")
        stage.play(
            inDev + """
                < <presence from='dev@muc.ship.org/marvin'><user:x><user:item role='visitor'/><user:status code='110'/></user:x></presence>

                """)
        #expect(stage.session.isMute(in: room))
        stage.act { session, now in session.askForVoice(in: room, at: now) }
        stage.play(
            """
            > <message to='dev@muc.ship.org'><data:x type='submit'><data:field var='FORM_TYPE'>
              <data:value>http://jabber.org/protocol/muc#request</data:value></data:field>
              <data:field var='muc#role'><data:value>participant</data:value></data:field></data:x></message>
            * not allowed to speak in dev@muc.ship.org: requesting voice, and answering in private
            """)
        stage.act { session, now in session.askForVoice(in: room, at: now) }
        stage.play(
            "< <presence from='dev@muc.ship.org/marvin'><user:x><user:item role='participant'/><user:status code='110'/></user:x></presence>"
        )
        #expect(!stage.session.isMute(in: room))
    }
}
