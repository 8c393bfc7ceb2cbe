import HeybotTesting
import Logging
import Metrics
import Synchronization
import Testing

@testable import Heybot

/// A robot on a clock that stands still, with an adapter that a test drives by hand.
private func withStillRobot(
    limits: Robot.Limits = Robot.Limits(), _ register: @escaping @Sendable (inout RobotBuilder) -> Void,
    body: (Robot, HandAdapter, ManualClock) async throws -> Void
) async throws {
    let (adapter, clock) = (HandAdapter(), ManualClock())
    var limits = limits
    limits.grace = .zero
    // The clock runs ahead of a busy machine.
    limits.patience = .seconds(1_000_000)
    let robot = Robot(
        name: "Heybot", alias: nil, adapters: [adapter], brain: Brain(store: MemoryStore()),
        scripts: [Inline("Test", register)], admins: [], switches: ScriptSwitches(), settings: [:], http: nil,
        server: nil, limits: limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        metrics: NOOPMetricsHandler.instance, timeline: Timeline(clock, date: { .now }),
        generator: SeededGenerator(seed: 0), giveUp: {})
    let running = Task { try await robot.run() }
    try await body(robot, adapter, clock)
    robot.stop()
    // What is left of the stop goes by this clock too.
    let moving = Task {
        while !Task.isCancelled {
            clock.advance(by: .seconds(1))
            await Task.yield()
        }
    }
    _ = try await running.value
    moving.cancel()
}

extension Robot {
    fileprivate func hasWaiting(_ count: Int) async { while dispatcher.turns.waiting != count { await Task.yield() } }

    /// Lets time pass, and does what is due, step by step.
    fileprivate func pass(_ duration: Duration, _ clock: ManualClock) {
        for _ in 0..<10 {
            clock.advance(by: duration / 10)
            timers.fire()
        }
    }

    /// Lets time pass until something has happened.
    fileprivate func pass(_ clock: ManualClock, until hasHappened: () -> Bool) async {
        while !hasHappened() {
            pass(.milliseconds(100), clock)
            await Task.yield()
        }
    }
}

/// Counts those who are somewhere.
private final class Crowd: Sendable {
    private let state = Mutex((now: 0, most: 0))
    let release = Signal()

    var most: Int { state.withLock { $0.most } }

    func join() async {
        state.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
        await release.wait()
        state.withLock { $0.now -= 1 }
    }

    func has(_ count: Int) async { while state.withLock({ $0.now }) != count { await Task.yield() } }
}

@Suite(.timeLimit(.minutes(15))) struct OrderOfCommandsTests {
    @Test func `commands of one person in one room take effect in the order said`() async throws {
        let memory = Memory<Int>("number")
        let adapter = HandAdapter()
        try await withRobot(
            adapters: [adapter],
            Inline {
                $0.respond(/remember (\d+)/) { res in
                    // As if the way to the brain took a while.
                    for _ in 0..<20 { await Task.yield() }
                    try await res.brain.remember(memory, Int(res.match.1) ?? 0)
                }
                $0.respond(/recall/) { res in
                    try await res.send("\(try await res.brain.recall(memory) ?? -1)")
                }
            }
        ) { _ in
            for number in 0..<200 {
                await adapter.receive("heybot remember \(number)")
                await adapter.handle("heybot recall")
            }
        }
        #expect(adapter.texts == (0..<200).map(String.init))
    }

    @Test func `one that computes or waits for a moment keeps the next waiting, and nobody else`() async throws {
        let (began, release) = (Signal(), Signal())
        try await withStillRobot {
            $0.hear(/first/) { res in
                began.set()
                await release.wait()
                try await res.send("first")
            }
            $0.hear(/next/) { try await $0.send("next") }
        } body: { robot, adapter, clock in
            await adapter.receive("first")
            await began.wait()
            await adapter.receive("next")
            await robot.hasWaiting(1)
            robot.pass(.milliseconds(900), clock)
            await adapter.handle("next", "bob")
            await adapter.handle("next", in: "#other")
            #expect(adapter.texts == ["next", "next"])
            #expect(robot.dispatcher.turns.waiting == 1)
            release.set()
            await adapter.hasSaid(4)
            #expect(adapter.texts == ["next", "next", "first", "next"])
        }
    }

    @Test func `one that waits for more than a second lets the next begin`() async throws {
        let (began, release) = (Signal(), Signal())
        try await withStillRobot {
            $0.hear(/first/) { res in
                began.set()
                await release.wait()
                try await res.send("first")
            }
            $0.hear(/next/) { try await $0.send("next") }
        } body: { robot, adapter, clock in
            await adapter.receive("first")
            await began.wait()
            await adapter.receive("next")
            await robot.hasWaiting(1)
            await robot.pass(clock) { !adapter.said.isEmpty }
            #expect(adapter.texts == ["next"])
            release.set()
            await adapter.hasSaid(2)
        }
    }

    @Test func `one that holds its thread keeps its turn, however long`() async throws {
        let (began, release) = (Signal(), Signal())
        try await withStillRobot {
            $0.hear(/first/) { res in
                began.set()
                release.spin()
                try await res.send("first")
            }
            $0.hear(/next/) { try await $0.send("next") }
        } body: { robot, adapter, clock in
            await adapter.receive("first")
            await began.wait()
            await adapter.receive("next")
            await robot.hasWaiting(1)
            robot.pass(.seconds(20), clock)
            #expect(robot.dispatcher.turns.waiting == 1)
            release.set()
            await adapter.hasSaid(2)
            #expect(adapter.texts == ["first", "next"])
        }
    }

    @Test func `one that asks lets the next begin, and the answer takes its place in the order`() async throws {
        let (began, release) = (Signal(), Signal())
        try await withStillRobot {
            $0.hear(/order/) { res in try await res.send("got " + res.ask("What?")) }
            $0.hear(/slow/) { res in
                began.set()
                await release.wait()
                try await res.send("slow")
            }
        } body: { robot, adapter, _ in
            // The first of it pauses, the other listener goes on, and keeps the turn.
            await adapter.receive("slow order")
            await adapter.hasSaid(1)
            await began.wait()
            await adapter.receive("tea")
            await robot.hasWaiting(1)
            release.set()
            await adapter.hasSaid(3)
            #expect(adapter.texts == ["What?", "slow", "got tea"])
            // Paused alone, it keeps nothing.
            await adapter.handle("order")
            await adapter.handle("coffee")
            #expect(adapter.texts.suffix(2) == ["What?", "got coffee"])
        }
    }
}

@Suite(.timeLimit(.minutes(15))) struct FairnessTests {
    @Test func `whatever one person hangs, in one room or in many, another is answered at once`() async throws {
        let crowd = Crowd()
        try await withStillRobot {
            $0.respond(/hang/) { _ in await crowd.join() }
            $0.respond(/ping/) { try await $0.send("PONG") }
        } body: { robot, adapter, clock in
            for number in 0..<60 { await adapter.receive("heybot hang", in: "#room \(number)") }
            await robot.hasWaiting(56)
            await adapter.handle("heybot ping", "bob")
            #expect(adapter.texts == ["PONG"])
            // 70 in one room: more than may wait.
            for _ in 0..<70 { await adapter.receive("heybot hang", "mallory") }
            await adapter.receive("heybot ping", "bob")
            await robot.pass(clock) { adapter.texts.filter { $0 == "PONG" }.count == 2 }
            await adapter.handle("heybot ping", "carol")
            #expect(adapter.texts.filter { $0 == "PONG" }.count == 3)
            // Four of alice's, and in time four of mallory's.
            await robot.pass(clock) { crowd.most == 8 }
            robot.pass(.seconds(2), clock)
            await adapter.handle("heybot ping", "carol")
            #expect(crowd.most == 8)
            crowd.release.set()
        }
    }

    @Test func `a room has a share of what is handled at a time, others go on`() async throws {
        let crowd = Crowd()
        try await withStillRobot {
            $0.hear(/hang/) { _ in await crowd.join() }
            $0.hear(/ping/) { try await $0.send("PONG") }
        } body: { robot, adapter, _ in
            for number in 0..<30 { await adapter.receive("hang", "user \(number)") }
            await robot.hasWaiting(14)
            await crowd.has(16)
            await adapter.handle("ping", "bob", in: "#other")
            #expect(adapter.texts == ["PONG"])
            crowd.release.set()
            await robot.hasWaiting(0)
            #expect(crowd.most == 16)
        }
    }

    @Test func `what is too much is dropped, and said once to somebody who waits for an answer`() async throws {
        let crowd = Crowd()
        var limits = Robot.Limits()
        limits.waitingPerPerson = 2
        try await withStillRobot(limits: limits) {
            $0.hear(/hang/) { _ in await crowd.join() }
        } body: { robot, adapter, clock in
            // One is handled, two wait, the fourth waits for room; nothing moves for a second.
            for _ in 0..<3 { await adapter.receive("heybot hang") }
            await robot.hasWaiting(2)
            await adapter.receive("heybot hang")
            await robot.pass(clock) { !adapter.said.isEmpty }
            let words = "One at a time, please: I'm still busy with what you said before."
            #expect(adapter.texts == [words])
            #expect(robot.dispatcher.turns.waiting <= 2)
            crowd.release.set()
        }
    }

    @Test func `a full inbox makes adapters wait, and loses nothing`() async throws {
        let (release, accepted) = (Signal(), Notes())
        var limits = Robot.Limits()
        limits.inbox = 2
        limits.waitingPerPerson = 1
        try await withStillRobot(limits: limits) {
            $0.receiveMiddleware { message, _ in
                await release.wait()
                return message
            }
            $0.hear(/\d/) { res in try await res.send(String(res.match)) }
        } body: { _, adapter, _ in
            // One is in the middleware, one waits for its turn, one for room to wait, and two are in the inbox.
            for number in 1...5 { await adapter.receive("\(number)") }
            async let sixth: Void = {
                await adapter.receive("6")
                accepted.add("6")
            }()
            for _ in 0..<100 { await Task.yield() }
            #expect(accepted.all == [])
            release.set()
            await sixth
            await adapter.hasSaid(6)
            #expect(adapter.texts == ["1", "2", "3", "4", "5", "6"])
        }
    }

    @Test func `one person's messages don't take all places in the receive middleware`() async throws {
        let crowd = Crowd()
        try await withStillRobot {
            $0.receiveMiddleware { message, _ in
                if message.text == "hang" { await crowd.join() }
                return message
            }
            $0.hear(/ping/) { try await $0.send("PONG") }
        } body: { robot, adapter, _ in
            for number in 0..<60 { await adapter.receive("hang", in: "#room \(number)") }
            await robot.hasWaiting(56)
            await adapter.handle("ping", "bob")
            #expect(adapter.texts == ["PONG"])
            #expect(crowd.most <= 4)
            crowd.release.set()
        }
    }

    @Test func `an answer that somebody was asked for isn't dropped, though receive middleware has it first`()
        async throws
    {
        let release = Signal()
        var limits = Robot.Limits()
        limits.waitingPerPerson = 1
        try await withStillRobot(limits: limits) {
            $0.receiveMiddleware { message, _ in
                if message.text == "hang" { await release.wait() }
                return message
            }
            $0.respond(/order/) { res in try await res.send("a \(try await res.ask("What?")), coming") }
        } body: { robot, adapter, clock in
            await adapter.handle("heybot order", "mallory")
            #expect(adapter.texts == ["What?"])
            for _ in 0..<2 { await adapter.receive("hang", "mallory") }
            await robot.hasWaiting(1)
            await adapter.receive("pie", "mallory")
            await robot.hasWaiting(2)
            release.set()
            await adapter.hasSaid(2)
            #expect(adapter.texts.last == "a hang, coming" || adapter.texts.last == "a pie, coming")
        }
    }

    @Test func `what is more than the inbox takes in time goes unheard, of whoever says most`() async throws {
        let release = Signal()
        var limits = Robot.Limits()
        limits.inbox = 4
        limits.waitingPerPerson = 1
        try await withStillRobot(limits: limits) {
            $0.hear(/hang/) { _ in await release.wait() }
            $0.hear(/ping/) { try await $0.send("PONG") }
        } body: { robot, adapter, clock in
            for _ in 0..<3 { await adapter.receive("hang", "mallory") }
            let flood = (0..<20).map { _ in adapter.message("hang", "mallory") }
            let putting = Task {
                await adapter.receive(flood, patience: Inbox.patience)
                await adapter.receive([adapter.message("ping", "bob")], patience: Inbox.patience)
            }
            await robot.pass(clock) { adapter.texts.contains("PONG") }
            await putting.value
            release.set()
        }
    }

    @Test func `a handled message leaves nothing behind`() async throws {
        weak var turn: Turns.Turn?
        weak var passage: Passage?
        do {
            let turns = turns()
            let one = try #require(turns.take(address("ann")))
            let work = Passage()
            one.runs(in: work)
            let delivery = Delivery(HandAdapter().message("x"), activity: nil)
            delivery.begin(one, at: nil)
            work.match(delivery)
            (turn, passage) = (one, work)
            one.giveBack()
            // Whoever comes back late changes nothing.
            one.runs(in: work)
        }
        #expect(turn == nil)
        #expect(passage == nil)
    }

    @Test func `a flood of quick commands loses nothing, and stays in order`() async throws {
        let adapter = HandAdapter()
        let numbers = (1...3_000).map(String.init)
        try await withRobot(
            adapters: [adapter],
            Inline {
                $0.hear(/\d+/) { res in
                    await Task.yield()
                    try await res.send(String(res.match))
                }
            }
        ) { _ in
            for number in numbers { await adapter.receive(number) }
            await adapter.hasSaid(numbers.count)
        }
        #expect(adapter.texts == numbers)
    }

    // MARK: Turns

    private func turns(
        all: Int = 1, perPerson: Int = 4, perRoom: Int = 16, waiting: Int = 100, waitingPerPerson: Int = 10
    ) -> Turns {
        let timeline = Timeline(ManualClock(), date: { .now })
        return Turns(
            .init(
                all: all, perPerson: perPerson, perRoom: perRoom, waiting: waiting, waitingPerPerson: waitingPerPerson),
            timers: Timers(timeline), timeline: timeline)
    }

    private func address(_ user: String, _ room: String = "room") -> Turns.Address {
        .init(user: .init(adapter: "a", value: user), room: .init(adapter: "a", value: room))
    }

    @Test func `people take turns, and each one's messages keep their order`() throws {
        let turns = turns()
        let first = try #require(turns.take(address("zoe")))
        let begun = Mutex<[(String, Turns.Turn)]>([])
        for name in ["ann 1", "ann 2", "ann 3", "bob 1", "cid 1", "bob 2"] {
            _ = turns.enter(address(String(name.prefix(3)))) { turn in
                if let turn { begun.withLock { $0.append((name, turn)) } }
            }
        }
        first.giveBack()
        first.giveBack()
        for number in 0..<6 {
            #expect(begun.withLock { $0.count } == number + 1)
            begun.withLock { $0[number].1 }.giveBack()
        }
        #expect(begun.withLock { $0.map(\.0) } == ["ann 1", "bob 1", "cid 1", "ann 2", "bob 2", "ann 3"])
        #expect(turns.waiting == 0)
        // Nothing is left: all may begin again.
        #expect(turns.take(address("ann")) != nil)
    }

    @Test func `if all places to wait are taken, the newest of whoever has most makes room`() throws {
        let turns = turns(waiting: 4, waitingPerPerson: 3)
        _ = try #require(turns.take(address("zoe")))
        let dropped = Notes()
        func enter(_ name: String, insists: Bool = true) -> Turns.Verdict {
            turns.enter(address(String(name.prefix(3))), insists: insists) { if $0 == nil { dropped.add(name) } }
        }
        for number in 1...3 { _ = enter("ann \(number)") }
        guard case .full = enter("ann 4", insists: false) else {
            Issue.record("there was room for a fourth")
            return
        }
        _ = enter("ann 4")
        #expect(dropped.all == ["ann 4"])
        _ = enter("bob 1")
        #expect(turns.waiting == 4)
        _ = enter("cid 1")
        #expect(dropped.all == ["ann 4", "ann 3"])
        _ = enter("dan 1")
        #expect(dropped.all == ["ann 4", "ann 3", "ann 2"])
        // Nobody has more than one now.
        _ = enter("eve 1")
        #expect(dropped.all == ["ann 4", "ann 3", "ann 2", "eve 1"])
        // An answer to a question always finds a place, and keeps it: somebody waits for it.
        _ = turns.enter(address("ann"), keeping: .max) { if $0 == nil { dropped.add("ann's answer") } }
        _ = turns.enter(address("ann"), keeping: .max) { if $0 == nil { dropped.add("ann's answer") } }
        #expect(turns.waiting == 6)
        _ = enter("fay 1")
        #expect(!dropped.all.contains("ann's answer"))
        // Of messages that may be answers as many as there are questions.
        guard case .done = turns.enter(address("eve"), keeping: 1, { _ in }),
            case .full = turns.enter(address("eve"), keeping: 1, { _ in })
        else {
            Issue.record("as many wait as anybody likes")
            return
        }
    }
}
