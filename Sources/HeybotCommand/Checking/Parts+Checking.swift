import Heybot
import Logging
import RedisStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// What can be known of a robot without its networks, step by step: each tells what there is, or throws what is wrong.

extension Parts {
    /// `heybot -t`: all of it, until something is wrong.
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
        guard broken.isEmpty else { throw Failure(broken, EX_CONFIG) }
        return "every example is answered by its own listener"
    }

    /// Opens the brain, and sees that it remembers and forgets.
    func checkBrain(of robot: Robot) async throws {
        try await robot.openBrain()
        do {
            try await Self.use(robot.brain)
            await robot.brain.close()
        } catch {
            await robot.brain.close()
            throw error
        }
    }

    private static func use(_ brain: Brain) async throws {
        // Of our own: another check may be at it.
        let number = UInt64.random(in: .min ... .max)
        let memory = Memory<UInt64>("heybot.check.\(String(number, radix: 36))")
        let recalled: UInt64?
        do {
            try await brain.remember(memory, number)
            recalled = try await brain.recall(memory)
        } catch {
            // Even what failed to be remembered may be there.
            try? await brain.forget(memory)
            throw error
        }
        try await brain.forget(memory)
        guard recalled == number else {
            throw StoreError(
                .failed, "the brain has lost what it was told a moment ago", cure: "see who else uses its place")
        }
    }

    /// Where the brain is.
    var brainPlace: String {
        brainFile ?? "Redis at \(settings.redis.address.map(\.description) ?? "")"
    }
}
