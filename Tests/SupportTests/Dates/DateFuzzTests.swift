import HeybotDates
import HeybotTesting
import TestServers
import Testing

/// Whatever is typed, it is a time that isn't over, or a short question.
///
/// 20,000 texts, and 1,000,000 with `bin/test --soak`.
@Suite(.timeLimit(.minutes(10))) struct DateFuzzTests {
    private static let rounds = Soak.rounds(5_000, soak: 250_000)

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `any text`(_ seed: UInt64) async throws {
        let zones = try ["Europe/Berlin", "Pacific/Apia", "America/Nuuk", "UTC"].map { try TimeZoneData.named($0) }
        var random = SeededGenerator(seed: seed)
        var found = 0
        for round in 0..<Self.rounds {
            if round.isMultiple(of: 1000) { await Task.yield() }
            let text = Self.text(&random)
            let now = Int.random(in: 0...4_000_000_000, using: &random)
            let parser = DateParser(zone: zones[round % zones.count])
            do {
                let isWhole = round.isMultiple(of: 2)
                let reading = try isWhole ? parser.parse(text, now: now) : parser.find(in: text, now: now)
                found += 1
                try #require(reading.meaning.first >= now, "\(text)")
                try #require(text.contains(reading.words) && !reading.words.isEmpty, "\(text)")
                try #require(reading.rest.utf8.count <= text.utf8.count, "\(text)")
                if case .repeatedly(let recurrence, let first) = reading.meaning {
                    try #require(recurrence.next(after: now, in: parser.zone) == first, "\(text)")
                }
            } catch let error as DateParserError {
                try #require(error.description.utf8.count <= 400 && !error.description.contains("\n"), "\(text)")
            }
        }
        // Enough of them are times for this to mean something.
        #expect(found > Self.rounds / 20)
    }

    private static let pieces = [
        "in", "20", "minutes", "two", "weeks", "at", "9", "9:30", "5pm", "17.45", "noon", "midnight", "half", "past",
        "quarter", "to", "three", "tomorrow", "today", "tonight", "next", "this", "last", "friday", "monday",
        "mondays", "week", "month", "on", "the", "15th", "3rd", "of", "march", "2027", "2026-12-24", "24.12.", "3/4",
        "every", "other", "each", "weekday", "first", "second", "day", "hour", "an", "a", "and", "a half", "from",
        "now", "after", "ago", "daily", "monthly", "biweekly", "morning", "in the evening", "night", "cron", "*",
        "*/5", "1-5", "@daily", ",", ".", ":", "-", "/", "'", "’", "utc", "to call ada", "for", "1h30m", "999999999",
        "0", "31", "february", "year", "years", "99999999999999999999", "o'clock", "p.m.", "T09:30", "Z", "+02:00"
    ]

    private static let odd = Array(
        "\u{0}\u{7}\u{a0}\u{301}\u{202e}\u{2028}\u{feff}٣½∞漢😀ßİ$=?[]{}|&<>;_#\\~`\"".unicodeScalars)

    private static func text(_ random: inout SeededGenerator) -> String {
        let count = Int.random(in: 0...(Bool.random(using: &random) ? 6 : 40), using: &random)
        var text = ""
        for _ in 0..<count {
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                if let scalar = odd.randomElement(using: &random) { text.unicodeScalars.append(scalar) }
            case 1: break
            default: text += " "
            }
            text += pieces.randomElement(using: &random) ?? ""
        }
        return text
    }
}
