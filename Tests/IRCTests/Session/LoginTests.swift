import FoundationEssentials
import HeybotSASL
import HeybotSupport
import Testing

@testable import HeybotIRC

@Suite struct LoginTests {
    static func profile(
        _ failure: SessionConfiguration.LoginFailurePolicy = .continueWithoutAccount, certificate: Bool = false
    ) -> SessionConfiguration {
        var profile = SessionConfiguration(nick: "marvin")
        profile.account = Credentials(account: "marvin", password: "pencil")
        profile.hasCertificate = certificate
        profile.loginFailurePolicy = failure
        profile.channels = [.init("#dev")]
        return profile
    }

    private let plain = "bWFydmluAG1hcnZpbgBwZW5jaWw="

    @Test func `PLAIN is used before the end of registration if nothing stronger is offered`() {
        let session = play(
            Self.profile(),
            start + """
                < CAP * LS :sasl=PLAIN
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE PLAIN
                < AUTHENTICATE +
                > AUTHENTICATE \(plain)
                < 900 * *!*@* marvin :You are now logged in as marvin
                * logged in as marvin
                < 903 * :SASL authentication successful
                > CAP END
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                """)
        #expect(session.account == "marvin")
    }

    @Test func `only mechanisms that are allowed are used, even if the server lists none`() {
        var profile = Self.profile()
        profile.mechanisms = [.plain]
        for offer in ["sasl", "sasl=SCRAM-SHA-512,PLAIN"] {
            play(
                profile,
                start + """
                    < CAP * LS :\(offer)
                    > CAP REQ sasl
                    < CAP * ACK :sasl
                    > AUTHENTICATE PLAIN
                    < AUTHENTICATE +
                    > AUTHENTICATE \(plain)
                    < 900 * *!*@* marvin :You are now logged in as marvin
                    * logged in as marvin
                    < 903 * :SASL authentication successful
                    > CAP END
                    """)
        }
        profile.mechanisms = [.scramSHA256]
        play(
            profile,
            start + """
                < CAP * LS :sasl=PLAIN
                > CAP REQ sasl
                < CAP * ACK :sasl
                * login failed: the server offers no SASL mechanism that the settings allow
                > CAP END
                """)
    }

    @Test func `the strongest mechanism comes first, and each is tried once`() {
        let session = play(
            Self.profile(certificate: true),
            start + """
                < CAP * LS :sasl=PLAIN,SCRAM-SHA-256,EXTERNAL,ECDSA-NIST256P-CHALLENGE
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE EXTERNAL
                < AUTHENTICATE +
                > AUTHENTICATE +
                < 904 * :SASL authentication failed
                > AUTHENTICATE SCRAM-SHA-256
                < AUTHENTICATE +
                > AUTHENTICATE biwsbj1tYXJ2aW4scj1meWtvK2QybGJiRmdPTlJ2OXFreGRhd0wy
                < 904 * :SASL authentication failed
                > AUTHENTICATE PLAIN
                < AUTHENTICATE +
                > AUTHENTICATE \(plain)
                < 904 * :SASL authentication failed
                * login failed: EXTERNAL: SASL authentication failed; SCRAM-SHA-256: SASL authentication failed; PLAIN: SASL authentication failed
                > CAP END
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                """)
        #expect(session.account == nil)
    }

    /// A private key on P-256, made for these tests.
    private static let key = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIHAm3V7hEUdHsqGDML+ghf/R2x+4v83roJT1IoeBw8vioAoGCCqGSM49
        AwEHoUQDQgAE3++/scLqRgz7SzRzZISfacLkHDXAi1o2z4j8RG1xl43oMCOFgiiZ
        2L8eW6pBwpR0MtqK953xfVi+o55u0e5Z9g==
        -----END EC PRIVATE KEY-----
        """

    /// A session that has sent the account's name to log in by a signature.
    private func signing(_ profile: SessionConfiguration) throws -> SessionPlayer {
        var profile = profile
        profile.signer = SigningCredentials(account: "marvin", key: try SigningKey(pem: Array(Self.key.utf8)))
        var stage = SessionPlayer(Session(profile, nonce: "abcdefghijklmnopqrst", at: .zero))
        stage.begin()
        stage.play(
            start + """
                < CAP * LS :sasl=PLAIN,ECDSA-NIST256P-CHALLENGE
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE ECDSA-NIST256P-CHALLENGE
                < AUTHENTICATE +
                > AUTHENTICATE bWFydmlu
                """)
        return stage
    }

    /// Sends a digest to sign, and returns the signature.
    private func signature(_ stage: inout SessionPlayer) throws -> [UInt8] {
        let challenge = Data((0..<32).map { UInt8($0) }).base64EncodedString()
        let actions = stage.session.receive(IRCMessage("AUTHENTICATE", challenge), at: .zero)
        guard case .send(let line)? = actions.first, actions.count == 1 else {
            Issue.record("no signature: \(actions)")
            return []
        }
        return Array(try #require(Data(base64Encoded: line.parameters[0])))
    }

    @Test func `a key signs the server's challenge`() throws {
        var profile = SessionConfiguration(nick: "marvin")
        profile.loginFailurePolicy = .disconnect
        var stage = try signing(profile)
        // A DER sequence of two numbers of 32 bytes each, or a little less or more.
        let bytes = try signature(&stage)
        #expect(bytes.first == 0x30 && (64...72).contains(bytes.count))
        stage.play(
            """
            < 900 * *!*@* marvin :You are now logged in as marvin
            * logged in as marvin
            < 903 * :SASL authentication successful
            > CAP END
            """)
    }

    @Test func `a server that refuses the key gets the password, which the signature says nothing about`() throws {
        var stage = try signing(Self.profile())
        _ = try signature(&stage)
        stage.play(
            """
            < 904 * :SASL authentication failed
            > AUTHENTICATE PLAIN
            < AUTHENTICATE +
            > AUTHENTICATE \(plain)
            < 904 * :SASL authentication failed
            * login failed: ECDSA-NIST256P-CHALLENGE: SASL authentication failed; PLAIN: SASL authentication failed
            > CAP END
            """)
    }

    @Test func `a network that offers no login by a key is reported as that`() throws {
        var profile = SessionConfiguration(nick: "marvin")
        profile.signer = SigningCredentials(account: "marvin", key: try SigningKey(pem: Array(Self.key.utf8)))
        profile.channels = [.init("#dev")]
        let failure = "login failed: the network offers no login by a key (SASL ECDSA-NIST256P-CHALLENGE)"
        let welcome = "< 001 marvin :Welcome\n< 376 marvin :End\n"
        let offer = "< CAP * LS :sasl=PLAIN\n> CAP REQ sasl\n< CAP * ACK :sasl\n"
        play(profile, start + welcome + "* \(failure)\n> JOIN #dev")
        play(profile, start + offer + "* \(failure)\n> CAP END\n" + welcome + "> JOIN #dev")
        profile.loginFailurePolicy = .disconnect
        play(profile, start + welcome + "* \(failure)\nx \(failure), and login is required")
        play(profile, start + offer + "* \(failure)\nx \(failure)")
    }

    @Test func `the key counts as refused only if the server knows whose it is`() throws {
        let signer = SigningCredentials(account: "marvin", key: try SigningKey(pem: Array(Self.key.utf8)))
        let text = "ECDSA-NIST256P-CHALLENGE: No"
        for knowsAccount in [false, true] {
            var login = Authentication(nil, signer: signer, hasCertificate: false, nonce: "")
            _ = login.begin(offered: "", until: .seconds(30))
            if knowsAccount { _ = login.receive(IRCMessage("AUTHENTICATE", "+")) }
            guard case .failed(let reasons, _) = login.receive(IRCMessage("904", "*", "No")) else {
                Issue.record("the login goes on")
                return
            }
            let expected: LoginFailureReason = knowsAccount ? .keyRefused(text) : .other(text)
            #expect(reasons == [expected])
        }
    }

    @Test func `nothing but a digest is signed`() throws {
        var stage = try signing(Self.profile())
        let challenge = Data("sign this".utf8).base64EncodedString()
        stage.play(
            """
            < AUTHENTICATE \(challenge)
            > AUTHENTICATE *
            < 906 * :SASL authentication aborted
            > AUTHENTICATE PLAIN
            """)
    }

    @Test func `a rejected password isn't sent by a weaker mechanism`() {
        // The exchange of RFC 7677 with another password: the server rejects the proof.
        for refusal in ["904 * :challenge proof invalid", "AUTHENTICATE ZT1pbnZhbGlkLXByb29m"] {
            var stage = SessionPlayer(Session(Self.profile(), nonce: "rOprNGfwEbeRWgbNEkqO", at: .zero))
            for line in ["CAP * LS :sasl=SCRAM-SHA-256,PLAIN", "CAP * ACK :sasl", "AUTHENTICATE +"] {
                _ = stage.session.receive(IRCMessage(line) ?? IRCMessage("X"), at: .zero)
            }
            // The server chooses the rest of the nonce.
            let first = "r=rOprNGfwEbeRWgbNEkqO1%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
            let challenge = Data(first.utf8).base64EncodedString()
            let proof = stage.session.receive(IRCMessage("AUTHENTICATE", challenge), at: .zero)
            guard case .send(let line)? = proof.first, line.parameters.first?.hasPrefix("Yz1iaXdz") == true else {
                Issue.record("no proof: \(proof)")
                continue
            }
            var actions = stage.session.receive(IRCMessage(refusal) ?? IRCMessage("X"), at: .zero)
            if refusal.hasPrefix("AUTHENTICATE") {
                actions += stage.session.receive(IRCMessage("906", "*", "aborted"), at: .zero)
            }
            #expect(!actions.contains { "\($0)".contains("PLAIN") }, "\(actions)")
            #expect(actions.last == .send(IRCMessage("CAP", "END")))
            // NickServ doesn't get it either.
            for text in ["001 marvin :Welcome", "376 marvin :End"] {
                for action in stage.session.receive(IRCMessage(text) ?? IRCMessage("X"), at: .zero) {
                    #expect(!"\(action)".contains("pencil") && !"\(action)".contains("WHOIS"))
                }
            }
        }
    }

    @Test func `without encryption the password isn't sent in plain text, unless allowed`() {
        var profile = Self.profile()
        profile.sendsPlainPassword = false
        let reason =
            "the connection isn't encrypted, so others could read the password"
        play(
            profile,
            start + """
                < CAP * LS :sasl=PLAIN
                > CAP REQ sasl
                < CAP * ACK :sasl
                * login failed: PLAIN: \(reason)
                > CAP END
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                """)
        play(
            profile,
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                * login failed: NickServ: \(reason)
                > JOIN #dev
                """)
        play(
            profile,
            start + """
                < CAP * LS :sasl=PLAIN,SCRAM-SHA-256
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE SCRAM-SHA-256
                """)
    }

    @Test func `only the mechanisms that the server lists are tried (908)`() {
        play(
            Self.profile(),
            start + """
                < CAP * LS :sasl
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE SCRAM-SHA-512
                < 908 * PLAIN,EXTERNAL :are available SASL mechanisms
                < 904 * :SASL authentication failed
                > AUTHENTICATE PLAIN
                < AUTHENTICATE +
                > AUTHENTICATE \(plain)
                < 903 * :success
                > CAP END
                """)
    }

    @Test func `no common mechanism is a login failure`() {
        play(
            Self.profile(.disconnect),
            start + """
                < CAP * LS :sasl=GSSAPI
                > CAP REQ sasl
                < CAP * ACK :sasl
                * login failed: the server offers no usable SASL mechanism
                x login failed: the server offers no usable SASL mechanism
                """)
    }

    @Test func `if login is required, a wrong password is a permanent failure`() {
        var stage = SessionPlayer(Session(Self.profile(.disconnect), nonce: "abcdefghijklmnopqrst", at: .zero))
        for line in ["CAP * LS :sasl=PLAIN", "CAP * ACK :sasl", "AUTHENTICATE +"] {
            _ = stage.session.receive(IRCMessage(line) ?? IRCMessage("X"), at: .zero)
        }
        let actions = stage.session.receive(IRCMessage("904", "*", "wrong"), at: .zero)
        #expect(actions.last == .end(.refused("login failed: PLAIN: wrong")))
    }

    @Test func `services that don't answer don't prevent joining`() {
        play(
            Self.profile(),
            start + """
                < CAP * LS :sasl=PLAIN
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE PLAIN
                + 15000
                * login failed: PLAIN: no answer
                > CAP END
                < 001 marvin :Welcome
                """)
    }

    @Test func `if login is required, services that don't answer are a temporary failure`() {
        play(
            Self.profile(.disconnect),
            start + """
                < CAP * LS :sasl=PLAIN
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE PLAIN
                + 15000
                * login failed: PLAIN: no answer
                x login failed: PLAIN: no answer
                """)
    }

    @Test func `a server that claims success without proof gets no password`() {
        play(
            Self.profile(),
            start + """
                < CAP * LS :sasl=SCRAM-SHA-256,PLAIN
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE SCRAM-SHA-256
                < AUTHENTICATE +
                > AUTHENTICATE biwsbj1tYXJ2aW4scj1meWtvK2QybGJiRmdPTlJ2OXFreGRhd0wx
                < 903 * :SASL authentication successful
                * login failed: SCRAM-SHA-256: the server didn't prove that it knows the password, so it may be an impostor
                > CAP END
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                """)
    }

    @Test func `an invalid challenge aborts, and the next mechanism is tried`() {
        play(
            Self.profile(),
            start + """
                < CAP * LS :sasl=SCRAM-SHA-256,PLAIN
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE SCRAM-SHA-256
                < AUTHENTICATE +
                > AUTHENTICATE biwsbj1tYXJ2aW4scj1meWtvK2QybGJiRmdPTlJ2OXFreGRhd0wx
                < AUTHENTICATE !!!
                > AUTHENTICATE *
                < AUTHENTICATE AAAA
                < 906 * :SASL authentication aborted
                > AUTHENTICATE PLAIN
                < AUTHENTICATE +
                > AUTHENTICATE \(plain)
                < 903 * :success
                > CAP END
                """)
    }

    @Test func `the session logs in when services come back`() {
        play(
            Self.profile(),
            start + """
                < CAP * LS :cap-notify
                > CAP REQ cap-notify
                < CAP * ACK :cap-notify
                > CAP END
                < 001 marvin :Welcome
                < 376 marvin :End
                > WHOIS NickServ
                < 312 marvin NickServ services.test :Services
                < 318 marvin NickServ :End of WHOIS
                > PRIVMSG NickServ :IDENTIFY pencil
                + 15000
                * login failed: no answer from NickServ
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * joined #dev
                . settled
                < CAP marvin NEW :sasl=PLAIN
                > CAP REQ sasl
                < CAP marvin ACK :sasl
                > AUTHENTICATE PLAIN
                < AUTHENTICATE +
                > AUTHENTICATE \(plain)
                < 900 marvin marvin!m@h marvin :You are now logged in as marvin
                * logged in as marvin
                < 903 marvin :success
                """)
    }

    @Test func `a long response is split, and the last part is shorter than the limit`() {
        let lines = Authentication.lines([UInt8](repeating: 65, count: 600)).map(\.parameters[0].utf8.count)
        #expect(lines == [400, 400, 1])
        #expect(Authentication.lines([]).map(\.parameters[0]) == ["+"])
    }

    // MARK: NickServ

    @Test func `without SASL, NickServ gets the password, and joining waits for its answer`() {
        play(
            Self.profile(),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > WHOIS NickServ
                < 312 marvin NickServ services.test :Services
                < 318 marvin NickServ :End of WHOIS
                > PRIVMSG NickServ :IDENTIFY pencil
                < :NickServ!s@services NOTICE marvin :This nickname is registered. Please identify.
                < :NickServ!s@services NOTICE marvin :You are now identified for \u{2}marvin\u{2}.
                * logged in as marvin
                > JOIN #dev
                """)
    }

    @Test func `an impostor with NickServ's nick doesn't get the password`() {
        func asks(_ answers: String, _ then: String, change: (inout SessionConfiguration) -> Void = { _ in }) {
            var profile = Self.profile()
            change(&profile)
            play(
                profile,
                start + "< 001 marvin :Welcome\n< 376 marvin :End\n> WHOIS NickServ\n" + answers
                    + "< 318 marvin NickServ :End\n" + then)
        }
        let told = "> PRIVMSG NickServ :IDENTIFY pencil"
        let whoever = "< 311 marvin NickServ m services.test * :Services\n"
        asks(
            whoever + "< 312 marvin NickServ irc.test :A server\n",
            """
            * login failed: NickServ is on irc.test, which may not be a services server, so the password wasn't sent
            > JOIN #dev
            """)
        asks(whoever + "< 312 marvin NickServ irc.test :A\n< 313 marvin NickServ :is a Network Service\n", told)
        asks(whoever + "< 312 marvin NickServ services.irc.test :A server\n", told)
        asks(whoever + "< 312 marvin NickServ irc.test :A server\n", told) {
            $0.nickServAddress = "NickServ!*@services.test"
        }
        asks(
            "< 311 marvin NickServ m evil.test * :x\n< 312 marvin NickServ services.test :A server\n",
            """
            * login failed: NickServ is NickServ!m@evil.test, not NickServ!*@services.test, so the \
            password wasn't sent
            > JOIN #dev
            """
        ) { $0.nickServAddress = "NickServ!*@services.test" }
        var profile = Self.profile()
        profile.nickServAddress = "NickServ@services.test"
        play(
            profile,
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > PRIVMSG NickServ@services.test :IDENTIFY pencil
                < :NickServ!s@services NOTICE marvin :You are now identified for marvin.
                * logged in as marvin
                > JOIN #dev
                """)
    }

    @Test func `a network that has had SASL gets no password via NickServ`() {
        let away = """
            < 001 marvin :Welcome
            < 376 marvin :End
            * login failed: SASL is unavailable, although this network offered it before, so the password wasn't sent to NickServ
            > JOIN #dev
            """
        var stage = SessionPlayer(
            Session(Self.profile(), nonce: "", loginHistory: .init(hadSASL: true), at: .zero))
        stage.begin()
        stage.play(start + away)
    }

    @Test func `a wrong password doesn't prevent joining`() {
        play(
            Self.profile(),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > WHOIS NickServ
                < 312 marvin NickServ services.test :Services
                < 318 marvin NickServ :End of WHOIS
                > PRIVMSG NickServ :IDENTIFY pencil
                < :NickServ!s@services NOTICE marvin :Invalid password for marvin.
                * login failed: NickServ: Invalid password for marvin.
                > JOIN #dev
                """)
    }

    @Test func `waiting for NickServ times out`() {
        play(
            Self.profile(),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > WHOIS NickServ
                < 312 marvin NickServ services.test :Services
                < 318 marvin NickServ :End of WHOIS
                > PRIVMSG NickServ :IDENTIFY pencil
                + 15000
                * login failed: no answer from NickServ
                > JOIN #dev
                < :NickServ!s@services NOTICE marvin :Invalid password for marvin.
                """)
    }

    @Test func `without NickServ there is no wait`() {
        let identifying =
            start + "< 001 marvin :Welcome\n< 376 marvin :End\n> WHOIS NickServ\n"
        play(
            Self.profile(),
            identifying
                + "< 401 marvin NickServ :No such nick\n* login failed: no answer from NickServ\n> JOIN #dev")
        play(
            Self.profile(.disconnect),
            identifying + """
                < 401 marvin NickServ :No such nick
                * login failed: no service accepted the password
                x login failed: no service accepted the password, and login is required
                """)
    }

    @Test func `a password that NickServ repeats isn't logged`() {
        play(
            Self.profile(),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > WHOIS NickServ
                < 312 marvin NickServ services.test :Services
                < 318 marvin NickServ :End of WHOIS
                > PRIVMSG NickServ :IDENTIFY pencil
                < :NickServ!s@services NOTICE marvin :Invalid password pencil.
                * login failed: NickServ: (secret)
                > JOIN #dev
                """)
    }

    @Test func `a channel notice from a NickServ impostor is ignored`() {
        play(
            Self.profile(),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > WHOIS NickServ
                < 312 marvin NickServ services.test :Services
                < 318 marvin NickServ :End of WHOIS
                > PRIVMSG NickServ :IDENTIFY pencil
                < :ada!a@h NOTICE marvin :You are now identified for marvin.
                < :NickServ!s@services NOTICE #dev :You are now identified for marvin.
                """)
    }

    @Test func `under another nick, IDENTIFY names the account, and GHOST is sent`() {
        play(
            Self.profile(),
            start + """
                < 433 * marvin :Nickname is already in use.
                > NICK marvin_
                < 001 marvin_ :Welcome
                < 376 marvin_ :End
                > WHOIS NickServ
                < 312 marvin_ NickServ services.test :Services
                < 318 marvin_ NickServ :End of WHOIS
                > PRIVMSG NickServ :IDENTIFY marvin pencil
                < :NickServ!s@services NOTICE marvin_ :You are now identified for marvin.
                * logged in as marvin
                * the nick marvin is taken; I'm marvin_ until it is free
                > PRIVMSG NickServ :GHOST marvin
                > JOIN #dev
                + 2000
                > NICK marvin
                < :marvin_!m@h NICK :marvin
                * I'm marvin again
                """)
    }
}
