public import Heybot

/// A test that every store must pass.
///
/// ```swift
/// @Test(arguments: StoreConformanceTest.all) func `the store conforms`(_ test: StoreConformanceTest) async throws {
///     try await test.check { MyStore(path: path) }
/// }
/// ```
public struct StoreConformanceTest: Sendable, CustomStringConvertible {
    /// Thrown if a store doesn't pass a test.
    public struct Violation: Error, CustomStringConvertible {
        /// What the store did.
        public let description: String

        /// Creates a violation.
        public init(_ description: String) {
            self.description = description
        }
    }

    /// The requirement, in a sentence.
    public let description: String
    private let body: @Sendable (@Sendable () -> any Store) async throws -> Void

    /// A test of one store, which is open and empty.
    init(_ description: String, _ body: @escaping @Sendable (any Store) async throws -> Void) {
        self.description = description
        self.body = { make in try await Self.with(make, body) }
    }

    /// A test of several connections to the same entries.
    init(shared description: String, _ body: @escaping @Sendable (@Sendable () -> any Store) async throws -> Void) {
        self.description = description
        self.body = body
    }

    /// Runs the test.
    ///
    /// - Parameter make: Returns a store that isn't open yet: each time another connection to the same entries, of which there
    ///   are none at first.
    /// - Throws: ``Violation`` if the store doesn't pass, and what the store throws.
    public func check(_ make: @escaping @Sendable () -> any Store) async throws {
        try await body(make)
    }

    static func with(_ make: () -> any Store, _ body: (any Store) async throws -> Void) async throws {
        let store = make()
        try await withBrain(store) { _ in try await body(store) }
    }

    /// All names that a paginated listing returns, sorted.
    static func all(_ page: (String?) async throws -> (names: [String], next: String?)) async throws -> [String] {
        var all: [String] = []
        var cursor: String?
        repeat {
            let (names, next) = try await page(cursor)
            all += names
            cursor = next
        } while cursor != nil && all.count < 10_000
        return all.sorted()
    }

    static func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws {
        if !holds { throw Violation(otherwise()) }
    }

    /// The beginning of the year 2030, in seconds since 1970.
    static let newYear: Int64 = 1_893_456_000

    /// A timer that is due that many seconds after the beginning of 2030, up to 3,599.
    static func timer(_ second: Int) -> [UInt8] {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let due = "2030-01-01T00:\(digits(second / 60)):\(digits(second % 60))Z"
        let json = #"{"attempts":0,"date":"\#(due)","due":"\#(due)","payload":"{}"}"#
        return Array(json.utf8)
    }
}

/// Runs `body` with an open brain on a store.
package func withBrain(_ store: any Store, _ body: (Brain) async throws -> Void) async throws {
    let brain = Brain(store: store)
    try await brain.open()
    do {
        try await body(brain)
    } catch {
        await brain.close()
        throw error
    }
    await brain.close()
}

extension StoreConformanceTest {
    /// All tests.
    ///
    /// Those with several connections require a persistent store.
    public static let all: [StoreConformanceTest] = singleConnection + multipleConnections

    /// The tests with one connection, which a store in memory can pass too.
    public static let singleConnection: [StoreConformanceTest] = [
        StoreConformanceTest("a value is stored until it is removed") { store in
            let key = StoreKey(collection: "c", name: "k")
            try expect(try await store.value(for: key) == nil, "there is a value before any is set")
            try await store.set([1, 2], for: key)
            try expect(try await store.value(for: key) == [1, 2], "the value isn't stored")
            try await store.set([3], for: key)
            try expect(try await store.value(for: key) == [3], "the new value isn't stored")
            try await store.set(nil, for: key)
            try await store.set(nil, for: key)
            try expect(try await store.value(for: key) == nil, "the removed value is still there")
        },
        StoreConformanceTest("an empty value differs from no value") { store in
            for key in [StoreKey(name: "k"), StoreKey(collection: "c", name: "k")] {
                try await store.set([], for: key)
                try expect(try await store.value(for: key) == [], "\(key) isn't empty")
                try expect(
                    try await !store.compareAndSet([1], for: key, expecting: nil), "\(key) counts as unset")
                try expect(try await store.compareAndSet([1], for: key, expecting: []), "\(key) doesn't count as empty")
            }
        },
        StoreConformanceTest("names differ by their bytes") { store in
            let names = [
                "", " ", "a", "A", "a ", "a\u{0}", "a\u{0}b", "é", "e\u{301}", "👩‍👩‍👧", "'; DROP TABLE memory; --",
                "a/b:c*?",
                "\n", "%", "_", String(repeating: "n", count: 10_000)
            ]
            let keys =
                names.map { StoreKey(name: $0) }
                + names.flatMap { collection in names.map { StoreKey(collection: collection, name: $0) } }
            for (number, key) in keys.enumerated() { try await store.set(Array("\(number)".utf8), for: key) }
            for (number, key) in keys.enumerated() {
                try expect(
                    try await store.value(for: key) == Array("\(number)".utf8),
                    "key number \(number) has another's value")
            }
        },
        StoreConformanceTest("any bytes are stored, up to the size limit, and longer values are refused") { store in
            let key = StoreKey(name: "big")
            let all = (0..<BrainLimits.valueBytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            try await store.set(all, for: key)
            try expect(try await store.value(for: key) == all, "the longest value has changed")
            do {
                try await store.set(all + [0], for: key)
                throw Violation("a value that is too long was accepted")
            } catch let error as StoreError {
                try expect(error.code == .tooLong, "the error for a value that is too long is \(error.code)")
            }
            try expect(try await store.value(for: key) == all, "a refused value replaced another")
        },
        StoreConformanceTest("compare-and-set only changes the expected value") { store in
            let key = StoreKey(collection: "c", name: "k")
            try expect(
                try await !store.compareAndSet([1], for: key, expecting: [0]),
                "compare-and-set expected a value, and succeeded although there is none")
            try expect(
                try await store.compareAndSet([1], for: key, expecting: nil),
                "compare-and-set expected no value, and failed although there is none")
            try expect(
                try await !store.compareAndSet([2], for: key, expecting: nil),
                "compare-and-set expected no value, and succeeded although there is one")
            try expect(
                try await !store.compareAndSet([2], for: key, expecting: [9]),
                "compare-and-set expected another value, and succeeded")
            try expect(try await store.value(for: key) == [1], "a refused change was made")
            try expect(
                try await store.compareAndSet([2], for: key, expecting: [1]),
                "compare-and-set expected the stored value, and failed")
            try expect(try await store.compareAndSet(nil, for: key, expecting: [2]), "the value couldn't be removed")
            try expect(try await store.value(for: key) == nil, "the removed value is still there")
            try expect(
                try await store.compareAndSet(nil, for: key, expecting: nil),
                "compare-and-set expected no value, and failed although there is none")
        },
        StoreConformanceTest("of many concurrent compare-and-sets, one succeeds") { store in
            let key = StoreKey(name: "k")
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in UInt8(0)..<100 {
                    group.addTask { try await store.compareAndSet([number], for: key, expecting: nil) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try expect(wins == 1, "\(wins) of a hundred succeeded")
        },
        StoreConformanceTest("concurrent calls lose nothing") { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        try await store.set(Array("\(number)".utf8), for: StoreKey(collection: "c", name: "\(number)"))
                    }
                }
                try await group.waitForAll()
            }
            for number in 0..<500 {
                let value = try await store.value(for: StoreKey(collection: "c", name: "\(number)"))
                try expect(value == Array("\(number)".utf8), "\(number) is lost")
            }
        },
        StoreConformanceTest("an invalid call doesn't affect concurrent ones") { store in
            let long = [UInt8](repeating: 0, count: BrainLimits.valueBytes + 1)
            let failures = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let key = StoreKey(collection: "c", name: "\(number)")
                        do { try await store.set(number == 7 ? long : [1], for: key) } catch { return true }
                        return false
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try expect(failures == 1, "\(failures) of twenty failed")
        },
        StoreConformanceTest("a collection is listed page by page, completely, without other entries") { store in
            let names = (0..<25).map { "key \($0)" } + ["", "é", "a\u{0}b"]
            for name in names {
                try await store.set(Array(name.utf8), for: StoreKey(collection: "mine", name: name))
            }
            try await store.set([9], for: StoreKey(collection: "mine2", name: "x"))
            try await store.set([9], for: StoreKey(name: "mine"))
            var found: [String: [UInt8]] = [:]
            var cursor: String?
            var pages = 0
            repeat {
                let page = try await store.page(of: "mine", after: cursor, limit: 10)
                for (key, value) in page.entries { found[key] = value }
                cursor = page.next
                pages += 1
            } while cursor != nil && pages < 100
            try expect(Set(found.keys) == Set(names), "the collection has the keys \(found.keys.sorted())")
            try expect(found.allSatisfy { Array($0.key.utf8) == $0.value }, "a value is listed under another key")
            let none = try await store.page(of: "none", after: nil, limit: 10)
            try expect(none.entries.isEmpty && none.next == nil, "a collection that doesn't exist has entries")
        },
        StoreConformanceTest(
            "values without a collection, and the names of collections, are listed completely and without others"
        ) { store in
            let names = (0..<12).map { "name \($0)" } + ["", "é", "a\u{0}b"]
            try await expect(
                all { try await store.collections(after: $0, limit: 5) } == [],
                "there is a collection before any is made")
            for name in names {
                for key in ["", "k"] {
                    try await store.set([1], for: StoreKey(collection: "c" + name, name: key))
                }
                try await store.set([2], for: StoreKey(name: name))
            }
            try await store.set([1], for: StoreKey(collection: "gone", name: "k"))
            try await store.set(nil, for: StoreKey(collection: "gone", name: "k"))
            let values = try await all { cursor in
                let page = try await store.page(of: nil, after: cursor, limit: 5)
                return (page.entries.map(\.key), page.next)
            }
            let collections = try await all { try await store.collections(after: $0, limit: 5) }
            try expect(values == names.sorted(), "the values are \(values)")
            try expect(collections == names.map { "c" + $0 }.sorted(), "the collections are \(collections)")
        },
        StoreConformanceTest("the timers that are due first are found, in order, however they were written") { store in
            let collection = "heybot.timers.tea:irc"
            func key(_ name: String) -> StoreKey { StoreKey(collection: collection, name: name) }
            func first(_ limit: Int) async throws -> [String] {
                try await store.firstDue(in: collection, limit: limit).map { "\($0.key) \($0.time)" }
            }
            try await expect(first(10) == [], "a timer is due before any is set")
            for (name, second) in [("c", 30), ("a", 10), ("d", 40), ("é\u{0}", 20)] {
                try await store.set(timer(second), for: key(name))
            }
            try await store.set(timer(1), for: StoreKey(collection: "heybot.timers.tea", name: "other"))
            try await store.set(timer(1), for: StoreKey(collection: "tea", name: "other"))
            try await store.set(Array("{}".utf8), for: key("no timer"))
            let times = ["a \(newYear + 10)", "é\u{0} \(newYear + 20)", "c \(newYear + 30)", "d \(newYear + 40)"]
            let found = try await first(10)
            try expect(found == times, "the timers are due at \(found), not at \(times)")
            try await expect(first(2) == Array(times.prefix(2)), "the limit has no effect")

            try expect(
                try await !store.compareAndSet(timer(5), for: key("d"), expecting: timer(41)), "a timer was changed")
            try await expect(first(10) == times, "a refused change has changed the times")
            try expect(
                try await store.compareAndSet(timer(50), for: key("a"), expecting: timer(10)),
                "a timer couldn't be changed")
            try expect(
                try await store.compareAndSet(nil, for: key("c"), expecting: timer(30)), "a timer couldn't be removed")
            try await store.set(nil, for: key("é\u{0}"))
            let later = ["d \(newYear + 40)", "a \(newYear + 50)"]
            let remaining = try await first(10)
            try expect(remaining == later, "the timers are due at \(remaining), not at \(later)")
            try await store.set(Array("{}".utf8), for: key("d"))
            try await expect(first(10) == Array(later.suffix(1)), "a value that isn't a timer any more is due")
        },
        StoreConformanceTest("concurrent changes of timers leave no other times than those of their values") { store in
            let collection = "heybot.timers.tea"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        let key = StoreKey(collection: collection, name: "\(number % 40)")
                        try await store.set(number % 7 == 0 ? nil : timer(number), for: key)
                    }
                }
                try await group.waitForAll()
            }
            try await store.set(timer(1_000), for: StoreKey(collection: collection, name: "last"))
            var due: [String: Int64] = [:]
            for entry in try await store.firstDue(in: collection, limit: 1_000) {
                try expect(due.updateValue(entry.time, forKey: entry.key) == nil, "\(entry.key) is due twice")
            }
            var values: [String: Int64] = [:]
            for name in (0..<40).map(String.init) + ["last"] {
                let key = StoreKey(collection: collection, name: name)
                values[name] = DueTime.of(try await store.value(for: key), for: key)
            }
            try expect(due == values, "the timers are due at \(due), but their values say \(values)")
            try expect(due["last"] == newYear + 1_000, "the last timer is due at \(due["last"] ?? 0)")
        },
        StoreConformanceTest("a closed store throws") { store in
            await store.close()
            do {
                _ = try await store.value(for: StoreKey(name: "k"))
                throw Violation("the store returned a value")
            } catch let error as StoreError {
                try expect(error.code == .closed, "the error is \(error.code)")
            }
        }
    ]

    /// The tests with several connections to the same entries, one after another and at the same time.
    public static let multipleConnections: [StoreConformanceTest] = [
        StoreConformanceTest(shared: "values persist after the store is closed and opened again") { make in
            let key = StoreKey(collection: "c", name: "k")
            try await with(make) { try await $0.set([1], for: key) }
            try await with(make) { try expect(try await $0.value(for: key) == [1], "the value is lost") }
        },
        StoreConformanceTest(shared: "the times of timers persist, and other connections see them") { make in
            let key = StoreKey(collection: "heybot.timers.tea", name: "k")
            try await with(make) { try await $0.set(timer(7), for: key) }
            try await with(make) { one in
                try await with(make) { other in
                    let due = [DueEntry(key: "k", time: newYear + 7)]
                    try await expect(one.firstDue(in: "heybot.timers.tea", limit: 1) == due, "the time is lost")
                    try await other.set(timer(8), for: key)
                    let found = try await one.firstDue(in: "heybot.timers.tea", limit: 1)
                    try expect(found == [DueEntry(key: "k", time: newYear + 8)], "the new time isn't seen: \(found)")
                }
            }
        },
        StoreConformanceTest(shared: "two connections see each other's changes, and lose no update") { make in
            try await with(make) { one in
                try await with(make) { other in
                    let counter = BrainCollection<Int>("counters")
                    let brains = [Brain(store: one), Brain(store: other)]
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for brain in brains {
                            for number in 0..<100 {
                                group.addTask {
                                    try await brain.update(counter, "\(number % 3)", default: 0) { $0 += 1 }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    var sum = 0
                    for number in 0..<3 { sum += try await brains[number % 2].recall(counter, "\(number)") ?? 0 }
                    try expect(sum == 200, "200 updates were made, but \(sum) are stored")
                }
            }
        }
    ]
}
