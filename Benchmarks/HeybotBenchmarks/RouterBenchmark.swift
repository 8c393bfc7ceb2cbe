import FoundationEssentials
import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Measures finding a message's listeners, with ten up to ten thousand listeners.
///
/// It prints its own table. Times are this thread's CPU time, medians of five rounds over the same messages. If a command
/// for Node is given, its times are in the table too.
enum RouterBenchmark {
    /// - Parameter node: The command that runs Benchmarks/router-node.mjs. The file to read is appended.
    static func run(node: String?) throws {
        print("| listeners | candidates found | then tried | in all | one by one | hits | Node |")
        print("|---|---|---|---|---|---|---|")
        for (count, without) in [(10, 0), (100, 0), (1_000, 0), (10_000, 0), (1_000, 10), (10_000, 100)] {
            try measure(RouterWorkload(count, without: without), without, node)
        }
        print()
        try measureMaking()
    }

    private static func measure(_ workload: RouterWorkload, _ without: Int, _ node: String?) throws {
        let router = ListenerIndex(try workload.listeners())
        let inputs = workload.inputs()
        let found = nanoseconds(inputs) { _ = router.candidateCount(for: $0) }
        let all = nanoseconds(inputs) { _ = router.listeners(matching: $0) }
        let each = inputs.map { router.listeners(matching: $0).count }
        let hits = each.reduce(0, +)
        // Fewer messages, since the linear scan is slow.
        let few = Array(inputs.prefix(max(200_000 / workload.patterns.count, 100)))
        let oneByOne = nanoseconds(few, rounds: 3) { _ = router.listeners(matching: $0, linearScan: true) }
        for input in few {
            guard
                router.listeners(matching: input).map(\.id)
                    == router.listeners(matching: input, linearScan: true).map(\.id)
            else { throw RouterBenchmarkError.different }
        }
        let other = try node.map { try nodeAnswer(workload, $0) }
        if let other, each.prefix(other.messages).reduce(0, +) != other.hits { throw RouterBenchmarkError.nodeDiffers }
        print(
            """
            | \(workload.patterns.count)\(without > 0 ? ", \(without) of them without a piece" : "") | \
            \(text(found)) | \(text(all - found)) | \(text(all)) | \(text(oneByOne)) | \(hits) | \
            \((other?.nanoseconds).map(text) ?? "-") |
            """)
    }

    private static func measureMaking() throws {
        let listeners = try RouterWorkload(10_000).listeners()
        let times = (0..<5).map { _ in
            let start = threadTime()
            _ = ListenerIndex(listeners)
            return threadTime() - start
        }
        print("| with 10,000 listeners | median |\n|---|---|")
        report("a router is made, their patterns parsed already", median(times) * 1e3, "ms")
    }

    /// Measures Hubot's loop in JavaScript.
    private static func nodeAnswer(_ workload: RouterWorkload, _ command: String) throws -> NodeAnswer {
        let file = FileManager.default.temporaryDirectory.appending(path: "heybot-router-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try workload.write(to: file.path)
        guard let pipe = popen("\(command) '\(file.path)'", "r") else { throw RouterBenchmarkError.noAnswer }
        defer { pclose(pipe) }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&buffer, 1, buffer.count, pipe)
        guard let answer = try? JSONDecoder().decode(NodeAnswer.self, from: Data(buffer[..<count])) else {
            throw RouterBenchmarkError.noAnswer
        }
        return answer
    }

    private static func nanoseconds(
        _ inputs: [RoutingInput], rounds: Int = 5, _ body: (RoutingInput) -> Void
    ) -> Double {
        // The first round warms up.
        median(
            (0...rounds).map { _ in
                let start = threadTime()
                for input in inputs { body(input) }
                return (threadTime() - start) / Double(inputs.count) * 1e9
            }.dropFirst().map(\.self))
    }

    private static func text(_ nanoseconds: Double) -> String {
        nanoseconds < 10_000 ? "\(Int((nanoseconds).rounded())) ns" : "\(Int((nanoseconds / 1_000).rounded())) µs"
    }
}

private struct NodeAnswer: Decodable {
    let nanoseconds: Double
    /// The number of messages, which are the first ones.
    let messages: Int
    let hits: Int
}

enum RouterBenchmarkError: Error, CustomStringConvertible {
    case different, noAnswer, nodeDiffers

    var description: String {
        switch self {
        case .different: "the router and the linear scan find different listeners"
        case .noAnswer: "Node gave no answer"
        case .nodeDiffers: "Node finds other listeners"
        }
    }
}
