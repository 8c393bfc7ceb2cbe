import FoundationEssentials
import Heybot
import HeybotDates
import Testing

@testable import StandardScripts

/// Now is Wednesday, 25 November 2026, 12:00.
@Suite struct TimePhraseTests {
    private func moment(
        _ text: String, now: String = "2026-11-25 12:00", includingToday: Bool = false
    ) throws -> String? {
        let phrase = try #require(TimePhrase(text))
        let now = try #require(LocalMoment(now))
        return phrase.moment(after: now, usual: 9 * 60, includingToday: includingToday)?.description
    }

    @Test(arguments: [
        ("friday", "2026-11-27 09:00"), ("Fri 17:30", "2026-11-27 17:30"), ("on friday at 9", "2026-11-27 09:00"),
        ("friday, 5pm", "2026-11-27 17:00"), ("friday noon", "2026-11-27 12:00"), ("tues", "2026-12-01 09:00"),
        ("tomorrow", "2026-11-26 09:00"), ("today 18:00", "2026-11-25 18:00"), ("18:00", "2026-11-25 18:00"),
        ("9am", "2026-11-26 09:00"), ("12am", "2026-11-26 00:00"), ("12 pm", "2026-11-26 12:00"),
        ("24 december", "2026-12-24 09:00"), ("december 24th, 2027 at 8.15", "2027-12-24 08:15"),
        ("the 1st of march", "2027-03-01 09:00"), ("25 nov 13:00", "2026-11-25 13:00"),
        ("2026-12-24 09:30", "2026-12-24 09:30"), ("2026-1-5", "2026-01-05 09:00")
    ])
    func `a phrase means the next such moment`(_ text: String, _ expected: String) throws {
        #expect(try moment(text) == expected)
    }

    @Test func `a weekday is today until the time is over`() throws {
        #expect(try moment("wednesday 13:00") == "2026-11-25 13:00")
        #expect(try moment("wednesday 12:00") == "2026-12-02 12:00")
        #expect(try moment("wednesday 9:00") == "2026-12-02 09:00")
        #expect(try moment("wednesday 9:00", includingToday: true) == "2026-11-25 09:00")
        #expect(try moment("next wednesday 13:00", includingToday: true) == "2026-12-02 13:00")
        #expect(try moment("9:00", includingToday: true) == "2026-11-25 09:00")
    }

    @Test func `a leap day is in the next leap year`() throws {
        #expect(try moment("29 february") == "2028-02-29 09:00")
        #expect(try moment("29 february", now: "2028-02-29 12:00") == "2028-02-29 09:00")
        #expect(try moment("29 february", now: "2028-03-01 12:00") == "2032-02-29 09:00")
        // 2100 isn't a leap year.
        #expect(try moment("29 february", now: "2096-03-01 12:00") == "2104-02-29 09:00")
        #expect(try moment("29 february 2027") == nil)
        #expect(try moment("31 april") == nil)
        #expect(try moment("2027-02-29") == nil)
    }

    @Test(arguments: [
        "", " ", "at", "someday", "fr", "friday friday", "friday 25:00", "friday 9:60", "13pm", "0am", "next",
        "next week", "24", "32:00", "december", "friday 9:00 sharp", "2026-12-24T09:00"
    ])
    func `other texts are no phrases`(_ text: String) {
        #expect(TimePhrase(text) == nil)
    }

    @Test func `a long text is none`() {
        #expect(TimePhrase("friday" + String(repeating: " ", count: 60_000)) == nil)
    }
}

@Suite struct RotaDefinitionTests {
    @Test(arguments: [
        ("ada, grace weekly from monday 9:00", ["ada", "grace"], 7, "2026-11-30 09:00"),
        ("ada,grace, bob daily", ["ada", "grace", "bob"], 1, "2026-11-25 09:00"),
        ("ada and grace every 2 weeks from wednesday", ["ada", "grace"], 14, "2026-11-25 09:00"),
        ("Ada Lovelace, \"grace\" every 3 days from 2026-12-01 8:30", ["Ada Lovelace", "grace"], 3, "2026-12-01 08:30"),
        ("@ada fortnightly at 18:00", ["@ada"], 14, "2026-11-25 18:00"),
        ("ada every other week", ["ada"], 14, "2026-11-25 09:00"),
        ("ada every day from tomorrow", ["ada"], 1, "2026-11-26 09:00"),
        ("irc:ada, xmpp:grace@example.org WEEKLY", ["irc:ada", "xmpp:grace@example.org"], 7, "2026-11-25 09:00")
    ])
    func `a rota is defined in words`(_ text: String, _ names: [String], _ days: Int, _ start: String) throws {
        let definition = try RotaDefinition(text[...])
        #expect(definition.names.map(String.init) == names)
        #expect(definition.days == days)
        let now = try #require(LocalMoment("2026-11-25 12:00"))
        #expect(try definition.beginning(at: now).description == start)
    }

    @Test func `without a day, the first person is on call at once`() throws {
        let definition = try RotaDefinition("ada, grace weekly")
        let early = try #require(LocalMoment("2026-11-25 08:59"))
        #expect(try definition.beginning(at: early).description == "2026-11-24 09:00")
    }

    @Test(arguments: [
        "ada, grace", "weekly", ", weekly", "ada yearly", "ada weekly from someday", "ada every 0 days",
        "ada every 367 days", "ada every 60 weeks", "ada weekly until friday"
    ])
    func `anything else is refused with a hint`(_ text: String) {
        #expect(throws: Refusal.self) { try RotaDefinition(text[...]) }
    }

    @Test func `a day that doesn't exist is refused`() throws {
        let now = try #require(LocalMoment("2026-11-25 12:00"))
        #expect(throws: Refusal("There is no such day.")) {
            try RotaDefinition("ada weekly from 31 april").beginning(at: now)
        }
    }

    @Test func `there is a limit for people and for the text`() {
        let names = (1...Rota.mostPeople).map { "user\($0)" }.joined(separator: ", ")
        #expect(throws: Never.self) { try RotaDefinition("\(names) weekly") }
        #expect(throws: Refusal.self) { try RotaDefinition("\(names), ada weekly") }
        let long = String(repeating: "a ", count: 30_000)
        #expect(throws: Refusal.self) { try RotaDefinition("\(long)weekly") }
    }
}

@Suite struct OverrideRequestTests {
    private func period(_ text: String, now: String = "2026-11-25 12:00") throws -> (String?, String, String) {
        let zone = try #require(IANATimeZone(named: "Europe/Berlin"))
        let now = zone.date(of: try #require(LocalMoment(now)))
        let request = try OverrideRequest(text[...])
        let (start, end) = try request.period(at: now, in: zone, usual: 9 * 60)
        return (request.rota.map(String.init), zone.moment(at: start).description, zone.moment(at: end).description)
    }

    @Test(
        arguments: [
            ("until friday", nil, "2026-11-25 12:00", "2026-11-27 09:00"),
            ("for ops until friday 17:00", "ops", "2026-11-25 12:00", "2026-11-27 17:00"),
            ("for ops from saturday until monday", "ops", "2026-11-28 09:00", "2026-11-30 09:00"),
            ("in ops till 18:00", "ops", "2026-11-25 12:00", "2026-11-25 18:00"),
            ("from friday to friday", nil, "2026-11-27 09:00", "2026-12-04 09:00"),
            ("for 2 hours", nil, "2026-11-25 12:00", "2026-11-25 14:00"),
            ("for ops for 2 days", "ops", "2026-11-25 12:00", "2026-11-27 12:00"),
            ("for ops from tomorrow for 1 week", "ops", "2026-11-26 09:00", "2026-12-03 09:00")
        ] as [(String, String?, String, String)])
    func `an exception is described in words`(
        _ text: String, _ rota: String?, _ start: String, _ end: String
    ) throws {
        let found = try period(text)
        #expect(found.0 == rota)
        #expect(found.1 == start)
        #expect(found.2 == end)
    }

    @Test func `days end at the same time of day, and hours last an hour`() throws {
        // Daylight saving time begins on 28 March.
        #expect(try period("for 2 days", now: "2027-03-27 12:00").2 == "2027-03-29 12:00")
        #expect(try period("for 24 hours", now: "2027-03-27 12:00").2 == "2027-03-28 13:00")
    }

    @Test(arguments: [
        "", "for ops", "until", "until someday", "from someday until friday", "for 2 years", "until friday or so"
    ])
    func `a text without an end is refused with a hint`(_ text: String) {
        #expect(throws: Refusal("Until when? Say it as in: ada is on call for ops until friday 9:00")) {
            try OverrideRequest(text[...])
        }
    }

    @Test(arguments: ["until 2026-11-24", "until today 11:00", "for 0 hours", "until 2028-01-01", "for 60 weeks"])
    func `a time that is over, or too far away, is refused`(_ text: String) {
        #expect(throws: Refusal.self) { try period(text) }
    }
}
