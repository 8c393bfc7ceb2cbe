import Logging
import Synchronization

/// What is switched off now: what the settings say, and what was said in chat.
final class Switchboard: Sendable {
    let settings: ScriptSwitches
    private let present: Mutex<ScriptSwitches>
    private let turns = KeyLocks()

    init(_ settings: ScriptSwitches) {
        self.settings = settings
        present = Mutex(settings)
    }

    var switches: ScriptSwitches { present.withLock { $0 } }

    /// Takes over what the body finds to be switched off from chat.
    ///
    /// One at a time: what was read first must not undo what was written after.
    func set(_ body: () async throws -> ScriptSwitches) async throws {
        let key = StoreKey(name: "")
        try await turns.lock(key)
        defer { turns.unlock(key) }
        let chat = try await body()
        present.withLock { $0 = settings.union(chat) }
    }
}

extension Robot {
    /// What was switched off from chat.
    private static let memory = Memory<ScriptSwitches>("heybot.switches")
    /// How long another robot with the same brain may take to notice.
    private static let interval: Duration = .seconds(30)

    /// What is switched off, by the settings or from chat.
    public var switches: ScriptSwitches { switchboard.switches }

    /// Switches a script off, or on again, in a room or, where that is nil, everywhere; the brain remembers it.
    ///
    /// Robots that share the brain follow within half a minute.
    ///
    /// - Throws: A ``Refusal`` where there is no such script, or its settings keep it off.
    public func turn(_ script: String, on: Bool, in room: String? = nil) async throws {
        guard scripts.contains(script) else { throw Refusal("I have no script \(script).") }
        if on, switchboard.settings.keepsOff(script, in: room) {
            throw Refusal(
                "\(script) is off \(room.map { "in \($0) " } ?? "")in my settings, so only they can switch it on.")
        }
        try await switchboard.set {
            try await brain.update(Self.memory, default: ScriptSwitches()) { switches in
                switches.turn(script, on: on, in: room)
                return switches
            }
        }
    }

    /// Opens the brain, and takes in what was switched off from chat.
    package func openBrain() async throws {
        try await brain.open()
        do {
            try await loadSwitches()
        } catch {
            await brain.close()
            throw error
        }
    }

    func loadSwitches() async throws {
        try await switchboard.set { try await brain.recall(Self.memory) ?? ScriptSwitches() }
    }

    /// Keeps up with what other robots with the same brain switch on and off.
    ///
    /// - Parameter isTold: Whether the log has it already that they can't be read.
    func keepSwitches(isTold: Bool = false) {
        timers.after(Self.interval) { [weak self] in
            guard let self else { return }
            activity.begin()
            Task { [self] in
                var isFailing = false
                do {
                    try await loadSwitches()
                } catch {
                    isFailing = true
                    logger.log(
                        level: isTold ? .debug : .warning,
                        "what is switched off can't be read, so that stays as it is: \(error)")
                }
                keepSwitches(isTold: isFailing)
                activity.end()
            }
        }
    }
}
