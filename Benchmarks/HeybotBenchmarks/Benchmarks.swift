// heybot-benchmarks [start | parsers | core | brain]...: runs the benchmarks, by default all, and prints a table.
// heybot-benchmarks router [NODE]: finding a message's listeners; NODE is a command that does the same in JavaScript.
// heybot-benchmarks timers STORE: finding the next of a million timers, in sqlite:PATH or the URL of a Redis. The first
// run adds the timers; a second one also shows the memory.
// heybot-benchmarks rates STORE: one round with a brain, sqlite:PATH or the URL of a Redis; see redis-brain.py.
//
// `bin/bench` builds and runs it. Times are medians of several rounds. On a busy machine only ratios within one run are
// reliable.

import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@main
enum Benchmarks {
    static func main() async throws {
        let chosen = CommandLine.arguments.dropFirst()
        if chosen.first == "rates", chosen.count == 2, let address = chosen.last {
            return try await BrainBenchmark.rates(address)
        }
        if chosen.first == "timers", chosen.count == 2, let address = chosen.last {
            return try await TimerBenchmark.run(address)
        }
        if chosen.first == "router" { return try RouterBenchmark.run(node: chosen.dropFirst().first) }
        if let unknown = chosen.first(where: { !["start", "parsers", "core", "brain"].contains($0) }) {
            print("there is no benchmark \(unknown); there are start, parsers, core, brain, router, timers and rates")
            exit(64)
        }
        func isChosen(_ name: String) -> Bool { chosen.isEmpty || chosen.contains(name) }
        if isChosen("start") { try StartBenchmark.run() }
        if isChosen("parsers") { try ParserBenchmark.run() }
        if isChosen("core") { try await CoreBenchmark.run() }
        if isChosen("brain") { try await BrainBenchmark.run() }
    }
}

/// Prints a row of the table.
func report(_ what: String, _ figure: Double, _ unit: String) {
    let digits = figure >= 100 ? 0 : figure >= 10 ? 1 : 2
    let scale = [1.0, 10.0, 100.0][digits]
    let rounded = (figure * scale).rounded() / scale
    let text = digits == 0 ? "\(Int(rounded))" : "\(rounded)"
    print("| \(what) | \(unit.isEmpty ? text : "\(text) \(unit)") |")
}

func median(_ figures: [Double]) -> Double {
    let sorted = figures.sorted()
    guard !sorted.isEmpty else { return .nan }
    return sorted.count % 2 == 1
        ? sorted[sorted.count / 2] : (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
}

/// The CPU time of this thread in seconds.
func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
