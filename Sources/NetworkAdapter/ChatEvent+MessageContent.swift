package import Heybot
package import HeybotSupport

extension ChatEvent {
    /// The content of the robot's message for this event.
    ///
    /// - Parameters:
    ///   - nick: The robot's nick there; text addressed to it is addressed to the robot.
    ///   - robotName: The robot's name.
    ///   - adapter: The adapter, whose ids of messages the event has.
    package func messageContent(nick: String, robotName: String, adapter: String) -> Message.Content {
        switch self {
        case .text(let text): .text(Self.replace(nick, in: text, by: robotName))
        case .joined: .enter
        case .left(let reason): .leave(reason: reason)
        case .topic(let topic): .topic(topic)
        case .reaction(let message, let added, let removed):
            .reaction(
                Message.Reaction(
                    to: Message.ID(adapter: adapter, value: message), added: added, removed: removed))
        case .retraction(let message): .retraction(of: Message.ID(adapter: adapter, value: message))
        case .renamed(let name): .profile(Message.ProfileChange(formerName: name))
        case .realName(let name): .profile(Message.ProfileChange(realName: name))
        }
    }

    /// Replaces the robot's nick at the beginning of the text by its name if they differ, so that `marvin_: ping` addresses the
    /// robot.
    private static func replace(_ nick: String, in text: String, by name: String) -> String {
        guard !nick.isEmpty, nick != name else { return text }
        let rest = text.drop { $0 == "@" || $0 == " " }
        guard rest.count >= nick.count, rest.prefix(nick.count).lowercased() == nick.lowercased() else { return text }
        let tail = rest.dropFirst(nick.count)
        if let next = tail.first, next.isLetter || next.isNumber || "_-[]{}\\|^`".contains(next) { return text }
        // The name may be longer than the nick, and the text may begin with the name.
        if rest.lowercased().hasPrefix(name.lowercased()), name.count > nick.count { return text }
        return name + tail
    }
}
