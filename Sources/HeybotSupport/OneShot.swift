import Synchronization

/// A value that is given once and awaited by one task; the first one counts.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case given(Value)
    }

    private let state = Mutex(State.open)

    package init() {}

    /// The value; nil if there is none yet.
    package var given: Value? {
        state.withLock { if case .given(let value) = $0 { value } else { nil } }
    }

    /// Gives the value, unless there is one.
    package func give(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .given: return nil
            case .open:
                state = .given(value)
                return nil
            case .awaited(let continuation):
                state = .given(value)
                return continuation
            }
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the value, whether the task is cancelled or not; for one task, once.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                if case .given(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }

    /// Waits for a result, for one task, once; if that is cancelled, `CancellationError` is the result.
    package func success<Success>() async throws -> Success where Value == Result<Success, any Error> {
        try await withTaskCancellationHandler {
            await value()
        } onCancel: {
            give(.failure(CancellationError()))
        }.get()
    }
}
