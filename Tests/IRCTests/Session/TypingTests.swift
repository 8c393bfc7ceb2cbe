import HeybotSupport
import Testing

@testable import HeybotIRC

/// Typing notifications (IRCv3 client-only tag typing).
@Suite struct TypingTests {
    private func player(_ registration: String = ready("message-tags")) -> SessionPlayer {
        var profile = SessionConfiguration.inDev
        profile.rateLimit = RateLimit(burst: 1_000, interval: .seconds(1))
        profile.timeouts.pingInterval = .seconds(3_600)
        var player = SessionPlayer(Session(profile, nonce: "", at: .zero))
        player.begin()
        player.play(registration)
        return player
    }

    private func shows(_ isTyping: Bool, in target: String = "#dev", _ player: inout SessionPlayer) {
        player.record(player.session.showTyping(isTyping, in: target, requester: nil, at: player.now))
    }

    @Test func `a notification follows another one in the same channel after three seconds at the earliest`() {
        var player = player()
        shows(true, &player)
        shows(true, in: "#DEV", &player)
        shows(false, &player)
        shows(true, in: "ada", &player)
        player.play(
            """
            > @+typing=active TAGMSG #dev
            > @+typing=active TAGMSG ada
            + 2999
            """)
        shows(true, &player)
        player.play("+ 1")
        shows(true, &player)
        player.play("> @+typing=active TAGMSG #dev\n+ 3000")
        shows(false, &player)
        shows(false, &player)
        shows(true, &player)
        player.play("> @+typing=done TAGMSG #dev\n+ 3000")
        shows(false, &player)
        shows(true, &player)
        player.play("> @+typing=active TAGMSG #dev\n+ 6000")
        // By now, clients don't show it any more.
        shows(false, &player)
        player.play("")
    }

    @Test func `nothing is shown if something waits, or the server passes nothing on`() {
        var congested = player()
        congested.session.isCongested = true
        shows(true, &congested)
        congested.play("")
        var untagged = player(ready())
        shows(true, &untagged)
        untagged.play("")
        var denied = player()
        denied.play("< 005 marvin CLIENTTAGDENY=*,-draft/reply :are supported by this server")
        shows(true, &denied)
        denied.play("")
    }

    @Test func `a message shows that the robot has stopped writing in its channel`() {
        var player = player()
        shows(true, &player)
        shows(true, in: "#ops", &player)
        player.say(OutgoingMessage(to: "#dev", "done"))
        player.play(
            """
            > @+typing=active TAGMSG #dev
            > @+typing=active TAGMSG #ops
            > PRIVMSG #dev done
            """)
        shows(true, &player)
        player.play("+ 3000")
        shows(false, &player)
        shows(false, in: "#ops", &player)
        player.play("> @+typing=done TAGMSG #ops")
        shows(true, &player)
        player.play("> @+typing=active TAGMSG #dev\n+ 3000")
        player.say(OutgoingMessage(to: "ada", "hi"))
        player.play("> PRIVMSG ada hi\n+ 3000")
        player.say(OutgoingMessage(to: "ada", "bye"))
        player.play("> PRIVMSG ada bye")
        #expect(player.session.typing.isEmpty)
    }

    @Test func `only a limited number of conversations is remembered`() {
        var player = player()
        for number in 1...101 { shows(true, in: "n\(number)", &player) }
        player.play((1...100).map { "> @+typing=active TAGMSG n\($0)\n" }.joined() + "+ 3000")
        shows(true, in: "n101", &player)
        player.play("> @+typing=active TAGMSG n101")
    }
}
