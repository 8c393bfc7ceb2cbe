import HeybotTesting
import Logging
import Metrics
import Synchronization
import Testing

@testable import Heybot

/// Runs a robot with a manual clock and a manual adapter.
private func withStillRobot(
    limits: Robot.Limits = Robot.Limits(), _ register: @escaping @Sendable (inout RobotBuilder) -> Void,
    body: (Robot, ManualAdapter, ManualClock) async throws -> Void
) async throws {
    let (adapter, clock) = (ManualAdapter(), ManualClock())
    var limits = limits
    limits.shutdownGracePeriod = .zero
    // The manual clock runs ahead of a busy machine.
    (limits.deadline, limits.stallThreshold) = (.seconds(1_000_000), .seconds(1_000_000))
    let robot = Robot(
        name: "Heybot", alias: nil, adapters: [adapter], brain: Brain(store: MemoryStore()),
        scripts: [InlineScript("Test", register)], admins: [], switches: DisabledScripts(), settings: [:], http: nil,
        server: nil, limits: limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        metrics: NOOPMetricsHandler.instance, timeSource: TimeSource(clock, date: { .now }),
        generator: SeededGenerator(seed: 0), giveUp: {})
    let running = Task { try await robot.run() }
    try await body(robot, adapter, clock)
    robot.stop()
    // The rest of the shutdown uses this clock too.
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
    fileprivate func hasWaiting(_ count: Int) async {
        while dispatcher.scheduler.waiting != count { await Task.yield() }
    }

    /// Advances the clock step by step, and fires the timers that are due.
    fileprivate func pass(_ duration: Duration, _ clock: ManualClock) {
        for _ in 0..<10 {
            clock.advance(by: duration / 10)
            timers.fire()
        }
    }

    /// Advances the clock until a condition holds.
    fileprivate func pass(_ clock: ManualClock, until hasHappened: () -> Bool) async {
        while !hasHappened() {
            pass(.milliseconds(100), clock)
            await Task.yield()
        }
    }
}

/// Counts the closures that are waiting.
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
    @Test func `commands of one user in one room take effect in order`() async throws {
        let memory = BrainKey<Int>("number")
        let adapter = ManualAdapter()
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.respond(/remember (\d+)/) { res in
                    // As if the store were slow.
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

    @Test func `a closure that computes or waits briefly delays only the same user's next message`() async throws {
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
            #expect(robot.dispatcher.scheduler.waiting == 1)
            release.set()
            await adapter.hasSaid(4)
            #expect(adapter.texts == ["next", "next", "first", "next"])
        }
    }

    @Test func `a user's waiting messages are handled one after another, and a canceled closure cancels no other`()
        async throws
    {
        let (began, release) = (Signal(), Signal())
        try await withStillRobot {
            $0.hear(/first/) { res in
                began.set()
                await release.wait()
            }
            $0.hear(/next (\d+)/) { res in
                try await res.send("\(res.match.1) \(Task.isCancelled)")
                if res.match.1 == "3" { withUnsafeCurrentTask { $0?.cancel() } }
            }
        } body: { robot, adapter, clock in
            await adapter.receive("first")
            await began.wait()
            for number in 1...8 { await adapter.receive("next \(number)") }
            await robot.hasWaiting(8)
            release.set()
            await adapter.hasSaid(8)
            #expect(adapter.texts == (1...8).map { "\($0) false" })
        }
    }

    @Test func `closures that compute keep the inbox only briefly, long before they count as stalled`() async throws {
        let (began, release) = (StringRecorder(), Signal())
        try await withStillRobot {
            $0.hear(/compute/) { res in
                began.add(res.message.user.name)
                release.spin()
            }
            $0.hear(/ping/) { try await $0.send("PONG") }
        } body: { _, adapter, _ in
            // All at once, so that one pass takes them.
            let users = ["ann", "bob"]
            await adapter.receive(
                users.map { adapter.message("compute", $0) } + [adapter.message("ping", "carol")],
                timeout: Inbox.receiveTimeout)
            await adapter.hasSaid(1)
            // All three run at the same time.
            while began.all.count < users.count { await Task.yield() }
            #expect(adapter.texts == ["PONG"])
            release.set()
        }
    }

    @Test func `a closure that spins is named in the log, even if its message had to wait`() async throws {
        let adapter = ManualAdapter()
        let (began, release) = (Signal(), Signal())
        let log = TestLog()
        var limits = Robot.Limits()
        // Longer than a thread that doesn't spin waits for the processor.
        limits.stallThreshold = .milliseconds(500)
        try await withRobot(
            adapters: [adapter], limits: limits, logger: log.logger,
            InlineScript("Spinner") {
                $0.hear(/wait/) { _ in
                    began.set()
                    await release.wait()
                }
                $0.hear(/spin/) { _ in release.spin() }
            }
        ) { _ in
            await adapter.receive("wait")
            await began.wait()
            // It begins when the first one has waited for a second.
            await adapter.receive("spin")
            while !log.lines(from: .error).contains(where: { $0.contains("listener=Spinner.2") }) { await Task.yield() }
            release.set()
        }
    }

    @Test func `a closure that waits for more than a second lets the next one begin`() async throws {
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

    @Test func `a closure that blocks its thread keeps its permit, however long`() async throws {
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
            #expect(robot.dispatcher.scheduler.waiting == 1)
            release.set()
            await adapter.hasSaid(2)
            #expect(adapter.texts == ["first", "next"])
        }
    }

    @Test func `a closure that asks lets the next one begin, and the answer is handled in order`() async throws {
        let (began, release) = (Signal(), Signal())
        try await withStillRobot {
            $0.hear(/order/) { res in try await res.send("got " + res.ask("What?")) }
            $0.hear(/slow/) { res in
                began.set()
                await release.wait()
                try await res.send("slow")
            }
        } body: { robot, adapter, _ in
            // The first listener pauses; the other one runs, and keeps the permit.
            await adapter.receive("slow order")
            await adapter.hasSaid(1)
            await began.wait()
            await adapter.receive("tea")
            await robot.hasWaiting(1)
            release.set()
            await adapter.hasSaid(3)
            #expect(adapter.texts == ["What?", "slow", "got tea"])
            // A paused closure alone holds no permit.
            await adapter.handle("order")
            await adapter.handle("coffee")
            #expect(adapter.texts.suffix(2) == ["What?", "got coffee"])
        }
    }
}

@Suite(.timeLimit(.minutes(15))) struct FairnessTests {
    @Test func `a message ends where it arrives only if it can concern nobody`() async throws {
        let adapter = ManualAdapter()
        let (began, release) = (Signal(), Signal())
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.hear(/ping/) { try await $0.send("PONG") }
                $0.hear(/wait/) { _ in
                    began.set()
                    await release.wait()
                }
                $0.hear(/order/) { try await $0.send("a \(try await $0.ask("What?"))") }
            }
        ) { robot in
            func ends(_ text: String) -> Bool { robot.dispatcher.concernsNobody(adapter.message(text)) }
            await adapter.handle("ping")
            while !robot.inFlight.isIdle { await Task.yield() }
            #expect(ends("hello") && ends(""))
            #expect(!ends("I said ping") && !ends("heybot hello") && !ends(String(repeating: "x", count: 1_025)))
            // A message that is being handled may ask.
            await adapter.receive("wait")
            await began.wait()
            #expect(!ends("hello"))
            release.set()
            while !robot.inFlight.isIdle { await Task.yield() }
            #expect(ends("hello"))
            await adapter.handle("order")
            #expect(!ends("tea"))
            await adapter.receive("tea")
            await adapter.hasSaid(3)
            #expect(adapter.texts == ["PONG", "What?", "a tea"])
        }
    }

    @Test func `however many closures of one user hang, another user is answered at once`() async throws {
        let crowd = Crowd()
        try await withStillRobot {
            $0.respond(/hang/) { _ in await crowd.join() }
            $0.respond(/ping/) { try await $0.send("PONG") }
        } body: { robot, adapter, clock in
            for number in 0..<60 { await adapter.receive("heybot hang", in: "#room \(number)") }
            await robot.hasWaiting(56)
            await adapter.handle("heybot ping", "bob")
            #expect(adapter.texts == ["PONG"])
            // 70 in one room: more than the limit of waiting messages.
            for _ in 0..<70 { await adapter.receive("heybot hang", "mallory") }
            await adapter.receive("heybot ping", "bob")
            await robot.pass(clock) { adapter.texts.filter { $0 == "PONG" }.count == 2 }
            await adapter.handle("heybot ping", "carol")
            #expect(adapter.texts.filter { $0 == "PONG" }.count == 3)
            // Four of alice's, and eventually four of mallory's.
            await robot.pass(clock) { crowd.most == 8 }
            robot.pass(.seconds(2), clock)
            await adapter.handle("heybot ping", "carol")
            #expect(crowd.most == 8)
            crowd.release.set()
        }
    }

    @Test func `a room has a limited share of the permits, and others continue`() async throws {
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

    @Test func `excess messages are dropped, and the user is notified once`() async throws {
        let crowd = Crowd()
        var limits = Robot.Limits()
        limits.waitingPerPerson = 2
        try await withStillRobot(limits: limits) {
            $0.hear(/hang/) { _ in await crowd.join() }
        } body: { robot, adapter, clock in
            // One is handled, two wait, and the fourth waits for space; nothing moves for a second.
            for _ in 0..<3 { await adapter.receive("heybot hang") }
            await robot.hasWaiting(2)
            await adapter.receive("heybot hang")
            await robot.pass(clock) { !adapter.said.isEmpty }
            let words = "One at a time, please: I'm still busy with your earlier messages."
            #expect(adapter.texts == [words])
            #expect(robot.dispatcher.scheduler.waiting <= 2)
            crowd.release.set()
        }
    }

    @Test func `a full inbox makes adapters wait, and loses nothing`() async throws {
        let (release, accepted) = (Signal(), StringRecorder())
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
            // One is in the middleware, one waits for a permit, one for space, and two are in the inbox.
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

    @Test func `one user's messages don't take all permits in the receive middleware`() async throws {
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

    @Test func `an answer to a question isn't dropped before receive middleware has run`()
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

    @Test func `an answer to a scheduled command isn't dropped either, also where messages have an origin`()
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
        } body: { robot, adapter, _ in
            func says(_ text: String) async {
                var message = adapter.message(text, "mallory")
                message.origin = "mallory@example.org"
                await adapter.receive([message], timeout: Inbox.receiveTimeout)
            }
            await adapter.handle("hello")
            await robot.run(adapter.message("heybot order", "mallory"), DelegatedCommand(reachesUser: true))
            await adapter.hasSaid(1)
            #expect(adapter.texts == ["What?"])
            for _ in 0..<2 { await says("hang") }
            await robot.hasWaiting(1)
            await says("pie")
            await robot.hasWaiting(2)
            release.set()
            await adapter.hasSaid(2)
            #expect(adapter.texts.last == "a hang, coming" || adapter.texts.last == "a pie, coming")
        }
    }

    @Test func `if the inbox stays full, the newest messages of the busiest user are dropped`() async throws {
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
                await adapter.receive(flood, timeout: Inbox.receiveTimeout)
                await adapter.receive([adapter.message("ping", "bob")], timeout: Inbox.receiveTimeout)
            }
            await robot.pass(clock) { adapter.texts.contains("PONG") }
            await putting.value
            release.set()
        }
    }

    @Test func `a handled message leaks nothing`() async throws {
        weak var permit: MessageScheduler.Permit?
        weak var dispatchTask: DispatchTaskHandle?
        do {
            let scheduler = scheduler()
            let one = try #require(scheduler.tryAcquire(conversation("ann")))
            let work = DispatchTaskHandle()
            one.setTask(work)
            let inbound = InFlightMessage(ManualAdapter().message("x"), inFlight: nil)
            inbound.begin(one, at: nil)
            work.startMatching(inbound)
            (permit, dispatchTask) = (one, work)
            one.release()
            // A late call changes nothing.
            one.setTask(work)
        }
        #expect(permit == nil)
        #expect(dispatchTask == nil)
    }

    @Test func `a flood of quick commands is handled completely, in order`() async throws {
        let adapter = ManualAdapter()
        let numbers = (1...3_000).map(String.init)
        try await withRobot(
            adapters: [adapter],
            InlineScript {
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

    // MARK: MessageScheduler

    private func scheduler(
        all: Int = 1, perPerson: Int = 4, perRoom: Int = 16, waiting: Int = 100, waitingPerPerson: Int = 10
    ) -> MessageScheduler {
        let timeSource = TimeSource(ManualClock(), date: { .now })
        return MessageScheduler(
            .init(
                all: all, perPerson: perPerson, perRoom: perRoom, waiting: waiting, waitingPerPerson: waitingPerPerson),
            timers: TimerQueue(timeSource), timeSource: timeSource)
    }

    private func conversation(_ user: String, _ room: String = "room") -> ConversationKey {
        .init(user: .init(adapter: "a", value: user), room: .init(adapter: "a", value: room))
    }

    @Test func `users take turns, and each user's messages keep their order`() throws {
        let scheduler = scheduler()
        let first = try #require(scheduler.tryAcquire(conversation("zoe")))
        let begun = Mutex<[(String, MessageScheduler.Permit)]>([])
        for name in ["ann 1", "ann 2", "ann 3", "bob 1", "cid 1", "bob 2"] {
            _ = scheduler.enqueue(conversation(String(name.prefix(3)))) { permit, _ in
                if let permit { begun.withLock { $0.append((name, permit)) } }
            }
        }
        first.release()
        first.release()
        for number in 0..<6 {
            #expect(begun.withLock { $0.count } == number + 1)
            begun.withLock { $0[number].1 }.release()
        }
        #expect(begun.withLock { $0.map(\.0) } == ["ann 1", "bob 1", "cid 1", "ann 2", "bob 2", "ann 3"])
        #expect(scheduler.waiting == 0)
        // All permits have been released.
        #expect(scheduler.tryAcquire(conversation("ann")) != nil)
    }

    @Test func `the task whose message has ended may go on with the next message of the same user`() throws {
        let scheduler = scheduler(all: 2, perPerson: 1)
        let zoe = try #require(scheduler.tryAcquire(conversation("zoe")))
        let ann = try #require(scheduler.tryAcquire(conversation("ann")))
        let begun = Mutex<[(name: String, permit: MessageScheduler.Permit, goesOn: Bool)]>([])
        for name in ["bob 1", "ann 1", "ann 2"] {
            _ = scheduler.enqueue(conversation(String(name.prefix(3)))) { permit, task in
                if let permit { begun.withLock { $0.append((name, permit, task != nil)) } }
            }
        }
        // It is another user's turn.
        zoe.release(by: DispatchTaskHandle(goesOn: true))
        ann.release(by: DispatchTaskHandle(goesOn: true))
        begun.withLock { $0[1].permit }.release()
        #expect(begun.withLock { $0.map(\.name) } == ["bob 1", "ann 1", "ann 2"])
        #expect(begun.withLock { $0.map(\.goesOn) } == [false, true, false])
    }

    @Test func `a user who took another's place has one turn a round, and no more at a time than others`() throws {
        let scheduler = scheduler(all: 3, perPerson: 2, waiting: 4, waitingPerPerson: 4)
        let first = try ["zoe", "yan", "xia"].map { try #require(scheduler.tryAcquire(conversation($0))) }
        let begun = Mutex<[(name: String, permit: MessageScheduler.Permit)]>([])
        func enter(_ name: String, in room: String = "room") {
            _ = scheduler.enqueue(conversation(String(name.prefix(3)), room), evictsOther: true) { permit, _ in
                if let permit { begun.withLock { $0.append((name, permit)) } }
            }
        }
        for number in 1...4 { enter("ann \(number)") }
        // In place of two of ann's.
        enter("cid 1")
        enter("cid 2")
        #expect(scheduler.waiting == 4)
        for permit in first { permit.release() }
        // The second of each waits until the first has ended.
        #expect(begun.withLock { $0.map(\.name) } == ["ann 1", "cid 1"])
        begun.withLock { $0[1].permit }.release()
        #expect(begun.withLock { $0.map(\.name) } == ["ann 1", "cid 1", "cid 2"])
        for index in [0, 2, 3] { begun.withLock { $0[index].permit }.release() }
        #expect(begun.withLock { $0.map(\.name) } == ["ann 1", "cid 1", "cid 2", "ann 2"])
        #expect(scheduler.waiting == 0)
        // Nothing is left that would change what they may do.
        for (number, room) in ["a", "b", "c"].enumerated() { enter("cid \(number + 3)", in: room) }
        #expect(begun.withLock { $0.count } == 6)
        #expect(scheduler.waiting == 1)
    }

    @Test func `if the scheduler is full, the newest message of the user with most is dropped`() throws {
        let scheduler = scheduler(waiting: 4, waitingPerPerson: 3)
        _ = try #require(scheduler.tryAcquire(conversation("zoe")))
        let dropped = StringRecorder()
        func enter(_ name: String, evictsOther: Bool = true) -> MessageScheduler.EnqueueResult {
            scheduler.enqueue(conversation(String(name.prefix(3))), evictsOther: evictsOther) { permit, _ in
                if permit == nil { dropped.add(name) }
            }
        }
        for number in 1...3 { _ = enter("ann \(number)") }
        guard case .full = enter("ann 4", evictsOther: false) else {
            Issue.record("there was room for a fourth")
            return
        }
        _ = enter("ann 4")
        #expect(dropped.all == ["ann 4"])
        _ = enter("bob 1")
        #expect(scheduler.waiting == 4)
        _ = enter("cid 1")
        #expect(dropped.all == ["ann 4", "ann 3"])
        _ = enter("dan 1")
        #expect(dropped.all == ["ann 4", "ann 3", "ann 2"])
        // Now no user has more than one.
        _ = enter("eve 1")
        #expect(dropped.all == ["ann 4", "ann 3", "ann 2", "eve 1"])
        // An answer to a question always finds space, and is never dropped.
        _ = scheduler.enqueue(conversation("ann"), protectingUpTo: .max) { permit, _ in
            if permit == nil { dropped.add("ann's answer") }
        }
        _ = scheduler.enqueue(conversation("ann"), protectingUpTo: .max) { permit, _ in
            if permit == nil { dropped.add("ann's answer") }
        }
        #expect(scheduler.waiting == 6)
        _ = enter("fay 1")
        #expect(!dropped.all.contains("ann's answer"))
        // Of messages that may be answers, as many are protected as there are questions.
        guard case .accepted = scheduler.enqueue(conversation("eve"), protectingUpTo: 1, { _, _ in }),
            case .full = scheduler.enqueue(conversation("eve"), protectingUpTo: 1, { _, _ in })
        else {
            Issue.record("as many wait as anybody likes")
            return
        }
    }
}
