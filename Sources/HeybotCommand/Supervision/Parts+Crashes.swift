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
        let repeated = history.repeated.filter { names.contains($0) && $0 != "Switches" }
        do {
            if !repeated.isEmpty { try await switchOff(repeated) }
            for script in repeated {
                let state = "ended the robot twice within ten minutes, so it is switched off"
                logger.error("the script \(script) \(state): correct it, then say enable \(script)")
            }
            try history.markLogged()
        } catch {
            logger.error("what ended the last run can't be switched off: \(error)")
        }
    }

    private func switchOff(_ scripts: [String]) async throws {
        let brain = Brain(store: store(isPatient: true))
        try await brain.open()
        do {
            try await Robot.switchOff(scripts, in: brain)
            await brain.close()
        } catch {
            await brain.close()
            throw error
        }
    }

    /// What `heybot check` has to say of the scripts that ended the robot.
    func checkCrashes(of robot: Robot) -> [CheckStep] {
        let crashes = CrashHistory(at: data.crashes).crashes.filter { $0.script != nil }
        return Dictionary(grouping: crashes) { $0.script ?? "" }.sorted { $0.key < $1.key }.compactMap {
            script, crashes in
            guard robot.switches.off.contains(script), let last = crashes.last else { return nil }
            return CheckStep(
                script,
                .warned(
                    "is switched off, and ended the robot (\(last.signal) in \(last.listener ?? script))",
                    cure: "correct it, then say enable \(script) in chat"))
        }
    }
}
