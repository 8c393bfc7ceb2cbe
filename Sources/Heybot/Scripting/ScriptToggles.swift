package import FoundationEssentials
import Synchronization

/// The disabled scripts: those in the settings, and those disabled from chat.
final class ScriptToggles: Sendable {
    /// The scripts disabled from chat, in the brain.
    fileprivate static let memory = BrainKey<DisabledScripts>("heybot.switches")

    private let brain: Brain
    private let settings: ScriptsDisabledInSettings
    private let kept: CachedBrainValue<DisabledScripts>

    /// The scripts disabled in the settings, which may be reloaded while the robot runs.
    private final class ScriptsDisabledInSettings: Sendable {
        let value: Mutex<DisabledScripts>
        init(_ switches: DisabledScripts) { value = Mutex(switches) }
    }

    init(_ brain: Brain, settings switches: DisabledScripts) {
        self.brain = brain
        let settings = ScriptsDisabledInSettings(switches)
        self.settings = settings
        kept = CachedBrainValue(Self.memory, empty: DisabledScripts()) { kept in
            settings.value.withLock { $0.union(kept) }
        }
    }

    /// All disabled scripts.
    var value: DisabledScripts { kept.value }

    /// Reads the brain's list again: another robot with the same brain may have changed it.
    func load() async throws { try await kept.load(from: brain) }

    /// Replaces the scripts disabled in the settings.
    func set(_ switches: DisabledScripts) {
        settings.value.withLock { $0 = switches }
        kept.refresh()
    }

    /// Disables or enables a script.
    ///
    /// - Throws: A ``Refusal`` if the settings disable it.
    func turn(_ script: String, on: Bool, in room: String?) async throws {
        if on, settings.value.withLock({ $0.keepsOff(script, in: room) }) {
            throw Refusal(
                "\(script) is disabled \(room.map { "in \($0) " } ?? "")by my settings, and only the settings can enable it."
            )
        }
        try await kept.update(in: brain) { $0.turn(script, on: on, in: room) }
    }
}

extension Robot {
    /// The scripts that are disabled, by the settings or from chat.
    public var switches: DisabledScripts { toggles.value }

    /// Disables or enables a script in a room or, if the room is nil, everywhere.
    ///
    /// The change is stored in the brain.
    ///
    /// Robots that share the brain apply it within half a minute.
    ///
    /// - Throws: A ``Refusal`` if there is no such script, or if the settings disable it.
    public func turn(_ script: String, on: Bool, in room: String? = nil) async throws {
        guard scripts.contains(script) else { throw Refusal("I have no script \(script).") }
        try await toggles.turn(script, on: on, in: room)
    }

    /// Disables scripts everywhere because they crashed the robot, for all robots that use this brain.
    ///
    /// The brain must be open.
    ///
    /// A script that was disabled because of the same crashes before is left unchanged.
    ///
    /// - Parameter crashes: The times of the crashes by script.
    /// - Returns: The scripts that were disabled.
    package static func switchOff(afterCrashes crashes: [String: [Date]], in brain: Brain) async throws -> [String] {
        try await brain.update(ScriptToggles.memory, default: DisabledScripts()) { switches in
            crashes.keys.sorted().filter { switches.turnOff($0, afterCrashesAt: crashes[$0] ?? []) }
        }
    }
}
