import Synchronization

/// What comes of opening: known once, to one who waits for it.
final class Opening: Sendable {
    private enum State {
        case unknown(CheckedContinuation<Void, any Error>?)
        case known(Result<Void, any Error>)
    }

    private let state = Mutex(State.unknown(nil))

    /// The first result counts; whether this is it.
    @discardableResult
    func settle(_ result: Result<Void, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Void, any Error>?) in
            guard case .unknown(let continuation) = state else { return (false, nil) }
            state = .known(result)
            return (true, continuation)
        }
        continuation?.resume(with: result)
        return isFirst
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
