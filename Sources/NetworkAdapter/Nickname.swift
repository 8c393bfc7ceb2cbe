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
}
