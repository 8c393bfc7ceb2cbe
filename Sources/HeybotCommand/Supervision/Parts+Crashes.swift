import FoundationEssentials
import Heybot
import Logging

extension Parts {
    /// Logs how the last run ended if it crashed, and switches off the scripts that crash again and again.
    func lookBackOnCrashes(_ logger: Logger) async {
        var history = CrashHistory(at: data.crashes)
        guard !history.new.isEmpty else { return }
        for crash in history.new { logger.error("the last run ended \(crash.description)") }
        let names = Set(scripts.map(\.name))
        // Who could switch it on again?
        let repeated = history.repeated.filter { names.contains($0.key) && $0.key != "Switches" }
        do {
            for script in repeated.isEmpty ? [] : try await switchOff(repeated) {
                let state = "ended the robot twice within ten minutes, so it is switched off"
                logger.error("the script \(script) \(state): correct it, then say enable \(script)")
            }
        } catch {
            return logger.error("what ended the last run can't be switched off: \(error)")
        }
        do throws(DataFolderError) {
            try history.markLogged()
        } catch {
            logger.error("the next start will log these crashes again: \(error)")
        }
    }

    /// - Returns: The scripts that are off now, and weren't switched off for the same crashes before.
    private func switchOff(_ crashes: [String: [Date]]) async throws -> [String] {
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

    /// What `heybot check` has to say of the scripts that are off because they ended the robot.
    func checkCrashes(of robot: Robot) -> [CheckStep] {
        let crashes = CrashHistory(at: data.crashes).crashes.filter { $0.script != nil }
        return Dictionary(grouping: crashes) { $0.script ?? "" }.sorted { $0.key < $1.key }.compactMap {
            script, crashes in
            guard !robot.switches.crashes(of: script).isEmpty, let last = crashes.last else { return nil }
            return CheckStep(
                script,
                .warned(
                    "is switched off, and ended the robot (\(last.signal) in \(last.listener ?? script))",
                    cure: "correct it, then say enable \(script) in chat"))
        }
    }
}
