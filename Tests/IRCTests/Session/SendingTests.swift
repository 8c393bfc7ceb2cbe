import HeybotSupport
import Testing

@testable import HeybotIRC

@Suite struct SendingTests {
    private func stage(_ profile: SessionConfiguration = .inDev, _ transcript: String? = nil) -> SessionPlayer {
        var stage = SessionPlayer(Session(profile, nonce: "", at: .zero))
        stage.begin()
        stage.play(transcript ?? ready())
        // The JOIN has used a part of the burst.
        stage.play("+ 10000")
        return stage
    }

    @Test func `messages, actions and topics are sent`() {
        var stage = stage()
        stage.say(OutgoingMessage(to: "#dev", "hello"), OutgoingMessage(to: "#dev", "waves", isAction: true))
        stage.record(stage.session.setTopic("tea at four", of: "#dev", at: stage.now))
        stage.play(
            """
            > PRIVMSG #dev hello
            > PRIVMSG #dev :\u{1}ACTION waves\u{1}
            > TOPIC #dev :tea at four
            """)
    }

    @Test func `messages are sent as notices if configured`() {
        var profile = SessionConfiguration.inDev
        profile.speaksInNotices = true
        var stage = stage(profile)
        stage.say(OutgoingMessage(to: "#dev", "hello"))
        stage.play("> NOTICE #dev hello")
    }

    @Test func `a burst, then one line at a time; urgent lines go first, and count`() {
        var stage = stage()
        stage.say(OutgoingMessage(to: "#dev", "1\n2\n3\n4\n5\n6\n7\n8"))
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

    @Test func `JOIN goes before messages`() {
        var stage = stage()
        stage.say(OutgoingMessage(to: "#dev", "1\n2\n3\n4\n5\n6"))
        stage.play(
            """
            > PRIVMSG #dev 1
            > PRIVMSG #dev 2
            > PRIVMSG #dev 3
            > PRIVMSG #dev 4
            > PRIVMSG #dev 5
            < :ada!a@h INVITE marvin #new
            * ada invited me to #new
            + 1000
            > JOIN #new
            + 1000
            > PRIVMSG #dev 6
            """)
    }

    @Test func `without a rate limit everything is sent at once, unless the connection is congested`() {
        var profile = SessionConfiguration.inDev
        profile.rateLimit = RateLimit(burst: 1, interval: .zero)
        var stage = stage(profile)
        stage.session.isCongested = true
        stage.say(OutgoingMessage(to: "#dev", "1\n2\n3\n4\n5\n6\n7"))
        stage.play("+ 100")
        stage.session.isCongested = false
        stage.play("+ 0\n" + (1...7).map { "> PRIVMSG #dev \($0)\n" }.joined())
    }

    @Test func `a full queue drops messages, and reports their number`() {
        var profile = SessionConfiguration.inDev
        profile.queueLimit = 2
        profile.rateLimit = RateLimit(burst: 1, interval: .seconds(1))
        var stage = stage(profile)
        stage.say(OutgoingMessage(to: "#dev", "1"))
        stage.say(
            OutgoingMessage(to: "#dev", "2"), OutgoingMessage(to: "#dev", "3"), OutgoingMessage(to: "#dev", "4"),
            OutgoingMessage(to: "#dev", "5"))
        stage.play(
            """
            > PRIVMSG #dev 1
            * 2 messages dropped: the send queue is full
            + 1000
            > PRIVMSG #dev 2
            + 1000
            > PRIVMSG #dev 3
            """)
    }

    @Test func `messages queued while disconnected are sent after joining`() {
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
                """, waiting: [OutgoingMessage(to: "#dev", "where was I?")])
    }

    @Test func `no line is longer than 512 bytes, including the server's prefix`() {
        var stage = stage()
        let text = String(repeating: "日本語 👨‍👩‍👧‍👦 naïve ", count: 60)
        stage.say(OutgoingMessage(to: "#dev", text))
        let prefix = ":marvin!~marvin@host.test "
        let lines = stage.session.lines(of: OutgoingMessage(to: "#dev", text))
        let longest = lines.map { (prefix + "PRIVMSG #dev :" + $0 + "\r\n").utf8.count }.max() ?? 0
        #expect(longest <= 512 && longest > 470)
        #expect(lines.joined(separator: " ").split(separator: " ") == text.split(separator: " "))
        // A longer host leaves less room.
        stage.record(
            stage.session.receive(
                IRCMessage(":irc.test 396 marvin \(String(repeating: "h", count: 60)) :is now your hidden host")
                    ?? IRCMessage("X"), at: stage.now))
        #expect(stage.session.lines(of: OutgoingMessage(to: "#dev", text)).count >= lines.count)
        #expect(stage.session.ownSource.host?.utf8.count == 60)
    }

    @Test func `the own prefix is learned from echoes (echo-message)`() {
        let session = play(
            .inDev, ready("echo-message") + "< :marvin!longer@cloak.of.marvin PRIVMSG #dev :hello")
        #expect(session.ownSource.description == "marvin!longer@cloak.of.marvin")
    }

    @Test func `a message can't inject a second line`() {
        var stage = stage()
        stage.say(
            OutgoingMessage(to: "#dev", "a\u{1}DCC SEND x\u{1}\r\nQUIT :gotcha\u{0}\nb"),
            OutgoingMessage(to: "#dev", "x\u{1}\r\nQUIT", isAction: true))
        stage.play(
            """
            > PRIVMSG #dev :aDCC SEND x
            > PRIVMSG #dev :QUIT :gotcha
            > PRIVMSG #dev b
            > PRIVMSG #dev :\u{1}ACTION x\u{1}
            > PRIVMSG #dev :\u{1}ACTION QUIT\u{1}
            """)
    }

    @Test func `a topic is one line within the server's limit`() {
        var stage = stage(.inDev, ready())
        stage.record(
            stage.session.setTopic(String(repeating: "日本語 ", count: 100) + "\nsecond", of: "#dev", at: stage.now))
        stage.record(
            stage.session.receive(
                IRCMessage("005 marvin TOPICLEN=11 :are supported") ?? IRCMessage("X", []), at: stage.now))
        stage.record(stage.session.setTopic("tea at four o'clock", of: "#dev", at: stage.now))
        stage.play(
            "> TOPIC #dev :\(([String](repeating: "日本語", count: 47)).joined(separator: " "))\n> TOPIC #dev :tea at four"
        )
        stage.play(
            "< 482 marvin #dev :You're not channel operator\n* #dev didn't receive my message: You're not channel operator"
        )
    }

    @Test func `a rejected message is logged once per target`() {
        play(
            .inDev,
            ready() + """
                < 404 marvin #dev :Cannot send to channel
                * #dev didn't receive my message: Cannot send to channel
                < 404 marvin #dev :Cannot send to channel
                """)
    }

    @Test func `a user who causes many messages doesn't delay others`() {
        var stage = stage()
        for number in 0..<40 {
            stage.say(OutgoingMessage(to: "mallory", "\(number)\nmore", requester: RequesterIdentity("mallory")))
        }
        stage.play(
            (0..<5).map { _ in "" }.joined() + """
                > PRIVMSG mallory 0
                > PRIVMSG mallory more
                > PRIVMSG mallory 1
                > PRIVMSG mallory more
                > PRIVMSG mallory 2
                """)
        stage.say(OutgoingMessage(to: "#dev", "bob: here", requester: RequesterIdentity("bob")))
        stage.play("+ 1000\n> PRIVMSG #dev :bob: here\n+ 1000\n> PRIVMSG mallory more")
        #expect(stage.session.lines(requestedBy: "mallory") == 74)
        // A warning goes before all of it.
        stage.record(stage.session.warn("mallory", "not so fast", at: stage.now))
        stage.play("+ 1000\n> NOTICE mallory :not so fast")
    }

    @Test func `the lines of a short answer stay together, and shorter answers go first`() {
        var stage = stage()
        for user in ["ada", "bob"] {
            stage.session.isCongested = user == "ada"
            let text = (1...4).map { "\(user)\($0)" }.joined(separator: "\n")
            stage.say(OutgoingMessage(to: "#dev", text, requester: RequesterIdentity(user)))
        }
        stage.play((1...4).map { "> PRIVMSG #dev ada\($0)\n" }.joined() + "> PRIVMSG #dev bob1")
        stage.say(OutgoingMessage(to: "#dev", "carol", requester: RequesterIdentity("carol")))
        stage.play(
            """
            + 1000
            > PRIVMSG #dev carol
            + 1000
            > PRIVMSG #dev bob2
            + 1000
            > PRIVMSG #dev bob3
            + 1000
            > PRIVMSG #dev bob4
            """)
    }

    @Test func `a private answer isn't sent to another user with the nick`() {
        let amy = RequesterIdentity("amy", source: Source("amy!a@h"), account: "amy")
        let cases = [
            ("a@h", "*", true), ("x@h", "*", false), ("a@other", "*", false), ("a@other", "amy", true),
            ("a@other", "eve", false)
        ]
        for (origin, account, isSaid) in cases {
            var stage = stage(.inDev, ready("account-notify extended-join"))
            stage.play(
                "< :amy!\(origin) JOIN #dev \(account) :A\n= #dev amy (\(account == "*" ? "no account" : account)) joined"
            )
            stage.say(
                OutgoingMessage(to: "amy", "42", requester: amy), OutgoingMessage(to: "AMY", "43", requester: amy))
            stage.play(
                isSaid
                    ? "> PRIVMSG amy 42\n> PRIVMSG AMY 43"
                    : "* 2 private answers weren't sent: the user who asked has left, or another user has the nick now")
            stage.record(stage.session.warn("amy", "slow", requester: amy, at: stage.now))
            if isSaid { stage.play("> NOTICE amy slow") }
            // For an unknown user, it can't be checked.
            stage.say(OutgoingMessage(to: "bob", "42", requester: amy))
            stage.play("> PRIVMSG bob 42")
        }
    }

    /// The requester of a message that the session hears.
    private func asked(_ stage: inout SessionPlayer, _ line: String = "ada!a@h PRIVMSG marvin :psst")
        -> RequesterIdentity
    {
        for case .hear(let heard) in stage.session.receive(IRCMessage(":" + line) ?? IRCMessage("X"), at: stage.now) {
            return RequesterIdentity("a@h", source: heard.source, account: heard.account.name, shownIn: heard.shownIn)
        }
        Issue.record("nothing was heard")
        return RequesterIdentity("")
    }

    private let withheld =
        "* 5 private answers weren't sent: the user who asked has left, or another user has the nick now\n"

    private let withheldOne =
        "* 1 private answer wasn't sent: the user who asked has left, or another user has the nick now\n"

    private func answers(_ requester: RequesterIdentity, _ number: Int = 10) -> [OutgoingMessage] {
        (1...number).map { OutgoingMessage(to: "ada", "\($0)", requester: requester) }
    }

    @Test(arguments: [
        "< :ada!a@h QUIT :bye\n= #dev ada left: bye", "< :ada!a@h PART #dev\n= #dev ada left",
        "< :bob!b@h KICK #dev ada :out\n= #dev ada left: out", "< :ada!a@h QUIT :irc.hub.test leaf.test",
        "< :marvin!m@h KICK #dev marvin :out\n* kicked from #dev by marvin: out; rejoining",
        // Another user may have the nick, unseen.
        "< :bob!b@h MODE #dev +u\n+ 1000\n> NAMES #dev\n< 353 marvin = #dev :marvin @bob\n< 366 marvin #dev :End of NAMES"
    ]) func `an asker who isn't visible any more gets no further private answers`(change: String) {
        var stage = stage()
        let requester = asked(&stage)
        stage.record(stage.session.say(answers(requester), at: stage.now))
        stage.play((1...5).map { "> PRIVMSG ada \($0)\n" }.joined() + change)
        stage.play("+ 1000\n" + withheld)
        stage.play("+ 10000" + (change.contains("KICK #dev marvin") ? "\n> JOIN #dev" : ""))
        // The user who has the nick now and asks gets an answer.
        let next = asked(&stage, "ada!m@elsewhere PRIVMSG marvin :psst")
        stage.record(stage.session.say([OutgoingMessage(to: "ada", "hello", requester: next)], at: stage.now))
        stage.play("> PRIVMSG ada hello")
    }

    @Test func `once the question is forgotten, only an account proves who has the nick`() {
        for (account, member, isSent) in [("lovelace", "lovelace", true), ("lovelace", "eve", false), (nil, "*", false)]
        {
            var stage = stage(.inDev, ready("account-notify extended-join", members: "marvin"))
            let shown = member == "*" ? "no account" : member
            stage.play("< :ada!a@h JOIN #dev \(member) :A\n= #dev ada (\(shown)) joined\n")
            let requester = RequesterIdentity(forgotten: "ada", account: account)
            stage.record(stage.session.say(answers(requester, 1), at: stage.now))
            stage.play(isSent ? "> PRIVMSG ada 1" : withheldOne)
        }
    }

    /// Behind a gateway, many users have the same user name and host.
    @Test func `an asker who comes back gets the answers only if the account proves it`() {
        for (before, after) in [("*", "*"), ("lovelace", "*"), ("*", "lovelace"), ("lovelace", "lovelace")] {
            var stage = stage(.inDev, ready("account-notify extended-join", members: "marvin"))
            func comes(_ account: String) -> String {
                "< :ada!a@h JOIN #dev \(account) :A\n= #dev ada (\(account == "*" ? "no account" : account)) joined\n"
            }
            stage.play(comes(before))
            let requester = asked(&stage)
            let who = before == "*" ? "no account" : before
            stage.play("< :ada!a@h QUIT :bye\n= #dev ada (\(who)) left: bye\n" + comes(after))
            stage.record(stage.session.say(answers(requester, 1), at: stage.now))
            stage.play(before == "*" || after == "*" ? withheldOne : "> PRIVMSG ada 1")
            // The next one's own answer is sent.
            let next = asked(&stage)
            stage.record(stage.session.say(answers(next, 1), at: stage.now))
            stage.play("> PRIVMSG ada 1")
        }
    }

    @Test func `an asker who leaves one of two channels, and comes back there, is still the same`() {
        var profile = SessionConfiguration.inDev
        profile.channels.append(.init("#ops"))
        let ops = """
            < :marvin!~marvin@host.test JOIN #ops
            * joined #ops
            . settled
            < 353 marvin = #ops :marvin ada
            < 366 marvin #ops :End of NAMES

            """
        var stage = stage(
            profile,
            ready().replacing("> JOIN #dev", with: "> JOIN #dev,#ops").replacing(". settled\n", with: "") + ops)
        let requester = asked(&stage)
        let returns = "< :ada!a@h JOIN #dev\n= #dev ada joined\n"
        for change in ["< :ada!a@h PART #dev\n= #dev ada left\n", returns, "< :ada!a@h PART #ops\n= #ops ada left\n"] {
            stage.play(change)
            stage.record(stage.session.say(answers(requester, 1), at: stage.now))
            stage.play("> PRIVMSG ada 1")
        }
        stage.play("< :ada!a@h PART #dev\n= #dev ada left\n" + returns)
        stage.record(stage.session.say(answers(requester, 1), at: stage.now))
        stage.play(withheldOne)
    }

    @Test func `private answers wait while the server lists the members again`() {
        let listed = "< 353 marvin = #dev :marvin ada!a@h @bob\n< 366 marvin #dev :End of NAMES\n"
        for (change, result) in [
            ("+ 1000\n" + listed, "> PRIVMSG ada 6\n+ 1000\n> PRIVMSG ada 7\n"),
            // Somebody else may have the nick by now.
            ("+ 1000\n" + listed.replacing("!a@h", with: ""), withheld.replacing("5", with: "2")),
            ("+ 1000\n" + listed.replacing("!a@h", with: "!m@h"), withheld.replacing("5", with: "2")),
            ("+ 27000\n+ 999\n", "+ 1\n" + withheld.replacing("5", with: "2")),
            ("< :ada!a@h QUIT :bye\n= #dev ada left: bye\n", "+ 1000\n" + withheld.replacing("5", with: "2"))
        ] {
            var stage = stage()
            let requester = asked(&stage)
            stage.record(stage.session.say(answers(requester, 7), at: stage.now))
            stage.play((1...5).map { "> PRIVMSG ada \($0)\n" }.joined())
            stage.play("< :bob!b@h MODE #dev +m\n+ 1000\n> NAMES #dev\n")
            // Others don't wait.
            stage.record(stage.session.say([OutgoingMessage(to: "#dev", "hi")], at: stage.now))
            stage.play("+ 1000\n> PRIVMSG #dev hi\n" + change + result)
        }
    }

    @Test func `private answers follow an asker who changes the nick, and not the next user with the old one`() {
        var stage = stage(.inDev, ready(members: "marvin ada mal"))
        let requester = asked(&stage)
        stage.record(stage.session.say(answers(requester, 8), at: stage.now))
        stage.play(
            (1...5).map { "> PRIVMSG ada \($0)\n" }.joined() + """
                < :ada!a@h NICK countess
                = #dev countess was ada
                + 1000
                > PRIVMSG countess 6
                < :mal!m@elsewhere NICK ada
                = #dev ada was mal
                < :countess!a@h NICK Lovelace
                = #dev Lovelace was countess
                + 1000
                > PRIVMSG Lovelace 7
                < :lovelace!a@h QUIT :bye
                = #dev lovelace left: bye
                < :ada!m@elsewhere NICK countess
                = #dev countess was ada
                + 1000
                * 1 private answer wasn't sent: the user who asked has left, or another user has the nick now
                """)
        stage.record(stage.session.warn("ada", "slow", requester: requester, at: stage.now))
    }

    @Test func `a private answer doesn't follow an earlier holder of the nick`() {
        // On a host that both share: the channel shows mal, who had the nick before, and never showed the asker.
        var stage = stage(.inDev, ready(members: "marvin ada"))
        stage.play("< :ada!a@h NICK mal\n= #dev mal was ada")
        let requester = asked(&stage)
        #expect(requester.shownIn == nil)
        stage.record(stage.session.say(answers(requester, 1), at: stage.now))
        stage.play("> PRIVMSG ada 1")
        // Another asker is shown, and leaves.
        stage.play("< :ada!a@h JOIN #dev\n= #dev ada joined")
        let shown = asked(&stage)
        stage.play("< :ada!a@h PART #dev\n= #dev ada left")
        stage.record(stage.session.say(answers(shown, 1), at: stage.now))
        stage.play("* 1 private answer wasn't sent: the user who asked has left, or another user has the nick now")
    }

    @Test func `a long answer that follows a nick change still fits into its lines`() {
        var profile = SessionConfiguration.inDev
        profile.rateLimit = RateLimit(burst: 1, interval: .seconds(1))
        var stage = stage(profile)
        let requester = asked(&stage)
        let nick = String(repeating: "n", count: 30)
        let text = String(repeating: "word ", count: 300)
        _ = stage.session.say([OutgoingMessage(to: "ada", text, requester: requester)], at: stage.now)
        stage.play("< :ada!a@h NICK \(nick)\n= #dev \(nick) was ada")
        var lines: [IRCMessage] = []
        for second in 1...10 {
            for case .send(let line) in stage.session.tick(at: stage.now + .seconds(second)) { lines.append(line) }
        }
        #expect(lines.count > 2 && lines.allSatisfy { $0.parameters.first == nick })
        #expect(lines.allSatisfy { ":marvin!~marvin@host.test \($0)\r\n".utf8.count <= 512 })
    }

    @Test func `only the latest new nicks are remembered; without one, an answer isn't sent`() {
        var stage = stage()
        let requester = asked(&stage)
        for number in 0..<2_000 {
            let (old, new) = (number == 0 ? "ada" : "ada\(number - 1)", "ada\(number)")
            stage.play("< :\(old)!a@h NICK \(new)\n= #dev \(new) was \(old)")
        }
        #expect(stage.session.newNicks.count <= 500)
        stage.record(stage.session.say(answers(requester, 1), at: stage.now))
        stage.play("* 1 private answer wasn't sent: the user who asked has left, or another user has the nick now")
    }

    @Test func `an asker who was never visible gets the answers`() {
        var stage = stage(.inDev, ready(members: "marvin bob"))
        let requester = asked(&stage)
        #expect(requester.shownIn == nil)
        stage.record(stage.session.say(answers(requester, 1), at: stage.now))
        stage.play("> PRIVMSG ada 1")
    }

    @Test func `after the robot has left a channel on command, its members still get their answers`() {
        var stage = stage()
        let requester = asked(&stage)
        stage.record(stage.session.part("#dev", at: stage.now) ?? [])
        stage.play("> PART #dev\n< :marvin!m@h PART #dev")
        stage.record(stage.session.say(answers(requester, 1), at: stage.now))
        stage.play("> PRIVMSG ada 1")
    }

    @Test func `private answers that waited for a connection are sent, since no members are listed yet`() {
        let requester = RequesterIdentity(
            "a@h", source: Source("ada!a@h"), shownIn: MemberStay(session: "", channel: "#dev", stay: 1))
        play(
            .inDev,
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * joined #dev
                . settled
                > PRIVMSG ada 1
                """, waiting: answers(requester, 1))
    }

    @Test func `a private answer to a forgotten question that waited for a connection still needs the account`() {
        play(
            .inDev,
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * joined #dev
                . settled
                \(withheldOne)
                """, waiting: answers(RequesterIdentity(forgotten: "ada", account: "lovelace"), 1))
    }

    @Test func `requesters with one property that differs aren't equal`() {
        let stay = MemberStay(session: "1", channel: "#dev", stay: 1)
        let requester = RequesterIdentity("a@h", source: Source("ada!a@h"), account: "ada", shownIn: stay)
        let others = [
            RequesterIdentity("b@h", source: Source("ada!a@h"), account: "ada", shownIn: stay),
            RequesterIdentity("a@h", source: Source("ada!a@i"), account: "ada", shownIn: stay),
            RequesterIdentity("a@h", source: Source("ada!a@h"), account: "bob", shownIn: stay),
            RequesterIdentity("a@h", source: Source("ada!a@h"), account: "ada"), requester.unshown
        ]
        #expect(others.allSatisfy { $0 != requester } && others[3] == others[4])
        #expect(RequesterIdentity(forgotten: "a", account: "b") != RequesterIdentity("a", account: "b"))
        #expect(requester == RequesterIdentity("a@h", source: Source("ada!a@h"), account: "ada", shownIn: stay))
    }

    @Test func `an answer that waited for a minute is dropped and reported; other messages are sent`() {
        var profile = SessionConfiguration.inDev
        profile.rateLimit = RateLimit(burst: 1, interval: .seconds(25))
        profile.timeouts.pingInterval = .seconds(1_000)
        var stage = stage(profile)
        stage.play("+ 100000")
        stage.say(
            OutgoingMessage(to: "#dev", "1", requester: RequesterIdentity("ada"), since: stage.now),
            OutgoingMessage(to: "#dev", "2\n3", requester: RequesterIdentity("ada"), since: stage.now),
            OutgoingMessage(to: "#dev", "4", requester: RequesterIdentity("ada"), since: stage.now),
            OutgoingMessage(to: "#ops", "5", since: stage.now))
        stage.play(
            """
            > PRIVMSG #ops 5
            + 25000
            > PRIVMSG #dev 1
            + 25000
            > PRIVMSG #dev 2
            + 10000
            + 15000
            * 1 answer dropped after waiting for a minute: the send queue is too long
            > PRIVMSG #dev 3
            """)
    }

    @Test func `a long text is split once, and again only if the limit shrinks`() {
        var profile = SessionConfiguration.inDev
        profile.rateLimit = RateLimit(burst: 1, interval: .zero)
        profile.queueLimit = 10
        var stage = stage(profile)
        let text = String(repeating: "word ", count: 200_000)
        stage.say(OutgoingMessage(to: "#dev", text))
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

    @Test func `QUIT goes before everything`() {
        var stage = stage()
        stage.say(OutgoingMessage(to: "#dev", "1\n2\n3\n4\n5\n6"))
        stage.record(stage.session.quit("Bye"))
        stage.play((1...5).map { "> PRIVMSG #dev \($0)\n" }.joined() + "> QUIT Bye\n+ 5000\n< PING :1")
        stage.say(OutgoingMessage(to: "#dev", "7"))
        stage.play("+ 60000")
        #expect(stage.session.unsent.map(\.text) == ["6", "7"])
    }
}

@Suite struct KeepAliveTests {
    @Test func `a silent server is pinged, and the session ends if it doesn't answer`() {
        play(
            welcomed + """
                + 59999
                + 1
                > PING heybot
                + 29999
                + 1
                x ping timeout: the server stopped responding
                """)
    }

    @Test func `any message resets the keep-alive timer`() {
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

    @Test func `the keep-alive timer is paused while the owner doesn't read`() {
        var stage = SessionPlayer(Session(SessionConfiguration(nick: "marvin"), nonce: "", at: .zero))
        stage.begin()
        stage.play(welcomed + "+ 60000\n> PING heybot")
        stage.session.pause(at: stage.now)
        stage.play("+ 600000")
        stage.session.resume(at: stage.now)
        stage.play("+ 29999\n+ 1\nx ping timeout: the server stopped responding")
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
