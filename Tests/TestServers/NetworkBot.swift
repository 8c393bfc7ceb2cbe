import Heybot
import HeybotTesting
import Logging
import Metrics

/// A robot on one network, for as long as a test has it.
package final class NetworkBot<Network: Adapter>: Sendable {
    package let adapter: Network
    package let log: TestLog
    package let robot: Robot
    private let running: Task<Void, any Error>

    /// - Parameters:
    ///   - grace: How long closures may go on running when it stops.
    ///   - adapter: Makes the adapter, which logs where the robot does.
    package init(
        name: String = "marvin", timeline: Timeline = Timeline(ContinuousClock(), date: { .now }),
        limits: Robot.Limits = Robot.Limits(), grace: Duration = .milliseconds(500), admins: Set<String> = [],
        brain: Brain = Brain(store: MemoryStore()), server: (any HTTPServer)? = nil, scripts: (Network) -> [any Script],
        adapter make: (Logger) throws -> Network
    ) rethrows {
        let log = TestLog()
        let adapter = try make(log.logger)
        var limits = limits
        limits.grace = grace
        // The machine may be busy.
        limits.slowMatch = .seconds(60)
        let robot = Robot(
            name: name, alias: nil, adapters: [adapter], brain: brain, scripts: scripts(adapter), admins: admins,
            switches: ScriptSwitches(), settings: [:], http: nil, server: server, limits: limits, logger: log.logger,
            metrics: MetricsSystem.factory, timeline: timeline, generator: SeededGenerator(seed: 1), giveUp: {})
        (self.adapter, self.log, self.robot) = (adapter, log, robot)
        running = Task { try await robot.run() }
    }

    /// What it logged that somebody should look at.
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

    /// Waits until it has logged that, so often.
    package func logs(_ text: String, times: Int = 1, within limit: Duration = .testLimit) async throws {
        try await wait(within: limit, for: "\"\(text)\" in the log: \(log.lines())") {
            self.log.lines().count { $0.contains(text) } >= times
        }
    }
}

/// Runs a robot while the body does.
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

/// What the robots of the networks' tests can do.
package struct NetworkScript: Script {
    package let name = "Test"
    private let long: String
    private let others: @Sendable (inout RobotBuilder) -> Void

    /// - Parameters:
    ///   - long: Its long answer.
    ///   - others: Adds what else it can do.
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
