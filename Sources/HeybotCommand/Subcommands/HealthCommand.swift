import ArgumentParser
import Heybot
import HeybotSupport

/// `heybot health`: shows the health of the robot that runs with the data directory.
struct HealthCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Show the health of the running robot; exits with 1 if there is a problem.")

    @ParentCommand var root: Command
    @OptionGroup var flags: PathOptions

    func run() async throws {
        let assembly = try RobotAssembly(options, Command.scripts)
        let all = HealthSocket.query(in: assembly.data)
        guard !all.isEmpty else {
            throw ExitError("no robot is running with the data directory \(assembly.data.path)", 1)
        }
        var isGood = true
        for result in all {
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
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, state in
            SafeText.line("\(name)\(String(repeating: " ", count: width - name.count))  \(state)")
        }
        .joined(separator: "\n")
    }
}
