import Heybot
import Synchronization

/// The people for whom reminders wait, in memory, so that the messages of others cost almost nothing.
///
/// The brain has the reminders themselves.
final class AwaitedPeople: Sendable {
    private struct State {
        /// The ids of timers, by the accounts of the people.
        var loaded: [User.ID: Set<String>] = [:]
        /// What was added later.
        var added: [Addition] = []
        /// The number of times that the brain was read.
        var loads = 0
    }

    private struct Addition {
        let account: User.ID
        let timer: String
        /// The number of times that the brain had been read before.
        let loads: Int
    }

    private let state = Mutex(State())

    /// Whether a reminder waits for a user.
    func contains(_ user: User.ID) -> Bool {
        state.withLock { state in
            state.loaded[user] != nil || state.added.contains { $0.account == user }
        }
    }

    /// Returns the ids of the timers of the reminders that wait for a user.
    func timers(of user: User.ID) -> Set<String> {
        state.withLock { state in
            let added = state.added.filter { $0.account == user }.map(\.timer)
            return (state.loaded[user] ?? []).union(added)
        }
    }

    /// Adds a reminder that waits from now on.
    func add(_ reminder: Reminder, _ brain: Brain) async throws {
        guard let person = reminder.person else { return }
        let accounts = try await PersonalAccounts(brain: brain).all(of: person)
        state.withLock { state in
            for account in accounts {
                state.added.append(Addition(account: account.id, timer: reminder.timer, loads: state.loads))
            }
        }
    }

    /// Removes a reminder that doesn't wait any more.
    func remove(timer: String) {
        state.withLock { state in
            state.added.removeAll { $0.timer == timer }
            state.loaded = state.loaded.compactMapValues { timers in
                let rest = timers.subtracting([timer])
                return rest.isEmpty ? nil : rest
            }
        }
    }

    /// Reads the reminders that wait again, because another robot with the same brain may have added some.
    func load(_ robot: Robot) async throws {
        let number = state.withLock { state in
            state.loads += 1
            return state.loads
        }
        var loaded: [User.ID: Set<String>] = [:]
        for try await timer in robot.scheduledTimers(of: ReminderBook.waiting) {
            guard let person = timer.payload.person else { continue }
            for account in try await PersonalAccounts(brain: robot.brain).all(of: person) {
                loaded[account.id, default: []].insert(timer.id)
            }
        }
        let found = loaded
        state.withLock { state in
            state.loaded = found
            state.added.removeAll { $0.loads < number }
        }
    }
}
