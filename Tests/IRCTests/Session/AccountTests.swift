import HeybotIRC
import HeybotSupport
import Testing

/// Whose account it is if the messages don't tell: by WHOX, and never longer than it is sure.
@Suite struct AccountTests {
    /// In #dev, if the server can be asked for accounts.
    private func asked(_ capabilities: String = "", members: String = "marvin ada @bob") -> String {
        let negotiation =
            capabilities.isEmpty
            ? ""
            : "< CAP * LS :\(capabilities)\n> CAP REQ \(capabilities.contains(" ") ? ":" : "")\(capabilities)\n< CAP * ACK :\(capabilities)\n> CAP END\n"
        return start + negotiation + """
            < 001 marvin :Welcome
            < 005 marvin CHANTYPES=# WHOX PREFIX=(ov)@+ :are supported by this server
            < 376 marvin :End
            > JOIN #dev
            < :marvin!~marvin@host.test JOIN #dev
            * joined #dev
            . settled
            < 353 marvin = #dev :\(members)
            < 366 marvin #dev :End of NAMES
            > WHO #dev %tcuhna,1

            """
    }

    private let told = """
        < 354 marvin 1 #dev a h ada lovelace
        < 354 marvin 1 #dev b h bob 0
        < 315 marvin #dev :End of WHO

        """

    @Test func `everybody in a channel is asked about, once`() {
        let session = play(
            .inDev,
            asked("account-notify") + """
                < :ada!a@h PRIVMSG #dev :too early
                = #dev ada: too early
                """ + "\n> WHO ada %tcuhna,2\n" + told + """
                    < :ada!a@h PRIVMSG #dev :hello
                    = #dev ada (lovelace): hello
                    < :ada!a@h PRIVMSG marvin :psst
                    = ada (lovelace): psst
                    < :bob!b@h PRIVMSG #dev :hello
                    = #dev bob (no account): hello
                    """)
        #expect(session.tellsAccounts)
    }

    @Test func `a network where nobody is logged in tells no accounts`() {
        let session = play(
            .inDev, asked() + "< 354 marvin 1 #dev a h ada 0\n< 315 marvin #dev :End of WHO")
        #expect(!session.tellsAccounts && session.tellsNoAccounts && session.canTellAccounts)
        let other = play(.inDev, asked())
        #expect(!other.tellsNoAccounts)
    }

    @Test func `a network that offers to log in has accounts, though nobody in sight is logged in`() {
        let offered = "< CAP * LS :sasl=PLAIN\n> CAP END\n"
        let session = play(
            .inDev,
            asked().replacing(start, with: start + offered)
                + "< 354 marvin 1 #dev a h ada 0\n< 315 marvin #dev :End of WHO")
        #expect(session.showsAccounts && !session.tellsAccounts && !session.tellsNoAccounts)
        #expect(!play(.inDev, asked("account-notify")).showsAccounts)
    }

    /// Each is another way in which somebody else may have the nick, or the account may be gone.
    @Test(arguments: [
        // They left the network, and somebody else came.
        """
        < :ada!a@h QUIT :bye
        = #dev ada (lovelace) left: bye
        < :ada!a@h JOIN #dev
        = #dev ada joined
        > WHO ada %tcuhna,2
        """,
        // They left with half of it.
        """
        < :ada!a@h QUIT :irc.hub.test leaf.test
        < :ada!a@h JOIN #dev
        > WHO ada %tcuhna,2
        """,
        // They are called otherwise now, and somebody else took the nick.
        """
        < :ada!a@h NICK countess
        < :bob!b@h NICK ada
        """,
        // They logged out.
        "< :ada!a@h ACCOUNT *",
        // They left our sight: what they do then isn't told.
        """
        < :ada!a@h PART #dev
        = #dev ada (lovelace) left
        """,
        """
        < :bob!b@h KICK #dev ada :out
        = #dev ada (lovelace) left: out
        """
    ]) func `an account is dropped the moment it could be somebody else's`(change: String) {
        var stage = Stage(Session(.inDev, nonce: "", at: .zero))
        stage.begin()
        stage.play(asked("account-notify") + told)
        stage.play(change)
        let actions = stage.session.receive(
            IRCMessage(":ada!a@h PRIVMSG marvin :give me rights") ?? IRCMessage("X"), at: stage.now)
        for case .hear(let heard) in actions {
            #expect(heard.account == .unknown || heard.account == .none, "\(heard.account)")
        }
        #expect(actions.contains { if case .hear = $0 { true } else { false } })
    }

    @Test func `the same nick from elsewhere is somebody else until the server has told`() {
        play(
            .inDev,
            asked("account-notify") + told + """
                < :ada!a@evil.example PRIVMSG marvin :psst
                = ada: psst
                > WHO ada %tcuhna,2
                < 354 marvin 2 #dev a evil.example ada 0
                < 315 marvin ada :End of WHO
                < :ada!a@evil.example PRIVMSG marvin :psst
                = ada (no account): psst
                """)
    }

    @Test func `an answer to a question from before they came is about somebody else`() {
        play(
            .inDev,
            asked("account-notify") + """
                < :ada!a@h QUIT :bye
                = #dev ada left: bye
                < :ada!a@h JOIN #dev
                = #dev ada joined
                > WHO ada %tcuhna,2

                """ + told + """
                    < :ada!a@h PRIVMSG #dev :hello
                    = #dev ada: hello
                    < 354 marvin 2 #dev a h ada adas
                    < :ada!a@h PRIVMSG #dev :hello
                    = #dev ada (adas): hello
                    """)
    }

    /// Whoever rules that channel may hide who leaves it.
    @Test func `in a channel that somebody else brought it to, nobody's account is known`() {
        let trap = """
            < :mal!m@h INVITE marvin #trap
            * mal invites me to #trap
            > JOIN #trap
            < :marvin!~marvin@host.test JOIN #trap
            * joined #trap
            < 353 marvin = #trap :marvin @mal ada
            < 366 marvin #trap :End of NAMES
            > WHO #trap %tcuhna,2
            < 354 marvin 2 #trap a h ada lovelace
            < 315 marvin #trap :End of WHO

            """
        play(
            .inDev,
            asked("account-notify", members: "marvin bob") + trap + """
                < :ada!a@h PRIVMSG #trap :hello
                = #trap ada: hello
                < :ada!a@h PRIVMSG marvin :psst
                = ada: psst
                < :ada!a@h JOIN #dev
                = #dev ada joined
                > WHO ada %tcuhna,3
                < :ada!a@h PRIVMSG marvin :psst
                = ada: psst
                < 354 marvin 2 #trap a h ada lovelace
                < :ada!a@h PRIVMSG marvin :psst
                = ada: psst
                < 354 marvin 3 #dev a h ada eve
                < :ada!a@h PRIVMSG marvin :psst
                = ada (eve): psst
                """)
    }

    @Test func `what was asked while the channel was somebody else's says nothing when it is ours`() {
        var stage = Stage(Session(.inDev, nonce: "fyko+d2lbbFgONRv9qkxdawL", waiting: [], at: .zero))
        stage.begin()
        stage.play(
            asked("account-notify", members: "marvin bob") + """
                < :mal!m@h INVITE marvin #trap
                * mal invites me to #trap
                > JOIN #trap
                < :marvin!~marvin@host.test JOIN #trap
                * joined #trap
                < 353 marvin = #trap :marvin @mal ada
                < 366 marvin #trap :End of NAMES
                > WHO #trap %tcuhna,2

                """)
        stage.note(stage.session.join(Profile.Channel("#trap"), at: stage.now))
        stage.play(
            """
            < 354 marvin 2 #trap a h ada lovelace
            < 315 marvin #trap :End of WHO
            < :ada!a@h PRIVMSG #trap :hello
            = #trap ada: hello
            > WHO ada %tcuhna,3

            """)
    }

    @Test func `whoever comes again and again under new nicks keeps nobody else from being asked about`() {
        let profile: Profile = {
            var profile = Profile.inDev
            profile.pace = Pace(burst: 5, interval: .seconds(2))
            return profile
        }()
        var stage = Stage(Session(profile, nonce: "", at: .zero))
        stage.begin()
        stage.play(asked("account-notify", members: "marvin"))
        for number in 0..<60 {
            let line = IRCMessage(":mal\(number)!m@h JOIN #dev")
            if let line { _ = stage.session.receive(line, at: stage.now) }
        }
        if let line = IRCMessage(":ada!a@h JOIN #dev") { _ = stage.session.receive(line, at: stage.now) }
        var asked: [String] = []
        for second in 1...10 {
            let now = stage.now + .seconds(second)
            for case .send(let line) in stage.session.tick(at: now) where line.command == "WHO" {
                asked.append(line.parameters[0])
            }
        }
        #expect(asked.contains("ada"), "\(asked)")
    }

    @Test func `a nick that changes takes its account along`() {
        play(
            .inDev,
            asked("account-notify") + told + """
                < :ada!a@h NICK Countess
                < :countess!a@h PRIVMSG #dev :hello
                = #dev countess (lovelace): hello
                """)
    }

    @Test func `where logging out isn't told, it is asked for again after a minute, and not believed after five`() {
        play(
            .inDev,
            asked() + told + """
                < :ada!a@h PRIVMSG #dev :hello
                = #dev ada (lovelace): hello
                + 60000
                > PING heybot
                < PONG heybot
                < :ada!a@h PRIVMSG #dev :hello
                = #dev ada (lovelace): hello
                > WHO ada %tcuhna,2
                + 59999
                + 1
                > PING heybot
                < PONG heybot
                + 60000
                > PING heybot
                < PONG heybot
                + 60000
                > PING heybot
                < PONG heybot
                + 60000
                > PING heybot
                < :ada!a@h PRIVMSG #dev :hello
                = #dev ada: hello
                > WHO ada %tcuhna,3
                """)
    }

    @Test func `an answer that is nobody's, and accounts that look like hostmasks, mean nothing`() {
        play(
            .inDev,
            asked("account-notify") + """
                < 354 marvin 7 #dev a h ada lovelace
                < 354 marvin x #dev a h ada lovelace
                < 354 marvin 1 #dev
                < 354 marvin #dev a h ada H
                < 354 marvin 1 #dev a h ada ada!*@staff.example.org
                < 354 marvin 1 #dev a h ada certfp:0b0b
                < :ada!a@h PRIVMSG #dev :hello
                = #dev ada (no account): hello
                """)
    }

    @Test func `services, servers and a bouncer's modules are nobody to talk with`() {
        play(
            .inDev,
            ready("account-tag") + """
                < :*status!znc@znc.in PRIVMSG marvin :Disconnected from IRC
                < :irc.test PRIVMSG marvin :PONG
                < :ChanServ!ChanServ@whatever.test PRIVMSG marvin :help
                < :NickServ!NickServ@services.test PRIVMSG marvin :help
                < :Helper!h@services.test PRIVMSG #dev :marvin: ping
                < :services!s@h PRIVMSG #dev :marvin: ping
                = #dev services (no account): marvin: ping
                """)
    }

    @Test func `a server whose clock is behind isn't mistaken for history, but for a moment`() {
        play(
            .inDev,
            start + """
                < CAP * LS :message-tags server-time
                > CAP REQ :message-tags server-time
                < CAP * ACK :message-tags server-time
                > CAP END
                < @time=2026-11-21T19:00:00.000Z 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * joined #dev
                . settled
                + 29999
                < @time=2026-11-21T18:59:00.000Z :ada!a@h PRIVMSG #dev :marvin: ping
                + 1
                < @time=2026-11-21T18:59:00.000Z :ada!a@h PRIVMSG #dev :marvin: ping
                = #dev ada: marvin: ping at 2026-11-21T18:59:00.000Z
                """)
    }
}
