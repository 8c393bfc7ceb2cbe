import Logging
import Synchronization

extension Robot {
    /// Waits until the adapters have sent what they have queued.
    private func flushOutboundQueues(until end: Duration) async {
        let paced = adapters.compactMap { $0 as? any OutboundQueueing }
        while paced.contains(where: { $0.queuedMessages > 0 }), timeSource.now() < end {
            try? await timeSource.sleep(.milliseconds(20))
        }
    }

    /// Shuts everything down, in order.
    ///
    /// Until the grace period is over, messages are handled as usual, but scripts' timers don't fire.
    ///
    /// - Returns: The web server's error, if it failed.
    func shutDown(_ runningAdapters: RunningAdapters, _ serving: Task<(any Error)?, Never>?) async -> (
        any Error
    )? {
        serving?.cancel()
        queue.drain()
        timers.stop()
        let failure = Mutex<(any Error)?>(nil)
        let end = timeSource.now() + limits.shutdownGracePeriod
        await wait(atMost: limits.shutdownGracePeriod) {
            await self.queue.waitUntilReceived()
            await self.inFlight.waitUntilIdle()
            for companion in self.companions { await companion.finish(self) }
            let error = await serving?.value
            failure.withLock { $0 = error }
        }
        for companion in companions { companion.giveUp() }
        timers.close()
        let left = queue.close() + dispatcher.scheduler.waiting
        if left > 0 {
            logger.warning(
                "shutting down with \(left == 1 ? "1 unhandled message" : "\(left) unhandled messages")")
        }
        let cancelled = runner.close()
        if cancelled > 0 {
            logger.warning("canceling \(cancelled) listener\(cancelled == 1 ? " that is" : "s that are") still running")
        }
        // A moment for those that stop when they are canceled.
        await wait(atMost: .milliseconds(200)) { await self.inFlight.waitUntilIdle() }
        await flushOutboundQueues(until: end)
        runningAdapters.cancel()
        await wait(atMost: limits.disconnectTimeout) { await runningAdapters.waitForAll() }
        await wait(atMost: limits.disconnectTimeout) {
            // At once, so that none takes another's time.
            await withDiscardingTaskGroup { group in
                for companion in self.companions { group.addTask { await companion.stop(self) } }
            }
        }
        await brain.close()
        return failure.withLock { $0 }
    }

    /// Waits until the robot is asked to stop, or the task is canceled.
    package func waitUntilStopping() async { await stopping.wait() }

    /// Waits for an event, until the limit passes.
    func wait(atMost limit: Duration, for event: @escaping @Sendable () async -> Void) async {
        let latch = AsyncLatch()
        let waiting = Task {
            await event()
            latch.open()
        }
        let sleeping = Task { [timeSource] in
            try? await timeSource.sleep(limit)
            latch.open()
        }
        await latch.wait()
        waiting.cancel()
        sleeping.cancel()
    }
}
