import HeybotDates
import Testing

@testable import StandardScripts

/// Answers to questions about times.
///
/// Now is Monday, 1 January 2001, at 0:00 UTC.
@Suite struct DateAnswerTests {
    @Test(
        arguments: [
            ("tomorrow at 5", "17:00", "2001-01-02 17:00"), ("tomorrow at 5", "at 17:00", "2001-01-02 17:00"),
            ("tomorrow at 5", "pm", "2001-01-02 17:00"), ("at 5 on 3 march", "17:00", "2001-03-03 17:00"),
            ("3 march at 5", "17:00", "2001-03-03 17:00"), ("at 5:30", "friday at 17:30", "2001-01-05 17:30"),
            ("today", "18:00", "2001-01-01 18:00"), ("yesterday at 9", "tomorrow at 10", "2001-01-02 10:00"),
            ("today at 11:00", "tomorrow", "2001-01-02 11:00"), ("Today at 11:00", "friday", "2001-01-05 11:00"),
            ("friday at 25:00", "15:00", "2001-01-05 15:00"), ("friday at 13pm", "1pm", "2001-01-05 13:00"),
            ("friday at 9:300", "9:30", "2001-01-05 09:30"), ("in 0 minutes", "5", "2001-01-01 00:05"),
            ("next week", "monday", "2001-01-08 09:00"), (nil, "in an hour", "2001-01-01 01:00")
        ] as [(String?, String, String)])
    func `an answer completes the words that were unclear`(_ words: String?, _ answer: String, _ time: String) throws {
        let zone = TimeZoneData.utc
        let now = zone.time(of: try #require(LocalMoment("2001-01-01 00:00")))
        let parser = DateParser(zone: zone)
        let found = DateAnswer.readings(of: answer, about: words).lazy.compactMap { reading in
            try? parser.parse(reading, now: now)
        }.first
        let reading = try #require(found)
        #expect(zone.moment(at: reading.meaning.first).description == time)
    }

    @Test func `an answer that is no time completes nothing`() {
        let parser = DateParser(zone: .utc)
        for words in ["tomorrow at 5", "next week", "friday 25:00", nil] {
            for answer in ["dunno", "the blue one", "", "-", ".", "?", "5000000000000000000000"] {
                let readings = DateAnswer.readings(of: answer, about: words)
                let found = readings.filter { (try? parser.parse($0, now: 0)) != nil }
                #expect(found == [], "\(words ?? "") \(answer)")
            }
        }
    }
}
