// test-worker ask URL: requests the URL, and prints whether libcurl was loaded before, the result, and whether it is now.
// test-worker count STORE N: adds one to each of ten counters, N times.
// test-worker acknowledge STORE [MICROSECONDS]: updates eight tallies until it is killed, by itself that long after its
//     twentieth update if the time is given. Prints `KEY COUNT` for each update that has returned, and `KEY unknown` for each
//     that failed and may have been stored. On SIGTERM it finishes running updates.
//
// A second process for tests: to be killed, to share a store, or to start without libcurl. STORE is sqlite:PATH or the
// URL of a Redis.

import Foundation
import Heybot
import Logging
import RedisStore
import SQLiteStore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Set to true by a signal handler.
nonisolated(unsafe) private var isEnding = false
private let updates = Atomic(0)

@main
enum TestWorker {
    /// Two halves that must be equal, in a value long enough to detect partial writes.
    struct Tally: Codable, Sendable {
        var count: Int
        var padding: String
        var again: Int
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "ask" { return await WebWorker.ask(arguments[2]) }
        guard arguments.count >= 3, let store = store(arguments[2]) else { exit(64) }
        let brain = Brain(store: store)
        try await brain.open()
        switch arguments[1] {
        case "count":
            let counters = BrainCollection<Int>("counters")
            for _ in 0..<(arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0) {
                for key in 0..<10 { try await add(1, to: "\(key)", in: counters, of: brain) }
            }
            await brain.close()
        case "acknowledge":
            signal(SIGTERM) { _ in isEnding = true }
            let life = arguments.count > 3 ? UInt32(arguments[3]) : nil
            let tallies = BrainCollection<Tally>("tallies")
            await withTaskGroup(of: Void.self) { group in
                for key in 0..<8 {
                    group.addTask {
                        while !isEnding {
                            let count = try? await update(brain, tallies, "\(key)")
                            print("\(key) \(count.map { "\($0)" } ?? "unknown")\n")
                            guard let life, count != nil else { continue }
                            if updates.add(1, ordering: .relaxed).newValue == 20 { killItself(after: life) }
                        }
                    }
                }
            }
        default:
            exit(64)
        }
    }

    /// Adds to a counter; again, if another process that waits for the processor has locked the store for too long.
    private static func add(
        _ number: Int, to key: String, in counters: BrainCollection<Int>, of brain: Brain
    ) async throws {
        while true {
            do {
                return try await brain.update(counters, key, default: 0) { $0 += number }
            } catch let error as StoreError where error.code == .busy {}
        }
    }

    private static func killItself(after microseconds: UInt32) {
        Thread.detachNewThread {
            usleep(microseconds)
            kill(getpid(), SIGKILL)
        }
    }

    private static func store(_ address: String) -> (any Store)? {
        if address.hasPrefix("sqlite:") { return SQLiteStore(path: String(address.dropFirst("sqlite:".count))) }
        guard let address = try? RedisAddress(address) else { return nil }
        var configuration = RedisStore.Configuration(address)
        // Only a hang takes that long.
        configuration.callTimeout = .seconds(600)
        return RedisStore(configuration, logger: Logger(label: "redis") { _ in SwiftLogNoOpLogHandler() })
    }

    private static func update(_ brain: Brain, _ tallies: BrainCollection<Tally>, _ key: String) async throws -> Int {
        try await brain.update(tallies, key, default: Tally(count: 0, padding: "", again: 0)) { tally in
            tally.count += 1
            tally.padding = String(repeating: "\(tally.count % 10)", count: tally.count % 5_000)
            tally.again = tally.count
            return tally.count
        }
    }

    /// In a single write, so that a line is complete or missing.
    private static func print(_ line: String) {
        let bytes = Array(line.utf8)
        _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }
}
