import Synchronization

/// A promise for a value that one task awaits.
///
/// Only the first value counts.
package final class OneShotPromise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case fulfilled(Value)
    }

    private let state = Mutex(State.open)

    package init() {}

    /// The value; nil if the promise isn't fulfilled yet.
    package var fulfilledValue: Value? {
        state.withLock { if case .fulfilled(let value) = $0 { value } else { nil } }
    }

    /// Fulfills the promise.
    ///
    /// Does nothing if it is fulfilled already.
    package func fulfill(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .fulfilled: return nil
            case .open:
                state = .fulfilled(value)
                return nil
            case .awaited(let continuation):
                state = .fulfilled(value)
                return continuation
            }
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the value, even if the task is canceled.
    ///
    /// Call it once.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                if case .fulfilled(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }

    /// Waits for a result.
    ///
    /// Call it once.
    ///
    /// - Throws: The error of the result; `CancellationError` if the task is canceled.
    package func result<Success>() async throws -> Success where Value == Result<Success, any Error> {
        try await withTaskCancellationHandler {
            await value()
        } onCancel: {
            fulfill(.failure(CancellationError()))
        }.get()
    }
}
