import GatewayHost
import GatewayLink
import Heybot
import HeybotSupport
import HeybotTesting
import Logging
import Synchronization

/// Runs workers as robots in this process.
package final class LocalLauncher: WorkerLauncher {
    private let scripts: [any Script]
    private let adapters: [any Adapter]
    private let brain: Brain?
    private let limits: Robot.Limits
    private let logger: Logger
    private let kills = Mutex<[Int: @Sendable () -> Void]>([:])
    private let newest = Mutex<WorkerDriver?>(nil)
    private let firstRobot = OneShotPromise<Robot?>()

    /// Creates a launcher.
    ///
    /// - Parameters:
    ///   - scripts: The scripts of the workers' robots.
    ///   - adapters: Adapters that are equal to the gateway's; they never run.
    ///   - brain: The brain of the only worker; nil if each has its own.
    package init(
        _ scripts: [any Script], for adapters: [any Adapter], brain: Brain? = nil,
        limits: Robot.Limits = Robot.Limits(),
        logger: Logger = Logger(label: "worker") { _ in SwiftLogNoOpLogHandler() }
    ) {
        (self.scripts, self.adapters, self.brain, self.limits, self.logger) = (scripts, adapters, brain, limits, logger)
    }

    /// The newest worker.
    package var worker: WorkerDriver? { newest.withLock { $0 } }

    /// The number of workers that were started.
    package var starts: Int { kills.withLock { $0.count } }

    /// Waits for the robot of the first worker; nil if it couldn't connect.
    ///
    /// Call it once.
    package func robot() async -> Robot? { await firstRobot.value() }

    /// Ends the connection of the newest worker, as if its process had crashed.
    package func crash() {
        let kill = kills.withLock { kills in kills.keys.max().flatMap { kills[$0] } }
        kill?()
    }

    package func run(
        _ socket: CInt, generation: Int, _ body: @Sendable (_ kill: @escaping @Sendable () -> Void) async -> Void
    ) async throws -> WorkerEnd {
        let worker = WorkerDriver(socket, logger: logger)
        newest.withLock { $0 = worker }
        let running = Task.detached { [self] in
            guard await worker.connect() != nil else { return firstRobot.fulfill(nil) }
            let robot = Robot(
                name: "Heybot", adapters: adapters.map { worker.standIn(for: $0) },
                brain: brain ?? Brain(store: MemoryStore()), scripts: scripts + [worker.script], limits: limits,
                logger: logger)
            worker.follow(robot)
            firstRobot.fulfill(robot)
            try? await robot.run()
            worker.close()
        }
        let kill: @Sendable () -> Void = { worker.close() }
        kills.withLock { $0[generation] = kill }
        await body(kill)
        // It doesn't wait, as for a process that has crashed.
        running.cancel()
        return WorkerEnd("status 0", status: 0)
    }
}
