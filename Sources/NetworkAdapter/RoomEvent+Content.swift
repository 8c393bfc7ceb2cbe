package import Heybot
package import HeybotSupport

extension RoomEvent {
    /// The content of the robot's message about it.
    ///
    /// - Parameters:
    ///   - nick: What the robot is called where it was said; words to it are words to its name.
    ///   - robotName: Its name.
    package func content(nick: String, robotName: String) -> Message.Content {
        switch self {
        case .text(let text): .text(Self.replace(nick, in: text, by: robotName))
        case .joined: .enter
        case .left(let reason): .leave(reason: reason)
        case .topic(let topic): .topic(topic)
        }
    }

    /// The text with the robot's name in place of its nick, if that is what it begins with and they differ: whoever
    /// says `marvin_: ping` means us.
    private static func replace(_ nick: String, in text: String, by name: String) -> String {
        guard !nick.isEmpty, nick != name else { return text }
        let rest = text.drop { $0 == "@" || $0 == " " }
        guard rest.count >= nick.count, rest.prefix(nick.count).lowercased() == nick.lowercased() else { return text }
        let tail = rest.dropFirst(nick.count)
        if let next = tail.first, next.isLetter || next.isNumber || "_-[]{}\\|^`".contains(next) { return text }
        // Our name may be the longer one, and be what was said.
        if rest.lowercased().hasPrefix(name.lowercased()), name.count > nick.count { return text }
        return name + tail
    }
}
