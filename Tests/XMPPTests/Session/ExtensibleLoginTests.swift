import HeybotSASL
import HeybotTesting
import Testing

@testable import HeybotXMPP

/// Logins by the extensible SASL profile (XEP-0388), with sessions that begin or are resumed with them (XEP-0386).
@Suite struct ExtensibleLoginTests {
    private var marvin: SessionConfiguration {
        var profile = SessionConfiguration.marvin
        profile.installation = "d4565fa7-4d72-4749-b3d3-740edbf87770"
        profile.missedMessageAge = .seconds(600)
        return profile
    }

    private let open = "> <stream:stream to='ship.org' from='marvin@ship.org'>\n"
    private static let agent = """
        <sasl2:user-agent id='d4565fa7-4d72-4749-b3d3-740edbf87770'><sasl2:software>Heybot</sasl2:software></sasl2:user-agent>
        """
    private static let bind = "<bind2:bind><bind2:tag>Heybot</bind2:tag><sm:enable resume='true'/></bind2:bind>"
    private static let plain = "AG1hcnZpbgBwZW5jaWw="
    private static let inline = """
        <sasl2:inline><bind2:bind><bind2:inline><bind2:feature var='urn:xmpp:carbons:2'/><bind2:feature var='urn:xmpp:sm:3'/></bind2:inline></bind2:bind><sm:sm/></sasl2:inline>
        """

    private func offer(_ mechanisms: String..., inline: String = Self.inline, others: String = "") -> String {
        let names = mechanisms.map { "<sasl2:mechanism>\($0)</sasl2:mechanism>" }.joined()
        return "< <stream:features><sasl2:authentication>\(names)\(inline)</sasl2:authentication>\(others)"
            + "</stream:features>\n"
    }

    private func request(_ mechanism: String, _ first: String, _ rest: String = Self.bind) -> String {
        "> <sasl2:authenticate mechanism='\(mechanism)'><sasl2:initial-response>\(first)</sasl2:initial-response>"
            + "\(Self.agent)\(rest)</sasl2:authenticate>\n"
    }

    private func success(_ rest: String, address: String = "marvin@ship.org/Heybot/r1") -> String {
        "< <sasl2:success><sasl2:authorization-identifier>\(address)</sasl2:authorization-identifier>\(rest)"
            + "</sasl2:success>\n"
    }

    private let enabled = "<bind2:bound><sm:enabled id='s1' resume='true'/></bind2:bound>"

    /// The beginning of a session, up to the features that follow.
    private var begun: String {
        open + offer("PLAIN") + request("PLAIN", Self.plain) + success(enabled) + """
            > <presence>{caps}</presence>
            > <sm:r/>
            * logged in as marvin@ship.org/Heybot/r1, in no room
            . ready
            < <stream:features><sm:sm/></stream:features>
            < <sm:a h='1'/>

            """
    }

    // MARK: Beginning

    @Test func `one exchange logs in, begins a session and counts its stanzas`() {
        let session = play(marvin, begun)
        #expect(session.address == jid("marvin@ship.org/Heybot/r1"))
        #expect(session.isResumable && session.mechanism == .plain)
    }

    @Test func `SCRAM, bound to the connection, with the server's signature in the success`() {
        let value: [UInt8] = [1, 2, 3]
        let scram = ScramServer(
            "SCRAM-SHA-256-PLUS", nonce: TranscriptPlayer.nonce + "1", header: "p=tls-exporter,,", binding: value)
        let types = "<cb:sasl-channel-binding><cb:channel-binding type='tls-exporter'/></cb:sasl-channel-binding>"
        let session = play(
            marvin, bindings: [ChannelBinding(.exporter, value)],
            open + offer("SCRAM-SHA-256", "SCRAM-SHA-256-PLUS", others: types)
                + request("SCRAM-SHA-256-PLUS", scram.first) + """
                    < <sasl2:challenge>\(scram.challenge)</sasl2:challenge>
                    > <sasl2:response>\(scram.response)</sasl2:response>

                    """ + success("<sasl2:additional-data>\(scram.signature)</sasl2:additional-data>\(enabled)") + """
                    > <presence>{caps}</presence>
                    > <sm:r/>
                    * logged in as marvin@ship.org/Heybot/r1, in no room
                    . ready
                    """)
        #expect(session.mechanism == .boundSCRAMSHA256)
    }

    @Test func `the limits in the features after the login count`() {
        let limits = "<limits xmlns='urn:xmpp:stream-limits:0'><max-bytes>20000</max-bytes></limits>"
        let session = play(marvin, begun + "< <stream:features>\(limits)</stream:features>")
        #expect(session.longestStanza == 20_000)
    }

    @Test func `a server that only logs in binds the address afterwards, without a new stream`() {
        let rest = """
            < <stream:features><bind:bind/></stream:features>
            > <iq type='set' id='bind'><bind:bind/></iq>
            < <iq type='result' id='bind'><bind:bind><bind:jid>marvin@ship.org/r1</bind:jid></bind:bind></iq>
            > <presence>{caps}</presence>
            * logged in as marvin@ship.org/r1, in no room
            . ready
            """
        let login = offer("PLAIN", inline: "") + request("PLAIN", Self.plain, "")
        play(marvin, open + login + success("", address: "marvin@ship.org") + rest)
        // What wasn't asked for isn't believed.
        play(marvin, open + login + success(enabled) + rest)
        // Without an id of the installation, no session begins with the login.
        play(
            .marvin,
            open + offer("PLAIN") + request("PLAIN", Self.plain, "").replacing(Self.agent, with: "")
                + success("", address: "marvin@ship.org") + rest)
    }

    /// The server discards what it has kept for the account, because it is in the archive.
    @Test func `a session that doesn't ask the archive doesn't begin with the login`() {
        var profile = marvin
        profile.missedMessageAge = .zero
        play(profile, open + offer("PLAIN") + request("PLAIN", Self.plain, ""))
    }

    @Test func `a room may take a session that begins with the login for an earlier one with the same address`() {
        var profile = marvin
        profile.rooms = [SessionConfiguration.Room(jid("dev@muc.ship.org"))]
        let session = play(
            profile,
            open + offer("PLAIN") + request("PLAIN", Self.plain) + success(enabled) + """
                > <presence>{caps}</presence>
                > <sm:r/>
                \(knock)
                """)
        #expect(session.rooms[jid("dev@muc.ship.org")]?.doubtsList == true)
    }

    @Test func `a session with a configured resource doesn't begin with the login`() {
        var profile = marvin
        profile.resource = "heybot-1"
        play(
            profile,
            open + offer("PLAIN") + request("PLAIN", Self.plain, "") + success("", address: "marvin@ship.org") + """
                < <stream:features><bind:bind/></stream:features>
                > <iq type='set' id='bind'><bind:bind><bind:resource>heybot-1</bind:resource></bind:bind></iq>
                """)
    }

    @Test func `a server that doesn't count stanzas from the login on may do so later`() {
        let counted = """
            > <sm:enable resume='true'/>
            > <presence>{caps}</presence>
            > <sm:r/>
            * logged in as marvin@ship.org/Heybot/r1, in no room
            . ready
            """
        play(
            marvin,
            open + offer("PLAIN", inline: "<sasl2:inline><bind2:bind/></sasl2:inline>")
                + request("PLAIN", Self.plain, "<bind2:bind><bind2:tag>Heybot</bind2:tag></bind2:bind>")
                + success("<bind2:bound/>") + "< <stream:features><sm:sm/></stream:features>\n" + counted)
        let session = play(
            marvin,
            open + offer("PLAIN") + request("PLAIN", Self.plain)
                + success("<bind2:bound><sm:failed/></bind2:bound>") + """
                    > <presence>{caps}</presence>
                    * logged in as marvin@ship.org/Heybot/r1, in no room
                    . ready
                    """)
        #expect(!session.isResumable)
    }

    // MARK: Choosing

    private let older = "<sasl:mechanisms><sasl:mechanism>PLAIN</sasl:mechanism></sasl:mechanisms>"

    @Test func `the extensible profile is preferred, unless it offers nothing that the robot knows`() {
        play(marvin, open + offer("PLAIN", others: older) + request("PLAIN", Self.plain))
        play(
            marvin,
            open + offer("X-TOKEN", others: older) + "> <sasl:auth mechanism='PLAIN'>\(Self.plain)</sasl:auth>\n")
        play(
            marvin,
            open + offer("X-TOKEN")
                + "x login failed: the server offers X-TOKEN, none of which is supported, for good")
    }

    @Test func `without TLS the extensible profile isn't used`() {
        var profile = marvin
        profile.usesTLS = false
        play(
            profile, secure: false,
            "> <stream:stream to='ship.org'>\n" + offer("SCRAM-SHA-1")
                + "x the server offers no way to log in")
    }

    @Test func `a mechanism that the server refuses is replaced by the next best one`() {
        let scram = ScramServer("SCRAM-SHA-1", nonce: TranscriptPlayer.nonce + "1")
        play(
            marvin,
            open + offer("PLAIN", "SCRAM-SHA-1") + request("SCRAM-SHA-1", scram.first) + """
                < <sasl2:failure><x xmlns='urn:x'/><sasl:mechanism-too-weak/></sasl2:failure>
                \(request("PLAIN", Self.plain))< <sasl2:failure><sasl:malformed-request/><sasl2:text>No</sasl2:text></sasl2:failure>
                x login failed: SCRAM-SHA-1: mechanism-too-weak; PLAIN: malformed-request: No, for good
                """)
        play(
            marvin,
            open + offer("PLAIN") + request("PLAIN", Self.plain) + """
                < <sasl2:failure><sasl:not-authorized/></sasl2:failure>
                x the server rejected the account or its password (not-authorized): check both, for good
                """)
    }

    // MARK: Resuming

    private let comeBack = "^ the connection breaks\n"
    private static let resume = "<sm:resume previd='s1' h='0'/>" + Self.bind

    @Test func `one exchange logs in and resumes the session`() {
        let session = play(
            marvin,
            begun + comeBack + open + offer("PLAIN") + request("PLAIN", Self.plain, Self.resume)
                + success("<sm:resumed previd='s1' h='1'/>", address: "marvin@ship.org/Heybot/r1") + """
                    * resumed the session
                    > <sm:r/>
                    < <stream:features/>
                    < <sm:a h='1'/>
                    * logged in as marvin@ship.org/Heybot/r1, in no room
                    . ready
                    """)
        #expect(session.address == jid("marvin@ship.org/Heybot/r1") && session.isResumable)
    }

    @Test func `if the server doesn't resume the session, a new one begins in the same exchange`() {
        let session = play(
            marvin,
            begun + """
                ! bob@b.org: 1
                > <message to='bob@b.org' type='chat'><body>1</body></message>
                > <sm:r/>

                """ + comeBack + open + offer("PLAIN") + request("PLAIN", Self.plain, Self.resume)
                + success(
                    "<sm:failed h='1'/><bind2:bound><sm:enabled id='s2' resume='true'/></bind2:bound>",
                    address: "marvin@ship.org/Heybot/r2") + """
                    > <presence>{caps}</presence>
                    > <sm:r/>
                    * logged in as marvin@ship.org/Heybot/r2, in no room
                    . ready
                    > <message to='bob@b.org' type='chat'><body>1</body></message>
                    """)
        #expect(session.address == jid("marvin@ship.org/Heybot/r2"))
    }

    @Test func `a server that resumes only after the login is asked then`() {
        play(
            marvin,
            begun + comeBack + open + offer("PLAIN", inline: "") + request("PLAIN", Self.plain, "")
                + success("", address: "marvin@ship.org") + """
                    < <stream:features><bind:bind/><sm:sm/></stream:features>
                    > <sm:resume previd='s1' h='0'/>
                    < <sm:resumed previd='s1' h='1'/>
                    * resumed the session
                    > <sm:r/>
                    """)
    }

    @Test(arguments: ["previd='s2' h='1'", "h='1'", "previd='s1'", "previd='s1' h='x'"])
    func `a server that resumes another session isn't believed`(_ answer: String) {
        let session = play(
            marvin,
            begun + comeBack + open + offer("PLAIN") + request("PLAIN", Self.plain, Self.resume)
                + success("<sm:resumed \(answer)/>") + "x the server resumed another session than the robot's")
        #expect(!session.isResumable)
        play(
            marvin,
            open + offer("PLAIN") + request("PLAIN", Self.plain) + success("<sm:resumed \(answer)/>")
                + "x the server resumed another session than the robot's")
    }

    @Test func `a server that resumes the session with too high a count isn't believed`() {
        let session = play(
            marvin,
            begun + comeBack + open + offer("PLAIN") + request("PLAIN", Self.plain, Self.resume)
                + success("<sm:resumed previd='s1' h='9'/>") + """
                    > <stream:error><errors:undefined-condition/>
                      <sm:handled-count-too-high h='9' send-count='1'/></stream:error>
                    > </stream:stream>
                    x the server acknowledged 9 stanzas, but the robot has sent 1
                    """)
        #expect(!session.isResumable)
    }

    // MARK: Servers that lie

    private static let unproved =
        "x login failed: SCRAM-SHA-256: the server didn't prove that it knows the password, so it may be an impostor, for good"

    @Test func `a server that doesn't prove that it knows the password isn't believed`() {
        let scram = ScramServer("SCRAM-SHA-256", nonce: TranscriptPlayer.nonce + "1")
        let wrong = ScramServer("SCRAM-SHA-256", password: "pen", nonce: TranscriptPlayer.nonce + "1").signature
        let asked = open + offer("SCRAM-SHA-256", "PLAIN") + request("SCRAM-SHA-256", scram.first)
        let answered =
            asked + """
                < <sasl2:challenge>\(scram.challenge)</sasl2:challenge>
                > <sasl2:response>\(scram.response)</sasl2:response>

                """
        play(
            marvin,
            answered + success("<sasl2:additional-data>\(wrong)</sasl2:additional-data>\(enabled)") + Self.unproved)
        play(marvin, answered + success(enabled) + Self.unproved)
        // Before the challenge.
        play(marvin, asked + success(enabled) + Self.unproved)
        play(
            marvin,
            asked + success("<sasl2:additional-data>\(scram.signature)</sasl2:additional-data>\(enabled)")
                + Self.unproved)
        // A session isn't resumed either.
        play(
            marvin,
            begun + comeBack + open + offer("SCRAM-SHA-256")
                + request("SCRAM-SHA-256", scram.first, Self.resume)
                + success("<sm:resumed previd='s1' h='1'/>") + Self.unproved)
    }

    @Test(arguments: [
        (
            "<sasl2:tasks><sasl2:task>TOTP-EXAMPLE</sasl2:task><sasl2:task>X</sasl2:task></sasl2:tasks>",
            " (TOTP-EXAMPLE, X)"
        ),
        ("<sasl2:tasks/>", ""), ("", "")
    ])
    func `a server that requires a further step is refused`(_ tasks: String, _ names: String) {
        play(
            marvin,
            open + offer("PLAIN") + request("PLAIN", Self.plain) + """
                < <sasl2:continue>\(tasks)</sasl2:continue>
                x login failed: the server requires a further step, which the robot doesn't support\(names), for good
                """)
    }

    @Test(arguments: ["marvin@ship.org", "@", ""])
    func `an invalid address ends the stream`(_ address: String) {
        play(
            marvin,
            open + offer("PLAIN") + request("PLAIN", Self.plain) + success(enabled, address: address)
                + "x the server assigned an invalid address")
    }

    @Test(arguments: ["<sasl2:authentication/>", "<message/>", "<sasl:success/>", "<sasl2:challenge xmlns:sasl2='x'/>"])
    func `unexpected elements during the login end the stream`(_ element: String) {
        play(
            marvin,
            open + offer("PLAIN") + request("PLAIN", Self.plain)
                + "< \(element)\nx the server violated the SASL protocol")
    }

    @Test func `whatever a server sends, nothing but its proof completes the login`() {
        let scram = ScramServer("SCRAM-SHA-1", nonce: TranscriptPlayer.nonce + "1")
        let wrong = ScramServer("SCRAM-SHA-1", password: "pen", nonce: TranscriptPlayer.nonce + "1").signature
        let lines = [
            offer("SCRAM-SHA-1"), success(enabled), success("<sm:resumed previd='s1' h='0'/>"),
            success("<sasl2:additional-data>\(wrong)</sasl2:additional-data>\(enabled)"),
            success("<sasl2:additional-data>\(scram.challenge)</sasl2:additional-data>\(enabled)"),
            "< <sasl2:challenge>\(scram.challenge)</sasl2:challenge>", "< <sasl2:challenge>\(wrong)</sasl2:challenge>",
            "< <sasl2:challenge/>", "< <sasl:success/>", "< <sasl2:failure/>", "< <sasl2:continue/>",
            "< <stream:features><bind:bind/><sm:sm/></stream:features>", "< <sm:resumed previd='s1' h='0'/>",
            "< <iq type='result' id='bind'><bind:bind><bind:jid>marvin@ship.org/r1</bind:jid></bind:bind></iq>"
        ]
        let events = lines.compactMap { TranscriptPlayer.event(String($0.dropFirst(2))) }
        #expect(events.count == lines.count)
        var random = SeededGenerator(seed: 52)
        for _ in 0..<300 {
            var session = Session(marvin, isSecure: true, nonce: TranscriptPlayer.nonce, at: .zero)
            _ = session.begin()
            _ = session.receive(events[0], at: .zero)
            for _ in 0..<6 {
                guard let event = events.randomElement(using: &random) else { continue }
                _ = session.receive(event, at: .zero)
            }
            #expect(!session.hasLoggedIn && session.mechanism == nil)
        }
    }

    @Test func `a challenge after PLAIN ends the login`() {
        play(
            marvin,
            open + offer("PLAIN") + request("PLAIN", Self.plain) + """
                < <sasl2:challenge>QUJD</sasl2:challenge>
                x login failed: PLAIN: the server violated the SASL protocol: it asks for another response after PLAIN's last one, for good
                """)
    }
}
