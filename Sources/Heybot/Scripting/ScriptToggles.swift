package import FoundationEssentials
import Synchronization

/// Which scripts are on: what the settings switch off, and what is switched off from chat.
final class ScriptToggles: Sendable {
    /// What was switched off from chat.
    fileprivate static let memory = Memory<ScriptSwitches>("heybot.switches")

    private let brain: Brain
    private let settings: SharedSwitches
    private let kept: KeptMemory<ScriptSwitches>

    /// What the settings switch off, which may change while the robot runs.
    private final class SharedSwitches: Sendable {
        let value: Mutex<ScriptSwitches>
        init(_ switches: ScriptSwitches) { value = Mutex(switches) }
    }

    init(_ brain: Brain, settings switches: ScriptSwitches) {
        self.brain = brain
        let settings = SharedSwitches(switches)
        self.settings = settings
        kept = KeptMemory(Self.memory, empty: ScriptSwitches()) { kept in
            settings.value.withLock { $0.union(kept) }
        }
    }

    /// What is off, and where.
    var value: ScriptSwitches { kept.value }

    /// Reads it again: another robot with the same brain may have changed it.
    func load() async throws { try await kept.load(from: brain) }

    /// Takes over what the settings switch off now.
    func set(_ switches: ScriptSwitches) {
        settings.value.withLock { $0 = switches }
        kept.refresh()
    }

    /// Switches a script off, or on again.
    ///
    /// - Throws: A ``Refusal`` if the settings keep it off.
    func turn(_ script: String, on: Bool, in room: String?) async throws {
        if on, settings.value.withLock({ $0.keepsOff(script, in: room) }) {
            throw Refusal(
                "\(script) is off \(room.map { "in \($0) " } ?? "")in my settings, so only they can switch it on.")
        }
        try await kept.update(in: brain) { $0.turn(script, on: on, in: room) }
    }
}

extension Robot {
    /// What is switched off, by the settings or from chat.
    public var switches: ScriptSwitches { toggles.value }

    /// Switches a script off, or on again, in a room or, if that is nil, everywhere; the brain remembers it.
    ///
    /// Robots that share the brain follow within half a minute.
    ///
    /// - Throws: A ``Refusal`` if there is no such script, or its settings keep it off.
    public func turn(_ script: String, on: Bool, in room: String? = nil) async throws {
        guard scripts.contains(script) else { throw Refusal("I have no script \(script).") }
        try await toggles.turn(script, on: on, in: room)
    }

    /// Switches scripts off everywhere because they ended the robot, for all robots that use this brain; the brain is open.
    ///
    /// A script that was switched off for the same crashes before stays as it is.
    ///
    /// - Parameter crashes: When each script ended the robot, by its name.
    /// - Returns: The scripts that are off now because of that.
    package static func switchOff(afterCrashes crashes: [String: [Date]], in brain: Brain) async throws -> [String] {
        try await brain.update(ScriptToggles.memory, default: ScriptSwitches()) { switches in
            crashes.keys.sorted().filter { switches.turnOff($0, afterCrashesAt: crashes[$0] ?? []) }
        }
    }
}
