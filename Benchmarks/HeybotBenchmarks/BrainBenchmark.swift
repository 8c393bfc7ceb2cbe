import FoundationEssentials
import Heybot
import SQLiteStore

/// How many updates a second the SQLite store acknowledges, each of them on the disk.
enum BrainBenchmark {
    static func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "heybot-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let brain = Brain(store: SQLiteStore(path: folder.appending(path: "brain.sqlite").path))
        try await brain.open()
        try await measure("SQLite: updates a second, one caller", brain, callers: 1, each: 500)
        try await measure("SQLite: updates a second, 64 callers", brain, callers: 64, each: 100)
        try await measure("SQLite: recalls a second, one caller", brain, callers: 1, each: 5_000, isUpdate: false)
        await brain.close()
    }

    private static func measure(
        _ what: String, _ brain: Brain, callers: Int, each: Int, isUpdate: Bool = true
    ) async throws {
        let counters = Memories<Int>("counters")
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
}
