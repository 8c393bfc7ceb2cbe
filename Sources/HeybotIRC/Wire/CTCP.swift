/// A request or an action between clients, embedded in a message's text between two `\u{1}` (modern.ircdocs.horse/ctcp).
///
/// Requests are sent by `PRIVMSG`, replies by `NOTICE`. `/me waves` is `ACTION waves`.
package struct CTCP: Hashable, Sendable, CustomStringConvertible {
    /// The command in upper case: `ACTION`, `VERSION`, `PING`.
    package var command: String
    /// The text after the command; may be empty.
    package var text: String

    /// Creates a CTCP message; the command is converted to upper case.
    package init(_ command: String, _ text: String = "") {
        self.command = command.uppercased()
        self.text = text
    }

    /// Parses a message's text; nil if it isn't CTCP or has no command.
    ///
    /// The final `\u{1}` may be missing, as in a truncated message; text after it is ignored.
    package init?(parsing text: String) {
        guard text.utf8.first == Self.mark else { return nil }
        let content = text[text.utf8.index(after: text.startIndex)...].utf8.prefix { $0 != Self.mark }
        let command = content.prefix { $0 != .space }
        if command.isEmpty { return nil }
        self.init(String(Substring(command)), String(Substring(content[command.endIndex...].dropFirst())))
    }

    /// The message text, with a `\u{1}` at both ends.
    ///
    /// Any `\u{1}` within is removed, as are spaces in the command.
    package var description: String {
        let command = command.utf8.filter { $0 != Self.mark && $0 != .space }
        let text = text.utf8.filter { $0 != Self.mark }
        let content = text.isEmpty ? command : command + [.space] + text
        return String(decoding: [Self.mark] + content + [Self.mark], as: UTF8.self)
    }

    private static var mark: UInt8 { 0x01 }
}
