import Testing

@testable import HeybotIRC

@Suite struct MemberChannelsTests {
    private static let nicks = (0..<12).map { "nick\($0)" }
    private static let channels = (0..<6).map { "#c\($0)" }

    /// Repeats, so that a failure can be seen again.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64 = 42

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test func `the channels of a nick are those that list it, whatever has happened`() throws {
        var (members, dice) = (ChannelMembers(), Dice())
        for _ in 0..<20_000 {
            let channel = try #require(Self.channels.randomElement(using: &dice))
            let nick = try #require(Self.nicks.randomElement(using: &dice))
            let other = try #require(Self.nicks.randomElement(using: &dice))
            switch Int.random(in: 0..<100, using: &dice) {
            case 0..<5: members.enter(channel, channel, isInvited: .random(using: &dice))
            case 5..<8: members.leave(channel)
            case 8..<50: members.add(.init(nick: nick), nick, to: channel)
            case 50..<70: _ = members.remove(nick, from: channel)
            case 70..<85: members.rename(nick, to: other, other)
            case 85..<88: members.renameChannel(channel, to: channel == "#c0" ? "#c1" : "#c0", "#c")
            case 88..<90: members.refold { $0 }
            case 90..<92: members.refold { $0 == "nick1" ? "nick2" : $0 }
            default: members.update(nick) { $0.realName = "N" }
            }
            for nick in Self.nicks {
                let listed = members.channels.filter { $0.value[nick] != nil }.keys.sorted()
                #expect(members.channels(of: nick) == listed)
                #expect((members.member(nick) != nil) == listed.contains { !members.isInvited($0) })
            }
        }
    }

    @Test func `one look shows of a user what each channel shows`() throws {
        var (members, dice) = (ChannelMembers(), Dice())
        let source = Source("n!u@h")
        // The watched users, and whether the server has reported their account.
        var watched: [String: Bool] = [:]
        for _ in 0..<20_000 {
            let channel = try #require(Self.channels.randomElement(using: &dice))
            let nick = try #require(Self.nicks.prefix(4).randomElement(using: &dice))
            switch Int.random(in: 0..<20, using: &dice) {
            case 0: members.enter(channel, channel, isInvited: .random(using: &dice))
            case 1: members.leave(channel)
            case 2..<6: members.add(.init(nick: nick), nick, to: channel)
            case 6..<9: members.add(.init(nick: nick, user: "u", host: "h"), nick, to: channel)
            case 9: members.add(.init(nick: nick, user: "other", host: "h"), nick, to: channel)
            case 10..<13: _ = members.remove(nick, from: channel)
            case 13:
                members.watch(.init(nick: nick), nick)
                watched[nick] = false
            case 14:
                members.unwatch(nick)
                watched[nick] = nil
            case 15: members.record(source, nick)
            case 16..<18: members.update(nick) { $0.mayBeHidden = .random(using: &dice) }
            default:
                let isReported = Bool.random(using: &dice)
                members.update(nick) { $0.accountUpdated = isReported ? .zero : nil }
                if watched[nick] != nil { watched[nick] = isReported }
            }
            for nick in Self.nicks.prefix(4) {
                check(members.view(of: nick, source), of: nick, source, members, watched[nick] ?? false)
            }
        }
    }

    private func check(
        _ view: ChannelMembers.UserView, of nick: String, _ source: Source, _ members: ChannelMembers,
        _ isWatchedWithAccount: Bool
    ) {
        let listed = members.channels.compactMapValues { $0[nick] }
        let chosen = listed.filter { !members.isInvited($0.key) }
        let shown = listed.filter { !$0.value.mayBeHidden && $0.value.isAt(source.user, source.host) }
        // To record the address has an effect wherever it is missing.
        var recorded = members
        recorded.record(source, nick)
        #expect(recorded.channels.values.allSatisfy { $0[nick].map { $0.user != nil || $0.host != nil } ?? true })
        #expect(view.isReported == (members.user(nick) != nil))
        let isHidden = members.member(nick) == nil && !chosen.isEmpty
        #expect(isHidden ? view.hidingChannel.map { chosen[$0] != nil } == true : view.hidingChannel == nil)
        if let stay = view.stay {
            #expect(shown[stay.channel]?.stay == stay.stay)
            #expect(chosen[stay.channel] != nil || shown.keys.allSatisfy { chosen[$0] == nil })
        } else {
            #expect(shown.isEmpty)
        }
        let reported = chosen.values.contains { !$0.mayBeHidden && $0.accountUpdated != nil }
        #expect((view.loggedIn != nil) == (reported || isWatchedWithAccount))
        #expect(view.loggedIn.map { $0.accountUpdated != nil } ?? true)
    }
}
