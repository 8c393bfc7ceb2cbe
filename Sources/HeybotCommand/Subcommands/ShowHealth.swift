import ArgumentParser
import Heybot
import HeybotSupport

/// `heybot health`: how the robot is that runs with the data folder.
struct ShowHealth: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Tell how the running robot is; the status is 0 where all is well, else 1.")

    @ParentCommand var root: Command
    @OptionGroup var flags: FolderOptions

    func run() async throws {
        let parts = try Parts(options, Command.scripts)
        let all = HealthSocket.ask(in: parts.data)
        guard !all.isEmpty else { throw Failure("no robot runs with the data folder \(parts.data.path)", 1) }
        var isGood = true
        for answer in all {
            switch answer {
            case .robot(let robot):
                try StandardOutput.writeLine(Self.text(robot.health))
                isGood = isGood && robot.health.isGood
            case .trouble(let trouble):
                try StandardOutput.writeLine(SafeText.line(trouble))
                isGood = false
            }
        }
        if !isGood { throw ExitCode(1) }
    }

    static func text(_ health: Health) -> String {
        let rows = [("brain", health.brain)] + health.adapters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, state in
            SafeText.line("\(name)\(String(repeating: " ", count: width - name.count))  \(state)")
        }
        .joined(separator: "\n")
    }
}
