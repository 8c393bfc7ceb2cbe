import FoundationEssentials

/// A manual clock that reports sleeps.
final class TestTime: Sendable {
    private struct Sleeper {
        let until: Duration
        let length: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Duration = .zero
        var sleepers: [Int: Sleeper] = [:]
        var lastNumber = 0
        var slept: [Duration] = []
    }

    private let state = ObservedValue(State())

    var date: Date {
        Date(timeIntervalSinceReferenceDate: Double(state.value.now.components.seconds))
    }

    /// The lengths of all sleeps, in the order they began.
    var slept: [Duration] { state.value.slept }

    func sleep(_ length: Duration) async throws {
        let number = state.change { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.change { state in
                    if Task.isCancelled { return true }
                    state.slept.append(length)
                    state.sleepers[number] = Sleeper(
                        until: state.now + length, length: length, continuation: continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            state.change { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(
                throwing: CancellationError())
        }
    }

    /// Waits until a sleep of that length has begun.
    func waitForSleep(of length: Duration) async {
        await state.wait { $0.sleepers.values.contains { $0.length == length } }
    }

    func isSleeping(_ length: Duration) -> Bool {
        state.value.sleepers.values.contains { $0.length == length }
    }

    /// Waits for a sleep of that length, and lets all of it pass.
    func pass(_ length: Duration) async {
        await waitForSleep(of: length)
        advance(by: length)
    }

    func advance(by duration: Duration) {
        let woken = state.change { state in
            state.now += duration
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.sorted { $0.until < $1.until }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
