import Synchronization

/// The settings of a robot that can change while it runs.
final class LiveSettings: Sendable {
    private struct Values {
        var admins: Set<User.ID>
        var switches: ScriptSwitches
    }

    private let values: Mutex<Values>

    init(admins: Set<User.ID>, switches: ScriptSwitches) {
        values = Mutex(Values(admins: admins, switches: switches))
    }

    /// The ids of the admins, in the form that their adapters give to users.
    var admins: Set<User.ID> { values.withLock { $0.admins } }

    /// What the settings switch off.
    var switches: ScriptSwitches { values.withLock { $0.switches } }

    /// Sets both at once.
    func replace(admins: Set<User.ID>, switches: ScriptSwitches) {
        values.withLock { $0 = Values(admins: admins, switches: switches) }
    }
}
