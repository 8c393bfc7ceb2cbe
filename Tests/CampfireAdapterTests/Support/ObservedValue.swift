import Synchronization

/// A value that tests can wait for.
final class ObservedValue<Value: Sendable>: Sendable {
    private struct Waiter {
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value, Never>
    }

    private let state: Mutex<(value: Value, waiters: [Waiter])>

    init(_ value: Value) {
        state = Mutex((value, []))
    }

    var value: Value { state.withLock { $0.value } }

    @discardableResult
    func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, value, met): (Result, Value, [Waiter]) = state.withLock { state in
            let result = body(&state.value)
            let met = state.waiters.filter { $0.isMet(state.value) }
            state.waiters.removeAll { $0.isMet(state.value) }
            return (result, state.value, met)
        }
        for waiter in met { waiter.continuation.resume(returning: value) }
        return result
    }

    /// Waits until a condition holds, and returns the value; the suite's time limit bounds the wait.
    @discardableResult
    func wait(until isMet: @escaping @Sendable (Value) -> Bool) async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                if isMet(state.value) { return state.value }
                state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
