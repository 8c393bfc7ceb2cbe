import HeybotIRC
import HeybotSASL
import Testing

@Suite struct RegistrationTests {
    @Test func `an old server without capabilities`() {
        play(
            """
            > CAP LS 302
            > NICK marvin
            > USER marvin 0 * marvin
            < :irc.test 421 * CAP :Unknown command
            < :irc.test 001 marvin :Welcome
            < :irc.test 376 marvin :End of MOTD command
            . settled
            """)
    }

    @Test func `all offered capabilities are requested in one message`() {
        let session = play(
            """
            > CAP LS 302
            > NICK marvin
            > USER marvin 0 * marvin
            < :irc.test CAP * LS * :multi-prefix away-notify sasl=PLAIN draft/chathistory
            < :irc.test CAP * LS :server-time echo-message
            > CAP REQ :echo-message multi-prefix server-time
            < :irc.test CAP * ACK :echo-message multi-prefix server-time
            > CAP END
            < :irc.test 001 marvin :Welcome
            < :irc.test 422 marvin :No MOTD
            . settled
            """)
        #expect(session.enabled == ["echo-message", "multi-prefix", "server-time"])
    }

    @Test func `capabilities refused together are requested one by one, once`() {
        let session = play(
            """
            > CAP LS 302
            > NICK marvin
            > USER marvin 0 * marvin
            < CAP * LS :multi-prefix server-time
            > CAP REQ :multi-prefix server-time
            < CAP * NAK :multi-prefix server-time
            > CAP REQ multi-prefix
            > CAP REQ server-time
            < CAP * NAK :multi-prefix
            < CAP * ACK :server-time
            > CAP END
            """)
        #expect(session.enabled == ["server-time"])
    }

    @Test func `false ACKs change nothing`() {
        let session = play(
            """
            > CAP LS 302
            > NICK marvin
            > USER marvin 0 * marvin
            < CAP * ACK :sasl oper-powers
            < CAP
            < CAP *
            < CAP * FROB :multi-prefix
            < CAP * LS
            > CAP END
            < CAP * NAK :
            < CAP * ACK :-batch
            """)
        #expect(session.enabled == [])
    }

    @Test func `capabilities are added and removed at run time`() {
        let session = play(
            welcomed + """
                < CAP marvin NEW :batch invite-notify
                > CAP REQ :batch invite-notify
                < CAP marvin ACK :batch invite-notify
                < CAP marvin DEL :batch
                """)
        #expect(session.enabled == ["invite-notify"])
    }

    @Test func `registration times out`() {
        play(
            """
            > CAP LS 302
            > NICK marvin
            > USER marvin 0 * marvin
            + 59999
            + 1
            x login timed out
            < :irc.test 001 marvin :Welcome
            """)
    }

    @Test func `without a message of the day, the session waits only briefly`() {
        play(
            """
            > CAP LS 302
            > NICK marvin
            > USER marvin 0 * marvin
            < :irc.test 001 marvin :Welcome
            + 5000
            . settled
            """)
    }

    @Test func `a server's password, a user name and a real name`() {
        var profile = SessionConfiguration(nick: "marvin", user: "bot", realName: "Paranoid Android")
        profile.serverPassword = "let me in"
        play(
            profile,
            """
            > CAP LS 302
            > PASS :let me in
            > NICK marvin
            > USER bot 0 * :Paranoid Android
            < :irc.test 464 marvin :Password incorrect
            x Password incorrect
            """)
    }

    @Test(arguments: [
        "465 marvin :You are banned from this server", "ERROR :Closing Link: K-Lined",
        "ERROR :Closing Link: marvin[host] (You are banned)"
    ]) func `a ban is permanent`(line: String) {
        var stage = SessionPlayer(Session(SessionConfiguration(nick: "marvin"), nonce: "", at: .zero))
        let actions = stage.session.receive(IRCMessage(line) ?? IRCMessage("X"), at: .zero)
        guard case .end(.refused)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
    }

    @Test func `a wrong OPER password doesn't end the session`() {
        play(welcomed + "< 464 marvin :Password incorrect\n* the server reported an error: Password incorrect")
    }

    @Test func `a change of the case mapping refolds all names`() {
        var profile = SessionConfiguration(nick: "marvin")
        profile.channels = [.init("#dev[x]")]
        let session = play(
            profile,
            start + """
                < 001 marvin :Welcome
                + 5000
                > JOIN #dev[x]
                < :marvin!m@h JOIN #dev[x]
                * joined #dev[x]
                . settled
                < 005 marvin CASEMAPPING=ascii :are supported by this server
                < 353 marvin = #dev[x] :marvin ada
                < :bob!b@h KICK #dev[x] marvin
                * kicked from #dev[x] by bob; rejoining
                + 2000
                > JOIN #dev[x]
                < :marvin!m@h JOIN #dev[x]
                * back in #dev[x]
                """)
        #expect(session.members.channels.keys.sorted() == ["#dev[x]"])
    }

    @Test func `any other error is temporary`() {
        for reason in ["marvin[k-line.banned.test] (Ping timeout)", "marvin[host] (declined)"] {
            play(start + "< ERROR :Closing Link: \(reason)\nx Closing Link: \(reason)")
            var stage = SessionPlayer(Session(SessionConfiguration(nick: "marvin"), nonce: "", at: .zero))
            let actions = stage.session.receive(IRCMessage("ERROR", reason), at: .zero)
            #expect(actions == [.end(.lost(reason))])
        }
    }

    @Test func `the bot mode is set if there is one`() {
        play(
            start + """
                < 001 marvin :Welcome
                < 005 marvin BOT=B CASEMAPPING=ascii :are supported by this server
                < 376 marvin :End
                . settled
                > MODE marvin +B
                """)
    }

    @Test func `configured commands are sent before joining`() {
        var profile = SessionConfiguration(nick: "marvin")
        profile.commands = ["OPER marvin secret"]
        profile.channels = [.init("#dev")]
        play(
            profile,
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > OPER marvin secret
                > JOIN #dev
                """)
    }
}

/// The first messages.
let start = """
    > CAP LS 302
    > NICK marvin
    > USER marvin 0 * marvin

    """

/// The registration, without any capability.
let welcomed =
    start + """
        < 001 marvin :Welcome
        < 376 marvin :End
        . settled

        """

/// The registration with these capabilities, in this channel.
func ready(_ capabilities: String = "", in channel: String = "#dev", members: String = "marvin ada @bob") -> String {
    let negotiation =
        capabilities.isEmpty
        ? ""
        : "< CAP * LS :\(capabilities)\n> CAP REQ \(capabilities.contains(" ") ? ":" : "")\(capabilities)\n< CAP * ACK :\(capabilities)\n> CAP END\n"
    return start + negotiation + """
        < 001 marvin :Welcome
        < 005 marvin CHANTYPES=# STATUSMSG=@+ PREFIX=(qaohv)~&@%+ :are supported by this server
        < 376 marvin :End
        > JOIN \(channel)
        < :marvin!~marvin@host.test JOIN \(channel)
        * joined \(channel)
        . settled
        < 353 marvin = \(channel) :\(members)
        < 366 marvin \(channel) :End of NAMES

        """
}

extension SessionConfiguration {
    /// A configuration with one channel.
    static var inDev: SessionConfiguration {
        var profile = SessionConfiguration(nick: "marvin")
        profile.channels = [.init("#dev")]
        return profile
    }
}
