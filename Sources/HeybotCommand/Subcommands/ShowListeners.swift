import ArgumentParser
import FoundationEssentials
import Heybot
import Logging

/// `heybot listeners`: what the robot listens to, and what it answers on the web, in the order it is tried.
struct ShowListeners: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "listeners",
        abstract: "List what the robot listens to, in chat and on the web, in the order it is tried.")

    @ParentCommand var root: Command
    @OptionGroup var options: Options

    func run() async throws {
        let parts = try Parts(options, Command.scripts)
        parts.log.bootstrap()
        let logger = Logger(label: "heybot")
        let robot = parts.robot(logger: logger)
        try robot.check()
        if parts.brainFile.map({ FileManager.default.fileExists(atPath: $0) }) ?? true {
            do {
                try await robot.openBrain()
                await robot.brain.close()
            } catch {
                logger.warning("what was switched off from chat isn't marked: \(error)")
            }
        }
        let width = robot.listeners.map(\.id.count).max() ?? 0
        for listener in robot.listeners {
            try StandardOutput.writeLine(Self.text(listener, robot.switches, width))
        }
        for route in robot.routes { try StandardOutput.writeLine(Self.text(route, robot.switches, width)) }
    }

    static func text(_ route: Route, _ switches: ScriptSwitches, _ width: Int) -> String {
        let script = route.script + String(repeating: " ", count: max(width - route.script.count, 0))
        return "\(script)  \(route.id)\(switches.off.contains(route.script) ? " [off]" : "")"
    }

    static func text(_ listener: Listener, _ switches: ScriptSwitches, _ width: Int) -> String {
        let id = listener.id + String(repeating: " ", count: width - listener.id.count)
        let indent = String(repeating: " ", count: width + 2)
        let pattern = listener.pattern.map { " /\($0)/" } ?? ""
        let marks = marks(listener, switches)
        let first =
            "\(id)  \(listener.trigger.rawValue)\(pattern)\(marks.isEmpty ? "" : " [\(marks.joined(separator: ", "))]")"
        return ([first] + listener.help.map { "\(indent)\($0)" }).joined(separator: "\n")
    }

    /// What is special about it.
    private static func marks(_ listener: Listener, _ switches: ScriptSwitches) -> [String] {
        var marks: [String] = []
        if switches.off.contains(listener.script) { marks.append("off") }
        let rooms = switches.offInRoom.filter { $0.value.contains(listener.script) }.keys.sorted()
        if !rooms.isEmpty { marks.append("off in \(rooms.joined(separator: " "))") }
        if listener.isAlwaysTried {
            marks.append(listener.trigger == .respond ? "tried for all that is said to it" : "tried for every message")
        }
        if listener.access == .admins { marks.append("admins only") }
        if let coolDown = listener.coolDown {
            marks.append("rests \(coolDown.duration) per \(coolDown.scope.rawValue)")
        }
        if let deadline = listener.deadline { marks.append("deadline \(deadline)") }
        return marks
    }
}
