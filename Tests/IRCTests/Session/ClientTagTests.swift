import HeybotIRC
import HeybotSupport
import Testing

/// Replies and reactions.
@Suite struct ClientTagTests {
    private let tagged = ready("echo-message message-tags")

    private func player(_ registration: String) -> SessionPlayer {
        var profile = SessionConfiguration.inDev
        profile.rateLimit = RateLimit(burst: 1_000, interval: .seconds(1))
        profile.timeouts.pingInterval = .seconds(3_600)
        var player = SessionPlayer(Session(profile, nonce: "", at: .zero))
        player.begin()
        player.play(registration)
        return player
    }

    private func reply(_ text: String, to id: String) -> OutgoingMessage {
        var message = OutgoingMessage(to: "#dev", text)
        message.reply = id
        return message
    }

    @Test func `replies, also to the robot's own messages`() {
        play(
            .inDev,
            tagged + """
                < @msgid=a;+draft/reply=x :ada!a@h PRIVMSG #dev :hi
                = #dev ada: hi as a in reply to x
                < @msgid=own :marvin!~marvin@host.test PRIVMSG #dev :hello
                < @msgid=b;+reply=own :ada!a@h PRIVMSG #dev :ping
                = #dev ada: ping as b in reply to own, the robot's hello
                < @+draft/reply=\(String(repeating: "x", count: 501)) :ada!a@h PRIVMSG #dev :long
                = #dev ada: long
                < @+draft/reply :ada!a@h PRIVMSG #dev :empty
                = #dev ada: empty
                """)
    }

    @Test func `reactions are heard, and other tags aren't`() {
        play(
            .inDev,
            tagged + """
                < @msgid=c;+draft/reply=a;+draft/react=👍 :ada!a@h TAGMSG #dev
                = #dev ada reacts to a: +👍 as c in reply to a
                < @+draft/reply=a;+draft/unreact=👍 :ada!a@h TAGMSG marvin
                = ada reacts to a: -👍 in reply to a
                < @+typing=active :ada!a@h TAGMSG #dev
                < @+draft/react=👍 :ada!a@h TAGMSG #dev
                < @+draft/reply=a :ada!a@h TAGMSG #dev
                < @+draft/reply=a;+draft/react=👍 :marvin!~marvin@host.test TAGMSG #dev
                < @+draft/reply=a;+draft/react=👍 :irc.test TAGMSG #dev
                < @+draft/reply=a;+draft/react=\(String(repeating: "x", count: 65)) :ada!a@h TAGMSG #dev
                < TAGMSG
                """)
    }

    @Test func `the first line of a reply has the id`() {
        var player = player(tagged)
        player.say(reply("one\ntwo", to: "a"))
        player.play("> @+draft/reply=a PRIVMSG #dev one\n> PRIVMSG #dev two")
    }

    @Test(arguments: [
        ("*", false), ("*,-draft/reply", true), ("draft/react", true), ("draft/reply,typing", false), ("", true)
    ])
    func `a tag that the server doesn't pass on isn't sent`(_ denied: String, _ isSent: Bool) {
        var player = player(tagged)
        player.play("< 005 marvin CLIENTTAGDENY=\(denied) :are supported by this server")
        player.say(reply("one", to: "a"))
        player.play(isSent ? "> @+draft/reply=a PRIVMSG #dev one" : "> PRIVMSG #dev one")
    }

    @Test func `without message-tags, nothing is tagged`() {
        var player = player(ready())
        player.say(reply("one", to: "a"))
        player.play("> PRIVMSG #dev one")
        #expect(!player.session.passes(.reply) && !player.session.passes(.react))
        let actions = player.session.react("👍", isAdded: true, to: "a", in: "#dev", requester: nil, at: player.now)
        #expect(actions == nil)
    }

    @Test func `reactions are sent without a text`() {
        var player = player(tagged)
        for isAdded in [true, false] {
            let actions = player.session.react(
                "👍", isAdded: isAdded, to: "a", in: "#dev", requester: nil, at: player.now)
            player.record(actions ?? [])
        }
        player.play(
            """
            > @+draft/react=👍;+draft/reply=a TAGMSG #dev
            > @+draft/reply=a;+draft/unreact=👍 TAGMSG #dev
            """)
    }
}
