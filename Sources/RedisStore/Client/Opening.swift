import Synchronization

/// What comes of opening: known once, to one who waits for it.
final class Opening: Sendable {
    private enum State {
        case unknown(CheckedContinuation<Void, any Error>?)
        case known(Result<Void, any Error>)
    }

    private let state = Mutex(State.unknown(nil))

    var hasFailed: Bool {
        state.withLock { if case .known(.failure) = $0 { true } else { false } }
    }

    /// The first result counts.
    func settle(_ result: Result<Void, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard case .unknown(let continuation) = state else { return nil }
            state = .known(result)
            return continuation
        }
        continuation?.resume(with: result)
    }

    /// Waits for the result, for one caller; where its task is cancelled, that's the result.
    func outcome() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<Void, any Error>? in
                    if case .known(let result) = state { return result }
                    state = .unknown(continuation)
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            settle(.failure(CancellationError()))
        }
    }
}
