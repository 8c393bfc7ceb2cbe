import Heybot
import HeybotTesting
import Logging

/// Measures the CPU time of a message in the core, without adapters and web services.
enum CoreBenchmark {
    private static let messages = 4_000

    static func run() async throws {
        for count in [10, 100, 1_000] {
            let matching = count == 1_000 ? 4 : 1
            let what = "a message that matches no listener, \(count) listeners"
            try await measure(what, count, "just some talk in a room") {
                messages / matching
            }
        }
        for count in [10, 100, 1_000] {
            try await measure("a command and its answer, \(count) listeners", count, "heybot word3 please") {
                messages / 4
            }
        }
    }

    /// Nine of ten listeners respond only to commands, as in most robots.
    ///
    /// Each has its own word.
    private struct WordListeners: Script {
        let count: Int

        func register(on robot: inout RobotBuilder) {
            for number in 0..<count {
                let pattern = "word\(number) (\\w+)"
                if number % 10 == 9 {
                    robot.hear(pattern: pattern, as: (Substring, Substring).self) { try await $0.send("heard") }
                } else {
                    robot.respond(pattern: pattern, as: (Substring, Substring).self) { try await $0.send("done") }
                }
            }
        }
    }

    private static func measure(_ what: String, _ listeners: Int, _ text: String, _ count: () -> Int) async throws {
        let adapter = FloodAdapter(text: text, count: count())
        let robot = Robot(
            adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [WordListeners(count: listeners)],
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() })
        try await robot.run()
        report(what, adapter.microseconds, "µs")
    }
}
