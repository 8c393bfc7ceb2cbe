import Heybot

/// The texts of help in chat.
struct HelpText {
    private let robot: Robot
    private let name: String
    private let commands: [AvailableCommand]
    private let page: String?

    /// - Parameters:
    ///   - name: The prefix of commands that are addressed to the robot, such as `heybot `.
    ///   - page: The location of the help page; nil if there is none.
    init(of robot: Robot, name: String, _ commands: [AvailableCommand], page: String?) {
        self.robot = robot
        self.name = name
        self.commands = commands
        self.page = page
    }

    /// Returns the lines of help for some words: an overview if there are none, nil if no command matches.
    func lines(for words: String) -> [String]? {
        let words = String(decoding: words.utf8.prefix(400), as: UTF8.self)
        let search = HelpPage.Search(words)
        if search.isEmpty { return overview }
        let typed = HelpLine.command(of: words)
        let named = commands.filter { "\($0.line.command) ".hasPrefix("\(typed) ") }
        let ofTopic = ScriptTopic(named: words).map { topic in commands.filter { self.topic($0) == topic } } ?? []
        if !ofTopic.isEmpty { return ofTopic.map(line) + legend(ofTopic) }
        let ofScript = commands(ofScriptNamed: typed)
        if !ofScript.isEmpty { return ofScript.map(line) + legend(ofScript) }
        let found = commands.filter { search.finds("\($0.line) \($0.listener.script)") }
        // If the words name or find a single listener, its full help is shown; otherwise all that were found.
        for chosen in [named, found] {
            if let listener = chosen.first?.listener, chosen.allSatisfy({ $0.listener.id == listener.id }) {
                return about(listener)
            }
        }
        return found.isEmpty ? nil : found.map(line) + legend(found)
    }

    /// The names of all commands by topic, and how to get more help.
    private var overview: [String] {
        let topics = ScriptTopic.allCases.filter { topic in commands.contains { self.topic($0) == topic } }
        let lines = topics.map { topic in
            var names: [String] = []
            for command in commands where self.topic(command) == topic && command.line == command.listener.help.first {
                let name = "\(Self.name(of: command.line.usage))\(mark(command))"
                if !names.contains(name) { names.append(name) }
            }
            return Self.overview(of: names, "\(topic.title): ", more: "\(name)help \(topic.word)")
        }
        let command = commands.first { $0.listener.example != nil && $0.listener.trigger == .respond }
        let example = command.map { Self.name(of: $0.line.usage) } ?? "help"
        let how = name.isEmpty ? "" : "Say my name first. "
        let word = topics.first?.word ?? ScriptTopic.other.word
        let hint = "\(how)For a topic, say: \(name)help \(word). For a command, say: \(name)help \(example)."
        return lines + [hint]
            + legend(commands)
            + [page.map { "All commands in detail: \($0)" }].compactMap { $0 }
    }

    /// Returns the names of a topic's commands, as many as fit in four rows of a terminal.
    ///
    /// - Parameter more: The command that lists all of them.
    private static func overview(of names: [String], _ heading: String, more: String) -> String {
        let all = heading + names.joined(separator: ", ")
        guard all.count > 4 * 80 else { return all }
        let end = "… (all: \(more))"
        var line = heading
        for name in names {
            guard line.count + name.count + end.count + 2 <= 4 * 80 else { break }
            line += "\(name), "
        }
        return line + end
    }

    /// Returns the full help of a listener, with the example after the command it belongs to.
    private func about(_ listener: Listener) -> [String] {
        var lines: [String] = []
        for command in commands where command.listener.id == listener.id {
            lines.append("\(prefix(of: listener))\(command.line)")
            guard command.line == listener.helpLineOfExample, let example = listener.example else { continue }
            lines.append("For example: \(prefix(of: listener))\(example)")
        }
        lines += rules(for: listener)
        if let settings = robot.missingSettings(of: listener.script) {
            lines.append("This command isn't set up yet: set \(settings).")
        }
        return lines
    }

    /// Returns who may use a listener and where, and what happens before its closure runs, a sentence each.
    private func rules(for listener: Listener) -> [String] {
        let access = robot.access(to: listener)
        var rules: [String] = []
        if access == .admins {
            rules.append("Only admins may use this command.")
        } else if access != .everyone {
            rules.append("Who may use this command: \(access).")
        }
        if listener.confirmation != nil { rules.append("I'll ask you to confirm it.") }
        if let approval = listener.approval {
            rules.append("A second user with the \(approval.role) role must approve it.")
        }
        return rules
    }

    private func line(_ command: AvailableCommand) -> String {
        "\(prefix(of: command.listener))\(command.line)\(mark(command))"
    }

    /// Returns the commands of the script that a word names, in the singular or the plural: `reminder` or `reminders`.
    ///
    /// Scripts whose names aren't plurals, such as Tell, are named after a command, which explains itself.
    private func commands(ofScriptNamed word: String) -> [AvailableCommand] {
        let found = commands.filter { command in
            let script = command.listener.script.lowercased()
            return script.hasSuffix("s") && (word == script || "\(word)s" == script)
        }
        // The full help of a single listener says more.
        let listeners = Set(found.map(\.listener.id))
        return listeners.count > 1 ? found : []
    }

    private func topic(_ command: AvailableCommand) -> ScriptTopic { robot.topic(of: command.listener.script) }

    /// Returns the mark of a command that isn't set up yet.
    private func mark(_ command: AvailableCommand) -> String {
        robot.missingSettings(of: command.listener.script) == nil ? "" : "*"
    }

    /// Returns the legend of the mark, if a command has it.
    private func legend(_ commands: [AvailableCommand]) -> [String] {
        commands.contains { !mark($0).isEmpty } ? ["* not set up yet: to see what to set, say \"help <command>\"."] : []
    }

    private func prefix(of listener: Listener) -> String { listener.trigger == .respond ? name : "" }

    /// Returns the name of a command in lists: the words before its first placeholder, without `me`, or the whole usage if
    /// it begins with a placeholder.
    private static func name(of usage: String) -> String {
        let head = HelpLine.command(of: usage)
        return head.isEmpty ? usage : head.hasSuffix(" me") ? String(head.dropLast(3)) : head
    }
}
