import Dispatch
import HeybotSupport
import Synchronization

/// A thread that runs blocking calls one after another, in order.
package final class BlockingThread: Sendable {
    private final class JobQueue: Sendable {
        private struct State {
            var jobs: [@Sendable () -> Void] = []
            var isClosed = false
        }

        private let state = Mutex(State())
        private let wake = DispatchSemaphore(value: 0)

        func add(_ job: @escaping @Sendable () -> Void) {
            state.withLock { $0.jobs.append(job) }
            wake.signal()
        }

        func close() {
            state.withLock { $0.isClosed = true }
            wake.signal()
        }

        func run() {
            while true {
                wake.wait()
                let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
                if let job { job() } else if state.withLock({ $0.isClosed }) { return }
            }
        }
    }

    private let queue = JobQueue()
    private let isStarted: Bool

    /// Starts the thread.
    ///
    /// If the system can't create one, the calls run on the caller's thread.
    package init() {
        isStarted = OSThread.start { [queue] in queue.run() }
    }

    deinit { queue.close() }

    /// Runs a call on the thread, and returns its result.
    ///
    /// - Throws: What the call throws; `CancellationError` at once if the task is canceled, while the call continues.
    package func run<Result: Sendable>(_ call: @escaping @Sendable () throws -> Result) async throws -> Result {
        let outcome = OneShotPromise<Swift.Result<Result, any Error>>()
        let job = { @Sendable in outcome.fulfill(Swift.Result { try call() }) }
        if isStarted { queue.add(job) } else { job() }
        return try await outcome.result()
    }
}
