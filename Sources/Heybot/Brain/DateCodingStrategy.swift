import FoundationEssentials

/// The brain's encoding of dates: RFC 3339 in UTC, such as `2026-11-23T14:05:00.25Z`, with as many digits as the date has.
///
/// The older encoding is read too: the number of seconds since 2001-01-01T00:00:00Z.
enum DateCodingStrategy {
    /// The range of RFC 3339, the years 0001 to 9999, in seconds since 2001.
    private static let years = -63_114_076_800.0..<252_423_993_600.0

    // Made once, because Swift parses a literal each time that it is evaluated, which takes ten times as long as the
    // rest of reading a date. Tasks can share it: matching changes nothing in a regex but its compiled program, which is set atomically.
    nonisolated(unsafe) private static let rfc3339 = /([0-9-]{10}T[0-9:]{8})(\.[0-9]{1,20})?Z/

    @Sendable static func write(_ date: Date, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let text = text(of: date) { try container.encode(text) } else { try container.encode(seconds(of: date)) }
    }

    @Sendable static func read(from decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        if let seconds = try? container.decode(Double.self) { return Date(timeIntervalSinceReferenceDate: seconds) }
        guard let date = date(of: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected an RFC 3339 date")
        }
        return date
    }

    private static func seconds(of date: Date) -> Double { date.timeIntervalSinceReferenceDate }

    /// Returns the date as text; nil if that wouldn't be read back as the same date.
    static func text(of date: Date) -> String? {
        let seconds = seconds(of: date)
        guard years.contains(seconds) else { return nil }
        let whole = seconds.rounded(.down)
        var text = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
        if whole != seconds {
            // After 2001 the number's own digits are exact. Before 2001 it is negative, and its fraction counts backwards.
            let digits = "\(seconds > 0 ? seconds : seconds - whole)"
            guard let point = digits.firstIndex(of: ".") else { return nil }
            text = "\(text.dropLast())\(digits[point...])Z"
        }
        return self.date(of: text) == date ? text : nil
    }

    /// Parses a date; nil if the text isn't a date of RFC 3339 in UTC.
    static func date(of text: String) -> Date? {
        guard let match = text.wholeMatch(of: rfc3339),
            let whole = try? Date("\(match.1)Z", strategy: .iso8601)
        else { return nil }
        guard let fraction = match.2 else { return whole }
        let seconds = seconds(of: whole)
        let exact = seconds < 0 ? Double("0\(fraction)").map { seconds + $0 } : Double("\(Int(seconds))\(fraction)")
        return exact.map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}
