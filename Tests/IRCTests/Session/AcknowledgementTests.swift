import HeybotSupport
import Testing

@testable import HeybotIRC

/// Labels and their acknowledgements (IRCv3 labeled-response), and standard replies.
@Suite struct AcknowledgementTests {
    private func player(waiting: [OutgoingMessage] = []) -> SessionPlayer {
        var profile = SessionConfiguration.inDev
        profile.rateLimit = RateLimit(burst: 1_000, interval: .seconds(1))
        profile.timeouts.pingInterval = .seconds(3_600)
        var player = SessionPlayer(Session(profile, nonce: "", waiting: waiting, at: .zero))
        player.begin()
        return player
    }

    private let registration = ready("batch echo-message labeled-response message-tags standard-replies")

    @Test func `an echo, an ACK, a batch or an error acknowledges a line; a label that wasn't sent means nothing`() {
        var player = player()
        player.play(registration)
        player.say(OutgoingMessage(to: "#dev", "one\ntwo\nthree"))
        player.say(OutgoingMessage(to: "eve", "four", isAction: true))
        player.play(
            """
            > @label=h1 PRIVMSG #dev one
            > @label=h2 PRIVMSG #dev two
            > @label=h3 PRIVMSG #dev three
            > @label=h4 PRIVMSG eve :\u{1}ACTION four\u{1}
            < @label=h5 :irc.test ACK
            < @label :irc.test ACK
            < :irc.test ACK
            """)
        #expect(player.session.unsent.map(\.text) == ["one", "two", "three", "four"])
        player.play(
            """
            < @label=h1 :marvin!~marvin@host.test PRIVMSG #dev one
            < @label=h2 :irc.test ACK
            < @label=h3 :irc.test BATCH +1 labeled-response
            < BATCH -1
            < @label=h4 :irc.test 401 marvin eve :No such nick
            * eve didn't receive my message: No such nick
            """)
        #expect(player.session.unsent == [])
    }

    @Test func `a line that wasn't acknowledged is sent again, once, before what wasn't sent`() {
        var first = player()
        first.play(registration)
        first.say(OutgoingMessage(to: "#dev", "old"))
        first.play("> @label=h1 PRIVMSG #dev old\n+ 119000")
        first.say(OutgoingMessage(to: "#dev", "new"))
        first.play("> @label=h2 PRIVMSG #dev new\n+ 1000\n< :irc.test NOTICE marvin :now")
        #expect(first.session.unsent.map(\.text) == ["new"])
        #expect(first.session.unsentCount == 0)
        var second = player(waiting: first.session.unsent + [OutgoingMessage(to: "#dev", "unsent")])
        second.play(
            registration.replacing(
                ". settled\n", with: ". settled\n> PRIVMSG #dev new\n> @label=h1 PRIVMSG #dev unsent\n"))
        #expect(second.session.unsent.map(\.text) == ["unsent"])
    }

    @Test func `a tracked message has arrived when its last line is acknowledged, unless that is an error`() {
        var player = player()
        player.play(registration)
        for (target, text, id) in [("#dev", "one\ntwo", "a"), ("eve", "three", "b"), ("#dev", "four", "c")] {
            var message = OutgoingMessage(to: target, text)
            message.tracking = id
            player.say(message)
        }
        player.play(
            """
            > @label=h1 PRIVMSG #dev one
            > @label=h2 PRIVMSG #dev two
            > @label=h3 PRIVMSG eve three
            > @label=h4 PRIVMSG #dev four
            < @label=h1 :marvin!~marvin@host.test PRIVMSG #dev one
            < @label=h2 :marvin!~marvin@host.test PRIVMSG #dev two
            # a arrived
            < @label=h2 :marvin!~marvin@host.test PRIVMSG #dev two
            < @label=h9 :irc.test ACK
            < @label=h3 :irc.test 401 marvin eve :No such nick
            # b was refused
            * eve didn't receive my message: No such nick
            < @label=h4 :irc.test ack
            # c arrived
            """)
    }

    @Test func `only the last hundred lines are remembered`() {
        var player = player()
        player.play(registration)
        for number in 1...101 { player.say(OutgoingMessage(to: "#dev", "\(number)")) }
        player.play((1...101).map { "> @label=h\($0) PRIVMSG #dev \($0)\n" }.joined())
        #expect(player.session.unsent.map(\.text) == (2...101).map(String.init))
    }

    @Test func `without the capability, nothing is labeled or sent again`() {
        var player = player()
        player.play(ready("batch echo-message"))
        player.say(OutgoingMessage(to: "#dev", "one"))
        player.play("> PRIVMSG #dev one")
        #expect(player.session.unsent == [])
    }

    @Test func `failures concern the line or the channel that they are about; warnings and notes are logged`() {
        var player = player()
        player.play(registration)
        player.say(OutgoingMessage(to: "#dev", "one"))
        player.play(
            """
            > @label=h1 PRIVMSG #dev one
            < @label=h1 :irc.test FAIL PRIVMSG TOO_FAST #dev :Slow down
            * #dev didn't receive my message: Slow down
            """)
        #expect(player.session.unsent == [])
        player.record(player.session.join(.init("#ops", origin: .command), at: player.now))
        player.play(
            """
            > JOIN #ops
            < :irc.test FAIL JOIN NEED_VERIFICATION #ops :Verify first
            * can't join #ops: Verify first; retrying
            < :irc.test FAIL REHASH NO_RIGHTS :No
            * the server reported an error: REHASH NO_RIGHTS: No
            < :irc.test FAIL CHATHISTORY UNKNOWN_COMMAND TARGETS :Unknown
            * the server says: CHATHISTORY UNKNOWN_COMMAND: Unknown
            < :irc.test WARN * RESTART_SOON :In five minutes
            * the server says: RESTART_SOON: In five minutes
            < :irc.test NOTE OPER HELLO nobody :Welcome
            * the server says: OPER HELLO: Welcome
            < :irc.test FAIL JOIN
            < FAIL
            """)
        #expect(player.session.refusals["#ops"]?.parameters.last == "Verify first")
    }
}
