/// Options of the shell adapter in a terminal.
public struct TerminalChatOptions: Hashable, Sendable {
    /// Whether to use the line editor.
    ///
    /// It needs a terminal whose cursor can be moved.
    public var edits = true
    /// Whether to color answers.
    public var colors = true
    /// The path of the history file, which several robots may share; nil to keep the history in memory.
    public var historyFile: String?
    /// The number of lines to keep in the history; 0 for none.
    public var historySize = 1024
    /// The completions for placeholders in commands, by the placeholder's name without brackets.
    public var choices: [String: [String]] = [:]

    /// Line editor, colors, and a history in memory.
    public init() {}
}
