import IRC
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
}
