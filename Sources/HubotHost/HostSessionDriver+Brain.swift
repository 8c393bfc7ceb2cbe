import FoundationEssentials
package import Heybot
import Logging
import Synchronization

// Hubot's brain, kept in the robot's: each entry of `robot.brain.data` is an entry of the collection `hubot`.

extension HubotHost {
    /// Hubot's brain in the robot's; the keys are paths in `robot.brain.data`, such as `["karma","tea"]`.
    package static let brain = BrainCollection<JSONValue>("hubot")
    /// Hubot's data store; the keys are a table and a key in it, such as `["global","tea"]`.
    package static let datastore = BrainCollection<JSONValue>("hubot.datastore")
}

extension HostSessionDriver {
    /// Connects the scripts with the robot, whose brain is open.
    func start(_ robot: Robot) async {
        change { state in
            state.robot = robot
            self.carryOut(state.session.robotStarted(), &state)
        }
    }

    /// Gives the host what it has stored.
    func readBrain(of robot: Robot?) async {
        guard let robot else { return }
        let entries = await storedEntries(in: robot)
        perform { $0.remember(entries) }
    }

    private func storedEntries(in robot: Robot) async -> [BrainEntry] {
        var entries: [BrainEntry] = []
        do {
            for try await (key, value) in robot.brain.entries(HubotHost.brain) {
                entries.append(BrainEntry(key, value))
            }
        } catch {
            logger.error("can't read the Hubot scripts' brain, so they start with an empty one: \(error)")
        }
        return entries
    }

    /// Stores entries that scripts have changed.
    func store(_ entries: [BrainEntry], in robot: Robot?) async {
        guard let robot else { return }
        for entry in entries {
            do {
                if let value = entry.value {
                    try await robot.brain.remember(HubotHost.brain, entry.key, value)
                } else {
                    try await robot.brain.forget(HubotHost.brain, entry.key)
                }
            } catch {
                logger.error(
                    "can't store an entry in the Hubot scripts' brain (\(entry.key.prefix(200))): \(error)")
            }
        }
    }

    /// Carries out an operation on the data store, and answers it.
    func use(_ request: DatastoreRequest, of robot: Robot?) async {
        var error: String?
        var value: JSONValue?
        do {
            guard let robot else { throw HostLost(script: "the data store") }
            value = try await request.carryOut(in: robot.brain)
        } catch let problem {
            logger.error("can't use the Hubot scripts' data store: \(problem)")
            error = "\(problem)"
        }
        perform { [error, value] in $0.respond(to: request.request, error: error, value: value) }
    }

    // MARK: Taking over

    /// Takes the place of another driver: gets the brain, and what the other one changes in it from now on.
    ///
    /// The scripts answer when ``takeOver()`` is called; until then questions wait.
    func follow(_ other: HostSessionDriver, of robot: Robot) async {
        state.withLock { $0.robot = robot }
        other.state.withLock { $0.successor = self }
        let entries = await storedEntries(in: robot)
        perform { $0.remember(entries, isLast: false) }
    }

    /// The other driver has said everything.
    func takeOver() { perform { $0.takeOver() } }
}

extension DatastoreRequest {
    /// Carries out the operation as one step.
    ///
    /// - Returns: For `get`, the value.
    fileprivate func carryOut(in brain: Brain) async throws -> JSONValue? {
        let entry = String(decoding: try JSONEncoder().encode([table, key]), as: UTF8.self)
        switch operation {
        case .get: return try await brain.recall(HubotHost.datastore, entry)
        case .set:
            if let value {
                try await brain.remember(HubotHost.datastore, entry, value)
            } else {
                try await brain.forget(HubotHost.datastore, entry)
            }
        case .setObject:
            let (objectKey, value) = (objectKey ?? "", value)
            try await brain.update(HubotHost.datastore, entry) { (stored: inout JSONValue?) in
                var fields: [String: JSONValue] = [:]
                if case .object(let old) = stored { fields = old }
                fields[objectKey] = value
                stored = .object(fields)
            }
        case .append:
            guard case .array(let new) = value else { return nil }
            try await brain.update(HubotHost.datastore, entry) { (stored: inout JSONValue?) in
                var items: [JSONValue] = []
                if case .array(let old) = stored { items = old }
                stored = .array(items + new)
            }
        }
        return nil
    }
}
