import Logging
import Synchronization

/// The tasks in which a robot's adapters run: one for each, so that the end of one doesn't affect the others.
final class RunningAdapters: Sendable {
    private let tasks: [Task<(any Error)?, Never>]
    private let logger: Logger

    init(_ adapters: [any Adapter], _ inbox: Inbox, _ logger: Logger) {
        self.logger = logger
        tasks = adapters.map { adapter in
            Task {
                do {
                    try await adapter.run(inbox)
                    if adapters.count > 1, !Task.isCancelled {
                        logger.notice("the adapter \(adapter.name) finished; the other adapters keep running")
                    }
                    return nil
                } catch {
                    if Task.isCancelled {
                        logger.debug("the adapter \(adapter.name) was canceled: \(error)")
                        return nil
                    }
                    logger.error("the adapter \(adapter.name) failed: \(error)")
                    return error
                }
            }
        }
    }

    /// Waits until the robot is asked to stop, or until all adapters have ended and their messages have been handled.
    ///
    /// - Returns: The first adapter's error if every adapter has failed.
    func waitForEnd(orWhen stopping: AsyncLatch, idle inFlight: InFlightCounter) async -> (any Error)? {
        let over = AsyncLatch()
        let failure = Mutex<(any Error)?>(nil)
        let ending = Task {
            let errors = await self.waitForAll()
            await self.waitUntilIdle(inFlight)
            if errors.count == self.tasks.count { failure.withLock { $0 = errors.first } }
            over.open()
        }
        let stopped = Task {
            await stopping.wait()
            over.open()
        }
        await over.wait()
        ending.cancel()
        stopped.cancel()
        return failure.withLock { $0 }
    }

    /// Waits until nothing is in flight.
    ///
    /// Logs a notice if that takes longer than a second.
    private func waitUntilIdle(_ inFlight: InFlightCounter) async {
        let notice = Task { [logger] in
            try await Task.sleep(for: .seconds(1))
            logger.notice("the input has ended; waiting until all listeners have finished")
        }
        await inFlight.waitUntilIdle()
        notice.cancel()
    }

    /// Waits until all adapters have ended.
    ///
    /// - Returns: The errors of those that failed.
    @discardableResult
    func waitForAll() async -> [any Error] {
        var errors: [any Error] = []
        for task in tasks {
            if let error = await task.value { errors.append(error) }
        }
        return errors
    }

    /// Cancels all adapters.
    func cancel() {
        for task in tasks { task.cancel() }
    }
}
