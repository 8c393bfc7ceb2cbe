import Logging

/// From where on to log, for everything and for single parts or scripts: `info,irc=debug,Rules=trace`.
struct LogLevels: Hashable, Sendable, CustomStringConvertible {
    var base = Logger.Level.info
    /// By the part's name or the script's, in lower case.
    private var single: [String: (name: String, level: Logger.Level)] = [:]

    init() {}

    init?(_ text: String) {
        for part in parts(text) {
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

    /// Sees to it that all of a part is logged.
    mutating func trace(_ part: String) { single[part.lowercased()] = (part, .trace) }

    /// Every part and script that has a level of its own.
    var names: [String] { single.values.map(\.name).sorted() }

    /// The lowest there is: what is below it nobody wants.
    var lowest: Logger.Level { single.values.reduce(base) { min($0, $1.level) } }

    /// The level for a script, or else for a part.
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
        // As Hubot's two loggers called them.
        case "warn": .warning
        case "alert", "emergency", "fatal": .critical
        case let text: Logger.Level(rawValue: text)
        }
    }
}
