import HeybotIRC
import HeybotSupport
import Testing

@Suite struct SpeakingTests {
    private func stage(_ profile: Profile = .inDev, _ transcript: String? = nil) -> Stage {
        var stage = Stage(Session(profile, nonce: "", at: .zero))
        stage.begin()
        stage.play(transcript ?? ready())
        // Joining has cost its share of the pace.
        stage.play("+ 10000")
        return stage
    }

    @Test func `words, actions, topics`() {
        var stage = stage()
        stage.say(Chat(to: "#dev", "hello"), Chat(to: "#dev", "waves", isAction: true))
        stage.note(stage.session.setTopic("tea at four", of: "#dev", at: stage.now))
        stage.play(
            """
            > PRIVMSG #dev hello
            > PRIVMSG #dev :\u{1}ACTION waves\u{1}
            > TOPIC #dev :tea at four
            """)
    }

    @Test func `in notices, by setting`() {
        var profile = Profile.inDev
        profile.speaksInNotices = true
        var stage = stage(profile)
        stage.say(Chat(to: "#dev", "hello"))
        stage.play("> NOTICE #dev hello")
    }

    @Test func `a burst at once, and then one after another; what can't wait overtakes and counts`() {
        var stage = stage()
        stage.say(Chat(to: "#dev", "1\n2\n3\n4\n5\n6\n7\n8"))
        stage.play(
            """
            > PRIVMSG #dev 1
            > PRIVMSG #dev 2
            > PRIVMSG #dev 3
            > PRIVMSG #dev 4
            > PRIVMSG #dev 5
            + 999
            + 1
            > PRIVMSG #dev 6
            < PING :1
            > PONG 1
            + 1999
            + 1
            > PRIVMSG #dev 7
            + 999
            + 1
            > PRIVMSG #dev 8
            """)
    }

    @Test func `joining goes before talking`() {
        var stage = stage()
        stage.say(Chat(to: "#dev", "1\n2\n3\n4\n5\n6"))
        stage.play(
            """
            > PRIVMSG #dev 1
            > PRIVMSG #dev 2
            > PRIVMSG #dev 3
            > PRIVMSG #dev 4
            > PRIVMSG #dev 5
            < :ada!a@h INVITE marvin #new
            * ada invites me to #new
            + 1000
            > JOIN #new
            + 1000
            > PRIVMSG #dev 6
            """)
    }

    @Test func `without a limit all goes out at once, unless nobody takes it`() {
        var profile = Profile.inDev
        profile.pace = Pace(burst: 1, interval: .zero)
        var stage = stage(profile)
        stage.session.isClogged = true
        stage.say(Chat(to: "#dev", "1\n2\n3\n4\n5\n6\n7"))
        stage.play("+ 100")
        stage.session.isClogged = false
        stage.play("+ 0\n" + (1...7).map { "> PRIVMSG #dev \($0)\n" }.joined())
    }

    @Test func `what finds no room in the queue is lost, counted and told`() {
        var profile = Profile.inDev
        profile.queueLimit = 2
        profile.pace = Pace(burst: 1, interval: .seconds(1))
        var stage = stage(profile)
        stage.say(Chat(to: "#dev", "1"))
        stage.say(Chat(to: "#dev", "2"), Chat(to: "#dev", "3"), Chat(to: "#dev", "4"), Chat(to: "#dev", "5"))
        stage.play(
            """
            > PRIVMSG #dev 1
            * 2 messages lost: too much was waiting to be said
            + 1000
            > PRIVMSG #dev 2
            + 1000
            > PRIVMSG #dev 3
            """)
    }

    @Test func `what waited for a connection is said once we are in our channels`() {
        play(
            .inDev,
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * joined #dev
                . settled
                > PRIVMSG #dev :where was I?
                """, waiting: [Chat(to: "#dev", "where was I?")])
    }

    @Test func `no line is longer than 512 bytes with what the server puts before it`() {
        var stage = stage()
        let text = String(repeating: "日本語 👨‍👩‍👧‍👦 naïve ", count: 60)
        stage.say(Chat(to: "#dev", text))
        let prefix = ":marvin!~marvin@host.test "
        let lines = stage.session.lines(of: Chat(to: "#dev", text))
        let longest = lines.map { (prefix + "PRIVMSG #dev :" + $0 + "\r\n").utf8.count }.max() ?? 0
        #expect(longest <= 512 && longest > 470)
        #expect(lines.joined(separator: " ").split(separator: " ") == text.split(separator: " "))
        // A longer host leaves less room.
        stage.note(
            stage.session.receive(
                IRCMessage(":irc.test 396 marvin \(String(repeating: "h", count: 60)) :is now your hidden host")
                    ?? IRCMessage("X"), at: stage.now))
        #expect(stage.session.lines(of: Chat(to: "#dev", text)).count >= lines.count)
        #expect(stage.session.ownSource.host?.utf8.count == 60)
    }

    @Test func `what others see before our words is learnt from our own (echo-message)`() {
        let session = play(
            .inDev, ready("echo-message") + "< :marvin!longer@cloak.of.marvin PRIVMSG #dev :hello")
        #expect(session.ownSource.description == "marvin!longer@cloak.of.marvin")
    }

    @Test func `nothing but one line gets onto the wire`() {
        var stage = stage()
        stage.say(
            Chat(to: "#dev", "a\u{1}DCC SEND x\u{1}\r\nQUIT :gotcha\u{0}\nb"),
            Chat(to: "#dev", "x\u{1}\r\nQUIT", isAction: true))
        stage.play(
            """
            > PRIVMSG #dev :aDCC SEND x
            > PRIVMSG #dev :QUIT :gotcha
            > PRIVMSG #dev b
            > PRIVMSG #dev :\u{1}ACTION x\u{1}
            > PRIVMSG #dev :\u{1}ACTION QUIT\u{1}
            """)
    }

    @Test func `a topic is one line, as long as the server allows`() {
        var stage = stage(.inDev, ready())
        stage.note(
            stage.session.setTopic(String(repeating: "日本語 ", count: 100) + "\nsecond", of: "#dev", at: stage.now))
        stage.note(
            stage.session.receive(
                IRCMessage("005 marvin TOPICLEN=11 :are supported") ?? IRCMessage("X", []), at: stage.now))
        stage.note(stage.session.setTopic("tea at four o'clock", of: "#dev", at: stage.now))
        stage.play(
            "> TOPIC #dev :\(([String](repeating: "日本語", count: 47)).joined(separator: " "))\n> TOPIC #dev :tea at four"
        )
        stage.play(
            "< 482 marvin #dev :You're not channel operator\n* #dev didn't get what I said: You're not channel operator"
        )
    }

    @Test func `what the server doesn't take is told once`() {
        play(
            .inDev,
            ready() + """
                < 404 marvin #dev :Cannot send to channel
                * #dev didn't get what I said: Cannot send to channel
                < 404 marvin #dev :Cannot send to channel
                """)
    }

    @Test func `whoever asks for much delays nobody else`() {
        var stage = stage()
        for number in 0..<40 { stage.say(Chat(to: "mallory", "\(number)\nmore", asker: Asker("mallory"))) }
        stage.play(
            (0..<5).map { _ in "" }.joined() + """
                > PRIVMSG mallory 0
                > PRIVMSG mallory more
                > PRIVMSG mallory 1
                > PRIVMSG mallory more
                > PRIVMSG mallory 2
                """)
        stage.say(Chat(to: "#dev", "bob: here", asker: Asker("bob")))
        stage.play("+ 1000\n> PRIVMSG #dev :bob: here\n+ 1000\n> PRIVMSG mallory more")
        #expect(stage.session.lines(askedBy: "mallory") == 74)
        // And a warning goes before all of it.
        stage.note(stage.session.warn("mallory", "not so fast", at: stage.now))
        stage.play("+ 1000\n> NOTICE mallory :not so fast")
    }

    @Test func `a private answer isn't for somebody else who is seen to have the nick`() {
        let amy = Asker("amy", source: Source("amy!a@h"), account: "amy")
        let cases = [
            ("a@h", "*", true), ("x@h", "*", false), ("a@other", "*", false), ("a@other", "amy", true),
            ("a@other", "eve", false)
        ]
        for (origin, account, isSaid) in cases {
            var stage = stage(.inDev, ready("account-notify extended-join"))
            stage.play(
                "< :amy!\(origin) JOIN #dev \(account) :A\n= #dev amy (\(account == "*" ? "no account" : account)) joined"
            )
            stage.say(Chat(to: "amy", "42", asker: amy), Chat(to: "AMY", "43", asker: amy))
            stage.play(
                isSaid
                    ? "> PRIVMSG amy 42\n> PRIVMSG AMY 43"
                    : "* 2 private answers weren't said: the nick of whoever asked is somebody else's now")
            stage.note(stage.session.warn("amy", "slow", asker: amy, at: stage.now))
            if isSaid { stage.play("> NOTICE amy slow") }
            // Of whom nothing is known, nothing can be told.
            stage.say(Chat(to: "bob", "42", asker: amy))
            stage.play("> PRIVMSG bob 42")
        }
    }

    @Test func `an answer that waited for a minute is dropped, counted and told; what nobody asked for is said`() {
        var profile = Profile.inDev
        profile.pace = Pace(burst: 1, interval: .seconds(25))
        profile.waits.silence = .seconds(1_000)
        var stage = stage(profile)
        stage.play("+ 100000")
        stage.say(
            Chat(to: "#dev", "1", asker: Asker("ada"), since: stage.now),
            Chat(to: "#dev", "2\n3", asker: Asker("ada"), since: stage.now),
            Chat(to: "#dev", "4", asker: Asker("ada"), since: stage.now), Chat(to: "#ops", "5", since: stage.now))
        stage.play(
            """
            > PRIVMSG #ops 5
            + 25000
            > PRIVMSG #dev 1
            + 25000
            > PRIVMSG #dev 2
            + 10000
            + 15000
            * 1 answer dropped after waiting for a minute: too much was waiting to be said
            > PRIVMSG #dev 3
            """)
    }

    @Test func `a long text is cut once, and anew only if there is less room`() {
        var profile = Profile.inDev
        profile.pace = Pace(burst: 1, interval: .zero)
        profile.queueLimit = 10
        var stage = stage(profile)
        let text = String(repeating: "word ", count: 200_000)
        stage.say(Chat(to: "#dev", text))
        var words = 0
        var rounds = 0
        while !stage.session.unsent.isEmpty, rounds < 10_000 {
            for case .send(let line) in stage.session.tick(at: stage.now) {
                words += line.parameters.last?.split(separator: " ").count ?? 0
            }
            rounds += 1
        }
        #expect(words + 500 * 99 > 200_000 && rounds < 100)
    }

    @Test func `leaving overtakes everything`() {
        var stage = stage()
        stage.say(Chat(to: "#dev", "1\n2\n3\n4\n5\n6"))
        stage.note(stage.session.quit("Bye"))
        stage.play((1...5).map { "> PRIVMSG #dev \($0)\n" }.joined() + "> QUIT Bye\n+ 5000\n< PING :1")
        stage.say(Chat(to: "#dev", "7"))
        stage.play("+ 60000")
        #expect(stage.session.unsent.map(\.text) == ["6", "7"])
    }
}

@Suite struct LivenessTests {
    @Test func `a server that says nothing is asked, and left where it doesn't answer`() {
        play(
            welcomed + """
                + 59999
                + 1
                > PING heybot
                + 29999
                + 1
                x the server has gone silent
                """)
    }

    @Test func `any word is a sign of life`() {
        play(
            welcomed + """
                + 60000
                > PING heybot
                + 29000
                < :irc.test PONG irc.test heybot
                + 59999
                + 1
                > PING heybot
                """)
    }

    @Test func `while we don't read, time stands still`() {
        var stage = Stage(Session(Profile(nick: "marvin"), nonce: "", at: .zero))
        stage.begin()
        stage.play(welcomed + "+ 60000\n> PING heybot")
        stage.session.pause(at: stage.now)
        stage.play("+ 600000")
        stage.session.resume(at: stage.now)
        stage.play("+ 29999\n+ 1\nx the server has gone silent")
    }
}

@Suite struct RedactionTests {
    @Test(arguments: [
        ("PASS sesame", "PASS (secret)"), ("AUTHENTICATE AAAA", "AUTHENTICATE (secret)"),
        ("OPER marvin sesame", "OPER (secret)"), ("JOIN #dev sesame", "JOIN #dev (secret)"),
        ("PRIVMSG NickServ :IDENTIFY sesame", "PRIVMSG NickServ (secret)"),
        ("PRIVMSG nickserv@services.test :IDENTIFY sesame", "PRIVMSG nickserv@services.test (secret)"),
        ("NickServ IDENTIFY sesame", "NickServ (secret)"), ("PRIVMSG #dev :sesame", "PRIVMSG #dev sesame")
    ]) func `passwords and keys stay out of logs`(line: String, logged: String) {
        #expect(IRCMessage(line)?.redacted == logged)
    }
}
