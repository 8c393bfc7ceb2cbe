import FoundationEssentials
import Heybot
import Logging

/// Reloads the settings on SIGHUP and SIGUSR1.
///
/// Only the settings file can have changed, since a process keeps its environment and arguments. Admins, disabled scripts
/// and log levels are applied at once; other changed settings are logged and need a restart.
struct SettingsReloader: Sendable {
    private let options: Options
    private let assembly: RobotAssembly
    private let robot: Robot
    /// The settings with which the robot runs.
    private var running: SettingValues

    init(_ assembly: RobotAssembly, _ options: Options, _ robot: Robot) {
        self.options = options
        self.assembly = assembly
        self.robot = robot
        running = assembly.settings
    }

    mutating func reload(
        _ logger: Logger, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        let resolved: ResolvedSettings
        do {
            resolved = try ResolvedSettings(options, assembly.scripts, environment: environment)
            try robot.replaceSettings(
                admins: assembly.admins(in: resolved.settings, of: robot.adapters),
                switches: assembly.switches(in: resolved.settings))
        } catch {
            for line in ExitError(error).lines {
                logger.error("the new settings are invalid, so the previous ones stay in effect: \(line)")
            }
            return
        }
        assembly.log.set(resolved.settings.logging.levels)
        let changed = resolved.table.filter { $0.show(resolved.settings) != $0.show(running) }
        let applied = changed.filter(\.isReloadable)
        let waiting = changed.filter { !$0.isReloadable }
        var text = "reloading: \(resolved.settings.config.map { "read \($0)" } ?? "there is no settings file"); "
        text +=
            applied.isEmpty
            ? "no change to apply"
            : applied.map { "\($0.variable) is \(resolved.value(of: $0))" }.joined(separator: ", ")
        if !waiting.isEmpty { text += "; restart to apply: \(waiting.map(\.variable).joined(separator: ", "))" }
        logger.notice("\(text)")
        // Settings that need a restart are logged at each reload, applied ones only once.
        (running.admins, running.switches) = (resolved.settings.admins, resolved.settings.switches)
        running.log.levels = resolved.settings.log.levels
        running.tracedAdapters = resolved.settings.tracedAdapters
    }

    /// Applies admins and log levels in the process that has only the connections.
    ///
    /// The next process of the scripts reads all settings by itself, and reports what is invalid: this one may be of an older
    /// program, which knows fewer settings.
    func reloadConnections(
        _ logger: Logger, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        let names = assembly.settings.networks.map(\.name)
        let elsewhere = names.filter { name in !robot.adapters.contains { $0.name == name } }
        do {
            let settings = try ResolvedSettings(options, assembly.scripts, environment: environment).settings
            let admins = assembly.admins(in: settings, of: robot.adapters).without(adapters: elsewhere)
            try robot.replaceSettings(admins: admins, switches: DisabledScripts())
            assembly.log.set(settings.logging.levels)
        } catch {
            for line in ExitError(error).lines {
                logger.warning("the gateway keeps its admins and log levels: \(line)")
            }
        }
    }
}

extension LoadedRuntimeScripts {
    /// Loads the scripts again on SIGHUP and SIGUSR1.
    func reloadScripts(_ logger: Logger) async {
        guard let reload else { return }
        do {
            let result = try await reload()
            logger.notice("reloading: \(result)")
        } catch {
            logger.error("reloading: \(error)")
        }
    }
}
