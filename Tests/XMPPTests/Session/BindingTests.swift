import Foundation
import HeybotSupport
import Testing

@testable import HeybotXMPP

/// Resource binding, and the end of streams.
@Suite struct BindingTests {
    private let authenticated = loggedIn.components(until: "< <stream:features><bind")

    private var atBridge: SessionConfiguration {
        var profile = SessionConfiguration.marvin
        profile.address = jid("marvin@ship.org/bridge")
        return profile
    }

    @Test func `the configured resource is requested, or one that the server chooses`() {
        let asked =
            authenticated + """
                < <stream:features><bind:bind/></stream:features>
                > <iq type='set' id='bind'><bind:bind><bind:resource>bridge</bind:resource></bind:bind></iq>

                """
        let session = play(
            atBridge,
            asked + """
                < <iq type='error' id='bind'><error type='cancel'><stanzas:conflict/></error></iq>
                > <iq type='set' id='bind'><bind:bind/></iq>
                < <iq type='result' id='bind'><bind:bind><bind:jid>marvin@ship.org/r2</bind:jid></bind:bind></iq>
                > <presence>{caps}</presence>
                * logged in as marvin@ship.org/r2, in no room
                . ready
                """)
        #expect(session.address == jid("marvin@ship.org/r2"))
        play(
            atBridge,
            asked + """
                < <iq type='error' id='bind'><error type='cancel'><stanzas:conflict/></error></iq>
                > <iq type='set' id='bind'><bind:bind/></iq>
                < <iq type='error' id='bind'><error type='wait'><stanzas:resource-constraint/><stanzas:text>Full</stanzas:text></error></iq>
                x the server didn't assign an address: resource-constraint: Full
                """)
    }

    @Test func `a robot's own resource is requested unless the address has one`() {
        var profile = SessionConfiguration.marvin
        profile.resource = "heybot-1"
        func asking(for resource: String) -> String {
            alone.replacing(
                "id='bind'><bind:bind/></iq>",
                with: "id='bind'><bind:bind><bind:resource>\(resource)</bind:resource></bind:bind></iq>")
        }
        play(profile, asking(for: "heybot-1"))
        profile.address = jid("marvin@ship.org/bridge")
        play(profile, asking(for: "bridge"))
    }

    @Test func `a room of another server may take a robot for the killed one whose resource it has`() {
        var profile = SessionConfiguration.inDev { $0.resource = "heybot-1" }
        profile.rooms.append(SessionConfiguration.Room(jid("tea@muc.b.org")))
        let session = Session(
            profile, isSecure: true, nonce: TranscriptPlayer.nonce, rooms: profile.rooms, at: .zero)
        #expect(session.rooms[jid("dev@muc.ship.org")]?.doubtsList == false)
        #expect(session.rooms[jid("tea@muc.b.org")]?.doubtsList == true)
    }

    @Test(arguments: [
        "<bind:bind><bind:jid>marvin@ship.org</bind:jid></bind:bind>", "<bind:bind><bind:jid>@</bind:jid></bind:bind>",
        "<bind:bind/>", ""
    ])
    func `invalid addresses from the server end the stream`(_ payload: String) {
        play(
            authenticated + """
                < <stream:features><bind:bind/></stream:features>
                > <iq type='set' id='bind'><bind:bind/></iq>
                < <message from='a@b'><body>Not for now</body></message>
                < <iq type='result' id='other'/>
                < <iq type='result' id='bind'>\(payload)</iq>
                x the server assigned an invalid address
                """)
    }

    @Test func `a server that offers no resource binding ends the stream`() {
        play(authenticated + "< <stream:features/>\nx the server didn't assign an address")
    }

    @Test func `a session is established only if it isn't optional`() {
        let asked =
            authenticated + """
                < <stream:features><session:session/><bind:bind/></stream:features>
                > <iq type='set' id='bind'><bind:bind/></iq>
                < <iq type='result' id='bind'><bind:bind><bind:jid>marvin@ship.org/r1</bind:jid></bind:bind></iq>

                """
        let arrived = "> <presence>{caps}</presence>\n* logged in as marvin@ship.org/r1, in no room\n. ready"
        for answer in ["result", "error"] {
            play(
                asked + "> <iq type='set' id='session'><session:session/></iq>\n"
                    + "< <iq type='\(answer)' id='session'/>\n" + arrived)
        }
        play(
            asked.replacing("<session:session/>", with: "<session:session><session:optional/></session:session>")
                + arrived)
    }

    @Test func `the presence has the configured status`() {
        var profile = SessionConfiguration.marvin
        profile.status = "Brain the size of a planet"
        play(
            profile,
            alone.replacing(
                "> <presence>", with: "> <presence><status>Brain the size of a planet</status>"))
    }

    // MARK: Stream errors

    @Test(arguments: [
        (
            "<errors:conflict/>",
            "another client has logged in with the same resource (conflict): give each robot its own resource"
        ),
        (
            "<errors:host-unknown/>",
            "the server doesn't serve the domain of the account (host-unknown): check the address, for good"
        ),
        ("<errors:not-authorized/>", "the server closed the stream: not-authorized, for good"),
        (
            "<errors:policy-violation/><errors:text>Too big\u{202e}\t!</errors:text>",
            "the server closed the stream: policy-violation: Too big !, for good"
        ),
        ("<errors:system-shutdown/>", "the server closed the stream: system-shutdown"),
        ("<errors:text>Only words</errors:text>", "the server closed the stream: undefined-condition: Only words"),
        ("", "the server closed the stream: undefined-condition"),
        ("<conflict/>", "the server closed the stream: undefined-condition")
    ])
    func `stream errors before and after the login`(_ error: String, _ reason: String) {
        for before in [alone, "> <stream:stream to='ship.org' from='marvin@ship.org'>\n"] {
            // A server that has accepted the login before may accept it again soon.
            let reason = before == alone ? reason.replacing(", for good", with: "") : reason
            play(before + "< <stream:error>\(error)</stream:error>\nx \(reason)\n< <stream:error/>\n+ 999999")
        }
    }

    @Test(
        arguments: [
            ("other.org", "other.org", nil), ("other.org:5269", "other.org", 5_269), ("192.0.2.1:99", "192.0.2.1", 99),
            ("[2001:db8::1]", "2001:db8::1", nil), ("[2001:db8::1]:5222", "2001:db8::1", 5_222),
            ("2001:db8::1", "2001:db8::1", nil)
        ] as [(String, String, Int?)])
    func `see-other-host`(_ text: String, _ host: String, _ port: Int?) {
        #expect(Self.ending(text) == .redirected(host: host, port: port))
    }

    @Test(arguments: [
        "", ":5222", "other.org:", "other.org:0", "other.org:65536", "other.org:-1", "other.org:x", "a b", "a/b",
        "ä.org",
        "[::1", "::1]", "[]", "<x>", "a@b", String(repeating: "a", count: 254)
    ])
    func `see-other-host with an invalid host`(_ text: String) {
        #expect(Self.ending(text) == .lost("the server redirects, but doesn't name a valid host"))
    }

    private static func ending(_ host: String) -> DisconnectReason {
        DisconnectReason(
            streamError: Element(
                "error", Namespace.streams, [:], Element("see-other-host", Namespace.streamErrors, text: host)))
    }

    @Test func `the server closes the stream`() {
        play(alone + "< </stream:stream>\nx the server closed the stream")
    }

    @Test func `texts from the server are logged as one short line`() {
        #expect(SafeText.visible("a\u{0}b\r\nc\u{7}\u{202e}\u{2028}d", limit: 300) == "ab  c d")
        #expect(
            SafeText.visible(String(repeating: "x", count: 9_000), limit: 300) == String(repeating: "x", count: 300))
        #expect(
            SafeText.visible("e" + String(repeating: "\u{301}", count: 9_000), limit: 300).unicodeScalars.count == 300)
    }

    @Test func `credentials aren't logged`() {
        let secrets = [
            "<sasl:auth mechanism='PLAIN'>secret</sasl:auth>", "<sasl:response>secret</sasl:response>",
            "<sasl2:authenticate><sasl2:initial-response>secret</sasl2:initial-response></sasl2:authenticate>",
            "<sasl2:challenge>secret</sasl2:challenge>", "<sasl2:response>secret</sasl2:response>",
            "<sasl2:success><sasl2:additional-data>secret</sasl2:additional-data></sasl2:success>",
            "<presence to='a@b/c'><muc:x><muc:password>secret</muc:password></muc:x></presence>",
            "<message from='a@b'><user:x><user:invite from='c@d'/><user:password>secret</user:password></user:x></message>",
            "<message from='c@d'><direct:x jid='a@b' password='secret'/></message>"
        ]
        for xml in secrets {
            guard case .element(let element) = TranscriptPlayer.event(xml) else { continue }
            let line = SessionConfiguration.marvin.loggable(element)
            #expect(line.contains("…") && !line.contains("secret"), "\(line)")
        }
    }
}

extension String {
    fileprivate func components(until text: String) -> String {
        range(of: text).map { String(self[..<$0.lowerBound]) } ?? self
    }
}
