import Heybot
import HeybotTesting
import Synchronization
import TestServers
import Testing

/// The guarantees of every robot.
///
/// Durability is tested in BrainTests and the tests of the stores, addressing in AddressingTests.
@Suite(.alsoSplit, .timeLimit(.minutes(15))) struct GuaranteeTests {
    /// Longer than a thread that doesn't spin waits for the processor while others do: a message whose matcher seems to
    /// be stalled is abandoned.
    private static let stallThreshold: Duration = .milliseconds(500)

    // MARK: 1. Order

    @Test func `a room's messages are matched in order, however long middleware takes`() async throws {
        let notes = StringRecorder()
        let adapter = ManualAdapter()
        let secondIsThere = Signal()
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.receiveMiddleware { message, _ in
                    // The first message waits until the second one is in the middleware too.
                    if message.text == "1" { await secondIsThere.wait() } else { secondIsThere.set() }
                    return message
                }
                $0.listen({ message -> Bool? in
                    notes.add(message.text ?? "")
                    return true
                }) { try await $0.send("done") }
            }
        ) { _ in
            await adapter.receive("1")
            await adapter.receive("2")
            await adapter.hasSaid(2)
        }
        #expect(notes.all == ["1", "2"])
    }

    @Test func `a flood is matched in the order it came`() async throws {
        let notes = StringRecorder()
        let adapter = ManualAdapter()
        let numbers = (1...500).map(String.init)
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.listen({ message -> Bool? in
                    notes.add(message.text ?? "")
                    return nil
                }) { _ in }
            }
        ) { _ in
            for number in numbers { await adapter.receive(number) }
            await adapter.handle("end")
        }
        #expect(notes.all == numbers + ["end"])
    }

    @Test func `a message's listeners run one after another, in order of registration`() async {
        let notes = StringRecorder()
        let robot = TestRobot(
            InlineScript("One") {
                $0.hear(/a/) { _ in
                    notes.add("one begins")
                    await Task.yield()
                    notes.add("one ends")
                }
            },
            InlineScript("Two") { $0.hear(/a/) { _ in notes.add("two") } })
        _ = await robot.hears("a")
        #expect(notes.all == ["one begins", "one ends", "two"])
    }

    @Test func `finish stops later listeners, an answer doesn't`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/a/) { try await $0.send("one") }
                $0.hear(/a/) {
                    try await $0.send("two")
                    $0.finish()
                }
                $0.hear(/a/) { try await $0.send("three") }
            })
        #expect(await robot.hears("a") == [.text("one"), .text("two")])
    }

    @Test func `the messages of one closure arrive in the order sent`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/a/) { res in
                    for number in 0..<100 { try await res.send("\(number)") }
                }
            })
        #expect(await robot.hears("a") == (0..<100).map { .text("\($0)") })
    }

    // MARK: 2. Concurrency

    @Test func `a slow script delays no other`() async throws {
        let adapter = ManualAdapter()
        let release = Signal()
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.hear(/slow/) { _ in await release.wait() }
                $0.hear(/quick/) { try await $0.send("quick") }
            }
        ) { _ in
            await adapter.receive("slow")
            await adapter.handle("quick", "bob")
            release.set()
        }
        #expect(adapter.texts == ["quick"])
    }

    @Test func `the number of messages handled at once is limited`() async throws {
        let adapter = ManualAdapter()
        let running = Mutex((now: 0, most: 0))
        let release = Signal()
        var limits = Robot.Limits()
        limits.concurrency = 3
        try await withRobot(
            adapters: [adapter], limits: limits,
            InlineScript {
                $0.hear(/a/) { res in
                    let now = running.withLock {
                        $0.now += 1
                        $0.most = max($0.most, $0.now)
                        return $0.now
                    }
                    if now == 3 { release.set() }
                    await release.wait()
                    await Task.yield()
                    running.withLock { $0.now -= 1 }
                    try await res.send("done")
                }
            }
        ) { _ in
            for number in 0..<20 { await adapter.receive("a", "user \(number)") }
            await adapter.hasSaid(20)
        }
        #expect(running.withLock { $0.most } == 3)
    }

    @Test func `a closure past its deadline is cancelled, logged and reported, and can't send any more`() async {
        let (began, cancelled, spoke) = (Signal(), Signal(), Signal())
        let robot = TestRobot(
            InlineScript("Slow") {
                $0.hear(/slow/) { res in
                    began.set()
                    await withTaskCancellationHandler {
                        await cancelled.wait()
                    } onCancel: {
                        cancelled.set()
                    }
                    do { try await res.send("too late") } catch { spoke.set() }
                }
                $0.hear(/slow/) { try await $0.send("next") }
            })
        async let answers = robot.hears("slow")
        await began.wait()
        #expect(await robot.advance(by: .seconds(29)) == [])
        _ = await robot.advance(by: .seconds(1))
        #expect(await answers == [.reply("That took too long, so I gave up on it (Slow)."), .text("next")])
        await spoke.wait()
        #expect(robot.lines.count == 2)
        #expect(
            robot.loggedProblems == [
                "script Slow timed out: its deadline passed "
                    + "listener=Slow.1 message=test:1 room=test:#test script=Slow user=test:alice"
            ])
    }

    @Test func `a closure that spins when it is cancelled delays no other deadline`() async {
        let (release, never) = (Signal(), Signal())
        let began = StringRecorder()
        let robot = TestRobot(
            InlineScript("Stubborn") {
                $0.hear(/stubborn/) { _ in
                    began.add("")
                    await withTaskCancellationHandler {
                        await never.wait()
                    } onCancel: {
                        release.spin()
                    }
                }
                $0.hear(/slow/) { _ in
                    began.add("")
                    await never.wait()
                }
            })
        for text in ["stubborn", "slow"] {
            let before = began.all.count
            async let answers = robot.hears(text)
            while began.all.count == before { await Task.yield() }
            _ = await robot.advance(by: .seconds(30))
            #expect(await answers == [.reply("That took too long, so I gave up on it (Stubborn).")])
        }
        release.set()
        never.set()
    }

    @Test func `a listener may have a deadline of its own`() async {
        let (began, never) = (Signal(), Signal())
        let robot = TestRobot(
            InlineScript {
                $0.hear(/slow/, deadline: .seconds(2)) { _ in
                    began.set()
                    await never.wait()
                }
            })
        async let answers = robot.hears("slow")
        await began.wait()
        _ = await robot.advance(by: .seconds(2))
        #expect(await answers == [.reply("That took too long, so I gave up on it (Inline).")])
        never.set()
    }

    @Test func `the deadline of a closure that has ended doesn't make a test wait for another one`() async {
        let (began, never) = (Signal(), Signal())
        let robot = TestRobot(
            InlineScript {
                $0.hear(/quick/, deadline: .seconds(4)) { try await $0.send("quick") }
                $0.hear(/slow/, deadline: .seconds(5)) { _ in
                    began.set()
                    await never.wait()
                }
            })
        #expect(await robot.hears("quick") == [.text("quick")])
        _ = await robot.advance(by: .seconds(2))
        async let answers = robot.hears("slow")
        await began.wait()
        // The first deadline would be in the middle.
        _ = await robot.advance(by: .seconds(5))
        #expect(await answers == [.reply("That took too long, so I gave up on it (Inline).")])
        never.set()
    }

    @Test func `two closures that spin endlessly delay no other, and are logged`() async throws {
        let adapter = ManualAdapter()
        let stop = Signal()
        let log = TestLog()
        var limits = Robot.Limits()
        limits.threads = 2
        limits.stallThreshold = Self.stallThreshold
        // On a busy machine others may seem stalled for a moment.
        func named() -> [String] {
            log.lines(from: .error).filter { $0.contains("without making progress") && $0.contains("Spinner.1") }
        }
        try await withRobot(
            adapters: [adapter], limits: limits, logger: log.logger,
            InlineScript("Spinner") {
                $0.hear(/spin/) { _ in stop.spin() }
                $0.hear(/third/) { try await $0.send("answered") }
            }
        ) { _ in
            await adapter.receive("spin", "one")
            await adapter.receive("spin", "two")
            await adapter.handle("third", "three")
            #expect(adapter.texts == ["answered"])
            // The first stall that is logged frees a thread for the third closure; the other one may be logged later.
            try await wait(for: "both to be named") { named().count >= 2 }
            stop.set()
        }
        #expect(named().count >= 2)
        #expect(named().allSatisfy { $0.contains("script=Spinner") && $0.contains("listener=Spinner.1") })
    }

    @Test func `a matcher that spins endlessly delays no other message, and is logged`() async throws {
        let adapter = ManualAdapter()
        let stop = Signal()
        let log = TestLog()
        var limits = Robot.Limits()
        limits.threads = 1
        limits.stallThreshold = Self.stallThreshold
        try await withRobot(
            adapters: [adapter], limits: limits, logger: log.logger,
            InlineScript("Matcher") {
                $0.listen({ message -> Bool? in
                    if message.text == "spin" { stop.spin() }
                    return nil
                }) { _ in }
                $0.hear(/third/) { try await $0.send("answered") }
            }
        ) { _ in
            await adapter.receive("spin")
            await adapter.handle("third")
            #expect(adapter.texts == ["answered"])
            stop.set()
        }
        #expect(log.lines().contains { $0.contains("without making progress") && $0.contains("listener=Matcher.1") })
    }

    @Test func `a script that sends 10,000 lines to a slow service affects no other`() async throws {
        let slow = Signal()
        let adapter = ManualAdapter { utterance in
            if utterance.content == "line 100" { await slow.wait() }
        }
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.hear(/flood/) { res in
                    for number in 0..<10_000 { try await res.send("line \(number)") }
                }
                $0.hear(/hello/) { try await $0.send("hello") }
            }
        ) { _ in
            await adapter.receive("flood")
            await adapter.hasSaid(100)
            await adapter.handle("hello", "bob")
            #expect(adapter.texts.last == "hello")
            slow.set()
            await adapter.hasSaid(10_001)
        }
    }

    @Test func `an adapter that never delivers affects no other adapter`() async throws {
        let release = Signal()
        let hung = ManualAdapter("hung") { _ in await release.wait() }
        let well = ManualAdapter("well")
        var limits = Robot.Limits()
        limits.concurrency = 2
        try await withRobot(
            adapters: [hung, well], limits: limits, logger: TestLog().logger,
            InlineScript {
                $0.hear(/hang/, deadline: .milliseconds(20)) { try await $0.send("hanging") }
                $0.hear(/hello/) { try await $0.send("hello") }
            }
        ) { _ in
            for _ in 0..<4 { await hung.receive("hang") }
            await well.handle("hello")
            #expect(well.texts == ["hello"])
            release.set()
        }
    }

    @Test func `messages are abandoned if their matchers spin endlessly`() async throws {
        let adapter = ManualAdapter()
        let stop = Signal()
        var limits = Robot.Limits()
        limits.concurrency = 2
        limits.threads = 1
        limits.stallThreshold = Self.stallThreshold
        try await withRobot(
            adapters: [adapter], limits: limits, logger: TestLog().logger,
            InlineScript {
                $0.hear(/spin|hello/) { try await $0.send("first") }
                $0.listen({ message -> Bool? in
                    if message.text?.hasSuffix("spin") == true { stop.spin() }
                    return nil
                }) { _ in }
                $0.hear(/hello/) { try await $0.send("last") }
            }
        ) { _ in
            // Two in the middle of their listeners, two before any has matched; the wait for each ends.
            for text in ["spin", "spin", "only sspin"] { await adapter.handle(text) }
            await adapter.handle("hello")
            #expect(adapter.texts.suffix(2) == ["first", "last"])
            stop.set()
        }
    }

    @Test func `a message is abandoned even if the same thread stalled in a closure just before`() async throws {
        let adapter = ManualAdapter()
        let stop = Signal()
        let log = TestLog()
        var limits = Robot.Limits()
        limits.stallThreshold = Self.stallThreshold
        try await withRobot(
            adapters: [adapter], limits: limits, logger: log.logger,
            InlineScript("Slow") {
                $0.hear(/spin/) { _ in
                    while !log.lines(from: .error).contains(where: { $0.contains("listener=Slow.1") }) {}
                }
                $0.listen({ _ -> Bool? in
                    stop.spin()
                    return nil
                }) { _ in }
            }
        ) { _ in
            await adapter.handle("spin")
            #expect(!stop.isSet)
            stop.set()
        }
    }

    // MARK: 3. Errors

    @Test func `an error is logged, counted and reported, and affects nothing else`() async {
        struct Trouble: Error, CustomStringConvertible { let description = "no such thing" }
        let robot = TestRobot(
            InlineScript("Bad") { $0.hear(/a/) { _ in throw Trouble() } },
            InlineScript("Good") { $0.hear(/a/) { try await $0.send("good") } })
        let answers: [Utterance] = [.reply("Sorry, something went wrong (Bad)."), .text("good")]
        #expect(await robot.hears("a", from: "bob") == answers)
        #expect(await robot.hears("a", from: "bob") == answers)
        #expect(
            robot.loggedProblems
                == [1, 2].map {
                    "script Bad failed: no such thing listener=Bad.1 message=test:\($0) room=test:#test script=Bad user=test:bob"
                })
    }

    @Test func `a CancellationError that a closure throws itself is an error like any other`() async {
        let robot = TestRobot(InlineScript { $0.hear(/a/) { _ in throw CancellationError() } })
        #expect(await robot.hears("a") == [.reply("Sorry, something went wrong (Inline).")])
        #expect(robot.loggedProblems.count == 1)
    }

    @Test func `a refusal is sent as it is, and not logged as a problem`() async {
        let robot = TestRobot(InlineScript { $0.hear(/a/) { _ in throw Refusal("Not today.") } })
        #expect(await robot.hears("a") == [.reply("Not today.")])
        #expect(robot.loggedProblems == [])
    }

    @Test func `an unavailable brain is reported to the user, and logged`() async {
        let robot = TestRobot(
            InlineScript { $0.hear(/a/) { _ in throw StoreError(.unavailable, "the brain is on holiday") } })
        #expect(await robot.hears("a") == [.reply("My memory isn't available just now.")])
        #expect(robot.loggedProblems.count == 1)
    }

    // MARK: 4. Readiness

    @Test func `no message is received before the brain is open, and none is lost`() async throws {
        let (isOpening, mayOpen) = (Signal(), Signal())
        let store = HookedStore(onOpen: {
            isOpening.set()
            await mayOpen.wait()
        })
        let adapter = ManualAdapter()
        let memory = BrainKey<Int>("count")
        try await withRobot(
            adapters: [adapter], brain: Brain(store: store),
            InlineScript {
                $0.hear(/a/) { res in
                    let count = try await res.brain.update(memory, default: 0) {
                        $0 += 1; return $0
                    }
                    try await res.send("\(count)")
                }
            }
        ) { _ in
            async let said: Void = adapter.receive("a")
            await isOpening.wait()
            #expect(adapter.texts == [])
            mayOpen.set()
            await said
            await adapter.hasSaid(1)
        }
        #expect(adapter.texts == ["1"])
    }

    // MARK: 7. Identity

    @Test func `users, rooms and robots of two networks are never confused`() async throws {
        let (one, other) = (ManualAdapter("one"), ManualAdapter("other"))
        try await withRobot(
            adapters: [one, other],
            InlineScript {
                $0.hear(/^ask/) { res in try await res.send("got " + res.ask("what?")) }
                $0.hear(/rest/, cooldown: .perUser(.hours(1))) { try await $0.send("rested") }
            }
        ) { robot in
            await one.handle("ask")
            await other.handle("not mine")
            await one.handle("mine")
            #expect(one.texts == ["what?", "got mine"])
            #expect(other.texts == [])
            await one.handle("rest")
            await other.handle("rest")
            #expect(other.texts == ["rested"])
            try await robot.messageRoom("other:#test", "over there")
            #expect(other.texts == ["rested", "over there"])
            await #expect(throws: RobotError.ambiguousRoom(room: "#test", known: ["one", "other"])) {
                try await robot.messageRoom("#test", "where?")
            }
        }
        #expect(one.texts == ["what?", "got mine", "rested"])
    }
}
