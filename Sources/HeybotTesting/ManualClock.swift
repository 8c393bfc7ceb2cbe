import Synchronization

/// A clock that stands still until a test advances it.
public final class ManualClock: Clock {
    /// The time since the clock was made.
    public struct Instant: InstantProtocol, Hashable, Sendable {
        /// The time since the clock was made.
        public let offset: Swift.Duration

        public func advanced(by duration: Swift.Duration) -> Self { Self(offset: offset + duration) }
        public func duration(to other: Self) -> Swift.Duration { other.offset - offset }
        public static func < (one: Self, other: Self) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        let until: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Creates a clock at offset zero.
    public init() {}

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }
    /// The resolution: the clock is exact.
    public var minimumResolution: Swift.Duration { .zero }

    /// Sleeps until the clock is advanced to the deadline.
    ///
    /// - Throws: `CancellationError` if the task is canceled.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[number] = Sleeper(until: deadline, continuation: continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits until a task sleeps until a matching time, counted since the clock was made.
    package func waitForSleeper(where isMeant: (Swift.Duration) -> Bool) async throws {
        while !state.withLock({ $0.sleepers.values.contains { isMeant($0.until.offset) } }) {
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Advances the clock, and resumes the tasks whose deadlines it reaches, earliest first.
    public func advance(by duration: Swift.Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.sorted { $0.until < $1.until }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
