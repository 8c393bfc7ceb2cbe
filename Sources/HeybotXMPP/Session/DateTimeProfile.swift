package import FoundationEssentials

/// The format of times in stanzas (XEP-0082).
package enum DateTimeProfile {
    /// Returns the text of a time, in whole seconds and UTC.
    package static func text(_ date: Date) -> String { date.formatted(.iso8601) }

    /// Reads a time to the second; nil if the text isn't one, or has more than 40 bytes.
    package static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        // Removes fractions of a second, which may have any number of digits.
        var whole = text
        if let dot = text.firstIndex(of: ".") {
            whole = String(text[..<dot]) + text[dot...].dropFirst().drop { $0.isNumber }
        }
        return try? Date(whole, strategy: .iso8601)
    }
}
