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
        . settled

        """

    /// Of the first or second attempt.
    private func scram(_ mechanism: String, round: Int = 1, iterations: Int = 4_096) -> ScramServer {
        ScramServer(mechanism, nonce: Stage.nonce + "\(round)", iterations: iterations)
    }

    @Test func `STARTTLS first, and who we are only behind it`() {
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

    @Test func `whoever puts something in before TLS is there doesn't get to be heard`() {
        var profile = Profile.marvin
        profile.rooms = []
        var session = Session(profile, isSecure: false, nonce: Stage.nonce, at: .zero)
        _ = session.begin()
        func receive(_ xml: String) -> [Session.Action] {
            Stage.event(xml).map { session.receive($0, at: .zero) } ?? []
        }
        _ = receive("<stream:features><tls:starttls/></stream:features>")
        #expect(receive("<tls:proceed/>") == [.startTLS])
        let offer =
            "<stream:features><sasl:mechanisms><sasl:mechanism>PLAIN</sasl:mechanism></sasl:mechanisms></stream:features>"
        #expect(receive(offer) == [.end(.lost("the server goes on before the connection is encrypted"))])
        #expect(session.secured() == [])
    }

    @Test(arguments: [
        "<sasl:mechanisms><sasl:mechanism>SCRAM-SHA-256</sasl:mechanism></sasl:mechanisms>", "", "<bind:bind/>",
        "<session:session/>"
    ])
    func `without TLS nothing is told`(_ features: String) {
        play(
            secure: false,
            """
            > <stream:stream to='ship.org'>
            < <stream:features>\(features)</stream:features>
            x the server offers no TLS, so nothing is told to it: use one that does, for good
            """)
    }

    @Test func `TLS that is offered and then refused`() {
        play(
            secure: false,
            """
            > <stream:stream to='ship.org'>
            < <stream:features><tls:starttls/></stream:features>
            > <tls:starttls/>
            < <tls:failure/>
            x the server offers TLS, but then doesn't want it
            """)
    }

    @Test func `mechanisms that we don't know are named as such`() {
        play(
            "> <stream:stream to='ship.org' from='marvin@ship.org'>\n" + offer("SCRAM-SHA-512", "X-OAUTH2")
                + "x logging in failed: the server offers SCRAM-SHA-512, X-OAUTH2, and I know none of them, for good")
    }

    @Test func `where TLS is forbidden, PLAIN isn't used, nor TLS`() {
        var profile = Profile.marvin
        profile.usesTLS = false
        play(
            profile, secure: false,
            "> <stream:stream to='ship.org'>\n" + offer("PLAIN", "X-OAUTH2")
                + "x logging in failed: the server offers PLAIN, X-OAUTH2, and the password isn't sent without encryption, for good"
        )
        let scram = scram("SCRAM-SHA-1")
        play(
            profile, secure: false,
            "> <stream:stream to='ship.org'>\n" + offer("PLAIN", "SCRAM-SHA-1")
                + "> <sasl:auth mechanism='SCRAM-SHA-1'>\(scram.first)</sasl:auth>")
    }

    @Test func `the transcript's SCRAM is that of the RFCs`() {
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

    @Test(arguments: ["SCRAM-SHA-256", "SCRAM-SHA-1"])
    func `SCRAM, the signature with success or before it`(_ mechanism: String) {
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
            "x logging in failed: \(mechanism): the server didn't prove that it knows the password, so it may not be the one it claims to be, for good"
        let wrong = ScramServer(mechanism, password: "pen", nonce: Stage.nonce + "1").signature
        play(begun + "< <sasl:success>\(wrong)</sasl:success>\n" + unproved)
        play(begun + "< <sasl:challenge>\(wrong)</sasl:challenge>\n" + unproved)
        play(begun + "< <sasl:success/>\n" + unproved)
        play(
            open + offer(mechanism)
                + "> <sasl:auth mechanism='\(mechanism)'>\(scram.first)</sasl:auth>\n< <sasl:success/>\n" + unproved)
    }

    @Test(arguments: [
        (
            "r=\(Stage.nonce)1x,s=QSXC,i=4294967296",
            "the server asks for 4294967296 rounds of hashing, and more than 1000000 are refused"
        ),
        (
            "r=\(Stage.nonce)1x,s=QSXC,i=99999999999999999999",
            "the server asks for far too many rounds of hashing, and more than 1000000 are refused"
        ),
        (
            "r=\(Stage.nonce)1x,s=QSXC,i=1",
            "the server asks for 1 rounds of hashing, and fewer than 4096 would make the password easy to guess"
        ),
        ("r=mine,s=QSXC,i=4096", "the server broke the rules of logging in: its nonce doesn't go on from ours")
    ])
    func `absurd challenges end it, and nothing weaker is tried`(_ challenge: String, _ reason: String) {
        play(
            open + offer("SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN") + """
                > <sasl:auth mechanism='SCRAM-SHA-256'>\(scram("SCRAM-SHA-256").first)</sasl:auth>
                < <sasl:challenge>\(ScramServer.base64(challenge))</sasl:challenge>
                x logging in failed: SCRAM-SHA-256: \(reason), for good
                """)
    }

    @Test(arguments: ["no base64!", String(repeating: "AAAA", count: 5_000)])
    func `challenges that can't be read`(_ challenge: String) {
        play(
            open + offer("SCRAM-SHA-1") + """
                > <sasl:auth mechanism='SCRAM-SHA-1'>\(scram("SCRAM-SHA-1").first)</sasl:auth>
                < <sasl:challenge>\(challenge)</sasl:challenge>
                x logging in failed: SCRAM-SHA-1: the server broke the rules of logging in: it isn't base64, or too long, for good
                """)
    }

    @Test(arguments: [
        (
            "<sasl:not-authorized/>",
            "the server refuses the account or its password (not-authorized): check both, for good"
        ),
        (
            "<sasl:not-authorized/><sasl:text>Go&#10;away</sasl:text>",
            "the server refuses the account or its password (not-authorized: Go away): check both, for good"
        ),
        ("<sasl:account-disabled/>", "the server refuses the account: account-disabled, for good"),
        ("<sasl:credentials-expired/>", "the server refuses the account: credentials-expired, for good"),
        ("<sasl:temporary-auth-failure/>", "the server can't check passwords just now (temporary-auth-failure)"),
        ("<sasl:encryption-required/>", "logging in failed: PLAIN: encryption-required, for good"),
        (
            "<sasl:\(String(repeating: "a", count: 900))/>",
            "logging in failed: PLAIN: \(String(repeating: "a", count: 300)), for good"
        ),
        ("", "logging in failed: PLAIN: no reason given, for good")
    ])
    func `what a failure means`(_ failure: String, _ reason: String) {
        play(open + offer("PLAIN") + plain + "< <sasl:failure>\(failure)</sasl:failure>\nx \(reason)")
    }

    @Test func `what the server can't do after all is tried by the next best`() {
        play(
            open + offer("PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256") + """
                > <sasl:auth mechanism='SCRAM-SHA-256'>\(scram("SCRAM-SHA-256").first)</sasl:auth>
                < <sasl:failure><sasl:invalid-mechanism/></sasl:failure>
                > <sasl:auth mechanism='SCRAM-SHA-1'>\(scram("SCRAM-SHA-1", round: 2).first)</sasl:auth>
                < <sasl:failure><sasl:mechanism-too-weak/></sasl:failure>
                \(plain)< <sasl:failure><sasl:malformed-request/></sasl:failure>
                x logging in failed: SCRAM-SHA-256: invalid-mechanism; SCRAM-SHA-1: mechanism-too-weak; PLAIN: malformed-request, for good
                """)
    }

    @Test(arguments: ["<sasl:mechanisms/>", "<message/>", "<sasl:challenge xmlns:sasl='x'/>"])
    func `what has no place in logging in`(_ element: String) {
        play(open + offer("PLAIN") + plain + "< \(element)\nx the server broke the rules of logging in")
    }

    @Test func `features in the middle of one`() {
        play(open + offer("PLAIN") + plain + offer("PLAIN") + "x the server offers features in the middle of one")
    }

    @Test func `a weaker way than last time isn't passed over`() {
        for (last, isNoted) in [(Mechanism.scramSHA1, true), (.plain, false)] {
            var stage = Stage(.marvin, lastMechanism: last)
            let note = "* logged in by PLAIN, though it was SCRAM-SHA-1 last time: somebody may be in between\n"
            stage.play(
                loggedIn.replacing("> <presence>", with: (isNoted ? note : "") + "> <presence>")
                    + "* logged in as marvin@ship.org/r1, in no room\n. settled")
            #expect(stage.session.mechanism == .plain)
        }
    }

    @Test func `the way that is wanted comes first`() {
        var profile = Profile.marvin
        profile.mechanism = .plain
        play(profile, open + offer("SCRAM-SHA-256", "PLAIN") + plain)
        profile.mechanism = .external
        play(profile, open + offer("EXTERNAL", "PLAIN") + plain)
    }

    @Test func `no answer in time, however talkative the server is`() {
        play(open + "+ 59999\n< <stream:stream id='1'>\n+ 1\nx the server didn't let me in in time")
        var profile = Profile.marvin
        profile.waits.silence = .seconds(1)
        play(profile, open + "+ 60000\nx the server didn't let me in in time")
    }
}
