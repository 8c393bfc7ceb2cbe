import Heybot

/// Finds the listeners in Swift whose commands Hubot scripts answer too: with both, there would be two answers.
///
/// A listener of a Hubot script answers a command if it is a `respond` listener that matches the command, or a `hear` listener
/// whose match covers the whole command. A `hear` listener that only waits for a word of it leaves the command alone.
struct ReplacedSwiftListeners {
    /// The ids of those listeners.
    private(set) var ids: [String] = []
    /// A line for each script that replaces some, for the log.
    private(set) var lines: [String] = []

    /// - Parameters:
    ///   - listeners: All listeners of the robot.
    ///   - name: The robot's name.
    init(_ listeners: [Listener], of name: String) {
        let hubots = listeners.filter(\.isRemote).compactMap { OverlappingHubotListener($0, robotName: name) }
        guard !hubots.isEmpty else { return }
        var replaced: [String: [String]] = [:]
        for own in listeners where !own.isRemote {
            let commands = Self.commands(of: own)
            guard let command = commands.first,
                let hubot = hubots.first(where: { hubot in commands.contains { hubot.answers($0, of: own.trigger) } })
            else { continue }
            ids.append(own.id)
            replaced[hubot.script, default: []].append("\"\(command)\" from \(own.script)")
        }
        lines = replaced.sorted { $0.key < $1.key }
            .map { "the Hubot script \($0.key) replaces these commands: \($0.value.joined(separator: ", "))" }
    }

    /// What a user may say to a listener: its example, and its help with something in place of each placeholder.
    private static func commands(of listener: Listener) -> [String] {
        let usages = listener.help.map { $0.usage.replacing(/\ ?\[[^\]]*\]/, with: "") }
        let fillings = [OverlappingHubotListener.nonsense, "7", "https://example.org/"]
        let filled = usages.flatMap { usage in fillings.map { usage.replacing(/<[^>]*>/, with: $0) } }
        return (listener.example.map { [$0] } ?? []) + filled
    }
}

/// The pattern of a Hubot script's listener, which is tried with commands of the robot.
private struct OverlappingHubotListener {
    /// A word that no pattern has.
    static let nonsense = "xyzzy"

    let script: String
    private let robotName: String
    private let isCommand: Bool
    private let regex: Regex<AnyRegexOutput>

    /// - Returns: Nil if Swift can't read the pattern, or it matches whatever is said.
    init?(_ listener: Listener, robotName: String) {
        guard listener.trigger == .respond || listener.trigger == .hear, !listener.isAlwaysTried,
            let pattern = listener.pattern, let regex = try? Regex(pattern)
        else { return nil }
        (script, self.robotName, isCommand) = (listener.script, robotName, listener.trigger == .respond)
        self.regex = regex.ignoresCase(listener.flags.contains("i"))
            .anchorsMatchLineEndings(listener.flags.contains("m"))
        let anything = Array(repeating: Self.nonsense, count: 3).joined(separator: " ")
        if answers(anything, of: .respond) { return nil }
    }

    /// Whether it answers a command for a listener of this kind.
    func answers(_ command: String, of trigger: Listener.Trigger) -> Bool {
        switch trigger {
        case .respond where isCommand: (try? regex.prefixMatch(in: command)) != nil
        case .respond: covers(command, in: "\(robotName) \(command)")
        case .hear, .listen: !isCommand && covers(command, in: command)
        case .enter, .leave, .topic, .catchAll: false
        }
    }

    private func covers(_ command: String, in text: String) -> Bool {
        guard let match = try? regex.firstMatch(in: text) else { return false }
        return text[match.range].hasSuffix(command)
    }
}
