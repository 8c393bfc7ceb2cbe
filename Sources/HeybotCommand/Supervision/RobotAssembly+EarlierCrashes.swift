import FoundationEssentials
import Heybot
import Logging

extension RobotAssembly {
    /// Logs new crashes of earlier runs, and disables scripts that crash repeatedly.
    func handleEarlierCrashes(_ logger: Logger) async {
        var history = CrashHistory(at: data.crashes)
        guard !history.new.isEmpty else { return }
        for crash in history.new { logger.error("the last run crashed \(crash.description)") }
        let names = Set(scripts.map(\.name))
        // The script Switches enables scripts again, so it stays enabled.
        let repeated = history.repeated.filter { names.contains($0.key) && $0.key != "Switches" }
        do {
            for script in repeated.isEmpty ? [] : try await switchOff(repeated) {
                let state = "crashed the robot twice within ten minutes and was disabled"
                logger.error("the script \(script) \(state): correct the script, then say \"enable \(script)\"")
            }
        } catch {
            return logger.error("can't disable the scripts that crash repeatedly: \(error)")
        }
        do throws(DataFolderError) {
            try history.markLogged()
        } catch {
            logger.error("can't mark these crashes as reported: \(error); the next start will log them again")
        }
    }

    /// Disables the scripts, unless the same crashes did so before and an admin enabled them again.
    ///
    /// - Returns: The scripts that were disabled.
    func switchOff(_ crashes: [String: [Date]]) async throws -> [String] {
        let brain = Brain(store: store(isPatient: true))
        try await brain.open()
        do {
            let scripts = try await Robot.switchOff(afterCrashes: crashes, in: brain)
            await brain.close()
            return scripts
        } catch {
            await brain.close()
            throw error
        }
    }

    /// Returns warnings about scripts that are disabled because they crashed the robot.
    func checkCrashes(of robot: Robot) -> [PreflightCheckResult] {
        let crashes = CrashHistory(at: data.crashes).crashes.filter { $0.script != nil }
        return Dictionary(grouping: crashes) { $0.script ?? "" }.sorted { $0.key < $1.key }.compactMap {
            script, crashes in
            guard !robot.switches.crashes(of: script).isEmpty, let last = crashes.last else { return nil }
            return PreflightCheckResult(
                script,
                .warned(
                    "is disabled because it crashed the robot (\(last.signal) in \(last.listener ?? script))",
                    fix: "correct the script, then say \"enable \(script)\" in chat"))
        }
    }
}
