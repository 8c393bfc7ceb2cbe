import HeybotDates
import Testing

/// Phrases with their meanings, one a line: `tomorrow at 9 | 2026-11-26 09:00`.
struct PhraseTable {
    struct Row: Sendable, CustomTestStringConvertible {
        let phrase: String
        let meaning: String

        var testDescription: String { phrase }
    }

    let rows: [Row]

    init(_ text: String) {
        rows = text.split(separator: "\n").compactMap { line in
            guard let bar = line.firstRange(of: " | ") else { return nil }
            return Row(phrase: String(line[..<bar.lowerBound]), meaning: String(line[bar.upperBound...]))
        }
    }

    /// The meaning of a text without a time.
    static let none = "none"

    /// Describes what a phrase means on Wednesday, 25 November 2026, 12:00 in Berlin.
    static func meaning(of phrase: String, now: String = "2026-11-25 12:00") -> String {
        do {
            let zone = try TimeZoneData.named("Europe/Berlin")
            let reading = try DateParser(zone: zone).parse(phrase, now: try zone.time(now))
            return describe(reading.meaning, in: zone)
        } catch let error as DateParserError {
            return describe(error)
        } catch {
            return "\(error)"
        }
    }

    static func describe(_ meaning: DateReading.Meaning, in zone: TimeZoneData) -> String {
        let seconds = (meaning.first % 60 + 60) % 60
        var first = zone.moment(at: meaning.first).description
        if seconds > 0 { first += ":\(seconds.twoDigits)" }
        switch meaning {
        case .once: return first
        case .repeatedly(let recurrence, _): return "\(recurrence), \(first)"
        }
    }

    static func describe(_ error: DateParserError) -> String {
        switch error {
        case .tooLong: "too long"
        case .notFound: none
        case .misread: "misread"
        case .unclear: "ambiguous"
        case .past: "past"
        case .noSuchDay: "no such day"
        case .tooFar: "too far"
        case .tooOften: "too often"
        case .wrongCron: "wrong cron"
        }
    }
}
