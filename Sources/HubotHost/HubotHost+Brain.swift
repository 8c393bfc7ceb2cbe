package import Heybot
import Logging

// Hubot's brain, kept in the robot's: each entry of `robot.brain.data` is an entry of the collection `hubot`.

extension HubotHost {
    /// Hubot's brain in the robot's; the keys are paths in `robot.brain.data`, such as `["karma","tea"]`.
    package static let brain = Memories<JSONValue>("hubot")

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
        var entries: [BrainEntry] = []
        do {
            for try await (key, value) in robot.brain.entries(Self.brain) { entries.append(BrainEntry(key, value)) }
        } catch {
            logger.error("can't read the Hubot scripts' brain, so they start with an empty one: \(error)")
        }
        perform { $0.remember(entries) }
    }

    /// Stores entries that scripts have changed.
    func store(_ entries: [BrainEntry], in robot: Robot?) async {
        guard let robot else { return }
        for entry in entries {
            do {
                if let value = entry.value {
                    try await robot.brain.remember(Self.brain, entry.key, value)
                } else {
                    try await robot.brain.forget(Self.brain, entry.key)
                }
            } catch {
                logger.error(
                    "can't store an entry in the Hubot scripts' brain (\(entry.key.prefix(200))): \(error)")
            }
        }
    }

    /// Waits until everything that scripts have changed is stored.
    func finishStoring() async {
        await withCheckedContinuation { continuation in
            if !storing.add(to: "", { continuation.resume() }) { continuation.resume() }
        }
    }
}
