import HeybotIRC
import HeybotSupport
import Testing

/// Whose account it is if messages don't show it: by WHOX, and only as long as it is certain.
@Suite struct AccountTests {
    /// In #dev, with a server that supports account queries.
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

    @Test func `the accounts of a channel's members are queried once`() {
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
        #expect(session.providesAccounts)
    }

    @Test func `a network where nobody is logged in shows no accounts`() {
        let session = play(
            .inDev, asked() + "< 354 marvin 1 #dev a h ada 0\n< 315 marvin #dev :End of WHO")
        #expect(!session.providesAccounts && session.lacksAccounts && session.canProvideAccounts)
        let other = play(.inDev, asked())
        #expect(!other.lacksAccounts)
    }

    @Test func `a network that offers SASL has accounts, even if no visible user is logged in`() {
        let offered = "< CAP * LS :sasl=PLAIN\n> CAP END\n"
        let session = play(
            .inDev,
            asked().replacing(start, with: start + offered)
                + "< 354 marvin 1 #dev a h ada 0\n< 315 marvin #dev :End of WHO")
        #expect(session.suggestsAccounts && !session.providesAccounts && !session.lacksAccounts)
        #expect(!play(.inDev, asked("account-notify")).suggestsAccounts)
    }

    /// The ways in which the nick may have changed hands, or the account may have ended.
    @Test(arguments: [
        // They left the network, and another user came.
        """
        < :ada!a@h QUIT :bye
        = #dev ada (lovelace) left: bye
        < :ada!a@h JOIN #dev
        = #dev ada joined
        > WHO ada %tcuhna,2
        """,
        // They left in a netsplit.
        """
        < :ada!a@h QUIT :irc.hub.test leaf.test
        < :ada!a@h JOIN #dev
        > WHO ada %tcuhna,2
        """,
        // They changed their nick, and another user took it.
        """
        < :ada!a@h NICK countess
        = #dev countess (lovelace) was ada
        < :bob!b@h NICK ada
        = #dev ada (no account) was bob
        """,
        // They logged out.
        "< :ada!a@h ACCOUNT *",
        // They went out of sight: what they do then isn't reported.
        """
        < :ada!a@h PART #dev
        = #dev ada (lovelace) left
        """,
        """
        < :bob!b@h KICK #dev ada :out
        = #dev ada (lovelace) left: out
        """
    ]) func `an account is forgotten as soon as it could be another user's`(change: String) {
        var stage = SessionPlayer(Session(.inDev, nonce: "", at: .zero))
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

    @Test func `the same nick from another host is another user until the server reports the account`() {
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

    @Test func `an answer to a query from before they joined is about another user`() {
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

    /// The owner of that channel may hide who leaves it.
    @Test func `in a channel joined by invitation, no account is trusted`() {
        let trap = """
            < :mal!m@h INVITE marvin #trap
            * mal invited me to #trap
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

    @Test func `answers to queries from before a channel was chosen are ignored`() {
        var stage = SessionPlayer(Session(.inDev, nonce: "fyko+d2lbbFgONRv9qkxdawL", waiting: [], at: .zero))
        stage.begin()
        stage.play(
            asked("account-notify", members: "marvin bob") + """
                < :mal!m@h INVITE marvin #trap
                * mal invited me to #trap
                > JOIN #trap
                < :marvin!~marvin@host.test JOIN #trap
                * joined #trap
                < 353 marvin = #trap :marvin @mal ada
                < 366 marvin #trap :End of NAMES
                > WHO #trap %tcuhna,2

                """)
        stage.record(stage.session.join(SessionConfiguration.Channel("#trap"), at: stage.now))
        stage.play(
            """
            < 354 marvin 2 #trap a h ada lovelace
            < 315 marvin #trap :End of WHO
            < :ada!a@h PRIVMSG #trap :hello
            = #trap ada: hello
            > WHO ada %tcuhna,3

            """)
    }

    /// In #dev, with the member list answered, on a server that lists its channel modes.
    private var inModes: String {
        asked("account-notify").replacing("PREFIX=", with: "CHANMODES=IXbq,k,jl,imnpstu PREFIX=") + told
    }

    private let adaSpeaks = """
        < :ada!a@h PRIVMSG marvin :psst
        = ada: psst
        < :ada!a@h PRIVMSG #dev :hello
        = #dev ada: hello

        """
    private let lovelaceSpeaks = """
        < :ada!a@h PRIVMSG marvin :psst
        = ada (lovelace): psst
        < :ada!a@h PRIVMSG #dev :hello
        = #dev ada (lovelace): hello

        """

    /// A channel operator can hide who leaves (InspIRCd's auditorium mode), so that another user with the same host gets the nick
    /// unnoticed.
    @Test(arguments: [
        "+u", "-u", "+m", "+b-s *!*@spam.test", "+Z", "+X auditorium-vis:v", "-o ada", "-o marvin", "-v ada"
    ])
    func `after a mode change that may hide members, only those who are listed again are known`(modes: String) {
        play(
            .inDev,
            inModes + lovelaceSpeaks + "< :bob!b@h MODE #dev \(modes)\n" + adaSpeaks + """
                + 9999
                + 1
                > WHO #dev %tcuhna,2

                """ + adaSpeaks + """
                    < 354 marvin 2 #dev ~marvin host.test marvin 0
                    < 354 marvin 2 #dev b h bob 0
                    < 315 marvin #dev :End of WHO
                    < :bob!b@h PRIVMSG #dev :hello
                    = #dev bob (no account): hello

                    """ + adaSpeaks)
        play(
            .inDev,
            inModes + "< :bob!b@h MODE #dev \(modes)\n" + """
                + 10000
                > WHO #dev %tcuhna,2
                < 354 marvin 2 #dev a h ada lovelace
                < 315 marvin #dev :End of WHO

                """ + lovelaceSpeaks)
    }

    @Test(arguments: ["+b *!*@spam.test", "-k+l sesame 5", "+j 5:1", "+o-l ada", "+v ada", "+Iq a!*@* b!*@*", "-o bob"])
    func `other mode changes hide nobody who is known`(modes: String) {
        play(
            .inDev,
            inModes.replacing("@bob", with: "bob") + "< :ops!o@h MODE #dev \(modes)\n" + lovelaceSpeaks
                + (modes == "-o bob" ? "+ 10000\n> WHO #dev %tcuhna,2" : "+ 10000"))
    }

    @Test func `without a list of channel modes, every mode but the usual ones may hide members`() {
        play(.inDev, asked("account-notify") + told + "< :bob!b@h MODE #dev +bkl a b 5\n" + lovelaceSpeaks)
        play(
            .inDev,
            asked("account-notify") + told + "< :bob!b@h MODE #dev -l+u\n" + adaSpeaks
                + "+ 10000\n> WHO #dev %tcuhna,2")
    }

    @Test func `an answer to a query from before the mode change says nothing about who is visible`() {
        play(
            .inDev,
            asked("account-notify") + "< :bob!b@h MODE #dev +u\n" + told + adaSpeaks + """
                + 10000
                > WHO #dev %tcuhna,2
                < :bob!b@h MODE #dev -u
                < 354 marvin 2 #dev a h ada lovelace
                < 315 marvin #dev :End of WHO

                """ + adaSpeaks + """
                    + 9999
                    + 1
                    > WHO #dev %tcuhna,3
                    < 354 marvin 3 #dev a h ada lovelace

                    """ + lovelaceSpeaks)
    }

    @Test func `an answer about a user, even if it names the channel, doesn't show that the channel shows them`() {
        play(
            .inDev,
            asked("account-notify") + """
                < :ada!a@h PRIVMSG #dev :hello
                = #dev ada: hello
                > WHO ada %tcuhna,2
                < :bob!b@h MODE #dev +u
                < 354 marvin 2 #dev a h ada lovelace
                < 315 marvin ada :End of WHO

                """ + adaSpeaks)
    }

    @Test func `frequent mode changes cause one query in ten seconds, and an unanswered one is repeated`() {
        let change = "< :bob!b@h MODE #dev +m-m\n"
        play(
            .inDev,
            inModes + "+ 10000\n" + change + "> WHO #dev %tcuhna,2\n" + String(repeating: change, count: 20)
                + "+ 5000\n"
                + change + """
                    + 4999
                    + 1
                    > WHO #dev %tcuhna,3
                    + 55000
                    > PING heybot
                    < PONG heybot
                    + 5000
                    > WHO #dev %tcuhna,4
                    < 354 marvin 4 #dev b h bob 0
                    + 59999
                    + 1
                    > PING heybot
                    """)
    }

    /// In #dev, where Ada isn't in the list after the change of the modes.
    private func unlisted(_ modes: String) -> String {
        inModes + "< :bob!b@h MODE #dev \(modes)\n" + """
            + 10000
            > WHO #dev %tcuhna,2
            < 354 marvin 2 #dev ~marvin host.test marvin 0
            < 354 marvin 2 #dev b h bob 0
            < 315 marvin #dev :End of WHO

            """ + adaSpeaks
    }

    @Test(arguments: [("+u", "+o ada"), ("+u", "+v ada"), ("-o marvin", "+o marvin"), ("+u", "+v marvin")])
    func `hidden members who may be visible again are listed again`(_ modes: String, _ more: String) {
        play(
            .inDev,
            unlisted(modes) + "< :bob!b@h MODE #dev \(more)\n" + adaSpeaks + """
                + 10000
                > WHO #dev %tcuhna,3
                < 354 marvin 3 #dev a h ada lovelace
                < 315 marvin #dev :End of WHO

                """ + lovelaceSpeaks + "< :bob!b@h MODE #dev +o bob\n+ 10000\n")
    }

    @Test func `a hidden member who says something is looked for in the list, once a minute`() {
        var profile = SessionConfiguration.inDev
        profile.timeouts.pingInterval = .seconds(9_999)
        let psst = "< :ada!a@h PRIVMSG marvin :psst\n= ada: psst\n"
        let list = "> NAMES #dev\n< 353 marvin = #dev :marvin @bob\n< 366 marvin #dev :End of NAMES\n"
        let answer = """
            < 354 marvin 3 #dev b h bob 0
            < 315 marvin #dev :End of WHO

            """
        let begun = [
            unlisted("+u"), "+ 59999\n", adaSpeaks, "+ 1\n", psst, list, "> WHO #dev %tcuhna,3\n", answer
        ].joined()
        play(profile, [begun, psst, "+ 59999\n", psst, "+ 1\n", psst, "> NAMES #dev\n", psst].joined())
        // The answers to WHO may be incomplete.
        let found = list.replacing("marvin @bob", with: "marvin ada @bob")
        let again = answer.replacing("354 marvin 3", with: "354 marvin 4")
        let ada = "> WHO ada %tcuhna,5\n< 354 marvin 5 #dev a h ada lovelace\n< 315 marvin ada :End of WHO\n"
        play(
            profile,
            [begun, "+ 60000\n", psst, found, "> WHO #dev %tcuhna,4\n", again, psst, ada, lovelaceSpeaks].joined())
    }

    @Test func `private answers wait for the whole list`() {
        for isListed in [true, false] {
            var stage = SessionPlayer(Session(.inDev, nonce: "", at: .zero))
            stage.begin()
            stage.play(inModes)
            guard let line = IRCMessage(":ada!a@h PRIVMSG marvin :psst") else { continue }
            for case .hear(let heard) in stage.session.receive(line, at: stage.now) {
                let ada = RequesterIdentity("a@h", source: heard.source, shownIn: heard.shownIn)
                stage.play("< :bob!b@h MODE #dev +m\n")
                stage.say(OutgoingMessage(to: "ada", "42", requester: ada))
            }
            stage.play(
                """
                + 10000
                > WHO #dev %tcuhna,2
                < 354 marvin 2 #dev b h bob 0
                + 1000
                < 354 marvin 2 #dev a h \(isListed ? "ada" : "eve") lovelace
                < 315 marvin #dev :End of WHO
                \(isListed
                    ? "> PRIVMSG ada 42" : "* 1 private answer wasn't sent: the user who asked has left, or another user has the nick now")
                """)
        }
    }

    @Test func `a user who is hidden from the start is never known`() {
        play(
            .inDev,
            asked("account-notify", members: "marvin @bob") + """
                < 354 marvin 1 #dev b h bob 0
                < 315 marvin #dev :End of WHO

                """ + adaSpeaks + "+ 10000\n" + adaSpeaks)
    }

    @Test func `a user in two channels is known as long as one of them can't hide that they leave`() {
        var profile = SessionConfiguration.inDev
        profile.channels.append(.init("#ops"))
        let both =
            inModes.replacing("> JOIN #dev", with: "> JOIN #dev,#ops")
            .replacing(
                ". settled\n",
                with: """
                    < :marvin!~marvin@host.test JOIN #ops
                    * joined #ops
                    . settled

                    """) + """
                < 353 marvin = #ops :marvin ada
                < 366 marvin #ops :End of NAMES
                > WHO #ops %tcuhna,2
                < 354 marvin 2 #ops a h ada lovelace
                < 315 marvin #ops :End of WHO
                < :bob!b@h MODE #dev +u

                """ + lovelaceSpeaks
        for change in [
            "< :ada!a@h PART #ops\n= #ops ada (lovelace) left\n",
            "< :bob!b@h MODE #ops +u\n",
            "< :marvin!m@h PART #ops\n* removed from #ops; rejoining\n+ 2000\n> JOIN #ops\n"
        ] {
            play(profile, both + change + adaSpeaks)
        }
        // The account is only read for the channel that shows the user.
        play(
            profile,
            both + """
                < :ada!a@h ACCOUNT eve
                < :ada!a@h PRIVMSG marvin :psst
                = ada (eve): psst
                < :ada!a@h PART #ops
                = #ops ada (eve) left

                """ + adaSpeaks)
    }

    @Test func `a user who joins although they are listed has left unseen`() {
        play(
            .inDev,
            inModes + """
                < :ada!a@h JOIN #dev
                = #dev ada joined
                > WHO ada %tcuhna,2

                """ + adaSpeaks)
    }

    @Test func `a mode change in a channel joined by invitation counts once the channel is chosen`() {
        var stage = SessionPlayer(Session(.inDev, nonce: "", at: .zero))
        stage.begin()
        stage.play(
            asked("account-notify", members: "marvin bob") + """
                < :mal!m@h INVITE marvin #trap
                * mal invited me to #trap
                > JOIN #trap
                < :marvin!~marvin@host.test JOIN #trap
                * joined #trap
                < 353 marvin = #trap :marvin @mal ada
                < 366 marvin #trap :End of NAMES
                > WHO #trap %tcuhna,2
                < :mal!m@h MODE #trap +u
                + 20000

                """)
        stage.record(stage.session.join(SessionConfiguration.Channel("#trap"), at: stage.now))
        stage.play(
            """
            > WHO #trap %tcuhna,3
            < 354 marvin 3 #trap m h mal 0

            """ + adaSpeaks)
    }

    @Test func `a channel that is renamed is still queried`() {
        play(
            .inDev,
            inModes + """
                < :bob!b@h MODE #dev +u
                < :irc.test RENAME #dev #devel :because
                * #dev was renamed to #devel
                + 10000
                > WHO #devel %tcuhna,2
                < 354 marvin 2 #devel a h ada lovelace
                < :ada!a@h PRIVMSG #devel :hello
                = #devel ada (lovelace): hello
                """)
    }

    @Test func `a user who keeps changing nicks doesn't hold up queries about others`() {
        let profile: SessionConfiguration = {
            var profile = SessionConfiguration.inDev
            profile.rateLimit = RateLimit(burst: 5, interval: .seconds(2))
            return profile
        }()
        var stage = SessionPlayer(Session(profile, nonce: "", at: .zero))
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

    @Test func `a nick change keeps the account`() {
        play(
            .inDev,
            asked("account-notify") + told + """
                < :ada!a@h NICK Countess
                = #dev Countess (lovelace) was ada
                < :countess!a@h PRIVMSG #dev :hello
                = #dev countess (lovelace): hello
                """)
    }

    @Test func `without account-notify, an account is queried again after a minute and distrusted after five`() {
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

    @Test func `unexpected answers, and accounts that look like hostmasks, are ignored`() {
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

    @Test func `services, servers and a bouncer's modules are ignored`() {
        play(
            .inDev,
            ready("account-tag") + """
                < :*status!znc@znc.in PRIVMSG marvin :Disconnected from IRC
                < :irc.test PRIVMSG marvin :PONG
                < :ChanServ!ChanServ@whatever.test PRIVMSG marvin :help
                < :NickServ!NickServ@services.test PRIVMSG marvin :help
                < :Helper!h@services.test PRIVMSG #dev :marvin: ping
                < :ALIS!a@whatever.test PRIVMSG marvin :help
                < :Global!g@whatever.test PRIVMSG #dev :marvin: ping
                < :services!s@h PRIVMSG #dev :marvin: ping
                = #dev services (no account): marvin: ping
                """)
    }

    @Test func `a server with a slow clock is mistaken for playback only briefly`() {
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
