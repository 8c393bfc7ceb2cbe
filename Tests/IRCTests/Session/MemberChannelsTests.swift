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
}
