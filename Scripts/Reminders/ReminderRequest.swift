/// The words of a command that asks for a reminder, after the name of the person: `in private tomorrow at 9 to call grace`.
struct ReminderRequest: Hashable, Sendable {
    /// Whether the person is to get it in private.
    private(set) var isPrivate = false
    /// Whether it waits until the person says something.
    private(set) var waits = false
    /// The rest: a time at the beginning or end, and the text of the reminder.
    private(set) var rest: Substring

    init(_ typed: Substring) {
        rest = typed
        takeConditions()
    }

    /// Whether the text begins at once, so that the reminder has no other time than when the person is back.
    var hasNoTime: Bool { waits && rest.prefixMatch(of: Self.connector) != nil }

    /// Returns the request with the conditions that follow the time, as in `tomorrow at 9 when she's back to …`.
    ///
    /// - Parameter rest: What follows the time, or precedes it at the end.
    func continued(with rest: String) -> ReminderRequest {
        var request = self
        request.rest = rest[...]
        request.takeConditions()
        return request
    }

    /// The text of the reminder, without the word `to` or the like before it.
    var text: Substring {
        guard let match = rest.prefixMatch(of: Self.connector) else { return rest }
        return rest[match.range.upperBound...]
    }

    /// Whether a text begins as a request does: with a time, a condition, or a word such as `to`.
    static func isBeginning(_ text: Substring) -> Bool {
        let request = ReminderRequest(text)
        if request.isPrivate || request.waits || text.prefixMatch(of: connector) != nil { return true }
        guard let words = DateDialog.timeWords(in: text) else { return false }
        return oneSpaced(text).hasPrefix(oneSpaced(words[...]))
    }

    private static func oneSpaced(_ text: Substring) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private mutating func takeConditions() {
        while true {
            if let match = rest.prefixMatch(of: Self.privately) {
                isPrivate = true
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: Self.whenBack) {
                waits = true
                rest = rest[match.range.upperBound...]
            } else {
                return
            }
        }
    }

    // Computed, because a regex isn't Sendable.

    private static var connector: Regex<Substring> { /(?:to|that|about|of)(?:[:,]?\s+|$)|[:,]\s*/.ignoresCase() }

    private static var privately: Regex<Substring> { /(?:in private|privately)(?:,\s*|\s+)/.ignoresCase() }

    private static var whenBack: Regex<Substring> {
        /(?:when|once|as soon as) (?:(?:I|he|she|they)(?:['’](?:m|s|re)| am| is| are)? (?:next )?(?:back|here|around|online|speaks?|talks?)|you (?:next )?see (?:me|him|her|them))(?:,\s*|\s+)/
            .ignoresCase()
    }
}
