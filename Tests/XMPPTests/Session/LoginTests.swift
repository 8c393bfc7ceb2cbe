import HeybotSASL
import Testing

@testable import HeybotXMPP

@Suite struct LoginTests {
    private func offer(_ mechanisms: String...) -> String {
        "< <stream:features><sasl:mechanisms>"
            + mechanisms.map { "<sasl:mechanism>\($0)</sasl:mechanism>" }.joined()
            + "</sasl:mechanisms></stream:features>\n"
    }

    private let open = "> <stream:stream to='ship.org' from='marvin@ship.org'>\n"
    private let plain = "> <sasl:auth mechanism='PLAIN'>AG1hcnZpbgBwZW5jaWw=</sasl:auth>\n"
    private let bound = """
        < <stream:features><bind:bind/></stream:features>
        > <iq type='set' id='bind'><bind:bind/></iq>
        < <iq type='result' id='bind'><bind:bind><bind:jid>marvin@ship.org/r1</bind:jid></bind:bind></iq>
        > <presence>{caps}</presence>
        * logged in as marvin@ship.org/r1, in no room
        . ready

        """

    /// The SCRAM messages of the first or second attempt.
    private func scram(_ mechanism: String, round: Int = 1, iterations: Int = 4_096) -> ScramServer {
        ScramServer(mechanism, nonce: TranscriptPlayer.nonce + "\(round)", iterations: iterations)
    }

    @Test func `STARTTLS comes first, and the account is revealed only after it`() {
        let session = play(
            secure: false,
            """
            > <stream:stream to='ship.org'>
            < <stream:stream from='ship.org' id='1' version='1.0'>
            < <stream:features><sasl:mechanisms><sasl:mechanism>PLAIN</sasl:mechanism></sasl:mechanisms>
              <tls:starttls><tls:required/></tls:starttls></stream:features>
            > <tls:starttls/>
            < <tls:proceed/>
            ~ TLS
            """ + "\n" + open + offer("PLAIN") + plain + "< <sasl:success/>\n" + open + bound)
        #expect(session.address == jid("marvin@ship.org/r1"))
        #expect(session.mechanism == .plain)
    }

    @Test func `data injected before TLS ends the stream`() {
        var profile = SessionConfiguration.marvin
        profile.rooms = []
        var session = Session(profile, isSecure: false, nonce: TranscriptPlayer.nonce, at: .zero)
        _ = session.begin()
        func receive(_ xml: String) -> [Session.Action] {
            TranscriptPlayer.event(xml).map { session.receive($0, at: .zero) } ?? []
        }
        _ = receive("<stream:features><tls:starttls/></stream:features>")
        #expect(receive("<tls:proceed/>") == [.startTLS])
        let offer =
            "<stream:features><sasl:mechanisms><sasl:mechanism>PLAIN</sasl:mechanism></sasl:mechanisms></stream:features>"
        #expect(receive(offer) == [.end(.lost("the server sent data before the connection was encrypted"))])
        #expect(session.secured() == [])
    }

    @Test(arguments: [
        "<sasl:mechanisms><sasl:mechanism>SCRAM-SHA-256</sasl:mechanism></sasl:mechanisms>", "", "<bind:bind/>",
        "<session:session/>"
    ])
    func `without TLS nothing is revealed`(_ features: String) {
        play(
            secure: false,
            """
            > <stream:stream to='ship.org'>
            < <stream:features>\(features)</stream:features>
            x the server offers no TLS, so the robot doesn't log in: enable TLS on the server, or use another server, for good
            """)
    }

    @Test func `STARTTLS that is offered and then refused ends the stream`() {
        play(
            secure: false,
            """
            > <stream:stream to='ship.org'>
            < <stream:features><tls:starttls/></stream:features>
            > <tls:starttls/>
            < <tls:failure/>
            x the server offered TLS and then refused it
            """)
    }

    @Test func `unsupported mechanisms are named in the error`() {
        play(
            "> <stream:stream to='ship.org' from='marvin@ship.org'>\n" + offer("DIGEST-MD5", "X-OAUTH2")
                + "x login failed: the server offers DIGEST-MD5, X-OAUTH2, none of which is supported, for good")
    }

    @Test func `with TLS disabled, neither PLAIN nor TLS is used`() {
        var profile = SessionConfiguration.marvin
        profile.usesTLS = false
        play(
            profile, secure: false,
            "> <stream:stream to='ship.org'>\n" + offer("PLAIN", "X-OAUTH2")
                + "x login failed: the server offers PLAIN, X-OAUTH2, but the password isn't sent over an unencrypted connection, for good"
        )
        let scram = scram("SCRAM-SHA-1")
        play(
            profile, secure: false,
            "> <stream:stream to='ship.org'>\n" + offer("PLAIN", "SCRAM-SHA-1")
                + "> <sasl:auth mechanism='SCRAM-SHA-1'>\(scram.first)</sasl:auth>")
    }

    @Test func `the transcript's SCRAM matches the examples of the RFCs`() {
        let one = ScramServer("SCRAM-SHA-1", account: "user", nonce: "fyko+d2lbbFgONRv9qkxdawL")
        #expect(
            one.response
                == ScramServer.base64(
                    "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts="))
        #expect(one.signature == ScramServer.base64("v=rmF9pqV8S7suAoZWja4dJRkFsKQ="))
        let other = ScramServer(
            "SCRAM-SHA-256", account: "user", nonce: "rOprNGfwEbeRWgbNEkqO",
            serverNonce: "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0", salt: "W22ZaJ0SNY7soEsUEjb6gQ==")
        #expect(other.signature == ScramServer.base64("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="))
    }

    @Test(arguments: ["SCRAM-SHA-512", "SCRAM-SHA-256", "SCRAM-SHA-1"])
    func `SCRAM, with the server's signature in the success or before it`(_ mechanism: String) {
        let scram = scram(mechanism)
        let begun =
            open + offer("PLAIN", mechanism, "EXTERNAL") + """
                > <sasl:auth mechanism='\(mechanism)'>\(scram.first)</sasl:auth>
                < <sasl:challenge>\(scram.challenge)</sasl:challenge>
                > <sasl:response>\(scram.response)</sasl:response>

                """
        let session = play(begun + "< <sasl:success>\(scram.signature)</sasl:success>\n" + open + bound)
        #expect(session.mechanism?.rawValue == mechanism)
        play(
            begun + """
                < <sasl:challenge>\(scram.signature)</sasl:challenge>
                > <sasl:response/>
                < <sasl:success/>

                """ + open + bound)
        let unproved =
            "x login failed: \(mechanism): the server didn't prove that it knows the password, so it may be an impostor, for good"
        let wrong = ScramServer(mechanism, password: "pen", nonce: TranscriptPlayer.nonce + "1").signature
        play(begun + "< <sasl:success>\(wrong)</sasl:success>\n" + unproved)
        play(begun + "< <sasl:challenge>\(wrong)</sasl:challenge>\n" + unproved)
        play(begun + "< <sasl:success/>\n" + unproved)
        play(
            open + offer(mechanism)
                + "> <sasl:auth mechanism='\(mechanism)'>\(scram.first)</sasl:auth>\n< <sasl:success/>\n" + unproved)
    }

    @Test(arguments: [
        (
            "r=\(TranscriptPlayer.nonce)1x,s=QSXC,i=4294967296",
            "the server asks for 4294967296 rounds of hashing, but the robot accepts at most 1000000"
        ),
        (
            "r=\(TranscriptPlayer.nonce)1x,s=QSXC,i=99999999999999999999",
            "the server asks for far too many rounds of hashing, but the robot accepts at most 1000000"
        ),
        (
            "r=\(TranscriptPlayer.nonce)1x,s=QSXC,i=1",
            "the server asks for only 1 rounds of hashing; with fewer than 4096, the password would be easy to guess"
        ),
        ("r=mine,s=QSXC,i=4096", "the server violated the SASL protocol: its nonce doesn't extend the client's")
    ])
    func `invalid challenges end the login, and no weaker mechanism is tried`(_ challenge: String, _ reason: String) {
        play(
            open + offer("SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN") + """
                > <sasl:auth mechanism='SCRAM-SHA-256'>\(scram("SCRAM-SHA-256").first)</sasl:auth>
                < <sasl:challenge>\(ScramServer.base64(challenge))</sasl:challenge>
                x login failed: SCRAM-SHA-256: \(reason), for good
                """)
    }

    @Test(arguments: ["no base64!", String(repeating: "AAAA", count: 5_000)])
    func `malformed challenges end the login`(_ challenge: String) {
        play(
            open + offer("SCRAM-SHA-1") + """
                > <sasl:auth mechanism='SCRAM-SHA-1'>\(scram("SCRAM-SHA-1").first)</sasl:auth>
                < <sasl:challenge>\(challenge)</sasl:challenge>
                x login failed: SCRAM-SHA-1: the server violated the SASL protocol: its message isn't base64, or is too long, for good
                """)
    }

    @Test(arguments: [
        (
            "<sasl:not-authorized/>",
            "the server rejected the account or its password (not-authorized): check both, for good"
        ),
        (
            "<sasl:not-authorized/><sasl:text>Go&#10;away</sasl:text>",
            "the server rejected the account or its password (not-authorized: Go away): check both, for good"
        ),
        ("<sasl:account-disabled/>", "the server rejected the account: account-disabled, for good"),
        ("<sasl:credentials-expired/>", "the server rejected the account: credentials-expired, for good"),
        ("<sasl:temporary-auth-failure/>", "the server can't verify passwords right now (temporary-auth-failure)"),
        ("<sasl:encryption-required/>", "login failed: PLAIN: encryption-required, for good"),
        (
            "<sasl:\(String(repeating: "a", count: 900))/>",
            "login failed: PLAIN: \(String(repeating: "a", count: 300)), for good"
        ),
        ("", "login failed: PLAIN: no reason given, for good")
    ])
    func `SASL failures`(_ failure: String, _ reason: String) {
        play(open + offer("PLAIN") + plain + "< <sasl:failure>\(failure)</sasl:failure>\nx \(reason)")
    }

    @Test func `a mechanism that the server refuses is replaced by the next best one`() {
        play(
            open + offer("PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256") + """
                > <sasl:auth mechanism='SCRAM-SHA-256'>\(scram("SCRAM-SHA-256").first)</sasl:auth>
                < <sasl:failure><sasl:invalid-mechanism/></sasl:failure>
                > <sasl:auth mechanism='SCRAM-SHA-1'>\(scram("SCRAM-SHA-1", round: 2).first)</sasl:auth>
                < <sasl:failure><sasl:mechanism-too-weak/></sasl:failure>
                \(plain)< <sasl:failure><sasl:malformed-request/></sasl:failure>
                x login failed: SCRAM-SHA-256: invalid-mechanism; SCRAM-SHA-1: mechanism-too-weak; PLAIN: malformed-request, for good
                """)
    }

    @Test(arguments: ["<sasl:mechanisms/>", "<message/>", "<sasl:challenge xmlns:sasl='x'/>"])
    func `unexpected elements during the login end the stream`(_ element: String) {
        play(open + offer("PLAIN") + plain + "< \(element)\nx the server violated the SASL protocol")
    }

    @Test func `stream features in the middle of a negotiation end the stream`() {
        play(
            open + offer("PLAIN") + plain + offer("PLAIN")
                + "x the server sent stream features in the middle of a negotiation")
    }

    @Test func `a weaker mechanism than last time is logged`() {
        for (last, isNoted) in [(Mechanism.scramSHA512, true), (.scramSHA1, false), (.plain, false)] {
            var stage = TranscriptPlayer(.marvin, lastMechanism: last)
            let note =
                "* logged in with SCRAM-SHA-1, but last time with SCRAM-SHA-512: possible man-in-the-middle attack\n"
            let scram = scram("SCRAM-SHA-1")
            stage.play(
                open + offer("SCRAM-SHA-1") + """
                    > <sasl:auth mechanism='SCRAM-SHA-1'>\(scram.first)</sasl:auth>
                    < <sasl:challenge>\(scram.challenge)</sasl:challenge>
                    > <sasl:response>\(scram.response)</sasl:response>
                    < <sasl:success>\(scram.signature)</sasl:success>

                    """ + open + bound.replacing("> <presence>", with: (isNoted ? note : "") + "> <presence>"))
            #expect(stage.session.mechanism == .scramSHA1)
        }
    }

    @Test func `after a login that doesn't reveal the password, it isn't revealed any more`() {
        var stage = TranscriptPlayer(.marvin, lastMechanism: .scramSHA1)
        stage.play(
            open + offer("PLAIN")
                + "x login failed: the server offers PLAIN, but the last login was by SCRAM-SHA-1, which doesn't reveal "
                + "the password, so someone may be intercepting the connection; if the server was changed, restart the "
                + "robot, for good")
        #expect(stage.session.mechanism == .scramSHA1)
        stage = TranscriptPlayer(.marvin, lastMechanism: .plain)
        stage.play(open + offer("PLAIN") + plain)
        var profile = SessionConfiguration.marvin
        profile.mechanism = .plain
        stage = TranscriptPlayer(profile, lastMechanism: .scramSHA1)
        stage.play(open + offer("PLAIN") + plain)
    }

    @Test func `the configured mechanism is tried first`() {
        var profile = SessionConfiguration.marvin
        profile.mechanism = .plain
        play(profile, open + offer("SCRAM-SHA-256", "PLAIN") + plain)
        profile.mechanism = .external
        play(profile, open + offer("EXTERNAL", "PLAIN") + plain)
    }

    @Test func `the login times out, however much the server sends`() {
        play(open + "+ 59999\n< <stream:stream id='1'>\n+ 1\nx login timed out")
        var profile = SessionConfiguration.marvin
        profile.timeouts.pingInterval = .seconds(1)
        play(profile, open + "+ 60000\nx login timed out")
    }
}
