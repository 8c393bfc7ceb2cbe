/// How the shell behaves on a terminal.
public struct TerminalOptions: Hashable, Sendable {
    /// Whether lines can be edited; otherwise they are plain lines, as where TERM is `dumb`.
    public var edits = true
    /// Whether answers are coloured.
    public var colors = true
    /// Where the lines that were sent are kept from run to run; nil for this run alone.
    ///
    /// Several robots may share it.
    public var historyFile: String?
    /// How many lines are kept; 0 for none.
    public var historySize = 1024
    /// What Tab puts in place of a command's placeholder, by its name without brackets.
    public var choices: [String: [String]] = [:]

    /// Editing, colours, and a history of this run.
    public init() {}
}
