/// A pattern for `nick!user@host`, or for a nick alone: `*` is any text, `?` any one character (RFC 2812 2.5).
///
/// Everything else is itself, the backslash too: nicks may have it. Matching takes at most as many steps as the lengths of
/// pattern and text multiplied.
package struct Mask: Hashable, Sendable, CustomStringConvertible {
    /// The pattern, as it was given.
    package let description: String

    /// Makes a mask of a pattern; any text is one.
    package init(_ pattern: String) {
        description = pattern
    }

    /// Whether the whole text is like the pattern.
    package func matches(_ text: String, by mapping: CaseMapping = .rfc1459) -> Bool {
        let pattern = Array(mapping.fold(description).unicodeScalars)
        let text = Array(mapping.fold(text).unicodeScalars)
        var (index, place) = (0, 0)
        /// The last star, and how far it reaches: all that need ever be tried again.
        var star: (index: Int, place: Int)?
        while place < text.count {
            if index < pattern.count, pattern[index] == "*" {
                star = (index, place)
                index += 1
            } else if index < pattern.count, pattern[index] == "?" || pattern[index] == text[place] {
                index += 1
                place += 1
            } else if let last = star {
                star = (last.index, last.place + 1)
                (index, place) = (last.index + 1, last.place + 1)
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == "*" }
    }

    /// Whether somebody is meant; a mask without `!` and `@` means the nick.
    package func matches(_ source: Source, by mapping: CaseMapping = .rfc1459) -> Bool {
        let meansNick = !description.utf8.contains { $0 == .exclamationMark || $0 == .at }
        return matches(meansNick ? source.nick : source.description, by: mapping)
    }
}
