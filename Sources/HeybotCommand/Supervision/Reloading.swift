import FoundationEssentials
import Heybot
import Logging

/// Reads the settings again while the robot runs, when SIGHUP asks for it.
///
/// Only the settings file can have changed: the environment and the flags of a process stay. Who is an admin, which scripts
/// are off and what to log is taken over at once; everything else that has changed is named, and needs a restart.
struct Reloading: Sendable {
    private let options: Options
    private let parts: Parts
    private let robot: Robot
    /// As the robot runs with them.
    private var running: Settings

    /// The settings that are taken over.
    private static let live: Set = ["AUTH_ADMIN", "SCRIPTS_OFF", "LOG_LEVEL", "IRC_DEBUG", "XMPP_DEBUG"]

    init(_ parts: Parts, _ options: Options, _ robot: Robot) {
        self.options = options
        self.parts = parts
        self.robot = robot
        running = parts.settings
    }

    mutating func reload(
        _ logger: Logger, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        let read: ReadSettings
        do {
            read = try ReadSettings(options, parts.scripts, environment: environment)
            try robot.replaceSettings(
                admins: parts.admins(in: read.settings, of: robot.adapters),
                switches: parts.switches(in: read.settings))
        } catch {
            for line in Failure(error).lines { logger.error("the settings stay as they were: \(line)") }
            return
        }
        parts.log.set(read.settings.logging.levels)
        let changed = read.table.filter { $0.show(read.settings) != $0.show(running) }
        let applied = changed.filter { Self.live.contains($0.name) }
        let waiting = changed.filter { !Self.live.contains($0.name) }
        var text = "SIGHUP: read \(read.settings.config ?? "no settings file, since there is none"); "
        text +=
            applied.isEmpty
            ? "nothing to take over" : applied.map { "\($0.variable) is \(read.value(of: $0))" }.joined(separator: ", ")
        if !waiting.isEmpty { text += "; restart for: \(waiting.map(\.variable).joined(separator: ", "))" }
        logger.notice("\(text)")
        // What waits for a restart is named each time, what is taken over only once.
        (running.admins, running.switches) = (read.settings.admins, read.settings.switches)
        running.log.levels = read.settings.log.levels
        running.logsLines = read.settings.logsLines
    }
}
