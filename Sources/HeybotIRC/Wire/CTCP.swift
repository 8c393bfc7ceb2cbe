/// A request or an action between clients, in a message's text between two `\u{1}` (CTCP).
///
/// modern.ircdocs.horse/ctcp. A `PRIVMSG` asks, a `NOTICE` answers; `/me waves` is `ACTION waves`.
package struct CTCP: Hashable, Sendable, CustomStringConvertible {
    /// What it is, in capitals: `ACTION`, `VERSION`, `PING`.
    package var command: String
    /// What follows the command; empty if nothing does.
    package var text: String

    /// Makes one of its parts; the command is put into capitals.
    package init(_ command: String, _ text: String = "") {
        self.command = command.uppercased()
        self.text = text
    }

    /// Reads a message's text; nil if it is no CTCP, or one without a command.
    ///
    /// The last `\u{1}` may be missing, as when a line was cut; what follows it is left out.
    package init?(parsing text: String) {
        guard text.utf8.first == Self.mark else { return nil }
        let content = text[text.utf8.index(after: text.startIndex)...].utf8.prefix { $0 != Self.mark }
        let command = content.prefix { $0 != .space }
        if command.isEmpty { return nil }
        self.init(String(Substring(command)), String(Substring(content[command.endIndex...].dropFirst())))
    }

    /// What goes into a message's text, with `\u{1}` around; there is none in between, nor a space in the command.
    package var description: String {
        let command = command.utf8.filter { $0 != Self.mark && $0 != .space }
        let text = text.utf8.filter { $0 != Self.mark }
        let content = text.isEmpty ? command : command + [.space] + text
        return String(decoding: [Self.mark] + content + [Self.mark], as: UTF8.self)
    }

    private static var mark: UInt8 { 0x01 }
}
