import ArgumentParser
import Heybot
import HeybotSupport

#if AllParts
    import RedisLink
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// `heybot health`: shows the health of the robot that runs with the data directory.
struct HealthCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Show the health of the running robot; exits with 1 if there is a problem.")

    @Flag(help: "Show the gateways and workers on all machines that use the same Redis.")
    var all = false

    @ParentCommand var root: Command
    @OptionGroup var flags: PathOptions

    func run() async throws {
        let assembly = try RobotAssembly(options, Command.scripts)
        if all { return try await showLinked(assembly) }
        let replies = HealthSocket.query(in: assembly.data)
        guard !replies.isEmpty else {
            throw ExitError("no robot is running with the data directory \(assembly.data.path)", 1)
        }
        var isGood = true
        for result in replies {
            switch result {
            case .report(let report):
                try StandardOutput.writeLine(Self.text(report))
                isGood = isGood && report.health.isGood
            case .problem(let problem):
                try StandardOutput.writeLine(SafeText.line(problem))
                isGood = false
            }
        }
        if !isGood { throw ExitCode(1) }
    }

    private static func text(_ report: HealthSocketReply) -> String {
        var rows = [("brain", report.health.brain)]
        if let scripts = report.scripts { rows.append(("scripts", scripts)) }
        rows += report.health.adapters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return table(rows)
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, state in
            SafeText.line("\(name)\(String(repeating: " ", count: width - name.count))  \(state)")
        }
        .joined(separator: "\n")
    }

    #if AllParts
        private func showLinked(_ assembly: RobotAssembly) async throws {
            guard let configuration = assembly.settings.redis.configuration else {
                throw ExitError(
                    "health --all needs a Redis: set HEYBOT_REDIS_URL as for the gateways and workers", EX_CONFIG)
            }
            let overview = try await LinkOverview.read(configuration)
            var rows = overview.adapters.sorted { $0.name < $1.name }.map { adapter in
                let waiting = adapter.waiting == 0 ? "" : ", \(adapter.waiting) calls wait"
                return (adapter.name, (adapter.gateway ?? "no gateway has its connection") + waiting)
            }
            rows += overview.workers.map { ($0.id, "\($0.partitions) of \(RedisWorker.partitions) partitions") }
            let waiting = overview.waiting.values.reduce(0, +)
            let longest = overview.waiting.max { $0.value < $1.value }
            let most = longest.map { ", at most \($0.value) in a partition (\($0.key))" } ?? ""
            rows.append(("messages", waiting == 0 ? "none waits" : "\(waiting) wait or are handled\(most)"))
            try StandardOutput.writeLine(Self.table(rows))
            let isGood =
                !overview.workers.isEmpty && !overview.adapters.isEmpty
                && overview.adapters.allSatisfy { $0.gateway != nil }
            if overview.workers.isEmpty { throw ExitError("no worker is running: start one with heybot worker", 1) }
            if !isGood { throw ExitCode(1) }
        }
    #else
        private func showLinked(_ assembly: RobotAssembly) async throws {
            throw ExitError("this build can't be linked with others: build heybot with all its parts", EX_CONFIG)
        }
    #endif
}
