import HeybotSupport
import Testing

@testable import HeybotIRC

@Suite struct JoiningTests {
    private func profile(_ channels: Profile.Channel...) -> Profile {
        var profile = Profile(nick: "marvin")
        profile.channels = channels
        return profile
    }

    @Test func `channels are asked for together, those with a key first`() {
        play(
            profile(.init("#dev"), .init("#ops", key: "sesame"), .init("#random")),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #ops,#dev,#random sesame
                """)
    }

    @Test func `as many in a line as the server takes, ten at most, and lines at the pace of all lines`() {
        var profile = profile()
        profile.channels = (1...23).map { .init("#room\($0)") }
        profile.pace = Pace(burst: 2, interval: .seconds(1))
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
    func `a channel that refuses us is told once and tried again and again`(number: Int) {
        play(
            profile(.init("#dev")),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                < \(number) marvin #Dev :Cannot join channel
                * #Dev doesn't let me in: Cannot join channel; I'll keep trying
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

    @Test func `an account opens what was closed without one`() {
        play(
            profile(.init("#dev")),
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                < 477 marvin #dev :You need a registered nick
                * #dev doesn't let me in: You need a registered nick; I'll keep trying
                . settled
                < 900 marvin marvin!m@h marvin :You are now logged in as marvin
                * logged in as marvin
                + 0
                > JOIN #dev
                """)
    }

    @Test func `a kick is told, and we are back in a moment, later each time`() {
        play(
            .inDev,
            ready() + """
                < :bob!b@h KICK #dev marvin :out!
                * kicked from #dev by bob: out!; I'll go back
                + 1999
                + 1
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * back in #dev
                < :bob!b@h KICK #dev marvin
                * kicked from #dev by bob; I'll go back
                + 3999
                + 1
                > JOIN #dev
                """)
    }

    @Test func `who stays long after a kick begins anew`() {
        var profile = Profile.inDev
        profile.waits.silence = .seconds(3_600)
        play(
            profile,
            ready() + """
                < :bob!b@h KICK #dev marvin
                * kicked from #dev by bob; I'll go back
                + 2000
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * back in #dev
                + 300000
                < :bob!b@h KICK #dev marvin
                * kicked from #dev by bob; I'll go back
                + 2000
                > JOIN #dev
                """)
    }

    @Test func `by setting, a kick is the end`() {
        var profile = Profile.inDev
        profile.rejoinsAfterKick = false
        let session = play(
            profile, ready() + "< :bob!b@h KICK #dev marvin :out\n* kicked from #dev by bob: out; I stay out\n+ 59000")
        #expect(session.channels == [])
    }

    @Test func `a forced part is told, and so is the return`() {
        play(
            .inDev,
            ready() + """
                < :marvin!m@h PART #dev :removed by services
                * removed from #dev; I'll go back
                + 2000
                > JOIN #dev
                < :marvin!m@h JOIN #dev
                * back in #dev
                """)
    }

    @Test func `a channel that sends us on is asked for again, and the other left then`() {
        let session = play(
            .inDev,
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                < 470 marvin #dev ##dev-unregistered :Forwarding to another channel
                * #dev doesn't let me in: Forwarding to another channel; I'll keep trying
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
        #expect(session.joined == ["#dev"] && session.roster.channels.keys.sorted() == ["#dev"])
    }

    @Test func `a channel that is renamed is followed, and the old one not made anew`() {
        var stage = Stage(Session(.inDev, nonce: "", at: .zero))
        stage.begin()
        stage.play(
            ready("draft/channel-rename") + """
                < :ada!a@h RENAME #dev #engine :new name
                * #dev is called #engine now
                < :ada!a@h PRIVMSG #engine :hello
                = #engine ada: hello
                < :bob!b@h KICK #engine marvin :out
                * kicked from #engine by bob: out; I'll go back
                + 2000
                > JOIN #engine
                """)
        #expect(stage.session.channels.map(\.name) == ["#engine"])
        stage.say(Chat(to: "#Dev", "deployed"))
        stage.play("> PRIVMSG #engine deployed")
    }

    @Test func `a kick of somebody else is theirs`() {
        play(.inDev, ready() + "< :bob!b@h KICK #dev ada :out\n= #dev ada left: out")
    }

    @Test func `invitations are followed, and remembered, or not`() {
        let session = play(
            welcomed + """
                < :ada!a@h INVITE marvin #new
                * ada invites me to #new
                > JOIN #new
                """)
        #expect(session.channels == [.init("#new", origin: .invitation)])
        var profile = Profile(nick: "marvin")
        profile.acceptsInvitations = false
        play(profile, welcomed + "< :ada!a@h INVITE marvin #new\n* ada invites me to #new; I don't follow invitations")
    }

    @Test func `an invitation to where we want to be is always followed`() {
        var profile = profile(.init("#dev", key: "sesame"))
        profile.acceptsInvitations = false
        play(
            profile,
            start + """
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev sesame
                < 473 marvin #dev :invite only
                * #dev doesn't let me in: invite only; I'll keep trying
                . settled
                < :ada!a@h INVITE marvin #dev
                * ada invites me to #dev
                > JOIN #dev sesame
                """)
    }

    @Test func `who invites again and again gets one attempt in a while; who was only invited doesn't insist`() {
        let session = play(
            welcomed + """
                < :ada!a@h INVITE marvin #new
                * ada invites me to #new
                > JOIN #new
                < :ada!a@h INVITE marvin #new
                < 474 marvin #new :banned
                * #new doesn't let me in: banned; I'll keep trying
                + 9999
                < :ada!a@h INVITE marvin #new
                + 1
                < :ada!a@h INVITE marvin #new
                * ada invites me to #new
                > JOIN #new
                < :marvin!m@h JOIN #new
                * joined #new
                < :bob!b@h KICK #new marvin :no bots
                * kicked from #new by bob: no bots; I stay out
                """)
        #expect(session.channels == [])
    }

    @Test func `somebody else's invitation is only noted (invite-notify)`() {
        play(
            .inDev,
            ready("invite-notify") + "< :ada!a@h INVITE zaphod #dev\n* ada invites zaphod to #dev")
    }

    @Test func `no answer is no reason to wait for ever`() {
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
