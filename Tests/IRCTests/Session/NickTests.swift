import HeybotIRC
import Testing

@Suite struct NickTests {
    private func taken(_ supports: String = "") -> String {
        start + """
            < 433 * marvin :Nickname is already in use.
            > NICK marvin_
            < 001 marvin_ :Welcome
            < 005 marvin_ NICKLEN=30 \(supports) :are supported by this server
            < 376 marvin_ :End
            * the nick marvin is taken; I'm marvin_ until it is free
            . settled

            """
    }

    @Test func `alternative nicks are tried until one is free, each once`() {
        var profile = SessionConfiguration(nick: "marvin")
        profile.alternates = ["zaphod", "eddie"]
        play(
            profile,
            start + """
                < 433 * marvin :in use
                > NICK zaphod
                < 433 * zaphod :in use
                > NICK eddie
                < 437 * eddie :Nick/channel is temporarily unavailable
                > NICK marvin_
                < 433 * marvin_ :in use
                > NICK marvin__
                < 436 * marvin__ :Nickname collision
                > NICK marvin___
                < 433 * marvin___ :in use
                > NICK marvin2
                < 432 * marvin2 :Erroneous nickname
                * the network rejected the nick marvin: Erroneous nickname; choose another
                > NICK marvin3
                """)
    }

    @Test func `a nick that is too long is reported and shortened`() {
        play(
            SessionConfiguration(nick: "marvinthegreat"),
            """
            > CAP LS 302
            > NICK marvinthegreat
            > USER marvinthegreat 0 * marvinthegreat
            < 432 * marvinthegreat :Nickname too long, max. 9 characters
            * the network rejected the nick marvinthegreat: Nickname too long, max. 9 characters; choose another
            > NICK marvinth_
            < 001 marvinth_ :Welcome
            """)
    }

    @Test func `the nick in the server's 001 is the nick`() {
        let session = play(
            SessionConfiguration(nick: "marvintheandroid"),
            """
            > CAP LS 302
            > NICK marvintheandroid
            > USER marvintheandroid 0 * marvintheandroid
            < 001 marvinthe :Welcome
            < 376 marvinthe :End
            * the nick marvintheandroid is taken; I'm marvinthe until it is free
            . settled
            """)
        #expect(session.nick == "marvinthe")
    }

    @Test func `without MONITOR, a taken nick is retried on a slow timer, without logging`() {
        play(
            taken() + """
                + 60000
                > PING heybot
                > NICK marvin
                < 433 marvin_ marvin :in use
                + 59999
                + 1
                > PING heybot
                > NICK marvin
                < :marvin_!m@h NICK marvin
                * I'm marvin again
                + 59999
                """)
    }

    @Test func `the server reports when the nick is free (MONITOR)`() {
        play(
            taken("MONITOR=100") + """
                > MONITOR + marvin
                < 730 marvin_ :Marvin!x@y
                < 731 marvin_ :someone,Marvin
                > NICK marvin
                < :marvin_!m@h NICK marvin
                * I'm marvin again
                > MONITOR - marvin
                < 731 marvin :marvin
                """)
    }

    @Test(arguments: [":Marvin!x@y QUIT :bye", ":Marvin!x@y NICK arthur"])
    func `the nick's holder quits or changes their nick`(line: String) {
        play(taken() + "< \(line)\n> NICK marvin")
    }

    @Test func `a nick taken away by services is requested again`() {
        let session = play(
            welcomed + """
                < :marvin!m@h NICK Guest4711
                * the nick marvin is taken; I'm Guest4711 until it is free
                + 60000
                > PING heybot
                > NICK marvin
                """)
        #expect(session.nick == "Guest4711")
    }

    @Test func `the own nick in another case is the own nick`() {
        let session = play(welcomed + "< :MARVIN!m@h NICK Marvin\n+ 59000")
        #expect(session.nick == "Marvin")
    }

    @Test func `a nick that services enforce isn't requested again, and this is logged once`() {
        play(
            welcomed + """
                < :NickServ!s@services.test NOTICE marvin :This nickname is registered. Please choose a different nickname.
                < :marvin!m@h NICK Guest4711
                * the nick marvin is registered, and services won't release it; my nick is Guest4711 until I'm logged in
                < :marvin!x@y QUIT :bye
                + 60000
                > PING heybot
                < PONG heybot
                < 900 Guest4711 Guest4711!m@h marvin :You are now logged in as marvin
                * logged in as marvin
                + 0
                > NICK marvin
                < :Guest4711!m@h NICK marvin
                * I'm marvin again
                """)
    }

    @Test func `a nick taken away twice, or held by services, counts as enforced`() {
        play(
            welcomed + """
                < :marvin!m@h NICK Guest1
                * the nick marvin is taken; I'm Guest1 until it is free
                + 60000
                > PING heybot
                > NICK marvin
                < :Guest1!m@h NICK marvin
                * I'm marvin again
                < :marvin!m@h NICK Guest2
                * the nick marvin is registered, and services won't release it; my nick is Guest2 until I'm logged in
                + 59000
                """)
        play(
            welcomed + """
                < :marvin!m@h NICK Guest1
                * the nick marvin is taken; I'm Guest1 until it is free
                + 60000
                > PING heybot
                > NICK marvin
                < 432 Guest1 marvin :Nickname Enforcer
                * the nick marvin is registered, and services won't release it (Nickname Enforcer); my nick is Guest1 until I'm logged in
                < PONG heybot
                + 59000
                """)
    }

    @Test func `a nick taken away long ago doesn't count as enforced`() {
        var profile = SessionConfiguration(nick: "marvin")
        profile.timeouts.pingInterval = .seconds(86_400)
        for (later, words) in [
            (
                3_539_000,
                "registered, and services won't release it; my nick is Guest2 until I'm logged in"
            ),
            (3_540_000, "taken; I'm Guest2 until it is free")
        ] {
            play(
                profile,
                welcomed + """
                    < :marvin!m@h NICK Guest1
                    * the nick marvin is taken; I'm Guest1 until it is free
                    + 60000
                    > NICK marvin
                    < :Guest1!m@h NICK marvin
                    * I'm marvin again
                    + \(later)
                    < :marvin!m@h NICK Guest2
                    * the nick marvin is \(words)
                    """)
        }
    }

    @Test func `a nick that was taken away is monitored`() {
        play(
            start + """
                < 001 marvin :Welcome
                < 005 marvin MONITOR=100 :are supported by this server
                < 376 marvin :End
                . settled
                < :marvin!m@h NICK Guest1
                * the nick marvin is taken; I'm Guest1 until it is free
                > MONITOR + marvin
                < 731 Guest1 :marvin
                > NICK marvin
                """)
    }

    @Test func `services without GHOST get RECOVER`() {
        var profile = LoginTests.profile()
        profile.channels = []
        play(
            profile,
            start + """
                < 433 * marvin :Nickname is already in use.
                > NICK marvin_
                < 900 * *!*@* marvin :You are now logged in as marvin
                * logged in as marvin
                < 001 marvin_ :Welcome
                < 376 marvin_ :End
                * the nick marvin is taken; I'm marvin_ until it is free
                . settled
                > PRIVMSG NickServ :GHOST marvin
                < :NickServ!s@services.test NOTICE marvin_ :Unknown command GHOST. "/msg NickServ HELP" for help.
                > PRIVMSG NickServ :RECOVER marvin
                < :NickServ!s@services.test NOTICE marvin_ :Unknown command RECOVER.
                + 2000
                > NICK marvin
                """)
    }

    @Test func `a removal by services for another robot is recognized, and the nick yielded`() {
        for reason in [
            "Closing link: (marvin@host) [Killed (NickServ (GHOST command used by marvin_))]",
            "Closing Link: host (Killed (services.test (RECOVER command used by marvin_)))"
        ] {
            play(welcomed + "< ERROR :\(reason)\nx \(reason)")
            var session = Session(SessionConfiguration(nick: "marvin"), nonce: "", at: .zero)
            #expect(session.receive(IRCMessage("ERROR", reason), at: .zero) == [.end(.displaced(reason))])
        }
        var session = Session(SessionConfiguration(nick: "marvin"), nonce: "", at: .zero)
        let other = "Closing link: (marvin@ghost) [Killed (oper (enough))]"
        #expect(session.receive(IRCMessage("ERROR", other), at: .zero) == [.end(.lost(other))])
        var profile = LoginTests.profile()
        profile.channels = []
        var stage = SessionPlayer(Session(profile, nonce: "", loginHistory: .init(yieldsNick: true), at: .zero))
        stage.begin()
        stage.play(
            start + """
                < 433 * marvin :Nickname is already in use.
                > NICK marvin_
                < 900 * *!*@* marvin :You are now logged in as marvin
                * logged in as marvin
                < 001 marvin_ :Welcome
                < 376 marvin_ :End
                * another robot with this account has reclaimed the nick marvin twice, so I keep the nick marvin_: run only one robot, or give each robot its own nick
                . settled
                """)
    }
}
