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
            * the nick marvin is taken; until it is free I am marvin_
            . settled

            """
    }

    @Test func `others are tried until one is free, and none twice`() {
        var profile = Profile(nick: "marvin")
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
                * the network won't have the nick marvin: Erroneous nickname; choose another
                > NICK marvin3
                """)
    }

    @Test func `a nick that is too long is told, and cut`() {
        play(
            Profile(nick: "marvinthegreat"),
            """
            > CAP LS 302
            > NICK marvinthegreat
            > USER marvinthegreat 0 * marvinthegreat
            < 432 * marvinthegreat :Nickname too long, max. 9 characters
            * the network won't have the nick marvinthegreat: Nickname too long, max. 9 characters; choose another
            > NICK marvinth_
            < 001 marvinth_ :Welcome
            """)
    }

    @Test func `what the server makes of our nick is our nick`() {
        let session = play(
            Profile(nick: "marvintheandroid"),
            """
            > CAP LS 302
            > NICK marvintheandroid
            > USER marvintheandroid 0 * marvintheandroid
            < 001 marvinthe :Welcome
            < 376 marvinthe :End
            * the nick marvintheandroid is taken; until it is free I am marvinthe
            . settled
            """)
        #expect(session.nick == "marvinthe")
    }

    @Test func `where nothing tells when it is free, it is asked for on a slow timer, without a word`() {
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
                * I am marvin again
                + 59999
                """)
    }

    @Test func `the server tells when it is free (MONITOR)`() {
        play(
            taken("MONITOR=100") + """
                > MONITOR + marvin
                < 730 marvin_ :Marvin!x@y
                < 731 marvin_ :someone,Marvin
                > NICK marvin
                < :marvin_!m@h NICK marvin
                * I am marvin again
                > MONITOR - marvin
                < 731 marvin :marvin
                """)
    }

    @Test(arguments: [":Marvin!x@y QUIT :bye", ":Marvin!x@y NICK arthur"])
    func `its holder goes, or is called otherwise`(line: String) {
        play(taken() + "< \(line)\n> NICK marvin")
    }

    @Test func `a nick taken from us by services is asked for again`() {
        let session = play(
            welcomed + """
                < :marvin!m@h NICK Guest4711
                * the nick marvin is taken; until it is free I am Guest4711
                + 60000
                > PING heybot
                > NICK marvin
                """)
        #expect(session.nick == "Guest4711")
    }

    @Test func `our own nick in other letters is our own`() {
        let session = play(welcomed + "< :MARVIN!m@h NICK Marvin\n+ 59000")
        #expect(session.nick == "Marvin")
    }

    @Test func `a nick that the services enforce is left alone, and that is told once`() {
        play(
            welcomed + """
                < :NickServ!s@services.test NOTICE marvin :This nickname is registered. Please choose a different nickname.
                < :marvin!m@h NICK Guest4711
                * the nick marvin is registered, and the network doesn't leave it to me; I stay Guest4711 until I am logged in
                < :marvin!x@y QUIT :bye
                + 60000
                > PING heybot
                < PONG heybot
                < 900 Guest4711 Guest4711!m@h marvin :You are now logged in as marvin
                * logged in as marvin
                + 0
                > NICK marvin
                < :Guest4711!m@h NICK marvin
                * I am marvin again
                """)
    }

    @Test func `taken away twice, or held by the services, is enforced too`() {
        play(
            welcomed + """
                < :marvin!m@h NICK Guest1
                * the nick marvin is taken; until it is free I am Guest1
                + 60000
                > PING heybot
                > NICK marvin
                < :Guest1!m@h NICK marvin
                * I am marvin again
                < :marvin!m@h NICK Guest2
                * the nick marvin is registered, and the network doesn't leave it to me; I stay Guest2 until I am logged in
                + 59000
                """)
        play(
            welcomed + """
                < :marvin!m@h NICK Guest1
                * the nick marvin is taken; until it is free I am Guest1
                + 60000
                > PING heybot
                > NICK marvin
                < 432 Guest1 marvin :Nickname Enforcer
                * the nick marvin is registered, and the network doesn't leave it to me (Nickname Enforcer); I stay Guest1 until I am logged in
                < PONG heybot
                + 59000
                """)
    }

    @Test func `a nick that was taken away long ago isn't taken for enforced`() {
        var profile = Profile(nick: "marvin")
        profile.waits.silence = .seconds(86_400)
        for (later, words) in [
            (
                3_539_000,
                "registered, and the network doesn't leave it to me; I stay Guest2 until I am logged in"
            ),
            (3_540_000, "taken; until it is free I am Guest2")
        ] {
            play(
                profile,
                welcomed + """
                    < :marvin!m@h NICK Guest1
                    * the nick marvin is taken; until it is free I am Guest1
                    + 60000
                    > NICK marvin
                    < :Guest1!m@h NICK marvin
                    * I am marvin again
                    + \(later)
                    < :marvin!m@h NICK Guest2
                    * the nick marvin is \(words)
                    """)
        }
    }

    @Test func `a nick that is taken from us is watched`() {
        play(
            start + """
                < 001 marvin :Welcome
                < 005 marvin MONITOR=100 :are supported by this server
                < 376 marvin :End
                . settled
                < :marvin!m@h NICK Guest1
                * the nick marvin is taken; until it is free I am Guest1
                > MONITOR + marvin
                < 731 Guest1 :marvin
                > NICK marvin
                """)
    }

    @Test func `services that know no GHOST are asked to RECOVER`() {
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
                * the nick marvin is taken; until it is free I am marvin_
                . settled
                > PRIVMSG NickServ :GHOST marvin
                < :NickServ!s@services.test NOTICE marvin_ :Unknown command GHOST. "/msg NickServ HELP" for help.
                > PRIVMSG NickServ :RECOVER marvin
                < :NickServ!s@services.test NOTICE marvin_ :Unknown command RECOVER.
                + 2000
                > NICK marvin
                """)
    }

    @Test func `being removed by the services for another robot is told apart, and yielded to`() {
        for reason in [
            "Closing link: (marvin@host) [Killed (NickServ (GHOST command used by marvin_))]",
            "Closing Link: host (Killed (services.test (RECOVER command used by marvin_)))"
        ] {
            play(welcomed + "< ERROR :\(reason)\nx \(reason)")
            var session = Session(Profile(nick: "marvin"), nonce: "", at: .zero)
            #expect(session.receive(IRCMessage("ERROR", reason), at: .zero) == [.end(.displaced(reason))])
        }
        var session = Session(Profile(nick: "marvin"), nonce: "", at: .zero)
        let other = "Closing link: (marvin@ghost) [Killed (oper (enough))]"
        #expect(session.receive(IRCMessage("ERROR", other), at: .zero) == [.end(.lost(other))])
        var profile = LoginTests.profile()
        profile.channels = []
        var stage = Stage(Session(profile, nonce: "", history: .init(yieldsNick: true), at: .zero))
        stage.begin()
        stage.play(
            start + """
                < 433 * marvin :Nickname is already in use.
                > NICK marvin_
                < 900 * *!*@* marvin :You are now logged in as marvin
                * logged in as marvin
                < 001 marvin_ :Welcome
                < 376 marvin_ :End
                * another robot with this account has taken the nick marvin back twice; I stay marvin_ and leave it alone: run only one, or give each its own nick
                . settled
                """)
    }
}
