import Heybot
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// Checks that need no network. Each returns a description of what it found, or throws.

extension RobotAssembly {
    /// Runs all of these checks for `heybot -t`, until one throws.
    func check() async throws {
        try StandardOutput.writeLine("settings  OK")
        let robot = robot(logger: Logger(label: "heybot"))
        try StandardOutput.writeLine("scripts   \(checkScripts(of: robot))")
        try StandardOutput.writeLine("help      \(checkHelp(of: robot))")
        try data.make()
        try await checkBrain(of: robot)
        try StandardOutput.writeLine("brain     \(brainPlace)\nOK")
    }

    func checkScripts(of robot: Robot) throws -> String {
        try robot.check()
        return "\(robot.scripts.count), with \(robot.listeners.count) listeners"
    }

    func checkHelp(of robot: Robot) throws -> String {
        let broken = robot.brokenExamples()
        guard broken.isEmpty else { throw ExitError(broken, EX_CONFIG) }
        return "every example is handled by its own listener"
    }

    /// Opens the brain, checks that a value can be stored, read and removed, and closes it.
    func checkBrain(of robot: Robot) async throws {
        try await openCheckedBrain(of: robot)
        await robot.brain.close()
    }

    /// Opens the brain, and checks that a value can be stored, read and removed.
    ///
    /// If it throws, the brain is closed.
    func openCheckedBrain(of robot: Robot) async throws {
        try await robot.openBrain()
        do {
            try await Self.use(robot.brain)
        } catch {
            await robot.brain.close()
            throw error
        }
    }

    private static func use(_ brain: Brain) async throws {
        // A random key, since other checks may run at the same time.
        let number = UInt64.random(in: .min ... .max)
        let memory = BrainKey<UInt64>("heybot.check.\(String(number, radix: 36))")
        let recalled: UInt64?
        do {
            try await brain.remember(memory, number)
            recalled = try await brain.recall(memory)
        } catch {
            // A write that failed may still have been stored.
            try? await brain.forget(memory)
            throw error
        }
        try await brain.forget(memory)
        guard recalled == number else {
            throw StoreError(
                .failed, "the brain lost a value right after it was stored",
                fix: "check whether another program uses the brain")
        }
    }
}
