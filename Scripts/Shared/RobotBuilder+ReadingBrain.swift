import Heybot
import Logging

extension RobotBuilder {
    /// Reads what a script keeps in memory: before the adapters connect, and then again and again, because another robot with the
    /// same brain may have changed it.
    mutating func readBrain(
        every interval: Duration, _ read: @escaping @Sendable (Robot) async throws -> Void
    ) {
        // If it fails, the next run below does it, and reports the error.
        accompany(with: RobotCompanion(start: { try? await read($0) }, stop: { _ in }))
        every(interval) { robot in
            do {
                try await read(robot)
            } catch let error as StoreError {
                // The store itself reports that it is unavailable.
                robot.logger.debug("can't read the brain: \(error)")
            }
        }
    }
}
