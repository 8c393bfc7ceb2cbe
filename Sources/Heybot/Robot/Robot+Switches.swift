package import FoundationEssentials

extension Robot {
    /// What was switched off from chat.
    static let switchMemory = Memory<ScriptSwitches>("heybot.switches")

    /// What is switched off, by the settings or from chat.
    public var switches: ScriptSwitches { keptSwitches.value }

    /// Switches a script off, or on again, in a room or, where that is nil, everywhere; the brain remembers it.
    ///
    /// Robots that share the brain follow within half a minute.
    ///
    /// - Throws: A ``Refusal`` where there is no such script, or its settings keep it off.
    public func turn(_ script: String, on: Bool, in room: String? = nil) async throws {
        guard scripts.contains(script) else { throw Refusal("I have no script \(script).") }
        if on, live.switches.keepsOff(script, in: room) {
            throw Refusal(
                "\(script) is off \(room.map { "in \($0) " } ?? "")in my settings, so only they can switch it on.")
        }
        try await keptSwitches.update(in: brain) { $0.turn(script, on: on, in: room) }
    }

    /// Switches scripts off everywhere because they ended the robot, for all robots that use this brain; the brain is open.
    ///
    /// A script that was switched off for the same crashes before stays as it is.
    ///
    /// - Parameter crashes: When each script ended the robot, by its name.
    /// - Returns: The scripts that are off now because of that.
    package static func switchOff(afterCrashes crashes: [String: [Date]], in brain: Brain) async throws -> [String] {
        try await brain.update(switchMemory, default: ScriptSwitches()) { switches in
            crashes.keys.sorted().filter { switches.turnOff($0, afterCrashesAt: crashes[$0] ?? []) }
        }
    }
}
