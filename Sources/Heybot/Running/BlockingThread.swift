import Dispatch
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

    /// Where the system has no thread to give, the calls are done on the caller's.
    package init() {
        isStarted = OSThread.start { [work] in work.run() }
    }

    deinit { work.close() }

    /// Does the call and returns what it returns.
    ///
    /// Where the task is cancelled it throws at once, and the call goes on alone.
    package func run<Result: Sendable>(_ call: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await Waiting<Result>().outcome { settle in
            let job = { @Sendable in settle(Swift.Result { try call() }) }
            if isStarted { work.add(job) } else { job() }
        }
    }
}

/// Waits for one result, or for the task to be cancelled, whichever comes first.
private final class Waiting<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Value, any Error>)
        case settled(Result<Value, any Error>)
    }

    private let state = Mutex(State.idle)

    func outcome(_ begin: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void) async throws -> Value {
        begin(settle)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Value, any Error>? = state.withLock {
                    if case .settled(let result) = $0 { return result }
                    $0 = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            settle(.failure(CancellationError()))
        }
    }

    private func settle(_ result: Result<Value, any Error>) {
        let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
            switch state {
            case .settled: return nil
            case .idle:
                state = .settled(result)
                return nil
            case .waiting(let continuation):
                state = .settled(result)
                return continuation
            }
        }
        waiting?.resume(with: result)
    }
}
