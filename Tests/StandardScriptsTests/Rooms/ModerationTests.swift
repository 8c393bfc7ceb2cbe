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

    @Test func `addresses are blocked, but not those of admins or the server of the user who asks`() async throws {
        #expect(await irc.hears("blocks") == ["I block nobody."])
        #expect(await irc.hears("block mallory@example.org") == ["mallory@example.org is blocked."])
        #expect(await irc.hears("block irc:example.net", in: nil) == ["example.net is blocked."])
        #expect(await irc.hears("blocks") == ["example.net, mallory@example.org"])
        #expect(await irc.hears("block boss") == ["I won't block boss, who is one of my admins."])
        #expect(await irc.hears("unblock mallory@example.org") == ["mallory@example.org is no longer blocked."])
        #expect(await irc.hears("block eve@example.org", from: "ada") == ["Only my admins may use that."])
        let root = ModeratedNetwork.user("root")
        try await robot.robot.setAccess(.everyone, to: "Moderation", command: "block", by: root)
        #expect(
            await irc.hears("block Ship.org", from: "kim@ship.org") == [
                "I won't block Ship.org: that would affect you too."
            ])
        #expect(await irc.hears("blocks") == ["example.net"])
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
            #expect(await irc.hears("\(verb) eve") == ["I don't see \"eve\" in this room now."])
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

    @Test func `someone who isn't there can be banned too, and the answer says whom that means`() async {
        #expect(
            await irc.hears("ban gone for 2h spam") == ["gone ($a:gone-account) is banned for 2 hours."])
        #expect(irc.takeActs() == ["#dev ban b $a:gone-account: spam (root)"])
        #expect(await irc.hears("unban gone") == ["gone may come back."])
        #expect(irc.takeActs() == ["#dev unban b $a:gone-account"])
        #expect(await irc.hears("quiet gone") == ["I don't see \"gone\" in this room now."])
        #expect(await irc.hears("kick gone") == ["I don't see \"gone\" in this room now."])
        irc.setNeighbors("boss")
        #expect(
            await irc.hears("ban gone") == ["I won't ban gone: that would affect boss too, who is one of my admins."])
        #expect(irc.takeActs() == [])
    }

    /// Records that a user was last seen in a room with a name.
    private func note(_ id: String, called name: String, in room: String) async throws {
        let user = User(id: User.ID(adapter: "irc", value: id), name: name)
        let message = Message(
            id: Message.ID(adapter: "irc", value: "seen"), user: user,
            room: Room(id: Room.ID(adapter: "irc", value: room)), content: .text("hello"))
        let sighting = try #require(Sighting(of: message, at: robot.robot.date))
        try await brain.remember(BrainCollection<Sighting>("seen.people"), user.id.description, sighting.stored)
        try await brain.remember(BrainCollection<[User.ID]>("seen.names"), name, [user.id])
    }

    @Test func `who was last seen in the room is known by name, and only the moderator learns as whom`() async throws {
        #expect(await irc.hears("bans") == ["I've banned nobody here."])
        try await note("evil", called: "gone-eve", in: "#dev")
        #expect(
            await irc.hears("ban gone-eve") == [
                "gone-eve is banned until somebody says \"unban gone-eve\".", "By gone-eve I mean $a:evil, in #dev."
            ])
        // What was typed is no secret, but the nick that belongs to it may be.
        try await note("gone@evil", called: "eve", in: "#dev")
        try await brain.remember(
            BrainCollection<[User.ID]>("seen.names"), "gone@evil", [User.ID(adapter: "irc", value: "gone@evil")])
        #expect(await irc.hears("ban gone@evil for 2h") == ["gone@evil ($a:gone@evil) is banned for 2 hours."])
        try await note("other", called: "gone-bob", in: "#secret")
        #expect(
            await irc.hears("ban gone-bob for 2h") == ["gone-bob ($a:gone-account) is banned for 2 hours."])
        try await note("boss", called: "gone-boss", in: "#dev")
        #expect(await irc.hears("ban gone-boss") == ["I won't ban gone-boss, who is one of my admins."])
    }

    @Test func `somebody's last message is retracted, or the one that the moderator replies to`() async {
        #expect(await irc.hears("retract mallory no spam") == ["Done."])
        #expect(await irc.hears("retract", replyTo: "7") == ["Done."])
        #expect(await irc.hears("retract against the rules", replyTo: "8") == ["Done."])
        #expect(
            irc.takeActs() == [
                "#dev retract last: no spam (root)", "#dev retract 7: asked for by root",
                "#dev retract 8: against the rules (root)"
            ])
        #expect(
            await irc.hears("retract") == [
                "Which message? Reply to it, or say whose last one, as in: retract mallory"
            ])
        #expect(await irc.hears("retract grace") == ["I know no message of grace here that I could retract."])
        #expect(await irc.hears("retract boss") == ["I won't retract what was said by boss, who is one of my admins."])
        #expect(
            await irc.hears("retract", replyTo: "boss-1") == [
                "I won't retract what was said by boss, who is one of my admins."
            ])
        #expect(await irc.hears("retract me") == ["Reply to the message of yours that you mean."])
        #expect(irc.takeActs() == [])
        #expect(await irc.hears("retract mallory", from: "ada") == ["You need the moderator role for that."])
        irc.refuse(AdapterError(.unsupported, "dev@x can't retract messages of others (XEP-0425)"))
        #expect(await irc.hears("retract mallory") == ["dev@x can't retract messages of others (XEP-0425)."])
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
