/// A pattern for `nick!user@host`, or for a nick alone: `*` matches any text, `?` any one character (RFC 2812 2.5).
///
/// Everything else matches itself, the backslash too, since nicks may contain it. Matching takes time proportional to the product
/// of the lengths.
package struct Mask: Hashable, Sendable, CustomStringConvertible {
    /// The pattern.
    package let description: String

    /// Creates a mask; any text is valid.
    package init(_ pattern: String) {
        description = pattern
    }

    /// Whether the whole text matches.
    package func matches(_ text: String, by mapping: CaseMapping = .rfc1459) -> Bool {
        let pattern = Array(mapping.fold(description).unicodeScalars)
        let text = Array(mapping.fold(text).unicodeScalars)
        var (index, place) = (0, 0)
        /// The last star, and where its match ends: the only place to backtrack to.
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

    /// Whether a source matches; a mask without `!` and `@` is matched against the nick.
    package func matches(_ source: Source, by mapping: CaseMapping = .rfc1459) -> Bool {
        let meansNick = !description.utf8.contains { $0 == .exclamationMark || $0 == .at }
        return matches(meansNick ? source.nick : source.description, by: mapping)
    }
}
