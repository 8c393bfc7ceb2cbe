import Synchronization

/// The commands of deploys that run now.
final class DeployCommands: Sendable {
    private struct State {
        var tasks: [DeployID: Task<Void, Never>] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Runs a command in the background.
    ///
    /// - Parameter ended: Called when it has ended.
    func run(
        _ command: DeployCommand, _ id: DeployID, _ ended: @escaping @Sendable (DeployCommand.Outcome) async -> Void
    ) {
        state.withLock { state in
            let isStopped = state.isStopped
            state.tasks[id] = Task {
                let outcome: DeployCommand.Outcome = if isStopped { .cancelled } else { await command.run() }
                // In a task of its own: a canceled one can't change the brain.
                await Task { await ended(outcome) }.value
                self.remove(id)
            }
        }
    }

    private func remove(_ id: DeployID) { state.withLock { $0.tasks[id] = nil } }

    /// Ends all commands, and waits until that is recorded.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
