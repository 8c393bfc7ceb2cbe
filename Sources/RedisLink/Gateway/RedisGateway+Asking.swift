import GatewayLink
import Heybot
import HeybotSupport
import Synchronization

// What the gateway asks a worker.

extension RedisGateway {
    /// The commands that a user may use in a room; empty if there is no worker, or if it doesn't answer within 5 seconds.
    func commands(for user: User, in room: Room) async -> [HelpLine] {
        let promise = OneShotPromise<WorkerFrame?>()
        let number = state.withLock { state in
            state.lastQuestion += 1
            state.questions[state.lastQuestion] = promise
            return state.lastQuestion
        }
        let timer = Task {
            try await Task.sleep(for: .seconds(5))
            promise.fulfill(nil)
        }
        if (try? await database.ask(.commands(number, user, room), by: id)) != true { promise.fulfill(nil) }
        let answer = await promise.value()
        timer.cancel()
        state.withLock { _ = $0.questions.removeValue(forKey: number) }
        guard case .commands(_, let lines)? = answer else { return [] }
        return lines
    }

    /// Passes answers to those who wait for them.
    func receive(_ entries: [StreamEntry]) {
        for entry in entries {
            let frame = entry["a"].flatMap { try? LinkCoder.workerFrame(FrameBytes(json: $0)) }
            let promise: OneShotPromise<WorkerFrame?>? = state.withLock { state in
                state.lastAnswer = entry.id
                guard case .commands(let number, _)? = frame else { return nil }
                return state.questions[number]
            }
            promise?.fulfill(frame)
        }
    }
}
