import Logging
import Synchronization

/// What is switched off now: what the settings say, and what was said in chat.
final class Switchboard: Sendable {
    let settings: ScriptSwitches
    private let present: Mutex<ScriptSwitches>

    init(_ settings: ScriptSwitches) {
        self.settings = settings
        present = Mutex(settings)
    }

    var switches: ScriptSwitches { present.withLock { $0 } }

    func set(chat: ScriptSwitches) {
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
        if on, switchboard.settings.off.contains(script) {
            throw Refusal("\(script) is off in my settings, so only they can switch it on.")
        }
        let chat = try await brain.update(Self.memory, default: ScriptSwitches()) { switches in
            switches.turn(script, on: on, in: room)
            return switches
        }
        switchboard.set(chat: chat)
    }

    /// Takes in what was switched off from chat.
    package func loadSwitches() async throws {
        switchboard.set(chat: try await brain.recall(Self.memory) ?? ScriptSwitches())
    }

    /// Keeps up with what other robots with the same brain switch on and off.
    func keepSwitches() {
        timers.after(Self.interval) { [weak self] in
            guard let self else { return }
            activity.begin()
            Task { [self] in
                do {
                    try await loadSwitches()
                } catch {
                    logger.warning("what is switched off can't be read, so that stays as it is: \(error)")
                }
                keepSwitches()
                activity.end()
            }
        }
    }
}
