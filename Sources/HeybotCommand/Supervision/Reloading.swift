import FoundationEssentials
import Heybot
import Logging

/// Reads the settings again while the robot runs, when SIGHUP asks for it.
///
/// Only the settings file can have changed: the environment and the flags of a process stay. What to log is taken over
/// at once; everything else that has changed is named, and needs a restart.
struct Reloading: Sendable {
    private let options: Options
    private let scripts: [any Script]
    private let log: Log
    /// As the robot runs with them.
    private var running: Settings

    init(_ parts: Parts, _ options: Options) {
        self.options = options
        scripts = parts.scripts
        log = parts.log
        running = parts.settings
    }

    mutating func reload(
        _ logger: Logger, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        let read: ReadSettings
        do {
            read = try ReadSettings(options, scripts, environment: environment)
        } catch {
            for line in Failure(error).lines { logger.error("the settings stay as they were: \(line)") }
            return
        }
        log.set(read.settings.logging.levels)
        let changed = read.table.filter { $0.show(read.settings) != $0.show(running) }
        let live: Set = ["LOG_LEVEL", "IRC_DEBUG", "XMPP_DEBUG"]
        let applied = changed.filter { live.contains($0.name) }.map { "\($0.variable) is \(read.value(of: $0))" }
        let waiting = changed.filter { !live.contains($0.name) }.map(\.variable)
        var text = "SIGHUP: read \(read.settings.config ?? "no settings file, since there is none"); "
        text += applied.isEmpty ? "nothing to take over" : applied.joined(separator: ", ")
        if !waiting.isEmpty { text += "; restart the robot for \(waiting.joined(separator: ", "))" }
        logger.notice("\(text)")
        // What waits for a restart is named each time, what is taken over only once.
        running.log.levels = read.settings.log.levels
        (running.irc.debug, running.xmpp.debug) = (read.settings.irc.debug, read.settings.xmpp.debug)
    }
}
