import FoundationEssentials
import HeybotTesting
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(15))) struct DurableTimerTests {
    let notes = StringRecorder()

    private func start(missed: MissedTimerPolicy = .fireLate) async -> TestRobot {
        let robot = TestRobot(teaScript(notes, missed: missed))
        await robot.settle()
        return robot
    }

    @Test func `a timer fires once, at its second, and is removed`() async throws {
        let robot = await start()
        try await robot.robot.schedule(tea, Cup(name: "green"), after: .seconds(20))
        try await robot.robot.schedule(tea, Cup(name: "black"), at: robot.robot.date + 90)
        _ = await robot.advance(by: .seconds(19))
        #expect(notes.all == [])
        _ = await robot.advance(by: .hours(24))
        #expect(notes.all == ["green 20", "black 90"])
        #expect(try await robot.robot.brain.contents().map(\.name).filter { $0.hasPrefix("heybot.timers") } == [])
        #expect(robot.loggedProblems == [])
    }

    @Test func `a fraction of a second is rounded up, and the past is now`() async throws {
        let robot = await start()
        try await robot.robot.schedule(tea, Cup(name: "green"), after: .milliseconds(1_200))
        try await robot.robot.schedule(tea, Cup(name: "stale"), at: robot.robot.date - 1_000)
        _ = await robot.advance(by: .seconds(10))
        #expect(notes.all == ["stale 0", "green 2"])
    }

    @Test func `a repeated timer fires after each interval until it is canceled`() async throws {
        let robot = await start()
        let id = try await robot.robot.schedule(tea, Cup(name: "green"), every: .seconds(100))
        _ = await robot.advance(by: .seconds(350))
        #expect(notes.all == ["green 100", "green 200", "green 300"])
        #expect(try await robot.robot.cancelTimer(id, of: tea))
        #expect(try await !robot.robot.cancelTimer(id, of: tea))
        _ = await robot.advance(by: .seconds(350))
        #expect(notes.all.count == 3)
    }

    @Test func `a job may say itself when its timers fire next`() async throws {
        let job = ScheduledJob<[Double]>("tea.course")
        let robot = TestRobot(
            InlineScript("Tea") { [notes] robot in
                robot.on(
                    job,
                    next: { seconds, date in
                        seconds.map { Date(timeIntervalSinceReferenceDate: $0) }.first { $0 > date }
                    }
                ) { _, robot in notes.add("\(second(robot.date))") }
            })
        await robot.settle()
        try await robot.robot.schedule(job, [10, 40, 1_000.5])
        _ = await robot.advance(by: .hours(24))
        #expect(notes.all == ["10", "40", "1001"])
        await #expect(throws: ScheduleError.invalidTime(job: "tea.course")) {
            try await robot.robot.schedule(job, [10])
        }
    }

    @Test func `timers are listed, found by id, replaced and canceled`() async throws {
        let robot = await start()
        let id = try await robot.robot.schedule(tea, Cup(name: "green"), id: "7", needing: "test", after: .seconds(20))
        #expect(id == "test:7")
        try await robot.robot.schedule(tea, Cup(name: "black"), id: "7", every: .minutes(5))
        var found: [String] = []
        for try await timer in robot.robot.scheduledTimers(of: tea) {
            found.append("\(timer.id) \(timer.payload.name) \(second(timer.date))")
        }
        #expect(found.sorted() == ["7 black 300", "test:7 green 20"])
        #expect(try await robot.robot.scheduledTimer("7", of: tea)?.interval == Duration.seconds(300))
        #expect(try await robot.robot.scheduledTimer("8", of: tea)?.id == nil)

        try await robot.robot.schedule(tea, Cup(name: "white"), id: "7", needing: "test", after: .seconds(30))
        #expect(try await robot.robot.cancelTimer("7", of: tea))
        _ = await robot.advance(by: .seconds(600))
        #expect(notes.all == ["white 30"])
    }

    @Test func `many timers that are due at once all fire`() async throws {
        let robot = await start()
        for number in 0..<100 {
            try await robot.robot.schedule(tea, Cup(name: "\(number)"), after: .seconds(20))
        }
        _ = await robot.advance(by: .seconds(20))
        #expect(Set(notes.all) == Set((0..<100).map { "\($0) 20" }))
        #expect(notes.all.count == 100)
    }

    @Test func `timers of a disabled script wait until it is enabled`() async throws {
        let robot = await start()
        try await robot.robot.schedule(tea, Cup(name: "green"), after: .seconds(20))
        try await robot.robot.turn("Tea", on: false)
        _ = await robot.advance(by: .seconds(300))
        #expect(notes.all == [])
        try await robot.robot.turn("Tea", on: true)
        _ = await robot.advance(by: .seconds(60))
        #expect(notes.all.count == 1)
        #expect(notes.all.first?.hasPrefix("green 3") == true && notes.all.first?.contains(" late by ") == true)
    }

    @Test func `an imported timer fires`() async throws {
        let robot = await start()
        let json = #"""
            {"payload":"{\"name\":\"green\"}","due":"2001-01-01T00:02:00Z","date":"2001-01-01T00:02:00Z","attempts":0}
            """#
        try await robot.robot.brain.store.set(
            Array(json.utf8), for: StoreKey(collection: "heybot.timers.tea.ready", name: "1"))
        _ = await robot.advance(by: .seconds(150))
        #expect(notes.all == ["green 120"])
    }

    // MARK: After an absence

    @Test func `what was missed fires once, late`() async throws {
        let base = MemoryStore()
        let first = await TestRobot.started(after: .zero, SharedStore(base), teaScript(notes))
        try await first.robot.schedule(tea, Cup(name: "green"), after: .seconds(100))
        try await first.robot.schedule(tea, Cup(name: "black"), every: .seconds(1_000))
        first.robot.stop()
        let second = await TestRobot.started(after: .seconds(3_600), SharedStore(base), teaScript(notes))
        #expect(notes.all.sorted() == ["black 3600 late by 2600", "green 3600 late by 3500"])
        _ = await second.advance(by: .seconds(500))
        #expect(notes.all.count == 3 && notes.all.last == "black 4000")
    }

    @Test func `what was missed is skipped if the job says so, but a short delay isn't missed`() async throws {
        let base = MemoryStore()
        let first = await TestRobot.started(after: .zero, SharedStore(base), teaScript(notes, missed: .skip))
        try await first.robot.schedule(tea, Cup(name: "green"), after: .seconds(100))
        try await first.robot.schedule(tea, Cup(name: "white"), after: .seconds(3_550))
        try await first.robot.schedule(tea, Cup(name: "black"), every: .seconds(1_000))
        first.robot.stop()
        let second = await TestRobot.started(
            after: .seconds(3_600), SharedStore(base), teaScript(notes, missed: .skip))
        #expect(notes.all == ["white 3600"])
        _ = await second.advance(by: .seconds(500))
        #expect(notes.all == ["white 3600", "black 4000"])
    }

    // MARK: Errors

    @Test func `what can't be scheduled is refused`() async throws {
        let robot = await start().robot
        let cup = Cup(name: "green")
        await #expect(throws: ScheduleError.unknownJob("coffee")) {
            try await robot.schedule(ScheduledJob<Cup>("coffee"), cup, after: .zero)
        }
        for interval in [Duration.zero, .milliseconds(1_500), .seconds(-1), .hours(.max)] {
            await #expect(throws: ScheduleError.invalidInterval(job: "tea.ready")) {
                try await robot.schedule(tea, cup, every: interval)
            }
        }
        await #expect(throws: ScheduleError.invalidTime(job: "tea.ready")) {
            try await robot.schedule(tea, cup, after: .hours(.max))
        }
        await #expect(throws: ScheduleError.invalidTime(job: "tea.ready")) { try await robot.schedule(tea, cup) }
        for id in ["", "a:b", String(repeating: "x", count: 201)] {
            await #expect(throws: ScheduleError.invalidID(job: "tea.ready")) {
                try await robot.schedule(tea, cup, id: id, after: .zero)
            }
        }
        await #expect(throws: RobotError.unknownAdapter("irc", known: ["test"])) {
            try await robot.schedule(tea, cup, needing: "irc", after: .zero)
        }
        let long = Cup(name: String(repeating: "x", count: 65_536))
        await #expect(throws: ScheduleError.payloadTooLong(job: "tea.ready", bytes: 65_547)) {
            try await robot.schedule(tea, long, after: .zero)
        }
    }

    @Test func `two handlers for a job, and invalid names, are reported at startup`() {
        var builder = RobotBuilder()
        builder.on(tea) { _, _ in }
        #expect(builder.problems == [])
        builder.on(tea) { _, _ in }
        builder.on(ScheduledJob<Cup>("tea:ready")) { _, _ in }
        #expect(builder.problems.count == 2)
        #expect(builder.problems.first == "two handlers are registered for the job tea.ready: job names must be unique")
    }
}
