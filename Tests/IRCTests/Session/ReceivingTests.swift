import HeybotIRC
import Testing

@Suite struct ReceivingTests {
    @Test func `messages to a channel, to its operators, and in private`() {
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

    @Test func `actions are text; formatting is removed`() {
        play(
            .inDev,
            ready() + """
                < :ada!a@h PRIVMSG #dev :\u{1}ACTION waves\u{1}
                = #dev ada: waves (action)
                < :ada!a@h PRIVMSG #dev :\u{2}marvin\u{2}: \u{3}4,1ping\u{f}
                = #dev ada: marvin: ping
                """)
    }

    @Test func `notices and the robot's own messages are ignored`() {
        play(
            .inDev,
            ready() + """
                < :ada!a@h NOTICE #dev :marvin: ping
                < :irc.test NOTICE * :*** Looking up your hostname
                < :marvin!m@h PRIVMSG #dev :marvin: ping
                """)
    }

    @Test func `private messages, bots and listed users can be ignored`() {
        var profile = SessionConfiguration.inDev
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

    @Test func `server time and message id`() {
        play(
            .inDev,
            ready("message-tags server-time") + """
                < @time=2026-11-21T19:00:00.123Z;msgid=abc :ada!a@h PRIVMSG #dev :hello
                = #dev ada: hello at 2026-11-21T19:00:00.123Z as abc
                """)
        // Without the capability, the tag means nothing.
        play(.inDev, ready() + "< @time=2011-01-01T00:00:00.000Z :ada!a@h PRIVMSG #dev :hello\n= #dev ada: hello")
    }

    @Test func `the sender's account, by account-tag`() {
        play(
            .inDev,
            ready("account-tag") + """
                < @account=ada :countess!a@h PRIVMSG #dev :hello
                = #dev countess (ada): hello
                < :countess!a@h PRIVMSG #dev :hello
                = #dev countess (no account): hello
                """)
    }

    @Test func `the sender's account, by extended-join and account-notify`() {
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
        #expect(session.members.channels["#dev"]?["zoe"]?.realName == "Zoe Z.")
        #expect(session.providesAccounts)
    }

    @Test func `playback batches are ignored`() {
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

    @Test func `messages from before registration are ignored, by server-time`() {
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

    @Test func `a netsplit's quits and joins are ignored (batch)`() {
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
        #expect(session.members.channels["#dev"]?.keys.sorted() == ["ada", "marvin"])
    }

    @Test func `without batches, a netsplit is recognized by the quit reason`() {
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

    @Test func `a kick is a departure of the kicked user`() {
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

    @Test func `joins, parts and topics`() {
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

    @Test func `malformed messages are ignored`() {
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
    @Test func `private CTCP requests are answered by notice, with a limit`() {
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
        var stage = SessionPlayer(Session(SessionConfiguration(nick: "marvin"), nonce: "", at: .zero))
        stage.record(stage.session.tell(time: "2026-11-21T19:00:00Z", to: "ada", at: .zero))
        stage.play("> NOTICE ada :\u{1}TIME 2026-11-21T19:00:00Z\u{1}")
    }
}

@Suite struct ChannelMembersTests {
    @Test func `members and their status`() {
        let session = play(
            .inDev,
            ready("multi-prefix", members: "marvin @+ada ~@bob") + """
                < :bob!b@h MODE #dev -o+b ada *!*@spam.test
                > NAMES #dev
                < :bob!b@h MODE #dev +lov 5 marvin marvin
                < :zoe!z@h JOIN #dev
                = #dev zoe joined
                < :zoe!z@h NICK Zaphod
                = #dev Zaphod was zoe
                """)
        let members = session.members.channels["#dev"] ?? [:]
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
                = #dev ada has the real name Ada L.
                < :marvin!m@h SETNAME :Marvin
                < :ada!a@h CHGHOST countess lovelace.test
                < :marvin!m@h CHGHOST m bot/marvin
                """)
        let ada = session.members.channels["#dev"]?["ada"]
        #expect(ada?.realName == "Ada L.")
        #expect(ada?.user == "countess")
        #expect(ada?.host == "lovelace.test")
        #expect(session.ownSource.description == "marvin!m@bot/marvin")
    }

    @Test func `a nick change is heard in each channel that shows the user, unless the user is ignored`() {
        var profile = SessionConfiguration.inDev
        profile.ignored = [Mask("*!spam@*")]
        play(
            profile,
            ready(members: "marvin ada eve") + """
                < :marvin!~marvin@host.test JOIN #tea
                * joined #tea
                < :ada!a@h JOIN #tea
                = #tea ada joined
                < :ada!a@h NICK countess
                = #dev countess was ada
                = #tea countess was ada
                < :countess!a@h NICK Countess
                = #dev Countess was countess
                = #tea Countess was countess
                < :Countess!a@h NICK Countess
                < :eve!spam@h NICK adam
                < :nobody!n@h NICK somebody
                < :nobody!n@h SETNAME :Somebody
                """)
    }

    @Test func `no members are kept for other channels`() {
        let session = play(.inDev, ready() + "< :marvin!m@h PART #dev\n* removed from #dev; rejoining")
        #expect(session.members.channels == [:])
    }
}
