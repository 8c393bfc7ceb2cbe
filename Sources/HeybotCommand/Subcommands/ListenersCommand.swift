import ArgumentParser
import FoundationEssentials
import Heybot
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// `heybot listeners`: lists listeners and web routes, in the order in which they are tried.
struct ListenersCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "listeners",
        abstract: "List listeners and web routes, in the order in which they are tried.")

    @ParentCommand var root: Command
    @Argument(help: "List only these scripts.") var names: [String] = []
    @OptionGroup var flags: AdapterPathAndLogOptions
    var loadsScripts: Bool { true }

    func run() async throws {
        var assembly = try RobotAssembly(options, Command.scripts)
        assembly.log.bootstrap()
        let logger = Logger(label: "heybot")
        try await assembly.loadScripts(at: root.require)
        let robot = assembly.robot(logger: logger)
        try robot.check()
        if assembly.brainFile.map({ FileManager.default.fileExists(atPath: $0) }) ?? true {
            do {
                try await robot.openBrain()
                await robot.brain.close()
            } catch {
                logger.warning(
                    "can't read the disabled scripts from the brain, so listeners of scripts disabled in chat aren't marked as off: \(error)"
                )
            }
        }
        if let name = names.first(where: { name in !robot.scripts.contains { $0.lowercased() == name.lowercased() } }) {
            let near = closestMatch(name, of: robot.scripts).map { "; did you mean \($0)?" } ?? ""
            throw ExitError("there is no script \(name)\(near)", EX_USAGE)
        }
        func isWanted(_ script: String) -> Bool {
            names.isEmpty || names.contains { $0.lowercased() == script.lowercased() }
        }
        let width = robot.listeners.map(\.id.count).max() ?? 0
        for listener in robot.listeners where isWanted(listener.script) {
            try StandardOutput.writeLine(Self.text(listener, robot.switches, width))
        }
        for route in robot.routes where isWanted(route.script) {
            try StandardOutput.writeLine(Self.text(route, robot.switches, width))
        }
    }

    static func text(_ route: Route, _ switches: DisabledScripts, _ width: Int) -> String {
        let script = route.script + String(repeating: " ", count: max(width - route.script.count, 0))
        return "\(script)  \(route.id)\(switches.off.contains(route.script) ? " [off]" : "")"
    }

    static func text(_ listener: Listener, _ switches: DisabledScripts, _ width: Int) -> String {
        let id = listener.id + String(repeating: " ", count: width - listener.id.count)
        let indent = String(repeating: " ", count: width + 2)
        let pattern = listener.pattern.map { " /\($0)/" } ?? ""
        let marks = marks(listener, switches)
        let first =
            "\(id)  \(listener.trigger.rawValue)\(pattern)\(marks.isEmpty ? "" : " [\(marks.joined(separator: ", "))]")"
        let example = listener.example.map { ["\(indent)Example: \($0)"] } ?? []
        return ([first] + listener.help.map { "\(indent)\($0)" } + example).joined(separator: "\n")
    }

    /// Notes about a listener, such as `admins only`.
    private static func marks(_ listener: Listener, _ switches: DisabledScripts) -> [String] {
        var marks: [String] = []
        if switches.off.contains(listener.script) { marks.append("off") }
        let rooms = switches.offInRoom.filter { $0.value.contains(listener.script) }.keys.sorted()
        if !rooms.isEmpty { marks.append("off in \(rooms.joined(separator: " "))") }
        if listener.isAlwaysTried {
            marks.append(listener.trigger == .respond ? "tried for all commands" : "tried for every message")
        }
        if listener.access != .everyone { marks.append("\(listener.access) only") }
        if listener.confirmation != nil { marks.append("asks to confirm") }
        if let approval = listener.approval { marks.append("needs approval by \(approval.role)") }
        if let cooldown = listener.cooldown {
            marks.append("cooldown \(cooldown.duration) per \(cooldown.scope.rawValue)")
        }
        if let deadline = listener.deadline { marks.append("deadline \(deadline)") }
        return marks
    }
}
