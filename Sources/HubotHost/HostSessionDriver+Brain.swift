import FoundationEssentials
package import Heybot
package import HeybotSupport
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

    /// Plans to give a process the brain, with the changes of the previous one that aren't stored yet.
    ///
    /// - Parameter process: The process; nothing happens if another one runs meanwhile.
    func planBrainRead(_ process: Int, _ robot: Robot?, after delay: Duration = .zero) {
        guard let robot else { return }
        Task.detached { [shared] in
            if delay > .zero { try await shared.timeSource.sleep(delay) }
            await self.readBrain(process, robot, after: delay)
        }
    }

    /// Gives the process the brain; if that can't be read, tries again later, because scripts mustn't start with an empty one.
    private func readBrain(_ process: Int, _ robot: Robot, after delay: Duration) async {
        guard state.withLock({ $0.process == process && !$0.session.isStopping }) else { return }
        do {
            try await readBrain(process, robot, isLast: true)
        } catch {
            if delay == .zero {
                logger.error(
                    "can't read the Hubot scripts' brain; until this works, the scripts don't answer: \(error)")
            }
            planBrainRead(process, robot, after: min(max(delay * 2, .seconds(1)), .seconds(30)))
        }
    }

    /// Gives a process, if it is still the one that runs, the brain with the changes that aren't stored yet.
    private func readBrain(_ process: Int, _ robot: Robot, isLast: Bool) async throws {
        let entries = try await shared.pending.reading { try await storedEntries(in: robot) }
        change { state in
            guard state.process == process else { return }
            let unstored = shared.pending.all
            self.carryOut(
                state.session.remember(
                    entries, unstored: unstored.entries, newestBatch: unstored.newestBatch, isLast: isLast), &state)
        }
    }

    /// The brain's entries, without those that can't be decoded.
    private func storedEntries(in robot: Robot) async throws -> [BrainEntry] {
        var entries: [BrainEntry] = []
        var iterator = robot.brain.entries(HubotHost.brain).makeAsyncIterator()
        while true {
            do {
                guard let (key, value) = try await iterator.next() else { return entries }
                entries.append(BrainEntry(key, value))
            } catch let error as BrainCodingError {
                logger.error("the Hubot scripts don't see an entry of their brain: \(error)")
            }
        }
    }

    /// Stores entries that scripts have changed.
    ///
    /// While the store fails, it tries again, because the process believes that they are stored. When the robot stops, it tries
    /// each of them once.
    func store(_ entries: [BrainEntry], in robot: Robot?, for host: HubotHost?) async {
        for entry in entries {
            guard let robot else { continue }
            var backoff = Backoff(first: .seconds(1), longest: .seconds(10))
            var isFirst = true
            while true {
                do {
                    if let value = entry.value {
                        try await robot.brain.remember(HubotHost.brain, entry.key, value)
                    } else {
                        try await robot.brain.forget(HubotHost.brain, entry.key)
                    }
                    break
                } catch {
                    let isLasting = (error as? StoreError).map { [.tooLong, .closed].contains($0.code) } ?? true
                    let isOver = isLasting || host?.isStopping != false
                    if isFirst || isOver {
                        let consequence = isOver ? "" : "; trying again until it can be stored"
                        logger.error(
                            "can't store an entry in the Hubot scripts' brain (\(entry.key.prefix(200))): \(error)\(consequence)"
                        )
                    }
                    if isOver { break }
                    isFirst = false
                    await pause(for: backoff.next(chance: 1), of: host)
                }
            }
        }
    }

    /// Waits, but not longer than the robot runs.
    private func pause(for time: Duration, of host: HubotHost?) async {
        var left = time
        while left > .zero, host?.isStopping == false, (try? await shared.timeSource.sleep(.milliseconds(100))) != nil {
            left -= .milliseconds(100)
        }
    }

    /// Carries out an operation on the data store, and answers it.
    func use(_ request: DatastoreRequest, of robot: Robot?, for process: Int) async {
        var error: String?
        var value: JSONValue?
        do {
            if let robot {
                value = try await request.carryOut(in: robot.brain)
            } else {
                error = "the robot is still starting: use the data store after the brain's event \"loaded\""
            }
        } catch let problem {
            logger.error("can't use the Hubot scripts' data store: \(problem)")
            error = "\(problem)"
        }
        respond(to: request.request, of: process, error: error, value: value)
    }

    // MARK: Taking over

    /// Takes the place of another driver: gets the brain, and from then on what the other one changes in it.
    ///
    /// The scripts answer when ``takeOver()`` is called; until then questions wait.
    ///
    /// - Throws: ``StoreError`` if the brain can't be read.
    func follow(_ other: HostSessionDriver, of robot: Robot) async throws {
        let (names, session) = other.state.withLock { ($0.names, $0.session) }
        state.withLock { state in
            (state.robot, state.names) = (robot, names)
            state.session.adopt(session)
        }
        try await readBrain(state.withLock { $0.process }, robot, isLast: false)
    }

    /// The other driver has said everything.
    func takeOver() {
        change { state in
            let unstored = shared.pending.all
            self.carryOut(
                state.session.takeOver(unstored: unstored.entries, newestBatch: unstored.newestBatch), &state)
        }
    }
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
