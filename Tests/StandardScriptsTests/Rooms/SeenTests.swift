import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite(.timeLimit(.minutes(15))) struct SeenTests {
    private let brain = Brain(store: MemoryStore())
    private let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", brain: brain, settings: ["TIME_ZONE": "UTC"], Seen())
    }

    private func says(_ text: String, from user: String = "alice", in room: String = "#test") async -> [String] {
        await robot.hears("hubot \(text)", from: user, in: room).map(\.content)
    }

    private func stored() async throws -> [String] { try await brain.keys(of: "seen.people", atMost: 100).sorted() }

    /// Writes a sighting to the brain.
    private func write(_ sighting: Sighting) async throws {
        let log = SightingLog()
        log.setOptedOut(OptOuts())
        log.record(sighting)
        let zones = UserAndRoomTimeZones(usual: nil)
        try await SightingRecords(brain: brain).write(log, at: robot.robot.date, zones)
    }

    private static func sighting(
        _ id: String, on network: String = "test", called name: String? = nil, isAnonymous: Bool = false, at date: Date,
        in room: String = "#test"
    ) throws -> Sighting {
        let user = User(id: User.ID(adapter: network, value: id), name: name ?? id, isAnonymous: isAnonymous)
        let message = Message(
            id: Message.ID(adapter: network, value: "1"), user: user,
            room: Room(id: Room.ID(adapter: network, value: room)), content: .text("hello"), time: date)
        return try #require(Sighting(of: message, at: date))
    }

    // MARK: Seen

    @Test func `it says when somebody was last seen, and what they did`() async {
        _ = await robot.hears("hello", from: "ada")
        #expect(await says("seen ada") == ["ada last spoke here at 00:00."])
        _ = await robot.leaves("ada")
        #expect(await says("seen @Ada?") == ["ada left here at 00:00."])
        _ = await robot.advance(by: .hours(26))
        #expect(await says("when was ada last seen?") == ["ada left here yesterday at 00:00."])
        _ = await robot.enters("ada")
        #expect(await says("have you seen ada lately?") == ["I last saw ada here at 02:00."])
        _ = await robot.advance(by: .hours(72))
        #expect(await says("last seen ada") == ["I last saw ada here on Tuesday at 02:00."])
    }

    @Test func `a user who has changed the name is found by the new one`() async {
        _ = await robot.hears("hello", from: "ada")
        _ = await robot.advance(by: .hours(1))
        _ = await robot.renames("ada", to: "countess")
        #expect(await says("seen countess") == ["I last saw countess here at 01:00."])
        #expect(await says("seen ada") == ["ada last spoke here at 00:00."])
    }

    @Test func `it doesn't name other rooms, and notes no direct messages`() async throws {
        _ = await robot.hears("hello", from: "ada", in: "#secret")
        #expect(await says("seen ada") == ["I last saw ada at 00:00, but not here."])
        _ = await robot.hears("hello", from: "bob", in: "bob")
        #expect(await says("seen bob") == ["I haven't seen bob yet."])
        _ = await robot.advance(by: .minutes(1))
        #expect(try await stored() == ["test:ada", "test:alice"])
    }

    @Test func `nobody, the asker and the robot have answers too`() async {
        #expect(await says("seen zoe") == ["I haven't seen zoe yet."])
        #expect(await says("seen me") == ["I can see you right now."])
        #expect(await says("have you seen me lately?") == ["I can see you right now."])
        let named = TestRobot(name: "hubot", alias: "marvin", Seen())
        for name in ["hubot?", "@Hubot", "Marvin", "yourself", "you"] {
            #expect(await named.hears("hubot seen \(name)").map(\.content) == ["I'm right here."], "\(name)")
        }
        #expect(await says("seen \(String(repeating: "x", count: 300))").joined().count < 80)
    }

    @Test func `of users with the same name on two networks, both are shown`() async throws {
        _ = await robot.hears("hello", from: "ada")
        _ = await robot.advance(by: .minutes(1))
        let other = User(id: User.ID(adapter: "xmpp", value: "ada@example.org"), name: "Ada")
        let message = Message(
            id: Message.ID(adapter: "xmpp", value: "1"), user: other,
            room: Room(id: Room.ID(adapter: "xmpp", value: "dev@example.org")), content: .enter, time: robot.robot.date)
        let sighting = try #require(Sighting(of: message, at: robot.robot.date))
        try await write(sighting)
        #expect(
            await says("seen ada") == [
                "I last saw Ada on xmpp at 00:01, but not here.\nada last spoke here at 00:00."
            ])
        #expect(await says("seen ada@example.org") == ["I last saw Ada on xmpp at 00:01, but not here."])
        #expect(await says("seen xmpp:ada@example.org") == ["I last saw Ada on xmpp at 00:01, but not here."])
    }

    @Test func `a user is found by their latest name and their id only`() async throws {
        _ = await robot.hears("hello")
        let date = robot.robot.date
        try await write(try Self.sighting("42", called: "Grace", at: date))
        #expect(await says("seen grace") == ["Grace last spoke here at 00:00."])
        try await write(try Self.sighting("42", called: "Ms. Hopper", at: date.addingTimeInterval(60)))
        #expect(await says("seen grace") == ["I haven't seen grace yet."])
        #expect(await says("seen \"ms. hopper\"") == ["Ms. Hopper last spoke here at 00:01."])
        #expect(await says("seen 42") == ["Ms. Hopper last spoke here at 00:01."])
        let user = User(id: User.ID(adapter: "test", value: "42"), name: "Ms. Hopper")
        try await SightingRecords(brain: brain).forget([user], SightingLog())
        #expect(await says("seen 42") == ["I haven't seen 42 yet."])
        #expect(try await brain.keys(of: "seen.names", atMost: 10) == [])
    }

    @Test func `of many users with the same name, the latest are found`() async throws {
        _ = await robot.hears("hello")
        for number in 0..<60 {
            try await write(try Self.sighting("\(number)", called: "Guest", at: robot.robot.date))
        }
        let names = BrainCollection<[User.ID]>("seen.names")
        #expect(try await brain.recall(names, "guest")?.map(\.value) == (10..<60).map(String.init))
    }

    // MARK: Writing

    @Test func `sightings are written once a minute, and known before`() async throws {
        _ = await robot.hears("hello", from: "ada")
        #expect(try await stored() == [])
        #expect(await says("seen ada") == ["ada last spoke here at 00:00."])
        _ = await robot.advance(by: .seconds(59))
        #expect(try await stored() == [])
        _ = await robot.advance(by: .seconds(1))
        #expect(try await stored() == ["test:ada", "test:alice"])
        let later = TestRobot(name: "hubot", brain: brain, settings: ["TIME_ZONE": "UTC"], Seen())
        #expect(await later.hears("hubot seen ada", from: "bob").map(\.content) == ["ada last spoke here at 00:00."])
        withExtendedLifetime((robot, later)) {}
    }

    @Test func `what was seen for more than a year is removed, and of too many the earliest`() async throws {
        _ = await robot.hears("hello", from: "ada")
        let people = BrainCollection<Sighting>("seen.people")
        let now = robot.robot.date
        for number in 0..<10_010 {
            let date = now.addingTimeInterval(-Double(number))
            try await brain.remember(people, "test:\(number)", Self.sighting("\(number)", at: date))
        }
        let old = now.addingTimeInterval(-401 * 86_400)
        try await brain.remember(people, "test:old", Self.sighting("old", at: old))
        try await SightingRecords(brain: brain).removeOldPeople(SightingLog(), at: now)
        var left = 0
        for try await _ in brain.entries(people) { left += 1 }
        #expect(left == 10_000)
        #expect(try await brain.recall(people, "test:9999") != nil)
        #expect(try await brain.recall(people, "test:10000") == nil)
        #expect(try await brain.recall(people, "test:old") == nil)
    }

    @Test func `a flood of names is limited in memory and in each room`() throws {
        let log = SightingLog()
        let date = Date(timeIntervalSinceReferenceDate: 0)
        log.record(try Self.sighting("early", at: date))
        // Until it is known who doesn't want to be noted, nobody is.
        #expect(log.pending == [])
        log.setOptedOut(OptOuts())
        var visits = RoomVisits()
        for number in 0..<5_000 {
            let sighting = try Self.sighting("\(number)", at: date.addingTimeInterval(Double(number)))
            log.record(sighting)
            visits.add(sighting, on: 3)
        }
        #expect(log.pending.count == 4_000)
        // The log replaces a user's sighting, but not with an earlier one.
        let later = try Self.sighting("7", at: date.addingTimeInterval(9_000))
        log.record(later)
        log.record(try Self.sighting("7", at: date))
        #expect(log.pending.count == 4_000)
        #expect(log.pending.contains(later))
        visits.trim(today: 4)
        #expect(visits.names(on: 3).count == 300)
        #expect(visits.names(on: 3).contains("4999") && !visits.names(on: 3).contains("4699"))
        visits.trim(today: 5)
        #expect(visits.names(on: 3) == [])
    }

    // MARK: Who was here

    @Test func `it lists who was here today and yesterday`() async {
        _ = await robot.hears("hello", from: "ada")
        _ = await robot.enters("bob")
        _ = await robot.hears("hello", from: "zoe", in: "#other")
        #expect(await says("who was here today?") == ["Today I've seen ada, alice, bob here."])
        #expect(await says("who was here yesterday") == ["Yesterday I've seen nobody here."])
        _ = await robot.advance(by: .hours(24))
        _ = await robot.hears("hello", from: "ada")
        #expect(await says("who was here", from: "carl") == ["Today I've seen ada, carl here."])
        #expect(await says("who was around yesterday", from: "carl") == ["Yesterday I've seen ada, alice, bob here."])
        _ = await robot.advance(by: .hours(24))
        #expect(await says("who was here yesterday") == ["Yesterday I've seen ada, carl here."])
        _ = await robot.advance(by: .hours(23))
        #expect(await says("seen in last 24h") == ["In the last 24 hours I've seen alice here."])
    }

    @Test func `the day is the room's`() async {
        let robot = TestRobot(name: "hubot", settings: ["TIME_ZONE": "Asia/Tokyo"], Seen())
        _ = await robot.hears("hello", from: "ada")
        _ = await robot.advance(by: .hours(16))
        #expect(
            await robot.hears("hubot who was here today", from: "bob") == [.text("Today I've seen bob here.")])
        #expect(
            await robot.hears("hubot who was here yesterday", from: "bob") == [.text("Yesterday I've seen ada here.")])
    }

    // MARK: Wishes

    @Test func `somebody who doesn't want to be noted isn't, and is forgotten`() async throws {
        _ = await robot.hears("hello", from: "ada")
        _ = await robot.advance(by: .minutes(1))
        #expect(try await stored() == ["test:ada"])
        #expect(
            await says("don't track me", from: "ada") == [
                "OK. I've forgotten when I saw you, and don't note it any more. To change that, say \"track me\"."
            ])
        #expect(try await stored() == [])
        _ = await robot.hears("hello", from: "ada")
        #expect(await says("seen ada") == ["ada doesn't want me to note that."])
        #expect(await says("who was here today") == ["Today I've seen alice here."])
        _ = await robot.advance(by: .minutes(1))
        #expect(try await stored() == ["test:alice"])
        // Another robot with the same brain knows it too.
        let other = TestRobot(name: "hubot", brain: brain, settings: ["TIME_ZONE": "UTC"], Seen())
        _ = await other.hears("hello", from: "ada")
        #expect(await other.hears("hubot seen ada").map(\.content) == ["ada doesn't want me to note that."])
        #expect(await says("track me", from: "ada") == ["OK, from now on I note when I see you."])
        _ = await robot.hears("hello", from: "ada")
        #expect(await says("seen ada") == ["ada last spoke here at 00:02."])
        withExtendedLifetime((robot, other)) {}
    }

    @Test func `forget me deletes what was noted, also what isn't written yet`() async throws {
        _ = await robot.hears("hello", from: "ada")
        _ = await robot.advance(by: .minutes(1))
        _ = await robot.hears("hello again", from: "ada")
        #expect(
            await says("forget me", from: "ada") == [
                "I've forgotten when I saw you. So that I don't note it again, say \"don't track me\"."
            ])
        #expect(await says("seen ada") == ["I haven't seen ada yet."])
        #expect(await says("who was here today") == ["Today I've seen alice here."])
        _ = await robot.advance(by: .minutes(1))
        #expect(try await stored() == ["test:alice"])
        _ = await robot.hears("hello", from: "ada")
        #expect(await says("seen ada") == ["ada last spoke here at 00:02."])
    }

    @Test func `an anonymous user isn't the account with the same id`() async throws {
        _ = await robot.hears("hello")
        let date = robot.robot.date
        let anonymous = User(id: User.ID(adapter: "test", value: "ada"), name: "ada", isAnonymous: true)
        let account = User(id: anonymous.id, name: "ada")
        let (records, log) = (SightingRecords(brain: brain), SightingLog())
        let people = BrainCollection<Sighting>("seen.people")
        try await write(Self.sighting("ada", at: date))
        try await records.forget([anonymous], log)
        #expect(try await brain.recall(people, "test:ada") != nil)
        #expect(await says("seen ada") == ["ada last spoke here at 00:00."])
        #expect(await says("who was here today") == ["Today I've seen ada, alice here."])

        try await records.readOptOuts(log)
        try await records.optOut([anonymous], log, at: date)
        try await records.readOptOuts(log)
        log.record(try Self.sighting("ada", isAnonymous: true, at: date))
        #expect(log.pending == [])
        let sighting = try Self.sighting("ada", at: date)
        log.record(sighting)
        log.forget([anonymous])
        #expect(log.pending == [sighting])

        try await records.optOut([account], log, at: date)
        #expect(log.pending == [])
        #expect(try await brain.keys(of: "seen.people", atMost: 10) == [])
        try await records.optIn([anonymous], log)
        try await records.readOptOuts(log)
        log.record(sighting)
        #expect(log.pending == [])
        try await records.optIn([account], log)
        log.record(sighting)
        #expect(log.pending == [sighting])
    }

    @Test func `forget me from an anonymous user is not for the account`() async throws {
        let irc = PrivateNetwork("irc")
        let robot = TestRobot(name: "hubot", brain: brain, settings: ["TIME_ZONE": "UTC"], networks: [irc], Seen())
        _ = await robot.hears("hello")
        let people = BrainCollection<Sighting>("seen.people")
        try await write(Self.sighting("ada", on: "irc", at: robot.robot.date))
        _ = await irc.hears("forget me", from: "ada", isAnonymous: true)
        #expect(try await brain.recall(people, "irc:ada") != nil)
        _ = await irc.hears("forget me", from: "ada")
        #expect(try await brain.recall(people, "irc:ada") == nil)
        withExtendedLifetime((self.robot, robot)) {}
    }

    @Test func `forget me also removes names that a failed batch has left`() async throws {
        _ = await robot.hears("hello")
        let names = BrainCollection<[User.ID]>("seen.names")
        let ada = User(id: User.ID(adapter: "test", value: "ada"), name: "ada")
        let bob = User.ID(adapter: "test", value: "bob")
        try await brain.remember(names, "lovelace", [ada.id, bob])
        try await brain.remember(names, "ada", [ada.id])
        try await SightingRecords(brain: brain).forget([ada], SightingLog())
        #expect(try await brain.keys(of: "seen.names", atMost: 10) == ["lovelace"])
        #expect(try await brain.recall(names, "lovelace") == [bob])
    }

    @Test func `forget me also deletes the last reminder`() async throws {
        let robot = TestRobot(name: "hubot", settings: ["TIME_ZONE": "UTC"], Reminders(), Seen())
        _ = await robot.hears("hubot remind me in 20 minutes to eat")
        #expect(await robot.words(in: .minutes(20)) == ["#test: Reminder: eat"])
        #expect(try await robot.robot.brain.keys(of: "reminders.delivered", atMost: 10) == ["user test:alice"])
        _ = await robot.hears("hubot forget me")
        #expect(try await robot.robot.brain.keys(of: "reminders.delivered", atMost: 10) == [])
    }
}
