/// What the robot is called in a place, where that isn't its name.
package enum Nickname {
    /// The text with the robot's name in place of its nick, where that is what it begins with and they differ: whoever
    /// says `marvin_: ping` means us.
    package static func replace(_ nick: String, in text: String, by name: String) -> String {
        guard !nick.isEmpty, nick != name else { return text }
        let rest = text.drop { $0 == "@" || $0 == " " }
        guard rest.count >= nick.count, rest.prefix(nick.count).lowercased() == nick.lowercased() else { return text }
        let tail = rest.dropFirst(nick.count)
        if let next = tail.first, next.isLetter || next.isNumber || "_-[]{}\\|^`".contains(next) { return text }
        // Our name may be the longer one, and be what was said.
        if rest.lowercased().hasPrefix(name.lowercased()), name.count > nick.count { return text }
        return name + tail
    }

    /// Whether the text is a command to the robot, as far as it can be known here: said in private, or with its name in front.
    package static func isCommand(_ text: String, to name: String, isPrivate: Bool) -> Bool {
        if isPrivate { return true }
        let rest = text.prefix(name.count + 8).drop { $0 == "@" || $0 == " " }
        guard !name.isEmpty, rest.lowercased().hasPrefix(name.lowercased()) else { return false }
        return rest.dropFirst(name.count).first.map { !$0.isLetter && !$0.isNumber } ?? true
    }
}
