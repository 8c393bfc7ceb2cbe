/// Identifies the code that runs: the script, its listener or other part, and the message that it handles, if any.
struct RunningScriptPart: Hashable, Sendable {
    var script: String
    var part: String
    var message: Message.ID?
}
