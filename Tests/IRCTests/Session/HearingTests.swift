import HeybotIRC
import Testing

@Suite struct HearingTests {
    @Test func `words in a channel, to ops only, and in private`() {
        play(
            .inDev,
            ready() + """
                < :ada!a@h PRIVMSG #dev :hello all
                = #dev ada: hello all
                < :ada!a@h PRIVMSG @#Dev :ops only
                = @#Dev ada: ops only
                < :ada!a@h PRIVMSG marvin :psst
                = ada: psst
                """)
    }

    @Test func `actions are words; bold and colours are not`() {
        play(
            .inDev,
            ready() + """
                < :ada!a@h PRIVMSG #dev :\u{1}ACTION waves\u{1}
                = #dev ada: waves
                < :ada!a@h PRIVMSG #dev :\u{2}marvin\u{2}: \u{3}4,1ping\u{f}
                = #dev ada: marvin: ping
                """)
    }

    @Test func `a notice is never heard, and nor are we ourselves`() {
        play(
            .inDev,
            ready() + """
                < :ada!a@h NOTICE #dev :marvin: ping
                < :irc.test NOTICE * :*** Looking up your hostname
                < :marvin!m@h PRIVMSG #dev :marvin: ping
                """)
    }

    @Test func `private messages, bots and those who are ignored, by setting`() {
        var profile = Profile.inDev
        profile.hearsPrivateMessages = false
        profile.ignored = [Mask("troll"), Mask("*!*@*.spam.test")]
        play(
            profile,
            ready("message-tags") + """
                < :ada!a@h PRIVMSG marvin :psst
                < @bot :robot!r@h PRIVMSG #dev :marvin: ping
                < :Troll!t@h PRIVMSG #dev :marvin: ping
                < :x!y@mail.spam.test PRIVMSG #dev :marvin: ping
                < :x!y@mail.ham.test PRIVMSG #dev :marvin: ping
                = #dev x: marvin: ping
                """)
        profile.ignoresBots = false
        play(
            profile,
            ready("message-tags") + "< @bot :robot!r@h PRIVMSG #dev :hi\n= #dev robot: hi")
    }

    @Test func `when it was said, and what the server calls it`() {
        play(
            .inDev,
            ready("message-tags server-time") + """
                < @time=2026-11-21T19:00:00.123Z;msgid=abc :ada!a@h PRIVMSG #dev :hello
                = #dev ada: hello at 2026-11-21T19:00:00.123Z as abc
                """)
        // What isn't agreed on means nothing.
        play(.inDev, ready() + "< @time=2011-01-01T00:00:00.000Z :ada!a@h PRIVMSG #dev :hello\n= #dev ada: hello")
    }

    @Test func `whose account it is, by the message's tag`() {
        play(
            .inDev,
            ready("account-tag") + """
                < @account=ada :countess!a@h PRIVMSG #dev :hello
                = #dev countess (ada): hello
                < :countess!a@h PRIVMSG #dev :hello
                = #dev countess (no account): hello
                """)
    }

    @Test func `whose account it is, by who came in and logged in (extended-join, account-notify)`() {
        let session = play(
            .inDev,
            ready("account-notify extended-join") + """
                < :zoe!z@h JOIN #dev zoe42 :Zoe Z.
                = #dev zoe (zoe42) joined
                < :zoe!z@h PRIVMSG #dev :hello
                = #dev zoe (zoe42): hello
                < :zoe!z@h PRIVMSG marvin :psst
                = zoe (zoe42): psst
                < :zoe!z@h ACCOUNT *
                < :zoe!z@h PRIVMSG #dev :hello
                = #dev zoe (no account): hello
                < :ada!a@h ACCOUNT lovelace
                < :ada!a@h PRIVMSG #dev :hello
                = #dev ada (lovelace): hello
                < :eve!e@h JOIN #dev * :Eve
                = #dev eve (no account) joined
                < :bob!b@h PRIVMSG #dev :hello
                = #dev bob: hello
                """)
        #expect(session.roster.channels["#dev"]?["zoe"]?.realName == "Zoe Z.")
        #expect(session.tellsAccounts)
    }

    @Test func `history that is told again is no news (batch)`() {
        play(
            .inDev,
            ready("batch message-tags") + """
                < BATCH +h chathistory #dev
                < @batch=h :ada!a@h PRIVMSG #dev :marvin: ping
                < BATCH +inner@h example
                < BATCH -h
                < BATCH +z znc.in/playback #dev
                < @batch=z BATCH +y draft/multiline #dev
                < @batch=y :ada!a@h PRIVMSG #dev :marvin: ping
                < BATCH -y
                < BATCH -z
                < @batch=unknown :ada!a@h PRIVMSG #dev :marvin: ping
                < :ada!a@h PRIVMSG #dev :marvin: ping
                = #dev ada: marvin: ping
                """)
    }

    @Test func `what was said before we came is no news, by the server's clock (server-time)`() {
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
                < @time=2026-11-21T18:59:59.999Z :ada!a@h PRIVMSG #dev :marvin: ping
                < @time=2026-11-21T19:00:00.000Z :ada!a@h PRIVMSG #dev :marvin: ping
                = #dev ada: marvin: ping at 2026-11-21T19:00:00.000Z
                """)
    }

    @Test func `half the network going and coming back is nobody's goodbye (batch)`() {
        let session = play(
            .inDev,
            ready("batch message-tags") + """
                < BATCH +s netsplit irc.hub other.host
                < @batch=s :ada!a@h QUIT :irc.hub other.host
                < @batch=s :bob!b@h QUIT :irc.hub other.host
                < BATCH -s
                < BATCH +j netjoin irc.hub other.host
                < @batch=j :ada!a@h JOIN #dev
                < BATCH -j
                """)
        #expect(session.roster.channels["#dev"]?.keys.sorted() == ["ada", "marvin"])
    }

    @Test func `a split is known by its words where there are no batches`() {
        play(
            .inDev,
            ready() + """
                < :ada!a@h QUIT :irc.hub.test leaf.test
                < :bob!b@h QUIT :gone.fishing today
                = #dev bob left: gone.fishing today
                < :ada!a@h JOIN #dev
                < :ada!a@h PART #dev
                = #dev ada left
                < :ada!a@h JOIN #dev
                = #dev ada joined
                """)
    }

    @Test func `who is kicked leaves, not who kicks`() {
        play(
            .inDev,
            ready("account-tag extended-join message-tags") + """
                < @account=zoe42 :zoe!z@h JOIN #dev zoe42 :Zoe
                = #dev zoe (zoe42) joined
                < @account=boss;bot :bob!b@h KICK #dev zoe :out
                = #dev zoe (zoe42) left: out
                < @account=boss :bob!b@h KICK #dev ada :out
                = #dev ada (no account) left: out
                """)
    }

    @Test func `comings, goings and topics`() {
        play(
            .inDev,
            ready() + """
                < :zoe!z@h JOIN #dev
                = #dev zoe joined
                < :zoe!z@h PART #dev :lunch
                = #dev zoe left: lunch
                < :ada!a@h QUIT :bye
                = #dev ada left: bye
                < :ada!a@h QUIT :bye
                < :bob!b@h TOPIC #dev :tea at four
                = #dev bob sets the topic: tea at four
                < :marvin!m@h TOPIC #dev :mine
                < 332 marvin #dev :mine
                """)
    }

    @Test func `what a broken server sends does nothing`() {
        play(
            .inDev,
            ready() + """
                < :u1 PRIVMSG #dev
                < PRIVMSG #dev :from nobody
                < :x 353
                < :x 353 marvin = #nowhere :a b c
                < :x 366
                < :x 005
                < :u1 JOIN
                < :u1!u@h NICK
                < :u1!u@h MODE
                < :u1!u@h MODE #dev +ooo
                < :u1!u@h KICK #dev
                < :x 999 a b c
                < :x 731
                < :x 437
                < :x 401
                < BATCH
                < BATCH x
                < AUTHENTICATE
                < ACCOUNT
                < :u!u@h CHGHOST a
                < :ada!a@h PRIVMSG #dev :\u{1}
                < :ada!a@h PRIVMSG marvin :\u{1}VERSION
                > NOTICE ada :\u{1}VERSION Heybot\u{1}
                < PING
                > PONG
                < ping :lower
                > PONG lower
                """)
    }
}

@Suite struct CTCPAnswerTests {
    @Test func `who asks in private is answered, by notice, a few times`() {
        play(
            .inDev,
            ready() + """
                < :ada!a@h PRIVMSG marvin :\u{1}VERSION\u{1}
                > NOTICE ada :\u{1}VERSION Heybot\u{1}
                < :ada!a@h PRIVMSG marvin :\u{1}PING 12345\u{1}
                > NOTICE ada :\u{1}PING 12345\u{1}
                < :ada!a@h PRIVMSG marvin :\u{1}TIME\u{1}
                * ada wants to know the time
                < :ada!a@h PRIVMSG marvin :\u{1}VERSION\u{1}
                < :ada!a@h PRIVMSG #dev :\u{1}VERSION\u{1}
                + 5000
                < :ada!a@h PRIVMSG marvin :\u{1}CLIENTINFO\u{1}
                > NOTICE ada :\u{1}CLIENTINFO ACTION CLIENTINFO PING TIME VERSION\u{1}
                < :ada!a@h PRIVMSG marvin :\u{1}DCC SEND virus\u{1}
                """)
    }

    @Test func `the time`() {
        var stage = Stage(Session(Profile(nick: "marvin"), nonce: "", at: .zero))
        stage.note(stage.session.tell(time: "2026-11-21T19:00:00Z", to: "ada", at: .zero))
        stage.play("> NOTICE ada :\u{1}TIME 2026-11-21T19:00:00Z\u{1}")
    }
}

@Suite struct RosterTests {
    @Test func `who is there, and what they may do`() {
        let session = play(
            .inDev,
            ready("multi-prefix", members: "marvin @+ada ~@bob") + """
                < :bob!b@h MODE #dev -o+b ada *!*@spam.test
                < :bob!b@h MODE #dev +lov 5 marvin marvin
                < :zoe!z@h JOIN #dev
                = #dev zoe joined
                < :zoe!z@h NICK Zaphod
                """)
        let members = session.roster.channels["#dev"] ?? [:]
        #expect(members.keys.sorted() == ["ada", "bob", "marvin", "zaphod"])
        #expect(members["ada"]?.symbols == ["+"])
        #expect(members["bob"]?.symbols == ["~", "@"])
        #expect(members["marvin"]?.symbols == ["@", "+"])
        #expect(members["zaphod"]?.nick == "Zaphod")
    }

    @Test func `names and hosts that change (setname, chghost)`() {
        let session = play(
            .inDev,
            ready("chghost setname") + """
                < :ada!a@h SETNAME :Ada L.
                < :ada!a@h CHGHOST countess lovelace.test
                < :marvin!m@h CHGHOST m bot/marvin
                """)
        let ada = session.roster.channels["#dev"]?["ada"]
        #expect(ada?.realName == "Ada L.")
        #expect(ada?.user == "countess")
        #expect(ada?.host == "lovelace.test")
        #expect(session.ownSource.description == "marvin!m@bot/marvin")
    }

    @Test func `nobody is there where we are not`() {
        let session = play(.inDev, ready() + "< :marvin!m@h PART #dev\n* removed from #dev; I'll go back")
        #expect(session.roster.channels == [:])
    }
}
