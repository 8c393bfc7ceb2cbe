import Heybot
import HeybotTesting

/// The laws of stores that take several processes: every store that processes can share must keep them too.
///
/// A store is named to the processes by its address, which `test-worker` understands, and opened here by `make`.
public struct ProcessLaws: Sendable {
    private let address: String
    private let make: @Sendable () -> any Store

    public init(_ address: String, _ make: @escaping @Sendable () -> any Store) {
        self.address = address
        self.make = make
    }

    /// Several processes that add to the same ten counters come to the right sum.
    public func processesLoseNoUpdate(_ count: Int = 2, times: Int) async throws {
        let workers = try (0..<count).map { _ in try Worker(["count", address, "\(times)"]) }
        for worker in workers {
            let status = await worker.end()
            guard status == 0 else {
                throw StoreConformanceTest.Violation(
                    "a process ended with \(status.map { "\($0)" } ?? "a signal"): \(worker.output)")
            }
        }
        try await withBrain(make()) { brain in
            for key in 0..<10 {
                let found = try await brain.recall(BrainCollection<Int>("counters"), "\(key)") ?? 0
                let right = count * times
                guard found == right else {
                    throw StoreConformanceTest.Violation("of \(right) updates there are \(found)")
                }
            }
        }
    }

    /// `kill -9` at any moment takes no acknowledged update back, and leaves none half done.
    ///
    /// - Returns: How many updates were acknowledged in all.
    public func killingLosesNothing(rounds: Int) async throws -> Int {
        // One of each may have been on its way. The process kills itself, so that a busy machine doesn't delay that.
        try await acknowledge(rounds: rounds, unfinished: 1, life: 0..<30_000) { worker in
            guard await worker.end() == nil else { throw StoreConformanceTest.Violation("the process wasn't killed") }
        }
    }

    /// Nor does killing the server that keeps them, while a process goes on; and no update counts twice.
    ///
    /// - Parameter restart: Kills the server and starts it again.
    /// - Returns: How many updates were acknowledged in all.
    public func killingTheServerLosesNothing(
        rounds: Int, restart: () async throws -> Void
    ) async throws -> Int {
        try await acknowledge(rounds: rounds, unfinished: 0) { worker in
            try await restart()
            let count = worker.acknowledged.count
            try await wait(for: "updates after the restart") { worker.acknowledged.count >= count + 20 }
            await worker.finish()
        }
    }

    /// Has a process update eight tallies, ends that in each round, and looks at what is there.
    ///
    /// - Parameter life: How long it lives after its twentieth update, in microseconds; nil if `end` ends it.
    private func acknowledge(
        rounds: Int, unfinished: Int, life: Range<Int>? = nil, end: (Worker) async throws -> Void
    ) async throws -> Int {
        var counts: [String: Int] = [:]
        var total = 0
        for round in 0..<rounds {
            // A few updates at least, and then at any moment.
            let worker = try Worker(["acknowledge", address] + (life.map { ["\(Int.random(in: $0))"] } ?? []))
            try await worker.waitForOutput()
            try await end(worker)
            let (acknowledged, unknown) = (worker.acknowledged, worker.unknown)
            total += acknowledged.count
            let before = counts
            try await withBrain(make()) { brain in
                for key in (0..<8).map(String.init) {
                    let tally = try await brain.recall(BrainCollection<Tally>("tallies"), key)
                    let (count, least) = (
                        tally?.count ?? 0, before[key, default: 0] + acknowledged.count { $0.key == key }
                    )
                    guard count >= least, count >= acknowledged.last(where: { $0.key == key })?.count ?? 0 else {
                        throw StoreConformanceTest.Violation(
                            "round \(round): an update of \(key) is lost: \(count), not \(least)")
                    }
                    let most = least + unknown.count { $0 == key } + unfinished
                    guard count <= most else {
                        throw StoreConformanceTest.Violation(
                            "round \(round): an update of \(key) counts twice: \(count), not \(most)")
                    }
                    if let tally, tally.again != count || tally.padding.count != count % 5_000 {
                        throw StoreConformanceTest.Violation("round \(round): update \(count) of \(key) is half there")
                    }
                    counts[key] = count
                }
            }
        }
        return total
    }

    /// As `test-worker` writes it.
    private struct Tally: Codable, Sendable {
        var count: Int
        var padding: String
        var again: Int
    }
}
