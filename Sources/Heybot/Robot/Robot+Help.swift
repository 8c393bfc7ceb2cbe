/// A command that a user may use, and the listener that handles it.
public struct AvailableCommand: Sendable {
    /// The listener that handles it.
    public let listener: Listener
    /// Its line of help: the usage, and what it does.
    public let line: HelpLine
}

extension Robot {
    /// The commands that a user may use in a room, in registration order.
    public func commands(for user: User, in room: Room) -> [AvailableCommand] {
        let (switches, roles) = (switches, roles(of: user))
        return
            (listeners + runtimeCommands(for: user, in: room))
            .filter { listener in
                switches.isOn(listener.script, in: room)
                    && access(to: listener).refusal(ofUserWith: roles, in: room, on: adapters) == nil
            }
            .flatMap { listener in listener.help.map { AvailableCommand(listener: listener, line: $0) } }
    }

    /// Returns the topic of a script; ``ScriptTopic/other`` for an unknown script.
    public func topic(of script: String) -> ScriptTopic { dispatcher.registry.topics[script] ?? .other }

    /// Returns the missing settings without which a script's commands don't work; nil if none is missing.
    public func missingSettings(of script: String) -> String? { dispatcher.registry.missingSettings[script] }
}
