import Foundation
import GatewayHost
import GatewayLink
import Heybot
import HeybotTesting
import Logging
import Synchronization
import TestServers

/// Runs a worker that never becomes ready.
final class StuckLauncher: WorkerLauncher {
    private let started = Atomic(false)

    /// Whether the worker was started.
    var hasStarted: Bool { started.load(ordering: .acquiring) }

    func run(
        _ socket: CInt, generation: Int, _ body: @Sendable (_ kill: @escaping @Sendable () -> Void) async -> Void
    ) async throws -> WorkerEnd {
        started.store(true, ordering: .releasing)
        await body { _ = shutdown(socket, Int32(SHUT_RDWR)) }
        close(socket)
        return WorkerEnd("signal 9")
    }
}

/// Runs `body` with a robot that consists of a gateway and workers.
func withSplitRobot(
    _ script: any Script, body: (ChatAdapter, GatewayDriver, LocalLauncher) async throws -> Void
) async throws {
    let logger = Logger(label: "gateway") { _ in SwiftLogNoOpLogHandler() }
    let (adapter, launcher) = (ChatAdapter(), LocalLauncher([script], for: [ChatAdapter()]))
    let driver = GatewayDriver(launcher, logger: logger, metrics: { "up 1\n" })
    let robot = Robot(
        name: "Heybot", adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [driver.script],
        logger: logger)
    async let running: Void = robot.run()
    do {
        try await body(adapter, driver, launcher)
        robot.stop()
        try await running
    } catch {
        robot.stop()
        try await running
        throw error
    }
}
