import Heybot
import HeybotTesting
import Logging
import Metrics

/// A robot on one network, for a test.
package final class NetworkBot<Network: Adapter>: Sendable {
    package let adapter: Network
    package let log: TestLog
    package let robot: Robot
    private let running: Task<Void, any Error>

    /// - Parameters:
    ///   - grace: How long closures may run when it stops.
    ///   - settings: The values of its scripts' settings.
    ///   - http: The HTTP client of its scripts; nil for none.
    ///   - adapter: Creates the adapter, which shares the robot's logger.
    package init(
        name: String = "marvin", timeSource: TimeSource = TimeSource(ContinuousClock(), date: { .now }),
        limits: Robot.Limits = Robot.Limits(), grace: Duration = .milliseconds(500), admins: Set<String> = [],
        brain: Brain = Brain(store: MemoryStore()), settings: [String: String] = [:], http: (any HTTPClient)? = nil,
        server: (any HTTPServer)? = nil, scripts: (Network) -> [any Script],
        adapter make: (Logger) throws -> Network
    ) rethrows {
        let log = TestLog()
        let adapter = try make(log.logger)
        var limits = limits
        limits.shutdownGracePeriod = grace
        limits.allowForBusyMachine()
        let robot = Robot(
            name: name, alias: nil, adapters: [adapter], brain: brain, scripts: scripts(adapter), admins: admins,
            switches: DisabledScripts(), settings: settings, http: http, server: server, limits: limits,
            logger: log.logger, metrics: MetricsSystem.factory, timeSource: timeSource,
            generator: SeededGenerator(seed: 1), giveUp: {})
        (self.adapter, self.log, self.robot) = (adapter, log, robot)
        running = Task { try await robot.run() }
    }

    /// The logged warnings and errors.
    package var warnings: [String] { log.lines(from: .warning) }

    package func stop() async throws {
        robot.stop()
        try await running.value
    }

    package func isUp(within limit: Duration = .testLimit) async throws {
        try await wait(within: limit, for: "the robot to be up, which is \(adapter.status); log: \(log.lines())") {
            if case .up = self.adapter.status { true } else { false }
        }
    }

    /// Waits until a text has been logged a number of times.
    package func logs(_ text: String, times: Int = 1, within limit: Duration = .testLimit) async throws {
        try await wait(within: limit, for: "\"\(text)\" in the log: \(log.lines())") {
            self.log.lines().count { $0.contains(text) } >= times
        }
    }
}

extension Robot.Limits {
    /// The limits of a robot in a test: the machine may be busy.
    package static var forBusyMachine: Robot.Limits {
        var limits = Robot.Limits()
        limits.allowForBusyMachine()
        return limits
    }

    /// Raises the times that a test hasn't set, so that only a hang reaches them.
    package mutating func allowForBusyMachine() {
        let usual = Robot.Limits()
        if slowMatch == usual.slowMatch { slowMatch = .seconds(60) }
        if deadline == usual.deadline { deadline = .seconds(1_800) }
        if stallThreshold == usual.stallThreshold { stallThreshold = .seconds(600) }
        if disconnectTimeout == usual.disconnectTimeout { disconnectTimeout = .seconds(600) }
    }
}

/// Runs a robot while `body` runs.
package func withBot<Network, Result>(
    _ bot: NetworkBot<Network>, _ body: (NetworkBot<Network>) async throws -> Result
) async throws -> Result {
    do {
        let result = try await body(bot)
        try await bot.stop()
        return result
    } catch {
        try? await bot.stop()
        throw error
    }
}

/// The scripts of the network adapters' tests.
package struct NetworkScript: Script {
    package let name = "Test"
    private let long: String
    private let others: @Sendable (inout RobotBuilder) -> Void

    /// - Parameters:
    ///   - long: The text of a long answer.
    ///   - others: Registers further listeners.
    package init(long: String, others: @escaping @Sendable (inout RobotBuilder) -> Void) {
        (self.long, self.others) = (long, others)
    }

    package func register(on robot: inout RobotBuilder) {
        let long = long
        robot.respond(/ping$/) { res in try await res.send("PONG") }
        robot.respond(/who am I$/) { res in
            try await res.send("\(res.message.user.id) \(res.message.user.name) \(res.message.user.account ?? "-")")
        }
        robot.respond(/wave$/) { res in try await res.emote("waves") }
        robot.respond(/topic (.*)/) { res in try await res.topic(res.match.1.description) }
        robot.respond(/long$/) { res in try await res.send(long) }
        robot.respond(/secret$/) { res in try await res.sendPrivately("between you and me") }
        robot.respond(/say (.*)/) { res in try await res.send(res.match.1.description) }
        robot.hear(/hello/) { res in try await res.reply("hello") }
        robot.enter { res in try await res.send("welcome, \(res.message.user.name)") }
        others(&robot)
    }
}
