import HeybotSupport
import Testing

@testable import HeybotIRC

/// Messages with several lines (IRCv3 draft/multiline).
@Suite struct MultilineTests {
    private func player(
        _ others: String = "", limits: String = "max-bytes=40,max-lines=3", speaksInNotices: Bool = false
    ) -> SessionPlayer {
        var profile = SessionConfiguration.inDev
        profile.speaksInNotices = speaksInNotices
        profile.rateLimit = RateLimit(burst: 100, interval: .seconds(1))
        var player = SessionPlayer(Session(profile, nonce: "", at: .zero))
        player.begin()
        let capabilities = "batch draft/multiline\(others) message-tags"
        player.play(
            ready(capabilities).replacing(
                "LS :batch draft/multiline", with: "LS :batch draft/multiline=\(limits)"))
        return player
    }

    @Test func `the lines of a batch are one message`() {
        var player = player()
        player.play(
            """
            < @msgid=abc :ada!a@h BATCH +1 draft/multiline #dev
            < @batch=1 :ada!a@h PRIVMSG #dev :marvin: one
            < :bob!b@h PRIVMSG #dev :meanwhile
            = #dev bob: meanwhile
            < @batch=1 :ada!a@h PRIVMSG #dev :
            < @batch=1 :ada!a@h PRIVMSG #dev :twe
            < @batch=1;draft/multiline-concat :ada!a@h PRIVMSG #dev :nty
            < BATCH -1
            = #dev ada: marvin: one⏎⏎twenty as abc
            < @batch=1 :ada!a@h PRIVMSG #dev :late
            < :marvin!~marvin@host.test BATCH +2 draft/multiline #dev
            < @batch=2 :marvin!~marvin@host.test PRIVMSG #dev :marvin: an echo
            < BATCH -2
            """)
    }

    @Test func `hostile batches: other senders and targets, no lines, too many lines, no end`() {
        var player = player()
        let line = "< @batch=1 :ada!a@h PRIVMSG #dev :x\n"
        player.play(
            """
            < :ada!a@h BATCH +1 draft/multiline #dev
            < @batch=1 :ada!a@h PRIVMSG #dev :one
            < @batch=1 :eve!e@h PRIVMSG #dev :forged
            < @batch=1 :ada!a@h PRIVMSG #ops :elsewhere
            < BATCH -1
            = #dev ada: one
            < :ada!a@h BATCH +1 draft/multiline #dev
            < BATCH -1
            < BATCH +1 draft/multiline
            < BATCH -1
            < :ada!a@h BATCH +1 draft/multiline #dev
            \(String(repeating: line, count: 201))
            < BATCH -1
            = #dev ada: \(Array(repeating: "x", count: 200).joined(separator: "⏎"))
            \((1...20).map { "< :ada!a@h BATCH +open\($0) draft/multiline #dev\n" }.joined())
            < :ada!a@h BATCH +more draft/multiline #dev
            < @batch=more :ada!a@h PRIVMSG #dev :alone
            = #dev ada: alone
            """)
    }

    @Test func `several lines are sent as one message, within the server's limits`() {
        var player = player()
        player.say(OutgoingMessage(to: "#dev", "one\n\n two\nthree"))
        player.play(
            """
            > BATCH +m1 draft/multiline #dev
            > @batch=m1 PRIVMSG #dev one
            > @batch=m1 PRIVMSG #dev : two
            > @batch=m1 PRIVMSG #dev three
            > BATCH -m1
            """)
        player.say(OutgoingMessage(to: "#dev", "one"))
        player.play("> PRIVMSG #dev one")
        player.say(OutgoingMessage(to: "#dev", "1\n2\n3\n4"))
        player.play("> PRIVMSG #dev 1\n> PRIVMSG #dev 2\n> PRIVMSG #dev 3\n> PRIVMSG #dev 4")
        player.say(OutgoingMessage(to: "#dev", "a line with twenty-ni\nand one with as many "))
        player.play("> PRIVMSG #dev :a line with twenty-ni\n> PRIVMSG #dev :and one with as many ")
    }

    @Test func `one label for all lines`() {
        var player = player(" labeled-response")
        player.say(OutgoingMessage(to: "#dev", "one\ntwo"))
        player.play(
            """
            > @label=h1 BATCH +m1 draft/multiline #dev
            > @batch=m1 PRIVMSG #dev one
            > @batch=m1 PRIVMSG #dev two
            > BATCH -m1
            """)
        #expect(player.session.unsent.map(\.text) == ["one\ntwo"])
        player.play(
            """
            < @label=h1 :marvin!~marvin@host.test BATCH +e draft/multiline #dev
            < @batch=e :marvin!~marvin@host.test PRIVMSG #dev one
            < @batch=e :marvin!~marvin@host.test PRIVMSG #dev two
            < BATCH -e
            """)
        #expect(player.session.unsent == [])
    }

    @Test(arguments: ["max-lines=3", "max-bytes", "max-bytes=x", "max-bytes=-1", ""])
    func `without a limit of bytes, lines are sent one by one`(limits: String) {
        var player = player(limits: limits)
        player.say(OutgoingMessage(to: "#dev", "1\n2"))
        player.play("> PRIVMSG #dev 1\n> PRIVMSG #dev 2")
    }

    @Test func `notices are sent one by one, because a batch has only ordinary messages`() {
        var player = player(speaksInNotices: true)
        player.say(OutgoingMessage(to: "#dev", "1\n2"))
        player.play("> NOTICE #dev 1\n> NOTICE #dev 2")
    }
}
