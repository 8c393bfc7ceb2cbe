/// An error reply: `WRONGTYPE Operation against a key holding the wrong kind of value`.
package struct RedisErrorReply: Error, Hashable, Sendable {
    /// The first word, which stands for the kind of error.
    package let code: String
    /// The rest of the text.
    package let words: String

    /// Parses the text of an error reply.
    init(_ text: String) {
        // Before Redis 7, an error within a script is wrapped into an error of the script, after a dash.
        let inner = text.hasPrefix("ERR Error running script") ? text.firstRange(of: ": -") : nil
        let whole = inner.map { text[$0.upperBound...] } ?? text[...]
        let parts = whole.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        code = parts.first.map(String.init) ?? ""
        // The rest quotes the command's arguments, which may include a password.
        let words = parts.count > 1 ? parts[1] : ""
        self.words = String(words.firstRange(of: ", with args").map { words[..<$0.lowerBound] } ?? words)
    }

    /// Stands for a reply that exceeds the limits.
    static let tooLong = RedisErrorReply("TOOLONG")

    /// Whether the server refuses all commands for a while, or isn't the right one any more.
    ///
    /// The command wasn't executed, and
    /// can be sent again over a new connection.
    var isTemporary: Bool {
        ["READONLY", "LOADING", "MASTERDOWN", "BUSY", "TRYAGAIN", "CLUSTERDOWN"].contains(code)
    }

    /// Whether the server hasn't cached the script.
    var isUnknownScript: Bool { code == "NOSCRIPT" }
}
