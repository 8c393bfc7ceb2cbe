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
        var hubots = HubotListeners(listeners, robotName: name)
        guard !hubots.isEmpty else { return }
        var replaced: [String: [String]] = [:]
        for own in listeners where !own.isRemote {
            let commands = Self.commands(of: own)
            guard let command = commands.first, let script = hubots.script(answering: commands, of: own.trigger) else {
                continue
            }
            ids.append(own.id)
            replaced[script, default: []].append("\"\(command)\" from \(own.script)")
        }
        lines = replaced.sorted { $0.key < $1.key }
            .map { "the Hubot script \($0.key) replaces these commands: \($0.value.joined(separator: ", "))" }
    }

    /// What a user may say to a listener: its example, and its help with something in place of each placeholder.
    private static func commands(of listener: Listener) -> [String] {
        let usages = listener.help.map { $0.usage.replacing(/\ ?\[[^\]]*\]/, with: "") }
        let fillings = [HubotListeners.nonsense, "7", "https://example.org/"]
        let filled = usages.flatMap { usage in fillings.map { usage.replacing(/<[^>]*>/, with: $0) } }
        return (listener.example.map { [$0] } ?? []) + filled
    }
}

/// The listeners of Hubot scripts, whose patterns are tried with commands of the robot.
private struct HubotListeners: ~Copyable {
    /// A word that no pattern has.
    static let nonsense = "xyzzy"

    private enum Pattern {
        case untried
        /// Swift can't read the pattern, or it matches whatever is said.
        case unusable
        case usable(Regex<AnyRegexOutput>)
    }

    private let robotName: String
    private let listeners: [Listener]
    private var patterns: [Pattern]
    private var prefilter = Prefilter()

    init(_ all: [Listener], robotName: String) {
        self.robotName = robotName
        listeners = all.filter {
            $0.isRemote && ($0.trigger == .respond || $0.trigger == .hear) && !$0.isAlwaysTried && $0.pattern != nil
        }
        patterns = Array(repeating: .untried, count: listeners.count)
        for (number, listener) in listeners.enumerated() { prefilter.insert(number, listener.requirements) }
    }

    var isEmpty: Bool { listeners.isEmpty }

    /// The script of the first listener that answers one of the commands of a listener of this kind.
    mutating func script(answering commands: [String], of trigger: Listener.Trigger) -> String? {
        var first: Int?
        for command in commands {
            for number in candidates(for: command) where number < first ?? .max {
                if let pattern = pattern(number), answers(number, pattern, command, of: trigger) { first = number }
            }
        }
        return first.map { listeners[$0].script }
    }

    private mutating func candidates(for command: String) -> Set<Int> {
        var numbers: Set<Int> = []
        prefilter.search(command[...]) { numbers.insert($0) }
        prefilter.search("\(robotName) \(command)"[...]) { numbers.insert($0) }
        return numbers
    }

    private mutating func pattern(_ number: Int) -> Regex<AnyRegexOutput>? {
        if case .untried = patterns[number] { patterns[number] = make(number) }
        return if case .usable(let regex) = patterns[number] { regex } else { nil }
    }

    private func make(_ number: Int) -> Pattern {
        let listener = listeners[number]
        guard let pattern = listener.pattern, let regex = try? Regex(pattern) else { return .unusable }
        let usable = regex.ignoresCase(listener.flags.contains("i")).anchorsMatchLineEndings(
            listener.flags.contains("m"))
        let anything = Array(repeating: Self.nonsense, count: 3).joined(separator: " ")
        return answers(number, usable, anything, of: .respond) ? .unusable : .usable(usable)
    }

    private func answers(
        _ number: Int, _ pattern: Regex<AnyRegexOutput>, _ command: String, of trigger: Listener.Trigger
    ) -> Bool {
        let isCommand = listeners[number].trigger == .respond
        return switch trigger {
        case .respond where isCommand: (try? pattern.prefixMatch(in: command)) != nil
        case .respond: Self.covers(command, pattern, in: "\(robotName) \(command)")
        case .hear, .listen: !isCommand && Self.covers(command, pattern, in: command)
        case .enter, .leave, .topic, .reaction, .retraction, .profile, .catchAll: false
        }
    }

    private static func covers(_ command: String, _ pattern: Regex<AnyRegexOutput>, in text: String) -> Bool {
        guard let match = try? pattern.firstMatch(in: text) else { return false }
        return text[match.range].hasSuffix(command)
    }
}
