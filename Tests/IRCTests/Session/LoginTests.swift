import FoundationEssentials
import HeybotSASL
import Testing

@testable import HeybotIRC

@Suite struct LoginTests {
    static func profile(_ failure: Profile.LoginFailure = .goOn, certificate: Bool = false) -> Profile {
        var profile = Profile(nick: "marvin")
        profile.account = Credentials(account: "marvin", password: "pencil")
        profile.hasCertificate = certificate
        profile.loginFailure = failure
        profile.channels = [.init("#dev")]
        return profile
    }

    private let plain = "AG1hcnZpbgBwZW5jaWw="

    @Test func `PLAIN, where there is nothing better, before the end of registration`() {
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

    @Test func `the best first, and each once`() {
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
                * logging in failed: EXTERNAL: SASL authentication failed; SCRAM-SHA-256: SASL authentication failed; PLAIN: SASL authentication failed
                > CAP END
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                """)
        #expect(session.account == nil)
    }

    @Test func `a password that was refused isn't sent by a weaker mechanism`() {
        // Challenge and response of RFC 7677 with another password: the server refuses the proof.
        for refusal in ["904 * :challenge proof invalid", "AUTHENTICATE ZT1pbnZhbGlkLXByb29m"] {
            var stage = Stage(Session(Self.profile(), nonce: "rOprNGfwEbeRWgbNEkqO", at: .zero))
            for line in ["CAP * LS :sasl=SCRAM-SHA-256,PLAIN", "CAP * ACK :sasl", "AUTHENTICATE +"] {
                _ = stage.session.receive(IRCMessage(line) ?? IRCMessage("X"), at: .zero)
            }
            // The nonce goes on as the server likes.
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
            // Nor is NickServ told it.
            for text in ["001 marvin :Welcome", "376 marvin :End"] {
                for action in stage.session.receive(IRCMessage(text) ?? IRCMessage("X"), at: .zero) {
                    #expect(!"\(action)".contains("pencil") && !"\(action)".contains("WHOIS"))
                }
            }
        }
    }

    @Test func `without encryption the password isn't sent as it is, unless that is set`() {
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
                * logging in failed: PLAIN: \(reason)
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
                * logging in failed: NickServ: \(reason)
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

    @Test func `what the server says it has is all that is tried (908)`() {
        play(
            Self.profile(),
            start + """
                < CAP * LS :sasl
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE SCRAM-SHA-256
                < 908 * PLAIN,EXTERNAL :are available SASL mechanisms
                < 904 * :SASL authentication failed
                > AUTHENTICATE PLAIN
                < AUTHENTICATE +
                > AUTHENTICATE \(plain)
                < 903 * :success
                > CAP END
                """)
    }

    @Test func `nothing in common is a failure like any other`() {
        play(
            Self.profile(.leave),
            start + """
                < CAP * LS :sasl=GSSAPI
                > CAP REQ sasl
                < CAP * ACK :sasl
                * logging in failed: the server has no mechanism that we could use
                x logging in failed: the server has no mechanism that we could use
                """)
    }

    @Test func `where logging in is required, a wrong password is the end for long`() {
        var stage = Stage(Session(Self.profile(.leave), nonce: "abcdefghijklmnopqrst", at: .zero))
        for line in ["CAP * LS :sasl=PLAIN", "CAP * ACK :sasl", "AUTHENTICATE +"] {
            _ = stage.session.receive(IRCMessage(line) ?? IRCMessage("X"), at: .zero)
        }
        let actions = stage.session.receive(IRCMessage("904", "*", "wrong"), at: .zero)
        #expect(actions.last == .end(.refused("logging in failed: PLAIN: wrong")))
    }

    @Test func `services that don't answer don't keep us out`() {
        play(
            Self.profile(),
            start + """
                < CAP * LS :sasl=PLAIN
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE PLAIN
                + 15000
                * logging in failed: PLAIN: no answer
                > CAP END
                < 001 marvin :Welcome
                """)
    }

    @Test func `where logging in is required, services that don't answer are tried again soon`() {
        play(
            Self.profile(.leave),
            start + """
                < CAP * LS :sasl=PLAIN
                > CAP REQ sasl
                < CAP * ACK :sasl
                > AUTHENTICATE PLAIN
                + 15000
                * logging in failed: PLAIN: no answer
                x logging in failed: PLAIN: no answer
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
                * logging in failed: SCRAM-SHA-256: the server didn't prove that it knows the password, so it may not be the one it claims to be
                > CAP END
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                """)
    }

    @Test func `a challenge that is none is broken off, and the next is tried`() {
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

    @Test func `services that come back log us in while we are there`() {
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
                * logging in failed: no answer from NickServ
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

    @Test func `a long response goes in parts, the last of them shorter than the longest`() {
        let lines = Authentication.lines([UInt8](repeating: 65, count: 600)).map(\.parameters[0].utf8.count)
        #expect(lines == [400, 400, 1])
        #expect(Authentication.lines([]).map(\.parameters[0]) == ["+"])
    }

    // MARK: NickServ

    @Test func `without SASL, NickServ is told the password, and the channels wait for its word`() {
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

    @Test func `whoever only has NickServ's nick isn't told the password`() {
        func asks(_ answers: String, _ then: String, change: (inout Profile) -> Void = { _ in }) {
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
            * logging in failed: NickServ is on irc.test, which may be a server for anybody, so it isn't told the password
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
            * logging in failed: NickServ is NickServ!m@evil.test, and not NickServ!*@services.test, so it isn't told the \
            password
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

    @Test func `where there was SASL, NickServ isn't told the password when it is away`() {
        let away = """
            < 001 marvin :Welcome
            < 376 marvin :End
            * logging in failed: SASL isn't available just now, and where there is SASL no password is told to NickServ
            > JOIN #dev
            """
        var stage = Stage(Session(Self.profile(), nonce: "", history: .init(hadSASL: true), at: .zero))
        stage.begin()
        stage.play(start + away)
    }

    @Test func `a wrong password doesn't keep us from the channels`() {
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
                * logging in failed: NickServ: Invalid password for marvin.
                > JOIN #dev
                """)
    }

    @Test func `a NickServ that isn't there is waited for only so long`() {
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
                * logging in failed: no answer from NickServ
                > JOIN #dev
                < :NickServ!s@services NOTICE marvin :Invalid password for marvin.
                """)
    }

    @Test func `where there is no NickServ, nobody is waited for`() {
        let identifying =
            start + "< 001 marvin :Welcome\n< 376 marvin :End\n> WHOIS NickServ\n"
        play(
            Self.profile(),
            identifying
                + "< 401 marvin NickServ :No such nick\n* logging in failed: no answer from NickServ\n> JOIN #dev")
        play(
            Self.profile(.leave),
            identifying + """
                < 401 marvin NickServ :No such nick
                * logging in failed: nobody took the password
                x logging in failed: nobody took the password, and it is required
                """)
    }

    @Test func `NickServ may repeat the password; the log doesn't`() {
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
                * logging in failed: NickServ: (secret)
                > JOIN #dev
                """)
    }

    @Test func `who only calls themselves NickServ in a channel says nothing about us`() {
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

    @Test func `under another nick the account is named, and the ghost sent away`() {
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
                * the nick marvin is taken; until it is free I am marvin_
                > PRIVMSG NickServ :GHOST marvin
                > JOIN #dev
                + 2000
                > NICK marvin
                < :marvin_!m@h NICK :marvin
                * I am marvin again
                """)
    }
}
