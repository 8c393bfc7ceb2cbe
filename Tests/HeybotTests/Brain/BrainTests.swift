import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct BrainTests {
    struct Birthday: Codable, Equatable, Sendable {
        var day: Int
        var month: Int
    }

    static let motto = BrainKey<String>("motto")
    static let birthdays = BrainCollection<Birthday>("birthdays")

    let store = MemoryStore()
    let brain: Brain

    init() async throws {
        brain = Brain(store: store)
        try await brain.open()
    }

    @Test func `a value is remembered, changed and forgotten`() async throws {
        #expect(try await brain.recall(Self.motto) == nil)
        try await brain.remember(Self.motto, "be quick")
        #expect(try await brain.recall(Self.motto) == "be quick")
        let length = try await brain.update(Self.motto, default: "") {
            $0 += "!"; return $0.count
        }
        #expect(length == 9)
        try await brain.update(Self.motto) { $0 = nil }
        #expect(try await brain.recall(Self.motto) == nil)
        try await brain.remember(Self.motto, "again")
        try await brain.forget(Self.motto)
        #expect(try await brain.recall(Self.motto) == nil)
    }

    @Test func `dates are text that people can read, and come back exactly`() async throws {
        let memory = BrainKey<[Date]>("dates")
        func stored(_ date: Date) async throws -> String {
            try await brain.remember(memory, [date])
            #expect(try await brain.recall(memory) == [date])
            return String(decoding: try await store.value(for: StoreKey(name: "dates")) ?? [], as: UTF8.self)
        }
        #expect(
            try await stored(Date(timeIntervalSinceReferenceDate: 817_082_568.02)) == #"["2026-11-22T23:22:48.02Z"]"#)
        #expect(try await stored(Date(timeIntervalSince1970: 0)) == #"["1970-01-01T00:00:00Z"]"#)
        #expect(try await stored(Date(timeIntervalSinceReferenceDate: 0.5)) == #"["2001-01-01T00:00:00.5Z"]"#)
        #expect(try await stored(.distantPast) == #"["0001-01-01T00:00:00Z"]"#)
        #expect(try await stored(Date(timeIntervalSinceReferenceDate: -0.5)) == #"["2000-12-31T23:59:59.5Z"]"#)
        #expect(try await stored(Date(timeIntervalSinceReferenceDate: -86_400.25)) == #"["2000-12-30T23:59:59.75Z"]"#)
        // A date that the text can't represent exactly is encoded as a number.
        #expect(try await stored(Date(timeIntervalSinceReferenceDate: 1e-7)) == "[1e-07]")
        _ = try await stored(Date(timeIntervalSinceReferenceDate: 1e20))
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            _ = try await stored(Date(timeIntervalSinceReferenceDate: .random(in: -2e9...2e9, using: &generator)))
        }
    }

    @Test func `dates of older brains are read, and text that is no date isn't`() async throws {
        let memory = BrainKey<Date>("date")
        let key = StoreKey(name: "date")
        try await store.set(Array("817082568.02".utf8), for: key)
        #expect(try await brain.recall(memory) == Date(timeIntervalSinceReferenceDate: 817_082_568.02))
        for text in [
            "2026-11-22", "2026-11-22T22:22:48", "2026-13-22T22:22:48Z", "2026-11-22T22:22:48.Z", "yesterday", "",
            "2026-11-22T22:22:48+01:00"
        ] {
            try await store.set(Array("\"\(text)\"".utf8), for: key)
            await #expect(throws: BrainCodingError.unreadable(key, expected: "Date")) { try await brain.recall(memory) }
        }
    }

    @Test func `a collection is kept entry by entry`() async throws {
        try await brain.remember(Self.birthdays, "ada", Birthday(day: 10, month: 12))
        try await brain.update(Self.birthdays, "alan", default: Birthday(day: 0, month: 0)) { $0.day = 23 }
        try await brain.update(Self.birthdays, "grace") { $0 = Birthday(day: 9, month: 12) }
        try await brain.forget(Self.birthdays, "grace")
        #expect(try await brain.recall(Self.birthdays, "alan") == Birthday(day: 23, month: 0))
        let stored = try await store.value(for: StoreKey(collection: "birthdays", name: "ada"))
        #expect(stored.map { String(decoding: $0, as: UTF8.self) } == #"{"day":10,"month":12}"#)
        var keys: [String] = []
        for try await (key, _) in brain.entries(Self.birthdays) { keys.append(key) }
        #expect(keys.sorted() == ["ada", "alan"])
    }

    @Test func `a collection is walked without loading it whole`() async throws {
        let numbers = BrainCollection<Int>("numbers")
        for number in 0..<1_000 { try await brain.remember(numbers, "\(number)", number) }
        var (sum, count) = (0, 0)
        for try await (_, value) in brain.entries(numbers) {
            sum += value
            count += 1
        }
        #expect(count == 1_000)
        #expect(sum == 499_500)
    }

    @Test func `updates of one entry are atomic`() async throws {
        let counter = BrainCollection<Int>("counters")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask { try? await brain.update(counter, "a", default: 0) { $0 += 1 } }
            }
        }
        #expect(try await brain.recall(counter, "a") == 200)
    }

    @Test func `an update sees another process's concurrent write`() async throws {
        let counter = BrainKey<Int>("counter")
        let other = Brain(store: store)
        await withTaskGroup(of: Void.self) { group in
            for brain in [brain, other] {
                for _ in 0..<200 { group.addTask { try? await brain.update(counter, default: 0) { $0 += 1 } } }
            }
        }
        #expect(try await brain.recall(counter) == 400)
    }

    @Test func `an update that throws changes nothing, and lets the next one in`() async throws {
        try await brain.remember(Self.motto, "be quick")
        await #expect(throws: Refusal("no")) {
            try await brain.update(Self.motto, default: "") { value in
                value = "changed"
                throw Refusal("no")
            }
        }
        #expect(try await brain.update(Self.motto, default: "") { $0 } == "be quick")
    }

    @Test func `a cancelled waiter gives up its turn`() async throws {
        let (inside, go) = (Signal(), Signal())
        let holder = Task {
            try await brain.update(Self.motto, default: "") { _ in
                inside.set()
                go.spin()
            }
        }
        await inside.wait()
        let waiter = Task { try await brain.update(Self.motto, default: "") { $0 = "never" } }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        go.set()
        try await holder.value
        #expect(try await brain.recall(Self.motto) == "")
    }

    @Test func `a value of another type is named and left alone`() async throws {
        try await brain.remember(BrainKey<Int>("motto"), 5)
        let expected = BrainCodingError.unreadable(StoreKey(name: "motto"), expected: "String")
        await #expect(throws: expected) { try await brain.recall(Self.motto) }
        await #expect(throws: expected) { try await brain.update(Self.motto, default: "") { $0 = "mine" } }
        #expect(try await brain.recall(BrainKey<Int>("motto")) == 5)
        #expect("\(expected)".hasPrefix("the brain's value at motto isn't of type String"))
    }

    @Test func `a value that is no JSON, or too long, is refused`() async throws {
        await #expect(throws: BrainCodingError.unwritable(StoreKey(name: "n"), type: "Double")) {
            try await brain.remember(BrainKey<Double>("n"), .infinity)
        }
        await #expect {
            try await brain.remember(Self.motto, String(repeating: "x", count: BrainLimits.valueBytes))
        } throws: {
            ($0 as? StoreError)?.code == .tooLong
        }
    }
}
