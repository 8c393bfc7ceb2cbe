import FoundationEssentials
import Heybot

/// Measures how long a store needs to find the next of a million timers.
///
/// The timers are reminders on IRC that are due in the year 2096, so that a robot with that store can be measured too.
enum TimerBenchmark {
    private static let count = 1_000_000
    private static let collection = "heybot.timers.reminders.due:irc"

    /// - Parameter address: `sqlite:PATH`, or the URL of a Redis.
    static func run(_ address: String) async throws {
        let store = try BrainBenchmark.store(at: address)
        try await store.open()
        let before = residentKilobytes()
        let isFilled = try await store.value(for: key(count - 1)) != nil
        if !isFilled { try await fill(store) }
        var times: [Double] = []
        for _ in 0..<1_000 {
            let time = try await ContinuousClock().measure {
                _ = try await store.firstDue(in: collection, limit: 9)
            }
            times.append(time.seconds * 1_000_000)
        }
        times.sort()
        report("the next of a million timers (at most 1,000 µs)", median(times), "µs")
        report("the same, p99", times[times.count * 99 / 100], "µs")
        report("the slowest of \(times.count) calls", times.last ?? .nan, "µs")
        if isFilled { report("memory for that", Double(residentKilobytes() - before), "KB") }
        await store.close()
    }

    private static func key(_ number: Int) -> StoreKey { StoreKey(collection: collection, name: "\(number)") }

    private static func fill(_ store: any Store) async throws {
        for start in stride(from: 0, to: count, by: 1_000) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in start..<start + 1_000 {
                    // In an order that isn't that of the keys.
                    let second = 4_000_000_000 + (number &* 7_919) % count
                    let due = Date(timeIntervalSince1970: Double(second)).formatted(.iso8601)
                    let json =
                        #"{"attempts":0,"date":"\#(due)","due":"\#(due)","payload":"{\"text\":\"call ada\"}"}"#
                    group.addTask { try await store.set(Array(json.utf8), for: key(number)) }
                }
                try await group.waitForAll()
            }
        }
    }

    /// The resident memory of this process; 0 if the system doesn't show it.
    private static func residentKilobytes() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
}
