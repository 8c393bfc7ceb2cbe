import HeybotSupport
import Testing

@testable import HeybotIRC

@Suite struct JoiningTests {
    private func profile(_ channels: SessionConfiguration.Channel...) -> SessionConfiguration {
        var profile = SessionConfiguration(nick: "marvin")
        profile.channels = channels
        return profile
    }

    @Test func `channels are joined together, those with a key first`() {
        play(
            profile(.init("#dev"), .init("#ops", key: "sesame"), .init("#random")),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #ops,#dev,#random sesame
                """)
    }

    @Test func `a JOIN has as many channels as the server allows, at most ten, and is rate-limited`() {
        var profile = profile()
        profile.channels = (1...23).map { .init("#room\($0)") }
        profile.rateLimit = RateLimit(burst: 2, interval: .seconds(1))
        play(
            profile,
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #room1,#room2,#room3,#room4,#room5,#room6,#room7,#room8,#room9,#room10
                > JOIN #room11,#room12,#room13,#room14,#room15,#room16,#room17,#room18,#room19,#room20
                + 1000
                > JOIN #room21,#room22,#room23
                """)
        play(
            self.profile(.init("#a"), .init("#b"), .init("#c")),
            start + """
                < 001 marvin :Welcome
                < 005 marvin TARGMAX=PRIVMSG:4,JOIN:2 :are supported by this server
                < 376 marvin :End
                > JOIN #a,#b
                > JOIN #c
                """)
    }

    @Test(arguments: [403, 405, 437, 471, 473, 474, 475, 476, 477, 489, 520])
    func `a channel's refusal is logged once, and the join is retried`(number: Int) {
        play(
            profile(.init("#dev")),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                < \(number) marvin #Dev :Cannot join channel
                * can't join #Dev: Cannot join channel; retrying
                . settled
                + 60000
                > PING heybot
                > JOIN #dev
                < \(number) marvin #dev :Cannot join channel
                + 60000
                > PING heybot
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * back in #dev
                """)
    }

    @Test func `logging in retries channels that refused the robot`() {
        play(
            profile(.init("#dev")),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                < 477 marvin #dev :You need a registered nick
                * can't join #dev: You need a registered nick; retrying
                . settled
                < 900 marvin marvin!m@h marvin :You are now logged in as marvin
                * logged in as marvin
                + 0
                > JOIN #dev
                """)
    }

    @Test func `a kick is logged, and the rejoin is delayed longer each time`() {
        play(
            .inDev,
            ready() + """
                < :bob!b@h KICK #dev marvin :out!
                * kicked from #dev by bob: out!; rejoining
                + 1999
                + 1
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * back in #dev
                < :bob!b@h KICK #dev marvin
                * kicked from #dev by bob; rejoining
                + 3999
                + 1
                > JOIN #dev
                """)
    }

    @Test func `a long stay after a kick resets the delay`() {
        var profile = SessionConfiguration.inDev
        profile.timeouts.pingInterval = .seconds(3_600)
        play(
            profile,
            ready() + """
                < :bob!b@h KICK #dev marvin
                * kicked from #dev by bob; rejoining
                + 2000
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * back in #dev
                + 300000
                < :bob!b@h KICK #dev marvin
                * kicked from #dev by bob; rejoining
                + 2000
                > JOIN #dev
                """)
    }

    @Test func `a kick is final if rejoining is disabled`() {
        var profile = SessionConfiguration.inDev
        profile.rejoinsAfterKick = false
        let session = play(
            profile,
            ready() + "< :bob!b@h KICK #dev marvin :out\n* kicked from #dev by bob: out; not rejoining\n+ 59000")
        #expect(session.channels == [])
    }

    @Test func `a forced part and the rejoin are logged`() {
        play(
            .inDev,
            ready() + """
                < :marvin!m@h PART #dev :removed by services
                * removed from #dev; rejoining
                + 2000
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * back in #dev
                """)
    }

    @Test func `a channel that forwards is retried, and the forwarded one left then`() {
        let session = play(
            .inDev,
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                < 470 marvin #dev ##dev-unregistered :Forwarding to another channel
                * can't join #dev: Forwarding to another channel; retrying
                . settled
                < :marvin!m@h JOIN ##dev-unregistered
                * joined ##dev-unregistered
                < :ada!a@h PRIVMSG ##dev-unregistered :hello
                = ##dev-unregistered ada: hello
                + 60000
                > PING heybot
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * back in #dev
                > PART ##dev-unregistered
                < :marvin!m@h PART ##dev-unregistered
                """)
        #expect(session.joined == ["#dev"] && session.members.channels.keys.sorted() == ["#dev"])
    }

    @Test func `a renamed channel is followed, and the old name isn't joined again`() {
        var stage = SessionPlayer(Session(.inDev, nonce: "", at: .zero))
        stage.begin()
        stage.play(
            ready("draft/channel-rename") + """
                < :ada!a@h RENAME #dev #engine :new name
                * #dev was renamed to #engine
                < :ada!a@h PRIVMSG #engine :hello
                = #engine ada: hello
                < :bob!b@h KICK #engine marvin :out
                * kicked from #engine by bob: out; rejoining
                + 2000
                > JOIN #engine
                """)
        #expect(stage.session.channels.map(\.name) == ["#engine"])
        stage.say(OutgoingMessage(to: "#Dev", "deployed"))
        stage.play("> PRIVMSG #engine deployed")
    }

    @Test func `another user's kick doesn't affect the robot`() {
        play(.inDev, ready() + "< :bob!b@h KICK #dev ada :out\n= #dev ada left: out")
    }

    @Test func `invitations are accepted and remembered, unless disabled`() {
        let session = play(
            welcomed + """
                < :ada!a@h INVITE marvin #new
                * ada invited me to #new
                > JOIN #new
                """)
        #expect(session.channels == [.init("#new", origin: .invitation)])
        var profile = SessionConfiguration(nick: "marvin")
        profile.acceptsInvitations = false
        play(profile, welcomed + "< :ada!a@h INVITE marvin #new\n* ada invited me to #new; I don't accept invitations")
    }

    @Test func `an invitation to a configured channel is always accepted`() {
        var profile = profile(.init("#dev", key: "sesame"))
        profile.acceptsInvitations = false
        play(
            profile,
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev sesame
                < 473 marvin #dev :invite only
                * can't join #dev: invite only; retrying
                . settled
                < :ada!a@h INVITE marvin #dev
                * ada invited me to #dev
                > JOIN #dev sesame
                """)
    }

    @Test func `repeated invitations are rate-limited, and a refused invitation isn't retried`() {
        let session = play(
            welcomed + """
                < :ada!a@h INVITE marvin #new
                * ada invited me to #new
                > JOIN #new
                < :ada!a@h INVITE marvin #new
                < 474 marvin #new :banned
                * can't join #new: banned; retrying
                + 9999
                < :ada!a@h INVITE marvin #new
                + 1
                < :ada!a@h INVITE marvin #new
                * ada invited me to #new
                > JOIN #new
                < :marvin!m@h JOIN #new
                * joined #new
                < :bob!b@h KICK #new marvin :no bots
                * kicked from #new by bob: no bots; not rejoining
                """)
        #expect(session.channels == [])
    }

    @Test func `an invitation of another user is only logged (invite-notify)`() {
        play(
            .inDev,
            ready("invite-notify") + "< :ada!a@h INVITE zaphod #dev\n* ada invited zaphod to #dev")
    }

    @Test func `an unanswered JOIN times out`() {
        play(
            profile(.init("#dev")),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                + 10000
                . settled
                + 50000
                > PING heybot
                > JOIN #dev
                """)
    }
}
