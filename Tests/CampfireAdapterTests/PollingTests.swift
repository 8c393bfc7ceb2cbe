import Heybot
import HeybotTesting
import StandardScripts
import Testing

@testable import CampfireAdapter

/// Receiving by polling rooms, with and without a webhook.
@Suite(.timeLimit(.minutes(15))) struct PollingTests {
    private let echo = InlineScript { robot in
        robot.hear(/.*/) { try await $0.send("\($0.message.user.name) said \($0.message.text ?? "")") }
    }

    /// Lets a number of further polls happen.
    private func poll(_ bench: CampfireHarness, _ count: Int = 1) async {
        for _ in 0..<count {
            let reads = bench.campfire.state.value.reads
            await bench.time.pass(.seconds(3))
            await bench.campfire.waitForReads(reads + 1)
            await bench.time.waitForSleep(of: .seconds(3))
        }
    }

    @Test(arguments: [FakeCampfire.Form.object, .array])
    func `new messages are answered in order, except those of bots`(_ form: FakeCampfire.Form) async throws {
        let campfire = FakeCampfire(TestTime())
        campfire.state.change { $0.form = form }
        campfire.say("old")
        let heard = Ears()
        try await CampfireHarness.run(secret: nil, rooms: ["1"], in: campfire, heard.script) { bench in
            await poll(bench)
            campfire.say("one")
            campfire.say("beep", isBot: true)
            campfire.say("two", name: "Bob")
            await poll(bench)
            campfire.say("three")
            await poll(bench, 3)
            await heard.wait(3)
            #expect(heard.texts == ["Ada: one", "Bob: two", "Ada: three"])
        }
    }

    @Test func `a direct room is private and needs no mention`() async throws {
        let campfire = FakeCampfire(TestTime())
        let rooms = [FakeCampfire.direct, "1"]
        try await CampfireHarness.run(secret: nil, rooms: rooms, in: campfire, admins: ["campfire:1"], Storage()) {
            bench in
            await poll(bench)
            campfire.say("show users", in: FakeCampfire.direct)
            await poll(bench, 2)
            await campfire.waitForArrivals(1)
            #expect(campfire.shown(in: FakeCampfire.direct) == ["campfire:1 Ada (admin)"])
            campfire.say("@Marvin show users")
            await poll(bench, 2)
            await campfire.waitForArrivals(2)
            #expect(campfire.shown() == ["Ada: Ask me that in private."])
        }
    }

    @Test func `a restarted robot answers no old messages`() async throws {
        let campfire = FakeCampfire(TestTime())
        for round in 1...3 {
            campfire.say("said while it was away")
            try await CampfireHarness.run(secret: nil, rooms: ["1"], in: campfire, echo) { bench in
                await bench.time.waitForSleep(of: .seconds(3))
                campfire.say("\(round)")
                await poll(bench)
                await campfire.waitForArrivals(round)
            }
        }
        #expect(campfire.shown() == ["Ada said 1", "Ada said 2", "Ada said 3"])
    }

    @Test func `the first message in an empty room is received`() async throws {
        try await CampfireHarness.run(secret: nil, rooms: ["1", "2"], echo) { bench in
            await bench.time.waitForSleep(of: .seconds(3))
            bench.campfire.say("hi", in: "2")
            await bench.time.pass(.seconds(3))
            await bench.campfire.waitForArrivals(1)
            #expect(bench.campfire.arrivals == [.init(room: "2", shown: "Ada said hi", way: .post)])
        }
    }

    @Test func `a message with its name addresses the robot`() async throws {
        let script = InlineScript { $0.respond(/ping/) { try await $0.reply("pong") } }
        try await CampfireHarness.run(secret: nil, rooms: ["1"], script) { bench in
            await bench.time.waitForSleep(of: .seconds(3))
            bench.campfire.say("ping")
            bench.campfire.say("@mArViN ping")
            await poll(bench)
            await bench.campfire.waitForArrivals(1)
            #expect(bench.shown == ["Ada: pong"])
        }
    }

    @Test func `a mention that the poll sees first is answered once, by the webhook`() async throws {
        let script = InlineScript { $0.respond(/ping/) { try await $0.reply("pong") } }
        try await CampfireHarness.run(rooms: ["1"], script) { bench in
            await bench.time.waitForSleep(of: .seconds(3))
            let id = bench.campfire.say("@Marvin ping")
            await poll(bench)
            #expect(bench.shown == [])
            await bench.campfire.call(bench.server, FakeCampfire.message("ping", id: id))
            #expect(bench.campfire.arrivals == [.init(room: "1", shown: "Ada: pong", way: .answer)])
            await poll(bench, 3)
            #expect(bench.shown.count == 1)
        }
    }

    @Test func `a mention that the webhook brings first is answered once`() async throws {
        let script = InlineScript { $0.respond(/ping/) { try await $0.reply("pong") } }
        try await CampfireHarness.run(rooms: ["1"], script) { bench in
            await bench.time.waitForSleep(of: .seconds(3))
            await bench.mention("ping")
            await poll(bench, 3)
            #expect(bench.campfire.arrivals == [.init(room: "1", shown: "Ada: pong", way: .answer)])
        }
    }

    @Test func `a mention that the webhook doesn't deliver is handled one poll later, once`() async throws {
        let script = InlineScript { $0.respond(/ping/) { try await $0.reply("pong") } }
        try await CampfireHarness.run(rooms: ["1"], script) { bench in
            await bench.time.waitForSleep(of: .seconds(3))
            let id = bench.campfire.say("@Marvin ping")
            await poll(bench)
            #expect(bench.shown == [])
            await poll(bench)
            await bench.campfire.waitForArrivals(1)
            #expect(await bench.campfire.call(bench.server, FakeCampfire.message("ping", id: id)) == .empty)
            #expect(bench.campfire.arrivals == [.init(room: "1", shown: "Ada: pong", way: .post)])
        }
    }

    @Test(arguments: [FakeCampfire.Form.object, .array])
    func `more than a page is received in order`(_ form: FakeCampfire.Form) async throws {
        let (campfire, heard) = (FakeCampfire(TestTime()), Ears())
        campfire.state.change { $0.form = form }
        try await CampfireHarness.run(secret: nil, rooms: ["1"], in: campfire, heard.script) { bench in
            await bench.time.waitForSleep(of: .seconds(3))
            bench.campfire.say("known")
            await poll(bench)
            for number in 1...100 { bench.campfire.say("\(number)") }
            await poll(bench)
            await heard.wait(101)
            #expect(heard.texts.dropFirst() == (1...100).map { "Ada: \($0)" }[...])
            #expect(bench.log.lines(from: .warning) == [])
            for number in 101...600 { bench.campfire.say("\(number)") }
            await poll(bench)
            await heard.wait(501)
            #expect(heard.texts.suffix(400) == (201...600).map { "Ada: \($0)" }[...])
            #expect(
                bench.log.lines(from: .warning).filter { $0.contains("some messages in room 1 were missed") }
                    .count == 1)
        }
    }

    @Test func `a room with a long history has no gap`() async throws {
        let campfire = FakeCampfire(TestTime())
        for number in 1...60 { campfire.say("\(number)") }
        try await CampfireHarness.run(secret: nil, rooms: ["1"], in: campfire, echo) { bench in
            await poll(bench)
            for _ in 1...39 { campfire.say("new") }
            await poll(bench)
            await campfire.waitForArrivals(39)
            #expect(bench.log.lines(from: .warning) == [])
        }
    }

    @Test func `a failure is logged once, delays grow to a minute, and recovery is logged`() async throws {
        try await CampfireHarness.run(secret: nil, rooms: ["1"], echo) { bench in
            let (time, campfire) = (bench.time, bench.campfire)
            await time.waitForSleep(of: .seconds(3))
            #expect(bench.adapter.status == .up(since: time.date))
            for _ in 0..<7 { campfire.nextReads(.failure(.unreachable)) }
            time.advance(by: .seconds(3))
            for seconds in [6, 12, 24, 48, 60, 60] {
                await time.waitForSleep(of: .seconds(seconds))
                #expect("\(bench.adapter.status)".contains("chat.example.org can't be reached"))
                time.advance(by: .seconds(seconds))
            }
            await campfire.waitForReads(8)
            await time.pass(.seconds(60))
            await time.waitForSleep(of: .seconds(3))
            #expect(bench.adapter.status == .up(since: time.date))
            #expect(bench.log.lines(from: .warning).count == 1)
            try await bench.logs("polling works again")
            campfire.say("hi")
            await poll(bench)
            await campfire.waitForArrivals(1)
        }
    }

    @Test func `a wrong key is logged with a fix`() async throws {
        try await CampfireHarness.run(secret: nil, rooms: ["1", "2"], key: "7-wrong", echo) { bench in
            await bench.time.waitForSleep(of: .seconds(6))
            #expect(bench.campfire.state.value.reads == 1)
            #expect("\(bench.adapter.status)".contains("check the key"))
            #expect(bench.log.lines(from: .warning).count == 1)
        }
    }

    @Test(arguments: ["[{}]", "{", "{\"messages\":[{\"id\":[]}]}", "\"\""])
    func `an invalid response is a failure, and other rooms are still read`(_ text: String) async throws {
        try await CampfireHarness.run(secret: nil, rooms: ["1", "2"], echo) { bench in
            #expect(throws: HTTPError.self) {
                try MessagePage(HTTPResponse(url: "https://chat.example.org", status: 200, body: Array(text.utf8)))
            }
            await bench.time.waitForSleep(of: .seconds(3))
            bench.campfire.say("hi", in: "2")
            bench.campfire.nextReads(.status(200))
            await poll(bench)
            await bench.campfire.waitForArrivals(1)
            #expect(bench.campfire.shown(in: "2") == ["Ada said hi"])
        }
    }

    @Test func `a failing room delays no other, and is named`() async throws {
        try await CampfireHarness.run(secret: nil, rooms: ["1", "2"], echo) { bench in
            let campfire = bench.campfire
            await bench.time.waitForSleep(of: .seconds(3))
            campfire.nextReads(.status(500))
            for round in 1...3 {
                campfire.say("\(round)", in: "2")
                await poll(bench)
                await campfire.waitForArrivals(round)
                if round == 1 {
                    #expect(bench.log.lines(from: .warning).count == 1)
                    #expect(bench.log.lines(from: .warning).first?.contains("can't poll the room 1") == true)
                }
            }
            #expect(bench.log.lines(from: .warning).count == 1)
            try await bench.logs("polling room 1 works again")
            #expect("\(bench.adapter.status)".hasPrefix("up"))
        }
    }

    @Test(arguments: [
        ("ping @Marvin", "Ada: pong"), ("please, @marvin: ping", "Ada: pong"), ("ping @Marvins", nil),
        ("ping Marvin", nil), ("ping a@marvin", nil)
    ]) func `a mention is recognized anywhere in the text`(_ text: String, _ answer: String?) async throws {
        let script = InlineScript { $0.respond(/(?:please, )?ping$/) { try await $0.reply("pong") } }
        try await CampfireHarness.run(secret: nil, rooms: ["1"], script) { bench in
            await bench.time.waitForSleep(of: .seconds(3))
            bench.campfire.say(text)
            bench.campfire.say("@Marvin ping")
            await poll(bench)
            await bench.campfire.waitForArrivals(answer == nil ? 1 : 2)
            #expect(bench.shown == (answer == nil ? ["Ada: pong"] : ["Ada: pong", "Ada: pong"]))
        }
    }

    @Test func `a Campfire that doesn't let bots read is logged once, and not polled again`() async throws {
        let campfire = FakeCampfire(TestTime())
        campfire.state.change { $0.form = .none }
        try await CampfireHarness.run(rooms: ["1", "2"], in: campfire, echo) { bench in
            await campfire.waitForReads(2)
            await bench.mention("hi")
            #expect(bench.shown == ["Ada said hi"])
            #expect(!bench.time.isSleeping(.seconds(3)))
            let warnings = bench.log.lines(from: .warning)
            #expect(warnings.count == 2)
            #expect(warnings.allSatisfy { $0.contains("too old to let bots read") })
            #expect("\(bench.adapter.status)".hasPrefix("up"))
        }
    }

    @Test func `a deleted room is no longer polled, the others are`() async throws {
        try await CampfireHarness.run(secret: nil, rooms: ["1", "9", "2"], echo) { bench in
            await bench.time.waitForSleep(of: .seconds(3))
            #expect(bench.campfire.state.value.reads == 3)
            bench.campfire.say("hi", in: "2")
            await bench.time.pass(.seconds(3))
            await bench.campfire.waitForArrivals(1)
            #expect(bench.campfire.state.value.reads == 5)
        }
    }

    @Test func `no body is a page without messages`() throws {
        #expect(try MessagePage(HTTPResponse(url: "https://chat.example.org", status: 204)).entries == [])
    }
}

/// What the robot receives, in order of arrival: answers to different messages have no fixed order.
private struct Ears: Sendable {
    private let list = ObservedValue<[String]>([])

    var texts: [String] { list.value }

    func wait(_ count: Int) async { await list.wait { $0.count >= count } }

    /// Matchers see the messages one after another.
    var script: InlineScript {
        InlineScript { robot in
            robot.listen { message -> Bool? in
                list.change { $0.append("\(message.user.name): \(message.text ?? "")") }
                return nil
            } _: { _ in
            }
        }
    }
}
