import FoundationEssentials
import Heybot
import Logging
import RedisStore
import SQLiteStore

/// Measures the brain: calls per second.
enum BrainBenchmark {
    /// Measures the SQLite store, with every update synced to the disk.
    static func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "heybot-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let brain = Brain(store: SQLiteStore(path: folder.appending(path: "brain.sqlite").path))
        try await brain.open()
        try await measure("SQLite: `update` calls per second, one caller", brain, callers: 1, each: 500)
        try await measure("SQLite: `update` calls per second, 64 callers", brain, callers: 64, each: 100)
        try await measure(
            "SQLite: `recall` calls per second, one caller", brain, callers: 1, each: 5_000, isUpdate: false)
        await brain.close()
    }

    private static func measure(
        _ what: String, _ brain: Brain, callers: Int, each: Int, isUpdate: Bool = true
    ) async throws {
        let counters = BrainCollection<Int>("counters")
        var rates: [Double] = []
        for _ in 0..<5 {
            let time = try await ContinuousClock().measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for caller in 0..<callers {
                        group.addTask {
                            for _ in 0..<each {
                                if isUpdate {
                                    try await brain.update(counters, "\(caller)", default: 0) { $0 += 1 }
                                } else {
                                    _ = try await brain.recall(counters, "\(caller)")
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            rates.append(Double(callers * each) / time.seconds)
        }
        report(what, median(rates), "")
    }

    /// Returns the store at an address: `sqlite:PATH`, or the URL of a Redis.
    static func store(at address: String) throws -> any Store {
        if address.hasPrefix("sqlite:") { return SQLiteStore(path: String(address.dropFirst("sqlite:".count))) }
        let quiet = Logger(label: "redis") { _ in SwiftLogNoOpLogHandler() }
        return RedisStore(RedisStore.Configuration(try RedisAddress(address)), logger: quiet)
    }

    /// Runs one round with a store, and prints a line for each call: its name, the number of callers, calls per second.
    ///
    /// - Parameter address: `sqlite:PATH`, or the URL of a Redis.
    static func rates(_ address: String) async throws {
        let brain = Brain(store: try store(at: address))
        try await brain.open()
        let counters = BrainCollection<Int>("counters")
        func rate(
            _ what: String, callers: Int, each: Int, _ call: @escaping @Sendable (String, Int) async throws -> Void
        )
            async throws
        {
            let time = try await ContinuousClock().measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for caller in 0..<callers {
                        group.addTask { for number in 0..<each { try await call("\(caller)", number) } }
                    }
                    try await group.waitForAll()
                }
            }
            print("\(what) \(callers) \(Double(callers * each) / time.seconds)")
        }
        for (callers, each) in [(64, 500), (1, 2_000)] {
            try await rate("remember", callers: callers, each: each) { try await brain.remember(counters, $0, $1) }
            try await rate("update", callers: callers, each: each) { key, _ in
                try await brain.update(counters, key, default: 0) { $0 += 1 }
            }
            try await rate("recall", callers: callers, each: each) { key, _ in
                _ = try await brain.recall(counters, key)
            }
        }
        await brain.close()
    }
}
