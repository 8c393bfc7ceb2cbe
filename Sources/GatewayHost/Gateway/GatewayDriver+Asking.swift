package import GatewayLink
import Heybot
import HeybotSupport

// What the gateway asks the present worker.

extension GatewayDriver {
    /// The part of the present worker in the robot's health; nil if there is none, or if it doesn't answer within the limit.
    ///
    /// By default, that is longer than a robot waits for its brain.
    package func report(within limit: Duration = .seconds(4)) async -> WorkerReport? {
        let answer = await ask(within: limit) { number in .report(number) }
        guard case .report(_, let report)? = answer else { return nil }
        return report
    }

    /// The commands that a user may use in a room; empty if there is no worker, or if it doesn't answer within 5 seconds.
    func commands(for user: User, in room: Room) async -> [HelpLine] {
        let answer = await ask(within: .seconds(5)) { number in .commands(number, user, room) }
        guard case .commands(_, let lines)? = answer else { return [] }
        return lines
    }

    /// Asks the present worker something; nil if there is none, or if it doesn't answer within the limit.
    ///
    /// - Parameter question: Returns the question with a number.
    private func ask(within limit: Duration, _ question: (Int) -> GatewayFrame) async -> WorkerFrame? {
        let promise = OneShotPromise<WorkerFrame?>()
        let number = changeWithResult { state -> ([GatewayAction], Int?) in
            guard let current = state.session.currentWorker else { return ([], nil) }
            state.lastQuestion += 1
            state.questions[state.lastQuestion] = promise
            return ([.send(question(state.lastQuestion), to: current)], state.lastQuestion)
        }
        guard let number else { return nil }
        let timer = timers.after(limit) { [weak self] in
            self?.change { state in
                state.questions.removeValue(forKey: number)?.fulfill(nil)
                return []
            }
        }
        let answer = await promise.value()
        timers.cancel(timer)
        return answer
    }
}
