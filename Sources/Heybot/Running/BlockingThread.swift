import Dispatch
import HeybotSupport
import Synchronization

/// A thread for calls that block, done one after another in the order they were asked for.
package final class BlockingThread: Sendable {
    private final class Work: Sendable {
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

    private let work = Work()
    private let isStarted: Bool

    /// If the system has no thread to give, the calls are done on the caller's.
    package init() {
        isStarted = OSThread.start { [work] in work.run() }
    }

    deinit { work.close() }

    /// Does the call and returns what it returns.
    ///
    /// If the task is cancelled it throws at once, and the call goes on alone.
    package func run<Result: Sendable>(_ call: @escaping @Sendable () throws -> Result) async throws -> Result {
        let outcome = OneShot<Swift.Result<Result, any Error>>()
        let job = { @Sendable in outcome.give(Swift.Result { try call() }) }
        if isStarted { work.add(job) } else { job() }
        return try await outcome.success()
    }
}
