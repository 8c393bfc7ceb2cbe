/// A command that a script has without a listener of its own, such as one that was made in chat.
package struct RuntimeCommand: Sendable {
    let usage: String
    let purpose: String
    let access: Access
    let matches: @Sendable (String) -> Bool

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - usage: What the user types, without the robot's name.
    ///   - purpose: What it does.
    ///   - access: Who may use it; its script checks that.
    ///   - matches: Whether a text, without the robot's name, is this command.
    package init(
        usage: String, purpose: String, access: Access, matches: @escaping @Sendable (String) -> Bool
    ) {
        (self.usage, self.purpose, self.access, self.matches) = (usage, purpose, access, matches)
    }

    /// The command as a listener that matches nothing, because its script finds it in another way.
    func listener(of script: String) -> Listener {
        Listener(
            id: "\(script): \(usage)", script: script, trigger: .respond, pattern: nil,
            help: [HelpLine("\(usage) - \(purpose)"[...])], example: nil, access: access, confirmation: nil,
            approval: nil, cooldown: nil, deadline: nil, isForAddressed: true, requirements: .none,
            match: { _ in nil })
    }
}

/// A script's list of such commands.
struct RuntimeCommandList: Sendable {
    let script: String
    let commands: @Sendable (User, Room) -> [RuntimeCommand]
}

extension RobotBuilder {
    /// Lists commands that have no listeners, for help and for schedules.
    ///
    /// - Parameter commands: Returns the commands of a user in a room at once, such as from memory.
    package mutating func listCommands(_ commands: @escaping @Sendable (User, Room) -> [RuntimeCommand]) {
        commandLists.append(RuntimeCommandList(script: script, commands: commands))
    }
}

extension Robot {
    /// The commands of a user in a room that have no listeners, as listeners.
    ///
    /// - Parameter text: The text that they must match; nil for all.
    func runtimeCommands(for user: User, in room: Room, matching text: String? = nil) -> [Listener] {
        dispatcher.registry.commandLists.flatMap { list in
            list.commands(user, room).filter { command in text.map(command.matches) ?? true }
                .map { $0.listener(of: list.script) }
        }
    }
}
