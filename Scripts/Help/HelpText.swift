import Heybot

/// The texts of help in chat.
struct HelpText {
    /// The scripts whose examples come first, the most inviting ones first.
    private static let favorites = [
        "Weather", "Maths", "Define", "Reminders", "PlusPlus", "Polls", "Seen", "Dice", "Coin", "EightBall",
        "Schedules", "OnCall", "Feeds", "Diagnostics", "Rooms", "Switches"
    ]
    private static let mostSamples = 3
    /// In characters.
    private static let longestSample = 60
    /// The width of a terminal, in characters.
    private static let columns = 80

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

    /// Returns the lines of help for some words: an overview if there are none, all commands for `all`; nil if no
    /// command matches.
    func lines(for words: String) -> [String]? {
        let words = String(decoding: words.utf8.prefix(400), as: UTF8.self)
        let search = HelpPage.Search(words)
        if search.isEmpty { return overview }
        let typed = HelpLine.command(of: words)
        if typed == "all" { return all }
        let named = commands.filter { "\($0.line.command) ".hasPrefix("\(typed) ") }
        let ofTopic = ScriptTopic(named: words).map { topic in commands.filter { self.topic($0) == topic } } ?? []
        if !ofTopic.isEmpty { return list(ofTopic) }
        let ofScript = commands(ofScriptNamed: typed)
        if !ofScript.isEmpty { return list(ofScript) }
        let found = commands.filter { search.finds("\($0.line) \($0.listener.script)") }
        // If the words name or find a single listener, its full help is shown; otherwise all that were found.
        for chosen in [named, found] {
            if let listener = chosen.first?.listener, chosen.allSatisfy({ $0.listener.id == listener.id }) {
                return about(listener)
            }
        }
        return found.isEmpty ? nil : list(found)
    }

    /// The topics of the commands.
    private var topics: [ScriptTopic] {
        ScriptTopic.allCases.filter { topic in commands.contains { self.topic($0) == topic } }
    }

    /// All commands by topic.
    private var all: [String] {
        let lines = topics.flatMap { topic in
            ["\(topic.title):"] + commands.filter { self.topic($0) == topic }.map(line)
        }
        // The page comes first: a network may show only the first lines of a long list.
        return pageHint + lines + legend(commands)
    }

    /// The first answer: what one can say, and how to get more help.
    private var overview: [String] {
        let words = topics.isEmpty ? [ScriptTopic.other.word] : topics.map(\.word)
        let more =
            "To see more, say \"\(name)help <topic>\" (\(Self.either(words))), \"\(name)help <word>\" or "
            + "\"\(name)help all\"."
        // In private, commands need no name.
        guard name.isEmpty else { return sampler + [more] + pageHint }
        let rows = topics.map { row(of: $0) }
        let lines = rows.map { $0.line }.filter { !$0.isEmpty }
        return lines + [more] + legend(rows.flatMap { $0.shown }) + pageHint
    }

    /// An example of each of a few topics, in one sentence.
    private var sampler: [String] {
        // What everyone can say comes before administration.
        let sorted = topics.filter { $0 != .administration } + topics.filter { $0 == .administration }
        let shown = sorted.compactMap { topic in samples(of: topic).first { mark($0).isEmpty } }
        if shown.isEmpty { return [] }
        return ["For example, say \(Self.either(shown.prefix(Self.mostSamples).map(quoted)))."]
    }

    /// Returns the title of a topic and examples of its commands, as many as fit in a row of a terminal; an empty line
    /// if there are none.
    private func row(of topic: ScriptTopic) -> (line: String, shown: [AvailableCommand]) {
        var line = "\(topic.title): "
        var shown: [AvailableCommand] = []
        for command in samples(of: topic) where shown.count < Self.mostSamples {
            let text = (shown.isEmpty ? "" : ", ") + quoted(command)
            guard shown.isEmpty || line.count + text.count <= Self.columns else { continue }
            line += text
            shown.append(command)
        }
        return (shown.isEmpty ? "" : line, shown)
    }

    /// Returns the commands of a topic that can be shown as examples, the best ones first: those that are set up, and of
    /// these one of each script, in the order of the favorites.
    private func samples(of topic: ScriptTopic) -> [AvailableCommand] {
        var counts: [String: Int] = [:]
        var ranked: [(command: AvailableCommand, rank: (Int, Int, Int, Int))] = []
        for command in commands where self.topic(command) == topic && command.line == command.listener.help.first {
            let text = sample(command)
            guard text.count <= Self.longestSample, !text.contains("\"") else { continue }
            let script = command.listener.script
            let place = Self.favorites.firstIndex(of: script) ?? Self.favorites.count
            let number = counts[script, default: 0]
            counts[script] = number + 1
            ranked.append((command, (mark(command).isEmpty ? 0 : 1, number, place, ranked.count)))
        }
        return ranked.sorted { $0.rank < $1.rank }.map { $0.command }
    }

    /// Returns what one says to use a command, as an example or its name.
    private func sample(_ command: AvailableCommand) -> String {
        command.listener.example ?? Self.name(of: command.line.usage)
    }

    private func quoted(_ command: AvailableCommand) -> String {
        "\"\(prefix(of: command.listener))\(sample(command))\"\(mark(command))"
    }

    private var pageHint: [String] { page.map { ["All commands in detail: \($0)"] } ?? [] }

    /// Returns texts as in `one, two or three`.
    private static func either(_ texts: [String]) -> String {
        guard let last = texts.last, texts.count > 1 else { return texts.joined() }
        return "\(texts.dropLast().joined(separator: ", ")) or \(last)"
    }

    /// Returns the usages of several commands, and what holds for all of them.
    private func list(_ commands: [AvailableCommand]) -> [String] {
        let missing = Set(commands.compactMap { robot.missingSettings(of: $0.listener.script) })
        // "Help <command>" may have led to this list.
        let hint = missing.count == 1 ? missing.map { "* not set up yet: set \($0)." } : legend(commands)
        return commands.map(line) + rules(for: commands) + hint
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
        var rules = Self.rule(robot.access(to: listener), "this command")
        if listener.confirmation != nil { rules.append("I'll ask you to confirm it.") }
        if let approval = listener.approval {
            rules.append("A second user with the \(approval.role) role must approve it.")
        }
        return rules
    }

    /// Returns who may use several commands; none if everyone may use one of them, or more than two rules hold.
    private func rules(for commands: [AvailableCommand]) -> [String] {
        let groups = Dictionary(grouping: commands) { robot.access(to: $0.listener) }
        let sorted = groups.sorted { ($1.value.count, $0.key.description) < ($0.value.count, $1.key.description) }
        guard let most = sorted.first, sorted.count <= 2, groups[.everyone] == nil else { return [] }
        guard let others = sorted.dropFirst().first else { return Self.rule(most.key, "these commands") }
        var names: [String] = []
        for command in others.value {
            let name = Self.name(of: command.line.usage)
            if !names.contains(name) { names.append(name) }
        }
        return Self.rule(others.key, names.joined(separator: ", ")) + Self.rule(most.key, "the others")
    }

    /// Returns a sentence about who may use what is named; none if everyone may.
    private static func rule(_ access: Access, _ name: String) -> [String] {
        if access == .everyone { return [] }
        if access == .admins { return ["Only admins may use \(name)."] }
        // Admins need no other role.
        let roles: Set<String>? = access.roles
        return ["Who may use \(name): \(access.roles(roles?.union([Robot.adminRole])))."]
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
        guard commands.contains(where: { !mark($0).isEmpty }) else { return [] }
        return ["* not set up yet: to see what to set, say \"\(name)help <command>\"."]
    }

    private func prefix(of listener: Listener) -> String { listener.trigger == .respond ? name : "" }

    /// Returns the name of a command in lists: the words before its first placeholder, without `me`, or the whole usage if
    /// it begins with a placeholder.
    private static func name(of usage: String) -> String {
        let head = HelpLine.command(of: usage)
        return head.isEmpty ? usage : head.hasSuffix(" me") ? String(head.dropLast(3)) : head
    }
}

extension Response {
    /// What a command begins with where the message came from: in a room, the robot's name.
    var commandPrefix: String { message.room.isPrivate ? "" : "\(robot.name) " }

    /// A sentence that says how to get help, with the command as one says it where the message came from.
    var helpHint: String { "Say \"\(commandPrefix)help\" to see what I can do." }
}
