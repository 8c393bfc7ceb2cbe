import FoundationEssentials
import HeybotTesting
import Synchronization

@testable import Heybot

struct Cup: Codable, Hashable, Sendable {
    let name: String
}

let tea = ScheduledJob<Cup>("tea.ready")

/// A script that records each timer that fires: `green 20`, with the second of the robot's clock.
func teaScript(_ notes: StringRecorder, missed: MissedTimerPolicy = .fireLate) -> InlineScript {
    InlineScript("Tea") { robot in
        robot.on(tea, missed: missed) { timer, robot in
            let late = timer.lateness > .zero ? " late by \(timer.lateness.components.seconds)" : ""
            notes.add("\(timer.payload.name) \(second(robot.date))\(late)")
        }
    }
}

/// The seconds since the beginning of a test's clock.
func second(_ date: Date) -> Int { Int(date.timeIntervalSinceReferenceDate) }

extension TestRobot {
    /// Waits until the robot has started, and has fired the timers that are due.
    func settle() async {
        _ = await advance(by: .zero)
        robot.timers.fire()
        await robot.inFlight.waitUntilIdle()
        // If the clock was advanced while the robot was looking for timers, it looks again after a millisecond.
        _ = await advance(by: .milliseconds(1))
    }

    /// Advances the clocks of two robots in small steps, so that they differ by less than a lease lasts.
    static func advance(_ one: TestRobot, _ other: TestRobot, by duration: Duration) async {
        var rest = duration
        while rest > .zero {
            let step = min(rest, .seconds(20))
            async let first = one.advance(by: step)
            async let second = other.advance(by: step)
            _ = await (first, second)
            rest -= step
        }
    }

    /// A robot that starts when others have run for that long.
    static func started(after time: Duration, _ store: some Store, _ script: InlineScript) async -> TestRobot {
        let robot = TestRobot(brain: Brain(store: store), script)
        robot.clock.advance(by: time)
        await robot.settle()
        return robot
    }
}

/// A robot's connection to a store in memory that other robots use too.
final class SharedStore: Store {
    private let base: MemoryStore
    private let fails = Mutex(false)
    private let stale = Mutex<[DueEntry]>([])

    init(_ base: MemoryStore) { self.base = base }

    /// Makes all calls fail, or work again.
    func setFailing(_ isFailing: Bool) { fails.withLock { $0 = isFailing } }

    private static let collection = TimerKey.collection(job: tea.name, adapter: nil).name

    /// Adds times of timers that need no adapter, as if a program that doesn't know the index had deleted the timers.
    func addStaleDueEntries(_ entries: [DueEntry]) { stale.withLock { $0 += entries } }

    /// The added entries that haven't been removed by a change of their timer.
    var staleDueEntries: [DueEntry] { stale.withLock { $0 } }

    private func check() throws {
        if fails.withLock({ $0 }) { throw StoreError(.unavailable, "the store is down") }
    }

    func open() async throws { try await base.open() }

    // Other robots still use it.
    func close() async {}

    func value(for key: StoreKey) async throws -> [UInt8]? {
        try check()
        return try await base.value(for: key)
    }

    func set(_ value: [UInt8]?, for key: StoreKey) async throws {
        try check()
        try await base.set(value, for: key)
    }

    func compareAndSet(_ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?) async throws -> Bool {
        try check()
        let isSet = try await base.compareAndSet(value, for: key, expecting: expected)
        if isSet, key.collection == Self.collection { stale.withLock { $0.removeAll { $0.key == key.name } } }
        return isSet
    }

    func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        try check()
        return try await base.page(of: collection, after: cursor, limit: limit)
    }

    func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        try check()
        return try await base.collections(after: cursor, limit: limit)
    }

    func firstDue(in collection: String, limit: Int) async throws -> [DueEntry] {
        try check()
        let found = try await base.firstDue(in: collection, limit: limit)
        return collection == Self.collection ? Array((staleDueEntries + found).prefix(limit)) : found
    }
}
