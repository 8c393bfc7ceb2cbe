import Heybot

/// The commands that are hidden from help.
struct ConfiguredHiddenCommands: Sendable {
    private let names: Set<String>

    /// Parses a list of commands separated by commas, each given by its words before the first placeholder, or by its whole
    /// usage if it begins with a placeholder.
    init(_ list: String?) {
        names = Set((list ?? "").split(separator: ",").map { Self.name(of: String($0)) }.filter { !$0.isEmpty })
    }

    /// Returns the commands that aren't hidden.
    func shown(_ commands: [AvailableCommand]) -> [AvailableCommand] { commands.filter { !include($0.line.usage) } }

    func include(_ usage: String) -> Bool { names.contains(Self.name(of: usage)) }

    private static func name(of usage: String) -> String {
        let head = HelpLine.command(of: usage)
        return head.isEmpty ? String(oneLine: usage.lowercased(), limit: 200) : head
    }
}
