import Logging

/// The minimum log level, in general and for single parts or scripts: `info,irc=debug,Rules=trace`.
struct LogLevels: Hashable, Sendable, CustomStringConvertible {
    var base = Logger.Level.info
    /// The levels of parts and scripts, by name in lower case.
    private var single: [String: (name: String, level: Logger.Level)] = [:]

    init() {}

    init?(_ text: String) {
        for part in commaSeparated(text) {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let last = halves.last, let level = Self.level(last) else { return nil }
            if halves.count == 1 {
                base = level
            } else if halves[0].isEmpty {
                return nil
            } else {
                single[halves[0].lowercased()] = (halves[0], level)
            }
        }
    }

    /// Logs everything of a part.
    mutating func trace(_ part: String) { single[part.lowercased()] = (part, .trace) }

    /// The names of parts and scripts with their own level.
    var names: [String] { single.values.map(\.name).sorted() }

    /// The lowest level of all.
    ///
    /// Nothing below it is logged.
    var lowest: Logger.Level { single.values.reduce(base) { min($0, $1.level) } }

    /// The level of a script if it has one, otherwise of the part.
    func level(part: String, script: String?) -> Logger.Level {
        if single.isEmpty { return base }
        return script.flatMap { single[$0.lowercased()]?.level } ?? single[part.lowercased()]?.level ?? base
    }

    var description: String {
        ([base.rawValue] + single.values.map { "\($0.name)=\($0.level)" }.sorted()).joined(separator: ",")
    }

    static func == (one: LogLevels, other: LogLevels) -> Bool { one.description == other.description }

    func hash(into hasher: inout Hasher) { hasher.combine(description) }

    private static func level(_ text: String) -> Logger.Level? {
        switch text.lowercased() {
        // Names of Hubot's two loggers.
        case "warn": .warning
        case "alert", "emergency", "fatal": .critical
        case let text: Logger.Level(rawValue: text)
        }
    }
}
