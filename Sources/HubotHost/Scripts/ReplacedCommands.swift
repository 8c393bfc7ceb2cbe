import Heybot

/// Finds the listeners in Swift whose commands Hubot scripts answer too.
struct ReplacedCommands {
    /// The ids of those listeners.
    private(set) var ids: [String] = []
    /// A line for each script that replaces some, for the log.
    private(set) var lines: [String] = []

    /// - Parameter listeners: All listeners of the robot.
    init(_ listeners: [Listener]) {
        let hubots = listeners.filter { $0.isRemote && $0.trigger == .respond && !$0.isAlwaysTried }
            .compactMap { listener in Self.regex(of: listener).map { (listener, $0) } }
        guard !hubots.isEmpty else { return }
        var replaced: [String: [String]] = [:]
        for own in listeners where !own.isRemote && own.trigger == .respond {
            guard let example = own.example,
                let (hubot, _) = hubots.first(where: { (try? $0.1.prefixMatch(in: example)) != nil })
            else { continue }
            ids.append(own.id)
            replaced[hubot.script, default: []].append("\"\(example)\" from \(own.script)")
        }
        lines = replaced.sorted { $0.key < $1.key }
            .map { "the Hubot script \($0.key) replaces these commands: \($0.value.joined(separator: ", "))" }
    }

    /// The listener's regex; nil if Swift can't read it.
    private static func regex(of listener: Listener) -> Regex<AnyRegexOutput>? {
        guard let pattern = listener.pattern, let regex = try? Regex(pattern) else { return nil }
        return regex.ignoresCase(listener.flags.contains("i")).anchorsMatchLineEndings(listener.flags.contains("m"))
    }
}
