import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite(.timeLimit(.minutes(15))) struct ModerationTests {
    private let brain = Brain(store: MemoryStore())
    private let irc = ModeratedNetwork("mallory", "ada", "grace", "root", "boss")
    private let robot: TestRobot

    init() { robot = Self.makeRobot(brain, irc) }

    private static func makeRobot(_ brain: Brain, _ irc: ModeratedNetwork) -> TestRobot {
        TestRobot(
            name: "hubot", admins: ["irc:root", "irc:boss"], brain: brain, settings: ["TIME_ZONE": "UTC"],
            networks: [irc], Moderation())
    }

    private static let notOperator = AdapterError(.notAllowed, "I'm not an operator in #dev: make me one")

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test func `statuses, kicks and the topic`() async {
        #expect(await irc.hears("op ada") == ["ada is an operator now."])
        #expect(await irc.hears("deop @Ada") == ["ada is no longer an operator."])
        #expect(await irc.hears("voice \"mallory\"") == ["mallory has voice now."])
        #expect(await irc.hears("devoice mallory") == ["mallory no longer has voice."])
        #expect(await irc.hears("kick mallory no spam") == ["I've kicked mallory."])
        #expect(await irc.hears("kick mallory") == ["I've kicked mallory."])
        #expect(await irc.hears("op me") == ["root is an operator now."])
        #expect(await irc.hears("topic tea  at\tfour") == ["Done."])
        #expect(
            irc.takeActs() == [
                "#dev op ada", "#dev deop ada", "#dev voice mallory", "#dev devoice mallory",
                "#dev kick mallory: no spam (root)", "#dev kick mallory: asked for by root", "#dev op root",
                "#dev topic tea at four"
            ])
    }

    @Test func `only admins and moderators may do that, in the room that is meant`() async throws {
        #expect(await irc.hears("kick mallory", from: "ada") == ["You need the moderator role for that."])
        #expect(await irc.hears("bans", from: "ada") == ["You need the moderator role for that."])
        try await robot.robot.set(role: "moderator", of: ModeratedNetwork.user("ada"), to: true)
        #expect(await irc.hears("kick mallory", from: "ada") == ["I've kicked mallory."])
        #expect(await irc.hears("kick mallory", from: "ada", in: nil) == ["Say that in the room that is meant."])
        let elsewhere = await robot.hears("hubot kick mallory", from: "root")
        #expect(elsewhere == [.reply("You need the moderator role for that.")])
    }

    @Test func `if everyone may do that, it still has to know who asks`() async throws {
        #expect(await irc.hears("bans") == ["I've banned nobody here."])
        let root = ModeratedNetwork.user("root")
        try await robot.robot.setAccess(.everyone, to: "Moderation", command: nil, by: root)
        let refusal = ["I can't verify who you are. Log in to your account first."]
        #expect(await irc.hears("kick mallory", from: "eve", isAnonymous: true) == refusal)
        #expect(await irc.hears("bans", from: "eve", isAnonymous: true) == refusal)
        #expect(await irc.hears("kick mallory", from: "eve") == ["I've kicked mallory."])
        #expect(irc.takeActs() == ["#dev kick mallory: asked for by eve"])
    }

    @Test func `it doesn't act on itself, the asker, admins, or users who aren't there`() async {
        for verb in ["kick", "ban", "quiet"] {
            #expect(await irc.hears("\(verb) boss") == ["I won't \(verb) boss, who is one of my admins."])
            #expect(await irc.hears("\(verb) me") == ["I won't \(verb) you. Ask somebody else."])
            #expect(await irc.hears("\(verb) hubot") == ["I'd rather leave that to others."])
            #expect(await irc.hears("\(verb) eve") == ["I don't see eve in this room now."])
        }
        for verb in ["deop", "devoice"] {
            #expect(await irc.hears("\(verb) boss") == ["I won't \(verb) boss, who is one of my admins."])
        }
        irc.setNeighbors("grace", "boss")
        #expect(
            await irc.hears("ban mallory") == [
                "I won't ban mallory: that would affect boss too, who is one of my admins."
            ])
        irc.setNeighbors("root")
        #expect(await irc.hears("ban mallory") == ["I won't ban mallory: that would affect you too."])
        #expect(irc.takeActs() == [])
        #expect(await irc.hears("bans") == ["I've banned nobody here."])
    }

    @Test func `a ban with a time is lifted at its end, and listed until then`() async {
        #expect(await irc.hears("ban mallory for 2h no spam") == ["mallory is banned for 2 hours."])
        #expect(irc.takeActs() == ["#dev ban mallory as b *!*@mallory.example: no spam (root)"])
        let times = "on Monday, 1 January at 00:00 (UTC), until Monday, 1 January at 02:00 (UTC)"
        #expect(await irc.hears("bans") == ["mallory: banned by root \(times): no spam"])
        #expect(await irc.hears("bans", in: "#ops") == ["I've banned nobody here."])
        _ = await robot.advance(by: .minutes(119))
        #expect(irc.takeActs() == [])
        _ = irc.takeDelivered()
        _ = await robot.advance(by: .minutes(2))
        #expect(irc.takeActs() == ["#dev unban b *!*@mallory.example if own"])
        #expect(irc.takeDelivered() == ["#dev: mallory may come back."])
        #expect(await irc.hears("bans") == ["I've banned nobody here."])
    }

    @Test func `it is lifted after a restart too`() async {
        #expect(await irc.hears("quiet mallory for 1 hour") == ["mallory is quiet for 1 hour."])
        // It reads the same brain, and its clock begins again.
        let other = ModeratedNetwork("mallory")
        let next = Self.makeRobot(brain, other)
        let times = "on Monday, 1 January at 00:00 (UTC), until Monday, 1 January at 01:00 (UTC)"
        #expect(await other.hears("bans") == ["mallory: quiet, asked for by root \(times)"])
        _ = await next.advance(by: .minutes(62))
        #expect(other.takeActs() == ["#dev unquiet b *!*@mallory.example if own"])
        #expect(other.takeDelivered().last == "#dev: mallory may speak again.")
    }

    @Test func `if it can't be lifted, the room learns that once, and the robot tries again`() async {
        _ = await irc.hears("ban mallory for 2h")
        irc.refuse(Self.notOperator)
        _ = irc.takeActs()
        _ = await robot.advance(by: .minutes(121))
        let reason = "I'm not an operator in #dev: make me one."
        #expect(
            irc.takeDelivered() == ["#dev: I can't lift the ban of mallory yet. \(reason) I'll keep trying."])
        #expect(irc.takeActs().first == "(#dev unban b *!*@mallory.example if own)")
        _ = await robot.advance(by: .minutes(10))
        #expect(irc.takeDelivered() == [])
        irc.refuse(nil)
        _ = irc.takeActs()
        _ = await robot.advance(by: .minutes(60))
        #expect(irc.takeActs() == ["#dev unban b *!*@mallory.example if own"])
        #expect(irc.takeDelivered() == ["#dev: mallory may come back."])
    }

    @Test func `what somebody else has set meanwhile stays`() async {
        _ = await irc.hears("ban mallory for 2h")
        irc.refuse(AdapterError(.setByOthers, "it is bob who has set that in #dev"))
        _ = irc.takeActs()
        _ = await robot.advance(by: .minutes(121))
        #expect(
            irc.takeDelivered() == ["#dev: I leave the ban of mallory in force. It is bob who has set that in #dev."])
        #expect(irc.takeActs() == ["(#dev unban b *!*@mallory.example if own)"])
        irc.refuse(nil)
        _ = await robot.advance(by: .hours(3))
        #expect(irc.takeActs() == [])
        #expect(await irc.hears("bans") == ["I've banned nobody here."])
    }

    @Test func `a room can have a hundred of these, and no timer is left of one more`() async throws {
        #expect(await irc.hears("bans") == ["I've banned nobody here."])
        for number in 0..<100 {
            _ = try await RestrictionBook(brain: brain).add(
                RestrictionRecord(
                    id: "\(number)", restriction: RoomRestriction(.ban, of: "b *!*@\(number).example"),
                    user: ModeratedNetwork.user("eve"), author: ModeratedNetwork.user("root"),
                    date: Date(timeIntervalSince1970: 0), end: nil, reason: ""),
                in: Room.ID(adapter: "irc", value: "#dev"))
        }
        let refusal = "100 bans of mine are in force here. Lift some first: say \"bans\"."
        #expect(await irc.hears("ban mallory for 1h") == [refusal])
        #expect(irc.takeActs() == [])
        var timers = 0
        for try await _ in robot.robot.scheduledTimers(of: Moderation.lifting) { timers += 1 }
        #expect(timers == 0)
    }

    @Test func `a refused ban isn't kept, and a former one stays`() async {
        irc.refuse(Self.notOperator)
        #expect(await irc.hears("ban mallory for 1h") == ["I'm not an operator in #dev: make me one."])
        #expect(await irc.hears("bans") == ["I've banned nobody here."])
        irc.refuse(nil)
        #expect(
            await irc.hears("ban mallory") == ["mallory is banned until somebody says \"unban mallory\"."])
        irc.refuse(Self.notOperator)
        #expect(await irc.hears("ban mallory for 1h") == ["I'm not an operator in #dev: make me one."])
        irc.refuse(nil)
        let line = "mallory: banned by root on Monday, 1 January at 00:00 (UTC)"
        #expect(await irc.hears("bans") == [line])
        _ = irc.takeActs()
        _ = await robot.advance(by: .hours(3))
        #expect(irc.takeActs() == [])
        #expect(await irc.hears("bans") == [line])
    }

    @Test func `if nobody knows whether it worked, it is lifted all the same`() async {
        irc.refuse(AdapterError(.unconfirmed, "the server didn't answer"))
        #expect(await irc.hears("ban mallory for 1h") == ["The server didn't answer."])
        irc.refuse(nil)
        _ = irc.takeActs()
        _ = await robot.advance(by: .minutes(61))
        #expect(irc.takeActs() == ["#dev unban b *!*@mallory.example if own"])
    }

    @Test func `what is lifted by a command isn't lifted again`() async {
        _ = await irc.hears("ban mallory for 1h")
        _ = await irc.hears("quiet grace")
        _ = irc.takeActs()
        let hint = "Say \"bans\" to see whom I have."
        #expect(await irc.hears("unquiet mallory") == ["I haven't quieted mallory here. \(hint)"])
        #expect(await irc.hears("unban mallory", in: "#ops") == ["I haven't banned mallory here. \(hint)"])
        #expect(await irc.hears("unban Mallory") == ["mallory may come back."])
        #expect(await irc.hears("unquiet *!*@grace.example") == ["grace may speak again."])
        #expect(irc.takeActs() == ["#dev unban b *!*@mallory.example", "#dev unquiet b *!*@grace.example"])
        _ = await robot.advance(by: .hours(2))
        #expect(irc.takeActs() == [])
    }

    @Test func `a new ban of the same user replaces the old one`() async {
        _ = await irc.hears("ban mallory for 1h")
        #expect(await irc.hears("ban mallory for 3h") == ["mallory is banned for 3 hours."])
        _ = irc.takeActs()
        _ = await robot.advance(by: .hours(2))
        #expect(irc.takeActs() == [])
        _ = await robot.advance(by: .hours(2))
        #expect(irc.takeActs() == ["#dev unban b *!*@mallory.example if own"])
    }

    @Test func `others who are affected are named`() async {
        irc.setNeighbors("grace")
        let answer = await irc.hears("ban mallory for 30m")
        #expect(answer == ["mallory is banned for 30 minutes. That also affects grace."])
    }

    @Test(
        arguments: [
            ("", nil, ""), ("for 2h", "2 hours", ""),
            ("for 2 hours and 5 minutes no spam", "2 hours 5 minutes", "no spam"),
            ("no spam for 1 day", "1 day", "no spam"), ("for being rude", nil, "for being rude"),
            ("no spam for us", nil, "no spam for us")
        ] as [(String, String?, String)])
    func `times and reasons are read`(_ text: String, _ span: String?, _ reason: String) throws {
        let order = try RestrictionOrder(text[...])
        #expect(order.span?.description == span)
        #expect(order.reason == reason)
    }

    @Test(arguments: ["for 2", "for 91 days", "for 0h", "for 5 years"])
    func `a time that isn't valid is refused`(_ text: String) {
        #expect(throws: Refusal.self) { try RestrictionOrder(text[...]) }
    }
}
