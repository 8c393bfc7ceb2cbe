import Heybot
import HeybotTesting

/// The laws of stores that take several processes: every store that processes can share must keep them too.
///
/// A store is named to the processes by its address, which `brain-worker` understands, and opened here by `make`.
public struct ProcessLaws: Sendable {
    private let address: String
    private let make: @Sendable () -> any Store

    public init(_ address: String, _ make: @escaping @Sendable () -> any Store) {
        self.address = address
        self.make = make
    }

    /// Several processes that add to the same ten counters come to the right sum.
    public func processesLoseNoUpdate(_ count: Int = 2, times: Int) async throws {
        let workers = try (0..<count).map { _ in try Worker("count", address, "\(times)") }
        for worker in workers {
            let status = await worker.end()
            guard status == 0 else {
                throw StoreLaw.Broken("a process ended with \(status.map { "\($0)" } ?? "a signal"): \(worker.output)")
            }
        }
        try await withBrain(make()) { brain in
            for key in 0..<10 {
                let found = try await brain.recall(Memories<Int>("counters"), "\(key)") ?? 0
                let right = count * times
                guard found == right else { throw StoreLaw.Broken("of \(right) updates there are \(found)") }
            }
        }
    }

    /// `kill -9` at any moment takes no acknowledged update back, and leaves none half done.
    ///
    /// - Returns: How many updates were acknowledged in all.
    public func killingLosesNothing(rounds: Int) async throws -> Int {
        try await acknowledge(rounds: rounds) { await $0.kill() }
    }

    /// Nor does killing the server that keeps them, while a process goes on.
    ///
    /// - Parameter restart: Kills the server and starts it again.
    /// - Returns: How many updates were acknowledged in all.
    public func killingTheServerLosesNothing(
        rounds: Int, restart: () async throws -> Void
    ) async throws -> Int {
        try await acknowledge(rounds: rounds) { worker in
            try await restart()
            await worker.kill()
        }
    }

    /// Has a process update eight tallies, ends that in each round, and looks at what is there.
    private func acknowledge(rounds: Int, end: (Worker) async throws -> Void) async throws -> Int {
        var acknowledged: [String: Int] = [:]
        var total = 0
        for round in 0..<rounds {
            let worker = try Worker("acknowledge", address)
            // A few updates at least, and then at any moment.
            try await worker.waitForOutput()
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<30_000)))
            try await end(worker)
            for line in worker.output.split(separator: "\n") {
                let parts = line.split(separator: " ")
                guard parts.count == 2, let count = Int(parts[1]) else { continue }
                acknowledged[String(parts[0])] = count
                total += 1
            }
            let promised = acknowledged
            try await withBrain(make()) { brain in
                for (key, count) in promised {
                    let tally = try await brain.recall(Memories<Tally>("tallies"), key)
                    guard let tally, tally.count >= count else {
                        throw StoreLaw.Broken("round \(round): update \(count) of \(key) is lost")
                    }
                    // One may have been on its way.
                    guard tally.count <= count + 1 else {
                        throw StoreLaw.Broken("round \(round): \(key) is \(tally.count), and \(count) was the last")
                    }
                    guard tally.again == tally.count, tally.padding.count == tally.count % 5_000 else {
                        throw StoreLaw.Broken("round \(round): update \(tally.count) of \(key) is half there")
                    }
                    // What wasn't acknowledged and is there all the same counts from now on.
                    acknowledged[key] = tally.count
                }
            }
        }
        return total
    }

    /// As `brain-worker` writes it.
    private struct Tally: Codable, Sendable {
        var count: Int
        var padding: String
        var again: Int
    }
}
