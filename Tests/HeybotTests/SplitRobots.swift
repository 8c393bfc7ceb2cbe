import GatewayHost
import Heybot
import HeybotTesting
import Logging
import TestServers
import Testing

/// Runs tests twice: with robots of one process, and with robots that consist of a gateway and a worker.
struct SplitRobots: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var isOn = false

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        try await body()
        try await Self.$isOn.withValue(true) { try await body() }
    }
}

extension Trait where Self == SplitRobots {
    /// Runs tests a second time with robots that consist of a gateway and a worker.
    static var alsoSplit: Self { Self() }
}

/// A robot that consists of a gateway and a worker.
struct SplitRobot: Sendable {
    /// The robot with the adapters' connections.
    let gateway: Robot
    /// Runs the robot with the scripts.
    let launcher: LocalLauncher

    init(_ adapters: [any Adapter], _ brain: Brain, _ scripts: [any Script], _ limits: Robot.Limits, _ logger: Logger) {
        launcher = LocalLauncher(scripts, for: adapters, brain: brain, limits: limits, logger: logger)
        let driver = GatewayDriver(launcher, logger: logger, limits: limits)
        gateway = Robot(
            name: "Heybot", adapters: adapters, brain: Brain(store: MemoryStore()), scripts: [driver.script],
            limits: limits, logger: logger)
    }
}
