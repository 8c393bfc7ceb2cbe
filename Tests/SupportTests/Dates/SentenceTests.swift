import HeybotDates
import Testing

/// Texts with a time and something else, such as what to remind of.
///
/// Now is Wednesday, 25 November 2026, 12:00 in Berlin.
@Suite struct SentenceTests {
    private func find(_ text: String) throws -> (words: String, rest: String, meaning: String) {
        let zone = try TimeZoneData.named("Europe/Berlin")
        let reading = try DateParser(zone: zone).find(in: text, now: try zone.time("2026-11-25 12:00"))
        return (reading.words, reading.rest, PhraseTable.describe(reading.meaning, in: zone))
    }

    @Test(
        arguments: [
            ("in 20 minutes to call ada", "in 20 minutes", "to call ada", "2026-11-25 12:20"),
            ("to call ada in 20 minutes", "in 20 minutes", "to call ada", "2026-11-25 12:20"),
            ("to call ada in 20 minutes!", "in 20 minutes", "to call ada", "2026-11-25 12:20"),
            ("Tomorrow at 9, to call Ada", "Tomorrow at 9", "to call Ada", "2026-11-26 09:00"),
            ("to call ada tomorrow at 9", "tomorrow at 9", "to call ada", "2026-11-26 09:00"),
            ("to call ada, on the 15th at 9:30", "on the 15th at 9:30", "to call ada", "2026-12-15 09:30"),
            ("at 5pm tomorrow that the build is due", "at 5pm tomorrow", "that the build is due", "2026-11-26 17:00"),
            ("in 5 minutes to leave at 17:00", "in 5 minutes", "to leave at 17:00", "2026-11-25 12:05"),
            ("in 1 hour to fix what broke yesterday", "in 1 hour", "to fix what broke yesterday", "2026-11-25 13:00"),
            ("tomorrow to prepare monday's meeting", "tomorrow", "to prepare monday's meeting", "2026-11-26 09:00"),
            ("tomorrow at 9 to buy 2 tickets", "tomorrow at 9", "to buy 2 tickets", "2026-11-26 09:00"),
            ("at 9 to 10 people", "at 9", "to 10 people", "2026-11-25 21:00"),
            (
                "every weekday at 9:30 run weather in Rome in #dev", "every weekday at 9:30",
                "run weather in Rome in #dev", "every weekday at 09:30, 2026-11-26 09:30"
            ),
            (
                "every monday and thursday at noon: standup", "every monday and thursday at noon", "standup",
                "every Monday and Thursday at 12:00, 2026-11-26 12:00"
            ),
            (
                "to water the plants every friday", "every friday", "to water the plants",
                "every Friday at 09:00, 2026-11-27 09:00"
            ),
            (
                "cron 0 9 * * 1-5 run report", "cron 0 9 * * 1-5", "run report",
                "by cron 0 9 * * 1-5, 2026-11-26 09:00"
            ),
            ("\"0 9 * * 1-5\" run report", "\"0 9 * * 1-5\"", "run report", "by cron 0 9 * * 1-5, 2026-11-26 09:00"),
            (
                "by cron 0 9 * * 1-5 to call ada at 5", "by cron 0 9 * * 1-5", "to call ada at 5",
                "by cron 0 9 * * 1-5, 2026-11-26 09:00"
            ),
            ("friday 1:1 with bob", "friday", "1:1 with bob", "2026-11-27 09:00"),
            ("friday that 40 people come", "friday", "that 40 people come", "2026-11-27 09:00"),
            ("in 5 minutes weekly report", "in 5 minutes", "weekly report", "2026-11-25 12:05"),
            ("tomorrow to check 10.0.0.1:8080", "tomorrow", "to check 10.0.0.1:8080", "2026-11-26 09:00"),
            ("tomorrow to build it 1:100", "tomorrow", "to build it 1:100", "2026-11-26 09:00"),
            (
                "to raise the price by 50 tomorrow", "tomorrow", "to raise the price by 50", "2026-11-26 09:00"
            ),
            ("to upgrade to 1.14.22 on friday", "on friday", "to upgrade to 1.14.22", "2026-11-27 09:00"),
            ("to say grüße 👋 in 20 minutes", "in 20 minutes", "to say grüße 👋", "2026-11-25 12:20")
        ] as [(String, String, String, String)])
    func `the time is at the beginning, or else at the end`(
        _ text: String, _ words: String, _ rest: String, _ meaning: String
    ) throws {
        let found = try find(text)
        #expect(found.words == words)
        #expect(found.rest == rest)
        #expect(found.meaning == meaning)
    }

    @Test(arguments: [
        "", "   ", "to call ada", "to look at the sun", "to read monday's mail", "@ada hello", "cron job is broken",
        "2 * 3 is 6", "the second", "at home", "to go to bed now"
    ])
    func `a text without a time is asked back`(_ text: String) {
        #expect(throws: DateParserError.notFound) { try find(text) }
    }

    @Test(arguments: [
        ("tomorrow to join the standup at 10", "Do you mean \"tomorrow at 10\"? Then please say these words together."),
        ("at 10 to call ada tomorrow", "Do you mean \"at 10 tomorrow\"? Then please say these words together."),
        ("to book a table for friday at 9", "When? I can't tell whether \"for friday at 9\" is the time."),
        ("to finish it before friday", "When? I can't tell whether \"before friday\" is the time."),
        ("to call ada on monday and friday", "When? I can't tell whether \"and friday\" is the time."),
        (
            "on monday and friday to call ada",
            "More than one time? Say one of them, or say it as in: every monday and friday."
        ),
        ("to call ada today", "At which time today?"),
        ("to call ada next week", "Which day next week?"), ("to call ada next month at 9:00", "Which day next month?"),
        ("to call ada in march", "Which day in March?"), ("to call ada on 3/4", "Do you mean 3 April or 4 March?"),
        ("to call ada tomorrow at 5", "Do you mean 05:00 or 17:00?"),
        ("to call ada thursday 27 november", "27 November 2026 is a Friday. Which day do you mean?"),
        ("to call ada every second monday", "Every other Monday, or every second Monday of the month?")
    ])
    func `an unclear time is asked back`(_ text: String, _ question: String) throws {
        do {
            let found = try find(text)
            Issue.record("\(text): \(found)")
        } catch let error as DateParserError {
            #expect(error.description == question)
        }
    }

    @Test(
        arguments: [
            ("friday at 25:00 to x", "friday at 25:00"), ("friday at 9:75 to x", "friday at 9:75"),
            ("friday 9:75 to x", "friday 9:75"), ("friday, 25:61 to x", "friday, 25:61"),
            ("friday at 13pm to x", "friday at 13pm"), ("friday at 13 p.m. to x", "friday at 13 p.m."),
            ("friday at 25 to x", "friday at 25"), ("friday at 25.00 to x", "friday at 25.00"),
            ("friday in 0 minutes to x", "friday in 0 minutes"), ("in 0 minutes to x", "in 0 minutes"),
            ("friday 32 march to x", "friday 32 march"), ("32nd of march at 9:00 to x", "32nd of march at 9:00"),
            ("friday 12/31/26 to x", "friday 12/31/26"), ("on the 32nd to x", "on the 32nd"),
            ("at 25:00 friday to x", "at 25:00 friday"), ("at friday 25:00 to x", "at friday 25:00"),
            ("tomorrow 10:30ish to x", "tomorrow 10:30ish"),
            ("every friday at 25:00 to x", "every friday at 25:00"),
            ("every day at 9 and 25:00 to x", "every day at 9 and 25:00"),
            ("to x friday at 25:00", "friday at 25:00"), ("to x at 25:00 tomorrow", "at 25:00 tomorrow"),
            ("to x at 13pm.", "at 13pm"), ("to x in 0 minutes", "in 0 minutes")
        ] as [(String, String)])
    func `words that look like a time and are none are named, and not left in the text`(
        _ text: String, _ words: String
    ) {
        let error = DateParserError.misread(words: words)
        #expect(throws: error) { try find(text) }
        #expect(error.description == "I don't understand the time \"\(words)\". Which time do you mean?")
    }

    @Test(arguments: [
        "tomorrow at 9 on friday to x", "friday, 25.12.2026 to x", "in 20 minutes at 9:30 to x",
        "in 20 minutes 9:30 the train leaves"
    ])
    func `two times are asked back`(_ text: String) throws {
        do {
            let found = try find(text)
            Issue.record("\(text): \(found)")
        } catch let error as DateParserError {
            #expect(error.description.hasPrefix("More than one time?"), "\(error)")
        }
    }

    @Test func `a wrong field of a cron expression is named`() {
        for (text, field) in [
            ("61 * * * * to x", "\"61\" as the minute"), ("by cron 0 24 * * * to x", "\"24\" as the hour"),
            ("by cron 0 9 * * mox to x", "\"mox\" as the weekday")
        ] {
            let error = #expect(throws: DateParserError.self) { try find(text) }
            #expect(error?.description.contains("I don't understand \(field) of a cron expression") == true, "\(text)")
        }
    }

    @Test func `a time that is over is asked back`() {
        #expect(throws: DateParserError.past(words: "yesterday at 9")) { try find("yesterday at 9 to call ada") }
        #expect(throws: DateParserError.past(words: "2 hours ago")) { try find("to call ada 2 hours ago") }
        #expect(throws: DateParserError.past(words: "today at 11:00")) { try find("today at 11:00 to call ada") }
    }

    @Test func `instead of a time of today that is over, the same time tomorrow is proposed`() {
        let error = DateParserError.past(words: "today at 11:00")
        #expect(error.proposal == "tomorrow at 11:00")
        #expect(error.description == "\"today at 11:00\" is over. Do you mean tomorrow at 11:00?")
        #expect(DateParserError.past(words: "yesterday at 9").proposal == nil)
        #expect(DateParserError.notFound.proposal == nil)
    }

    @Test func `long texts are refused, or searched at both ends`() throws {
        let words = String(repeating: "word ", count: 700)
        #expect(try find("\(words)in 20 minutes").words == "in 20 minutes")
        #expect(try find("in 20 minutes \(words)").words == "in 20 minutes")
        #expect(throws: DateParserError.tooLong) { try find(words + words) }
    }

    @Test func `errors name words in one short line`() throws {
        let lines = "yesterday\n\n  at\u{2028}9 to call ada"
        #expect(throws: DateParserError.past(words: "yesterday at 9")) { try find(lines) }
        let long = "in 101 years" + String(repeating: ", 1 year", count: 6)
        let shown = String(long.prefix(60))
        #expect(throws: DateParserError.tooFar(words: shown)) { try find(long) }
    }
}
