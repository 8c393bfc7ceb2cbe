import Logging
import Synchronization

/// The adapters of a robot that runs, each on a task of its own: one's end is not the others'.
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
                        logger.notice("\(adapter.name) has ended; the robot goes on where else it is")
                    }
                    return nil
                } catch {
                    if Task.isCancelled {
                        logger.debug("the adapter \(adapter.name) was stopped: \(error)")
                        return nil
                    }
                    logger.error("the adapter \(adapter.name) has ended: \(error)")
                    return error
                }
            }
        }
    }

    /// Returns when it is told to, or when all have ended and what they brought in is dealt with.
    ///
    /// - Returns: An error if every adapter has failed.
    func ended(orWhen stopping: Gate, idle activity: Activity) async -> (any Error)? {
        let over = Gate()
        let failure = Mutex<(any Error)?>(nil)
        let ending = Task {
            let errors = await self.allEnded()
            await self.idle(activity)
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

    /// Returns when nothing is being done any more; says so if that takes a while.
    private func idle(_ activity: Activity) async {
        let patience = Task { [logger] in
            try await Task.sleep(for: .seconds(1))
            logger.notice("there is nothing more to hear; waiting for what is still being done")
        }
        await activity.idle()
        patience.cancel()
    }

    /// The errors of those that failed, when all have ended.
    @discardableResult
    func allEnded() async -> [any Error] {
        var errors: [any Error] = []
        for task in tasks {
            if let error = await task.value { errors.append(error) }
        }
        return errors
    }

    func cancel() {
        for task in tasks { task.cancel() }
    }
}
