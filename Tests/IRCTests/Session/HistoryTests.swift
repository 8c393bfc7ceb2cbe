import FoundationEssentials
import HeybotSupport
import Testing

@testable import HeybotIRC

/// Messages that were said while the robot was disconnected.
@Suite struct HistoryTests {
    private static let chathistory = "batch draft/chathistory message-tags server-time"

    private var profile: SessionConfiguration {
        var profile = SessionConfiguration.inDev
        profile.missedMessageAge = .seconds(600)
        return profile
    }

    /// The registration at a time, until the robot is in its channel.
    private func joined(_ capabilities: String = Self.chathistory, at time: String) -> String {
        start + """
            < CAP * LS :\(capabilities)
            > CAP REQ :\(capabilities)
            < CAP * ACK :\(capabilities)
            > CAP END
            < @time=2026-11-21T\(time).000Z 001 marvin :Welcome
            < 005 marvin CHANTYPES=# CHATHISTORY=50 :are supported by this server
            < 376 marvin :End
            > JOIN #dev
            < :marvin!~marvin@host.test JOIN #dev
            * joined #dev
            . settled

            """
    }

    private func player(after mark: HistoryMark? = nil) -> SessionPlayer {
        var player = SessionPlayer(Session(profile, nonce: "", history: mark, at: .zero))
        player.begin()
        return player
    }

    /// What a connection leaves that ended right after 19:00:05.
    private func mark(_ capabilities: String = Self.chathistory) -> HistoryMark? {
        var player = player()
        player.play(
            joined(capabilities, at: "19:00:00") + """
                < @time=2026-11-21T19:00:05.000Z;msgid=a :ada!a@h PRIVMSG #dev :marvin: one
                = #dev ada: marvin: one at 2026-11-21T19:00:05.000Z as a
                """)
        return player.session.historyMark
    }

    @Test func `what was said in a channel meanwhile is heard, once`() {
        var player = player(after: mark())
        player.play(
            joined(at: "19:02:00") + """
                > CHATHISTORY AFTER #dev timestamp=2026-11-21T19:00:05.000Z 50
                > CHATHISTORY TARGETS timestamp=2026-11-21T19:00:05.000Z timestamp=2026-11-21T19:03:00.000Z 50
                < @time=2026-11-21T19:02:01.000Z;msgid=live :ada!a@h PRIVMSG #dev :marvin: three
                = #dev ada: marvin: three at 2026-11-21T19:02:01.000Z as live
                < @time=2026-11-21T19:01:40.000Z;msgid=old :ada!a@h PRIVMSG #dev :marvin: played before it was asked for
                < :irc.test BATCH +h chathistory #DEV
                < @batch=h;time=2026-11-21T19:00:05.000Z;msgid=a :ada!a@h PRIVMSG #dev :marvin: one
                < @batch=h;time=2026-11-21T19:01:00.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: two
                = #dev ada: marvin: two at 2026-11-21T19:01:00.000Z as b (missed)
                < @batch=h;time=2026-11-21T19:01:00.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: two
                < @batch=h;time=2026-11-21T19:02:01.000Z;msgid=live :ada!a@h PRIVMSG #dev :marvin: three
                < @batch=h;time=2026-11-21T19:01:30.000Z :ada!a@h PRIVMSG #dev :\u{1}ACTION waves\u{1}
                = #dev ada: waves at 2026-11-21T19:01:30.000Z (missed)
                < @batch=h;time=2026-11-21T19:01:40.000Z;msgid=old :ada!a@h PRIVMSG #dev :marvin: played
                = #dev ada: marvin: played at 2026-11-21T19:01:40.000Z as old (missed)
                < @batch=h;time=2026-11-21T19:01:30.000Z :ada!a@h PRIVMSG #dev :\u{1}ACTION waves\u{1}
                < @batch=h;time=2026-11-21T19:01:31.000Z :ada!a@h PRIVMSG marvin :\u{1}VERSION\u{1}
                < @batch=h;time=2026-11-21T19:01:32.000Z;msgid=n :ada!a@h NOTICE #dev :marvin: ping
                < @batch=h;time=2026-11-21T19:01:33.000Z;msgid=o :marvin!m@h PRIVMSG #dev :marvin: ping
                < BATCH -h
                """)
    }

    @Test func `hostile history: nothing that wasn't asked for, no times from the future, no batch without an end`() {
        var player = player(after: mark())
        let message = ":ada!a@h PRIVMSG #dev :marvin: ping"
        let heard = "= #dev ada: marvin: ping at 2026-11-21T19:01:00.000Z as"
        let others = (0..<96).map { number in
            "< @batch=h;time=2026-11-21T19:01:00.000Z;msgid=m\(number) \(message)\n\(heard) m\(number) (missed)\n"
        }
        player.play(
            joined(at: "19:02:00") + """
                > CHATHISTORY AFTER #dev timestamp=2026-11-21T19:00:05.000Z 50
                > CHATHISTORY TARGETS timestamp=2026-11-21T19:00:05.000Z timestamp=2026-11-21T19:03:00.000Z 50
                < BATCH +x chathistory #ops
                < @batch=x;time=2026-11-21T19:01:00.000Z;msgid=x :ada!a@h PRIVMSG #ops :marvin: ping
                < BATCH +y chathistory
                < BATCH +z znc.in/playback #dev
                < @batch=z;time=2026-11-21T19:01:00.000Z;msgid=z \(message)
                < @batch=? BATCH +n chathistory #dev
                < @batch=n;time=2026-11-21T19:01:00.000Z;msgid=n \(message)
                < BATCH +h chathistory #dev
                < @batch=h;time=2026-11-21T19:03:01.000Z;msgid=1 \(message)
                < @batch=h;time=9999-99-99T99:99:99.999Z;msgid=2 \(message)
                < @batch=h;time=tomorrow;msgid=3 \(message)
                < @batch=h;msgid=4 \(message)
                < BATCH +h chathistory #dev
                \(others.joined())
                < @batch=h;time=2026-11-21T19:01:00.000Z;msgid=more \(message)
                < BATCH +h2 chathistory #dev
                < @batch=h2;time=2026-11-21T19:01:00.000Z;msgid=again \(message)
                """)
    }

    @Test func `private messages are asked for by sender, at most ten of them`() {
        var profile = profile
        profile.rateLimit = RateLimit(burst: 100, interval: .seconds(1))
        let others = (1...9).map { number in
            """
            < CHATHISTORY TARGETS u\(number) 2026-11-21T19:01:30.000Z
            > CHATHISTORY AFTER u\(number) timestamp=2026-11-21T19:00:05.000Z 50

            """
        }
        var player = SessionPlayer(Session(profile, nonce: "", history: mark(), at: .zero))
        player.begin()
        player.play(
            joined(at: "19:02:00") + """
                > CHATHISTORY AFTER #dev timestamp=2026-11-21T19:00:05.000Z 50
                > CHATHISTORY TARGETS timestamp=2026-11-21T19:00:05.000Z timestamp=2026-11-21T19:03:00.000Z 50
                < BATCH +t draft/chathistory-targets
                < @batch=t CHATHISTORY TARGETS #dev 2026-11-21T19:01:00.000Z
                < @batch=t CHATHISTORY TARGETS eve 2026-11-21T19:01:30.000Z
                > CHATHISTORY AFTER eve timestamp=2026-11-21T19:00:05.000Z 50
                < BATCH -t
                < BATCH +p chathistory eve
                < @batch=p;time=2026-11-21T19:01:30.000Z;msgid=p :eve!e@h PRIVMSG marvin :ping
                = eve: ping at 2026-11-21T19:01:30.000Z as p (missed)
                < BATCH -p
                \(others.joined())
                < CHATHISTORY TARGETS u10 2026-11-21T19:01:30.000Z
                """)
    }

    @Test func `the period limits what is asked for, and without an answer it is asked for again`() {
        var second = player(after: mark())
        second.play(
            joined(at: "19:30:00") + """
                > CHATHISTORY AFTER #dev timestamp=2026-11-21T19:20:00.000Z 50
                > CHATHISTORY TARGETS timestamp=2026-11-21T19:20:00.000Z timestamp=2026-11-21T19:31:00.000Z 50
                """)
        var third = player(after: second.session.historyMark)
        third.play(
            joined(at: "19:29:59") + """
                > CHATHISTORY AFTER #dev timestamp=2026-11-21T19:20:00.000Z 50
                > CHATHISTORY TARGETS timestamp=2026-11-21T19:20:00.000Z timestamp=2026-11-21T19:30:59.000Z 50
                """)
    }

    @Test func `the senders of private messages are asked for again until the server has named them all`() {
        for (answer, start) in [
            ("< BATCH +t draft/chathistory-targets", "19:00:05"),
            ("< BATCH +t draft/chathistory-targets\n< BATCH -t", "19:02:00"),
            (
                "< FAIL CHATHISTORY UNKNOWN_COMMAND TARGETS :No\n* the server says: CHATHISTORY UNKNOWN_COMMAND: No",
                "19:02:00"
            )
        ] {
            var second = player(after: mark())
            second.play(joined(at: "19:02:00") + requests + answer)
            var third = player(after: second.session.historyMark)
            third.play(
                joined(at: "19:02:00") + """
                    > CHATHISTORY AFTER #dev timestamp=2026-11-21T19:00:05.000Z 50
                    > CHATHISTORY TARGETS timestamp=2026-11-21T\(start).000Z timestamp=2026-11-21T19:03:00.000Z 50
                    """)
        }
    }

    @Test func `a mark from a clock that was ahead counts as one of now`() throws {
        let time = "2027-11-21T19:00:00.000Z"
        let stored = StoredHistoryMark(last: time, channels: ["#dev": time], mayBeAnswered: false)
        var player = player(after: HistoryMark(stored))
        player.play(
            joined(at: "19:02:00") + """
                > CHATHISTORY AFTER #dev timestamp=2026-11-21T19:02:00.000Z 50
                > CHATHISTORY TARGETS timestamp=2026-11-21T19:02:00.000Z timestamp=2026-11-21T19:03:00.000Z 50
                """)
        let left = try #require(player.session.historyMark).stored
        #expect(left.last == "2026-11-21T19:02:00.000Z" && left.channels == ["#dev": left.last])
    }

    @Test func `a bouncer's playback`() {
        let playback = "batch message-tags server-time znc.in/playback"
        var player = player(after: mark(playback))
        player.play(
            joined(playback, at: "19:02:00") + """
                > PRIVMSG *playback :PLAY * 1795287605
                < BATCH +c znc.in/playback #dev
                < @batch=c;time=2026-11-21T19:00:05.000Z :ada!a@h PRIVMSG #dev :marvin: one
                < @batch=c;time=2026-11-21T19:01:00.000Z :ada!a@h PRIVMSG #dev :marvin: two
                = #dev ada: marvin: two at 2026-11-21T19:01:00.000Z (missed)
                < BATCH -c
                < BATCH +d znc.in/playback #dev
                < @batch=d;time=2026-11-21T19:01:00.000Z :ada!a@h PRIVMSG #dev :marvin: three
                < BATCH +o znc.in/playback #other
                < @batch=o;time=2026-11-21T19:01:00.000Z :ada!a@h PRIVMSG #other :marvin: four
                < BATCH +p znc.in/playback eve
                < @batch=p;time=2026-11-21T19:01:00.000Z :eve!e@h PRIVMSG marvin :five
                = eve: five at 2026-11-21T19:01:00.000Z (missed)
                """)
    }

    @Test func `an account that is known now says nothing about who had the nick then`() {
        let capabilities = "account-notify batch draft/chathistory extended-join message-tags server-time"
        var player = player(after: mark(capabilities))
        player.play(
            joined(capabilities, at: "19:02:00") + """
                > CHATHISTORY AFTER #dev timestamp=2026-11-21T19:00:05.000Z 50
                > CHATHISTORY TARGETS timestamp=2026-11-21T19:00:05.000Z timestamp=2026-11-21T19:03:00.000Z 50
                < :ada!a@h JOIN #dev ada :Ada
                = #dev ada (ada) joined
                < BATCH +h chathistory #dev
                < @batch=h;time=2026-11-21T19:01:00.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: reboot
                = #dev ada: marvin: reboot at 2026-11-21T19:01:00.000Z as b (missed)
                """)
    }

    // MARK: Restarts

    /// What is asked for after 19:00:05.
    private let requests = """
        > CHATHISTORY AFTER #dev timestamp=2026-11-21T19:00:05.000Z 50
        > CHATHISTORY TARGETS timestamp=2026-11-21T19:00:05.000Z timestamp=2026-11-21T19:03:00.000Z 50

        """

    /// The player of a session after a robot that was killed some time after 19:00:05.
    private func playerAfterKill(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> SessionPlayer {
        var stored = try #require(mark()).stored
        stored.mayBeAnswered = true
        var profile = profile
        change(&profile)
        var player = SessionPlayer(Session(profile, nonce: "", history: HistoryMark(stored), at: .zero))
        player.begin()
        player.play(joined(at: "19:02:00") + requests)
        return player
    }

    @Test func `what arrives while the robot is stopped is left to the next process`() throws {
        var first = player()
        first.play(
            joined(at: "19:00:00") + """
                < @time=2026-11-21T19:00:05.000Z;msgid=a :ada!a@h PRIVMSG #dev :marvin: one
                = #dev ada: marvin: one at 2026-11-21T19:00:05.000Z as a
                """)
        first.session.stopHearing()
        // The robot ignores it.
        first.play(
            """
            < @time=2026-11-21T19:00:06.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: two
            = #dev ada: marvin: two at 2026-11-21T19:00:06.000Z as b
            """)
        let stored = try #require(first.session.historyMark).stored
        #expect(!stored.mayBeAnswered)
        let restored = try JSONDecoder().decode(StoredHistoryMark.self, from: try JSONEncoder().encode(stored))
        #expect(restored == stored)
        var second = player(after: HistoryMark(restored))
        second.play(
            joined(at: "19:02:00") + requests + """
                < BATCH +h chathistory #dev
                < @batch=h;time=2026-11-21T19:00:06.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: two
                = #dev ada: marvin: two at 2026-11-21T19:00:06.000Z as b (missed)
                < BATCH -h
                """)
    }

    @Test func `history that arrives while the robot is stopped is asked for again by the next process`() throws {
        var first = player(after: mark())
        first.play(joined(at: "19:02:00") + requests + "< BATCH +h chathistory #dev")
        first.session.stopHearing()
        first.play(
            """
            < @batch=h;time=2026-11-21T19:01:00.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: two
            < BATCH -h
            """)
        let stored = try #require(first.session.historyMark).stored
        // The beginning of the history may have been handled.
        #expect(stored.mayBeAnswered)
        var second = player(after: HistoryMark(stored))
        second.play(joined(at: "19:02:00") + requests)
    }

    @Test func `after a kill, only what has no answer in the history is heard`() throws {
        var player = try playerAfterKill { $0.names = ["Zaphod", "!"] }
        player.play(
            """
            < BATCH +h chathistory #dev
            < @batch=h;time=2026-11-21T19:00:06.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: two
            < @batch=h;time=2026-11-21T19:00:07.000Z;msgid=c :bob!b@h PRIVMSG #dev :@Marvin three
            < @batch=h;time=2026-11-21T19:00:08.000Z;msgid=d :bob!b@h PRIVMSG #dev :marvins are fun
            < @batch=h;time=2026-11-21T19:00:08.000Z;msgid=f :bob!b@h PRIVMSG #dev :marvin's jokes are fun
            < @batch=h;time=2026-11-21T19:00:09.000Z;+draft/reply=c :marvin!m@h PRIVMSG #dev :the answer to three
            < @batch=h;time=2026-11-21T19:00:09.100Z;+draft/reply=c :marvin!m@h PRIVMSG #dev :and more of it
            < @batch=h;time=2026-11-21T19:01:00.000Z;msgid=e :ada!a@h PRIVMSG #dev :zaphod, four
            < @batch=h;time=2026-11-21T19:01:00.000Z;msgid=e :ada!a@h PRIVMSG #dev :zaphod, four
            < @batch=h;time=2026-11-21T19:01:01.000Z;msgid=g :ada!a@h PRIVMSG #dev :!five
            < BATCH -h
            = #dev ada: marvin: two at 2026-11-21T19:00:06.000Z as b (missed)
            = #dev ada: zaphod, four at 2026-11-21T19:01:00.000Z as e (missed)
            = #dev ada: !five at 2026-11-21T19:01:01.000Z as g (missed)
            """)
    }

    @Test func `after a kill, a message that replies to none answers the oldest command, also as a notice`() throws {
        for command in ["PRIVMSG", "NOTICE"] {
            var player = try playerAfterKill { $0.speaksInNotices = command == "NOTICE" }
            player.play(
                """
                < BATCH +h chathistory #dev
                < @batch=h;time=2026-11-21T19:00:06.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: two
                < @batch=h;time=2026-11-21T19:00:07.000Z;msgid=c :bob!b@h PRIVMSG #dev :marvin: three
                < @batch=h;time=2026-11-21T19:00:08.000Z :marvin!m@h \(command) #dev :the answer to two
                < BATCH -h
                = #dev bob: marvin: three at 2026-11-21T19:00:07.000Z as c (missed)
                """)
        }
    }

    @Test func `after a kill, direct messages are compared with the answers to their senders`() throws {
        var player = try playerAfterKill()
        player.play(
            """
            < CHATHISTORY TARGETS eve 2026-11-21T19:01:30.000Z
            > CHATHISTORY AFTER eve timestamp=2026-11-21T19:00:05.000Z 50
            < BATCH +p chathistory eve
            < @batch=p;time=2026-11-21T19:00:06.000Z;msgid=p :eve!e@h PRIVMSG marvin :ping
            < @batch=p;time=2026-11-21T19:00:07.000Z :marvin!m@h PRIVMSG eve :PONG
            < @batch=p;time=2026-11-21T19:01:30.000Z;msgid=q :eve!e@h PRIVMSG marvin :time
            < BATCH -p
            = eve: time at 2026-11-21T19:01:30.000Z as q (missed)
            """)
    }

    @Test func `if the connection breaks before the history has ended, it is asked for again`() throws {
        var killed = try playerAfterKill()
        killed.play(
            """
            < BATCH +h chathistory #dev
            < @batch=h;time=2026-11-21T19:00:06.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: two
            """)
        var second = player(after: killed.session.historyMark)
        second.play(
            joined(at: "19:02:00") + requests + """
                < BATCH +h chathistory #dev
                < @batch=h;time=2026-11-21T19:00:06.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: two
                < BATCH -h
                = #dev ada: marvin: two at 2026-11-21T19:00:06.000Z as b (missed)
                """)
    }

    @Test func `a channel that the robot has left for good isn't asked about`() throws {
        var left = try #require(mark())
        left.forget("#dev")
        var player = player(after: left)
        player.play(
            joined(at: "19:02:00") + """
                > CHATHISTORY TARGETS timestamp=2026-11-21T19:00:05.000Z timestamp=2026-11-21T19:03:00.000Z 50
                """)
    }

    @Test func `messages don't wait for the requests of many channels`() {
        var profile = profile
        let names = (1...8).map { "#c\($0)" }
        profile.channels = names.map { SessionConfiguration.Channel($0) }
        func entering(at time: String) -> String {
            let joins = names.map { "< :marvin!~marvin@host.test JOIN \($0)\n* joined \($0)\n" }
            return joined(at: time).replacing(
                "> JOIN #dev\n< :marvin!~marvin@host.test JOIN #dev\n* joined #dev\n",
                with: "> JOIN \(names.joined(separator: ","))\n\(joins.joined())")
        }
        var first = SessionPlayer(Session(profile, nonce: "", at: .zero))
        first.begin()
        first.play(entering(at: "19:00:00"))
        let waiting = [OutgoingMessage(to: "#c1", "waiting")]
        var second = SessionPlayer(
            Session(profile, nonce: "", waiting: waiting, history: first.session.historyMark, at: .zero))
        second.begin()
        let requests = names.map { "> CHATHISTORY AFTER \($0) timestamp=2026-11-21T19:00:00.000Z 50\n" }
        second.play(entering(at: "19:02:00") + "> PRIVMSG #c1 waiting\n" + requests.prefix(3).joined())
        second.say(OutgoingMessage(to: "#c1", "new"))
        second.play("+ 2000\n> PRIVMSG #c1 new\n\(requests[3])")
    }

    @Test func `a connection to a server that keeps nothing ends the time from which messages were missed`() {
        var failed = player(after: mark())
        failed.play(start)
        let isKept = failed.session.historyMark != nil
        #expect(isKept)
        var second = player(after: failed.session.historyMark)
        second.play(ready())
        let isOver = second.session.historyMark == nil
        #expect(isOver)
    }

    @Test func `a message with several lines`() {
        let capabilities = "batch draft/chathistory draft/multiline message-tags server-time"
        var player = player(after: mark(capabilities))
        player.play(
            joined(capabilities, at: "19:02:00") + """
                > CHATHISTORY AFTER #dev timestamp=2026-11-21T19:00:05.000Z 50
                > CHATHISTORY TARGETS timestamp=2026-11-21T19:00:05.000Z timestamp=2026-11-21T19:03:00.000Z 50
                < BATCH +h chathistory #dev
                < @batch=h;time=2026-11-21T19:01:00.000Z;msgid=b :ada!a@h BATCH +i draft/multiline #dev
                < @batch=i :ada!a@h PRIVMSG #dev :marvin: one
                < @batch=i :ada!a@h PRIVMSG #dev :two
                < BATCH -i
                = #dev ada: marvin: one⏎two at 2026-11-21T19:01:00.000Z as b (missed)
                < BATCH -h
                """)
    }

    @Test func `without a period, the capabilities aren't requested`() {
        play(
            start + """
                < CAP * LS :batch draft/chathistory server-time znc.in/playback
                > CAP REQ :batch server-time
                """)
    }
}
