import FoundationEssentials
import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

/// Handlers, stores and robots that fail.
@Suite(.timeLimit(.minutes(15))) struct TimerFailureTests {
    private struct Spilled: Error, CustomStringConvertible {
        var description: String { "the tea was spilled" }
    }

    let notes = StringRecorder()

    /// A script whose handler fails as often as the payload's name says.
    private func clumsyScript(attempts: Int = 6) -> InlineScript {
        InlineScript("Tea") { [notes] robot in
            robot.on(
                tea, attempts: attempts,
                gaveUp: { timer, error, robot in notes.add("gave up at \(second(robot.date)): \(error)") }
            ) { timer, robot in
                notes.add("\(timer.attempts) at \(second(robot.date))")
                if timer.attempts <= Int(timer.payload.name) ?? 0 { throw Spilled() }
            }
        }
    }

    @Test func `a handler that fails is called again, after twice the wait each time`() async throws {
        let robot = TestRobot(clumsyScript())
        await robot.settle()
        try await robot.robot.schedule(tea, Cup(name: "3"), after: .seconds(10))
        _ = await robot.advance(by: .hours(2))
        #expect(notes.all == ["1 at 10", "2 at 40", "3 at 100", "4 at 220"])
        #expect(robot.loggedProblems.count == 3)
        #expect(robot.robot.failures == 3)
    }

    @Test func `the robot gives up at last, and reports that`() async throws {
        let robot = TestRobot(clumsyScript(attempts: 2))
        await robot.settle()
        try await robot.robot.schedule(tea, Cup(name: "9"), id: "7", after: .seconds(10))
        _ = await robot.advance(by: .hours(2))
        #expect(notes.all == ["1 at 10", "2 at 40", "gave up at 40: the tea was spilled"])
        let line = try #require(robot.loggedProblems.last)
        #expect(line.hasPrefix("the handler of a timer failed too often, so the robot gave up: the tea was spilled"))
        #expect(line.contains("job=tea.ready") && line.contains("timer=7") && line.contains("script=Tea"))
        #expect(try await robot.robot.scheduledTimer("7", of: tea)?.id == nil)
    }

    @Test func `a repeated timer that was given up fires at its next time`() async throws {
        let robot = TestRobot(clumsyScript(attempts: 2))
        await robot.settle()
        try await robot.robot.schedule(tea, Cup(name: "9"), every: .seconds(1_000))
        _ = await robot.advance(by: .seconds(2_040))
        let spilled = "the tea was spilled"
        #expect(
            notes.all == [
                "1 at 1000", "2 at 1030", "gave up at 1030: \(spilled)", "1 at 2000", "2 at 2030",
                "gave up at 2030: \(spilled)"
            ])
    }

    @Test func `a payload of another type is given up, and holds up no other timer`() async throws {
        let robot = TestRobot(teaScript(notes))
        await robot.settle()
        let record = TimerRecord(date: robot.robot.date + 10, payload: "[]")
        for number in 0..<20 {
            try await robot.robot.brain.remember(TimerKey.collection(job: tea.name, adapter: nil), "\(number)", record)
        }
        try await robot.robot.schedule(tea, Cup(name: "green"), after: .seconds(20))
        _ = await robot.advance(by: .hours(2))
        #expect(notes.all == ["green 20"])
        #expect(robot.loggedProblems.count { $0.hasPrefix("the handler of a timer failed too often") } == 20)
    }

    // MARK: The store

    @Test func `while the store is down nothing fires, and one line is logged`() async throws {
        let store = SharedStore(MemoryStore())
        let robot = await TestRobot.started(after: .zero, store, teaScript(notes))
        try await robot.robot.schedule(tea, Cup(name: "green"), after: .seconds(10))
        store.setFailing(true)
        _ = await robot.advance(by: .seconds(25))
        #expect(notes.all == [])
        #expect(robot.loggedProblems == ["can't look for timers that are due: the store is down; trying again"])
        store.setFailing(false)
        _ = await robot.advance(by: .seconds(5))
        #expect(notes.all == ["green 30"])
    }

    @Test func `a firing is recorded when the store is back, even after the lease has ended`() async throws {
        let store = SharedStore(MemoryStore())
        let script = InlineScript("Tea") { [notes] robot in
            robot.on(tea) { timer, robot in
                notes.add("\(timer.payload.name) \(second(robot.date))")
                store.setFailing(true)
            }
        }
        let robot = await TestRobot.started(after: .zero, store, script)
        try await robot.robot.schedule(tea, Cup(name: "green"), id: "7", after: .seconds(10))
        _ = await robot.advance(by: .seconds(200))
        store.setFailing(false)
        _ = await robot.advance(by: .seconds(10))
        #expect(try await robot.robot.scheduledTimer("7", of: tea)?.id == nil)
        _ = await robot.advance(by: .hours(1))
        #expect(notes.all == ["green 10"])
        #expect(robot.loggedProblems.count { $0.hasPrefix("couldn't record that a timer has fired") } == 1)
    }

    // MARK: Several robots

    @Test func `of two robots that share a brain, one fires each timer`() async throws {
        let base = MemoryStore()
        let one = await TestRobot.started(after: .zero, SharedStore(base), teaScript(notes))
        let other = await TestRobot.started(after: .zero, SharedStore(base), teaScript(notes))
        for number in 0..<50 {
            try await one.robot.schedule(tea, Cup(name: "\(number)"), after: .seconds(10 + number % 5))
        }
        await TestRobot.advance(one, other, by: .seconds(100))
        #expect(Set(notes.all.compactMap { $0.split(separator: " ").first }).count == 50)
        #expect(notes.all.count == 50)
    }

    @Test func `a timer that needs an adapter is fired by a robot that has it`() async throws {
        let base = MemoryStore()
        let ircNotes = StringRecorder()
        let terminal = await TestRobot.started(after: .zero, SharedStore(base), teaScript(notes))
        let irc = ManualAdapter("irc")
        irc.setStatus(.up(since: .distantPast))
        let network = TestRobot(brain: Brain(store: SharedStore(base)), networks: [irc], teaScript(ircNotes))
        await network.settle()
        try await network.robot.schedule(tea, Cup(name: "green"), needing: "irc", after: .seconds(10))
        _ = await terminal.advance(by: .seconds(100))
        #expect(notes.all == [])
        _ = await network.advance(by: .seconds(10))
        #expect(ircNotes.all == ["green 10"])
    }

    @Test func `while an adapter isn't connected, its timers wait, and the others fire`() async throws {
        let irc = ManualAdapter("irc")
        irc.setStatus(.up(since: .distantPast))
        let robot = TestRobot(networks: [irc], teaScript(notes))
        await robot.settle()
        irc.setStatus(.down(since: .distantPast, reason: "gone"))
        try await robot.robot.schedule(tea, Cup(name: "green"), needing: "irc", after: .seconds(10))
        try await robot.robot.schedule(tea, Cup(name: "black"), after: .seconds(20))
        _ = await robot.advance(by: .seconds(600))
        #expect(notes.all == ["black 20"])
        irc.setStatus(.up(since: .distantPast))
        _ = await robot.advance(by: .seconds(30))
        #expect(notes.all.count == 2 && notes.all.last?.hasPrefix("green 6") == true)
    }

    @Test func `until all adapters are connected, or half a minute has passed, nothing fires`() async throws {
        let robot = TestRobot(networks: [ManualAdapter("irc")], teaScript(notes))
        await robot.settle()
        try await robot.robot.schedule(tea, Cup(name: "green"), after: .seconds(10))
        _ = await robot.advance(by: .seconds(29))
        #expect(notes.all == [])
        _ = await robot.advance(by: .seconds(3))
        #expect(notes.all == ["green 30"])
    }

    // MARK: Next times

    @Test func `a timer whose next time can't be determined is kept`() async throws {
        let isBroken = Mutex(true)
        let robot = TestRobot(
            InlineScript("Tea") { [notes] robot in
                robot.on(
                    tea, attempts: 2,
                    next: { _, date in
                        if isBroken.withLock({ $0 }), second(date) >= 10 { throw Spilled() }
                        return date + 10
                    }
                ) { timer, robot in notes.add("\(timer.payload.name) \(second(robot.date))") }
            })
        await robot.settle()
        try await robot.robot.schedule(tea, Cup(name: "green"))
        _ = await robot.advance(by: .hours(3))
        #expect(notes.all == [])
        #expect(robot.loggedProblems.last?.contains("the robot gave up: the tea was spilled") == true)
        isBroken.withLock { $0 = false }
        _ = await robot.advance(by: .hours(1))
        #expect(notes.all.count > 100)
    }

    @Test func `times that pass while the handler runs are left out`() async throws {
        let clock = Mutex<ManualClock?>(nil)
        let robot = TestRobot(
            InlineScript("Tea") { [notes] robot in
                robot.on(tea) { timer, robot in
                    notes.add("\(second(robot.date))")
                    clock.withLock { $0 }?.advance(by: .seconds(25))
                }
            })
        await robot.settle()
        clock.withLock { $0 = robot.clock }
        try await robot.robot.schedule(tea, Cup(name: "green"), every: .seconds(10))
        _ = await robot.advance(by: .seconds(100))
        #expect(notes.all.prefix(3) == ["10", "40", "70"])
    }

    @Test func `a timer that is canceled during its last attempt isn't given up`() async throws {
        let robot = TestRobot(
            InlineScript("Tea") { [notes] robot in
                robot.on(tea, attempts: 1, gaveUp: { _, _, _ in notes.add("gave up") }) { timer, robot in
                    notes.add("canceled: \(try await robot.cancelTimer(timer.id, of: tea))")
                    throw Spilled()
                }
            })
        await robot.settle()
        try await robot.robot.schedule(tea, Cup(name: "green"), after: .seconds(10))
        _ = await robot.advance(by: .hours(1))
        #expect(notes.all == ["canceled: true"])
    }

    @Test func `another robot takes over when the lease of a killed one ends`() async throws {
        let base = MemoryStore()
        let store = SharedStore(base)
        let killed = InlineScript("Tea") { [notes] robot in
            robot.on(tea) { timer, robot in
                // The process is killed after the telling, and before its record.
                notes.add("\(timer.payload.name) \(second(robot.date))")
                store.setFailing(true)
            }
        }
        let first = await TestRobot.started(after: .zero, store, killed)
        try await first.robot.schedule(tea, Cup(name: "green"), after: .seconds(10))
        _ = await first.advance(by: .seconds(10))
        let other = await TestRobot.started(after: .seconds(10), SharedStore(base), teaScript(notes))
        _ = await other.advance(by: .seconds(89))
        #expect(notes.all == ["green 10"])
        _ = await other.advance(by: .hours(1))
        #expect(notes.all == ["green 10", "green 100 late by 90"])
    }

    @Test func `a handler that was running when the robot stopped counts as called`() async throws {
        let base = MemoryStore()
        let hasBegun = Signal()
        let slow = InlineScript("Tea") { robot in
            robot.on(tea) { _, _ in
                hasBegun.set()
                try await Task.sleep(for: .seconds(600))
            }
        }
        let first = await TestRobot.started(after: .zero, SharedStore(base), slow)
        try await first.robot.schedule(tea, Cup(name: "0"), after: .seconds(10))
        async let advancing = first.advance(by: .seconds(10))
        await hasBegun.wait()
        first.robot.stop()
        _ = await advancing
        let second = await TestRobot.started(after: .seconds(10), SharedStore(base), clumsyScript(attempts: 1))
        _ = await second.advance(by: .hours(1))
        #expect(notes.all == ["gave up at 10: the robot's process ended while it ran"])
    }

    @Test func `a time in the store's index without a timer is removed, and holds up no other timer`() async throws {
        let store = SharedStore(MemoryStore())
        let robot = await TestRobot.started(after: .zero, store, teaScript(notes))
        store.addStaleDueEntries((0..<20).map { DueEntry(key: "deleted \($0)", time: 1) })
        try await robot.robot.schedule(tea, Cup(name: "green"), after: .seconds(10))
        _ = await robot.advance(by: .seconds(15))
        #expect(notes.all.count == 1 && store.staleDueEntries == [])
    }

    @Test func `an entry that can't be read is reported, and holds up no other timer`() async throws {
        let store = SharedStore(MemoryStore())
        let robot = await TestRobot.started(after: .zero, store, teaScript(notes))
        for number in 0..<20 {
            let key = StoreKey(collection: TimerKey.collection(job: tea.name, adapter: nil).name, name: "\(number)")
            try await store.set(Array("x".utf8), for: key)
        }
        store.addStaleDueEntries((0..<20).map { DueEntry(key: "\($0)", time: 1) })
        try await robot.robot.schedule(tea, Cup(name: "green"), after: .seconds(10))
        _ = await robot.advance(by: .seconds(15))
        #expect(notes.all.count == 1 && store.staleDueEntries == [])
        let problems = robot.loggedProblems
        #expect(problems.count { $0.hasPrefix("can't read the timer ") } == 20, "\(problems)")
    }

    @Test func `a timer during which robots are killed again and again is given up`() async throws {
        let base = MemoryStore()
        let robot = await TestRobot.started(after: .zero, SharedStore(base), clumsyScript(attempts: 1))
        var record = TimerRecord(date: robot.robot.date, payload: #"{"name":"0"}"#)
        _ = record.takeLease(for: "killed", at: robot.robot.date, until: robot.robot.date + 90)
        try await robot.robot.brain.remember(TimerKey.collection(job: tea.name, adapter: nil), "7", record)
        _ = await robot.advance(by: .hours(1))
        #expect(notes.all.count == 1)
        #expect(notes.all.first?.hasSuffix("the robot's process ended while it ran") == true)
        #expect(try await robot.robot.scheduledTimer("7", of: tea)?.id == nil)
    }
}
