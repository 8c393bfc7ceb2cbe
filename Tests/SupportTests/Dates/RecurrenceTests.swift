import Foundation
import HeybotDates
import Testing

@Suite struct RecurrenceTests {
    private func times(
        _ recurrence: Recurrence, after start: String, _ count: Int, in name: String = "Europe/Berlin"
    ) throws -> [String] {
        let zone = try TimeZoneData.named(name)
        var times: [String] = []
        var time = try zone.time(start)
        for _ in 0..<count {
            guard let next = recurrence.next(after: time, in: zone) else { break }
            #expect(next > time)
            times.append(zone.moment(at: next).description)
            time = next
        }
        return times
    }

    private func cron(_ text: String) throws -> Recurrence { .cron(try CronExpression(text)) }

    @Test func `days, weeks, months and years recur`() throws {
        let monday = CivilDate(year: 2026, month: 11, day: 30).days
        #expect(
            try times(.calendar(.days(every: 2, from: monday), minutes: [540]), after: "2026-11-30 09:00", 2)
                == ["2026-12-02 09:00", "2026-12-04 09:00"])
        #expect(
            try times(
                .calendar(.weekdays([.monday, .friday], every: 2, from: monday), minutes: [540]),
                after: "2026-11-30 00:00", 4)
                == ["2026-11-30 09:00", "2026-12-04 09:00", "2026-12-14 09:00", "2026-12-18 09:00"])
        #expect(
            try times(.calendar(.monthDays([31, 1], every: 1, from: 0), minutes: [0]), after: "2027-01-01 00:00", 4)
                == ["2027-01-31 00:00", "2027-02-01 00:00", "2027-03-01 00:00", "2027-03-31 00:00"])
        #expect(
            try times(.calendar(.monthDays([-1], every: 1, from: 0), minutes: [0]), after: "2028-01-31 00:00", 2)
                == ["2028-02-29 00:00", "2028-03-31 00:00"])
        #expect(
            try times(
                .calendar(.weekdaysOfMonth([1, -1], Weekday.workdays, every: 1, from: 0), minutes: [540]),
                after: "2026-12-01 09:00", 3)
                == ["2026-12-31 09:00", "2027-01-01 09:00", "2027-01-29 09:00"])
        #expect(
            try times(
                .calendar(.weekdaysOfMonth([5], [.monday], every: 1, from: 0), minutes: [540]),
                after: "2026-12-01 00:00", 2) == ["2027-03-29 09:00", "2027-05-31 09:00"])
        #expect(
            try times(
                .calendar(.yearDay(month: 2, day: 29, every: 1, from: 0), minutes: [540]), after: "2096-03-01 00:00", 1)
                == ["2104-02-29 09:00"])
        #expect(
            try times(.calendar(.days(every: 1, from: 0), minutes: [1_050, 540]), after: "2026-11-25 12:00", 3)
                == ["2026-11-25 17:30", "2026-11-26 09:00", "2026-11-26 17:30"])
    }

    @Test func `an interval in hours is exact`() throws {
        // Clocks are set forward from 2:00 to 3:00.
        let zone = try TimeZoneData.named("Europe/Berlin")
        let start = try zone.time("2027-03-28 00:30")
        #expect(
            try times(.elapsed(seconds: 3_600, from: start), after: "2027-03-28 00:30", 3)
                == ["2027-03-28 01:30", "2027-03-28 03:30", "2027-03-28 04:30"])
        let interval = Recurrence.elapsed(seconds: 600, from: start)
        #expect(interval.next(after: start - 10_000, in: zone) == start)
        #expect(interval.next(after: start + 599, in: zone) == start + 600)
    }

    @Test func `a time that clocks skip or repeat comes once`() throws {
        let daily = Recurrence.calendar(.days(every: 1, from: 0), minutes: [150])
        #expect(
            try times(daily, after: "2027-03-27 02:30", 2) == ["2027-03-28 03:30", "2027-03-29 02:30"])
        #expect(
            try times(daily, after: "2026-10-24 02:30", 2) == ["2026-10-25 02:30", "2026-10-26 02:30"])
        // From the second 2:10 on, the next 2:30 is tomorrow's.
        let zone = try TimeZoneData.named("Europe/Berlin")
        let second = try zone.time("2026-10-25 02:10") + 3_600
        #expect(zone.moment(at: second).description == "2026-10-25 02:10")
        let next = try #require(daily.next(after: second, in: zone))
        #expect(zone.moment(at: next).description == "2026-10-26 02:30")
    }

    @Test func `a cron expression with a star follows the clock`() throws {
        let zone = try TimeZoneData.named("Europe/Berlin")
        let start = try zone.time("2026-10-25 01:00")
        var time = start
        for hour in 1...5 {
            time = try #require(try cron("0 * * * *").next(after: time, in: zone))
            #expect(time == start + hour * 3_600)
        }
        let everyTwoHours = try times(try cron("30 */2 * * *"), after: "2027-03-28 00:30", 2)
        #expect(everyTwoHours == ["2027-03-28 04:30", "2027-03-28 06:30"])
        let atNight = try times(try cron("30 2 * * *"), after: "2027-03-28 00:30", 2)
        #expect(atNight == ["2027-03-28 03:30", "2027-03-29 02:30"])
    }

    @Test(
        arguments: [
            ("* * * * *", ["2026-11-25 12:01", "2026-11-25 12:02"]),
            ("*/20 * * * *", ["2026-11-25 12:20", "2026-11-25 12:40", "2026-11-25 13:00"]),
            ("5/20 * * * *", ["2026-11-25 12:05", "2026-11-25 12:25", "2026-11-25 12:45", "2026-11-25 13:05"]),
            ("30 9 * * 1-5", ["2026-11-26 09:30", "2026-11-27 09:30", "2026-11-30 09:30"]),
            ("30 9 * * MON-FRI", ["2026-11-26 09:30", "2026-11-27 09:30", "2026-11-30 09:30"]),
            ("0 9 * * fri-sun", ["2026-11-27 09:00", "2026-11-28 09:00", "2026-11-29 09:00", "2026-12-04 09:00"]),
            ("0 9 * * 7", ["2026-11-29 09:00"]), ("0 9 * * 0", ["2026-11-29 09:00"]),
            ("0 9 * * 5-7", ["2026-11-27 09:00", "2026-11-28 09:00", "2026-11-29 09:00", "2026-12-04 09:00"]),
            ("0 9-17/4 * * *", ["2026-11-25 13:00", "2026-11-25 17:00", "2026-11-26 09:00"]),
            ("0,30 8,12 * * *", ["2026-11-25 12:30", "2026-11-26 08:00", "2026-11-26 08:30"]),
            ("0 0 1 jan,jul *", ["2027-01-01 00:00", "2027-07-01 00:00"]),
            ("0 0 29 2 *", ["2028-02-29 00:00", "2032-02-29 00:00"]),
            // Either day is enough, unless one of them begins with a star.
            ("0 0 13 * 5", ["2026-11-27 00:00", "2026-12-04 00:00", "2026-12-11 00:00", "2026-12-13 00:00"]),
            ("0 0 */2 * 5", ["2026-11-27 00:00", "2026-12-11 00:00"]),
            ("@weekly", ["2026-11-29 00:00"]), ("@yearly", ["2027-01-01 00:00", "2028-01-01 00:00"])
        ] as [(String, [String])])
    func `cron expressions`(_ text: String, _ expected: [String]) throws {
        #expect(try times(try cron(text), after: "2026-11-25 12:00", expected.count) == expected)
    }

    @Test(arguments: [
        "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 0 *", "* * * 13 *",
        "* * * * 8", "5-1 * * * *", "*/0 * * * *", "*/61 * * * *", "1,,2 * * * *", "1- * * * *", "-1 * * * *",
        "a * * * *", "* * * mon *", "* * L * *", "* * * * 1#2", "+1 * * * *", "1/2/3 * * * *", "0 0 30 2 *",
        "0 0 31 4,6 *", "@reboot", "٣ * * * *"
    ])
    func `other texts are no cron expressions`(_ text: String) {
        #expect(throws: CronExpressionError.self) { try CronExpression(text) }
    }

    @Test func `what is wrong with a cron expression is said`() {
        #expect(throws: CronExpressionError.wrongCount(4)) { try CronExpression("* * * *") }
        #expect(throws: CronExpressionError.noSuchDay("0 0 30 2 *")) { try CronExpression("0 0 30 2 *") }
        #expect(
            throws: CronExpressionError.wrongField("13", kind: "month", expected: "1 to 12, or jan to dec")
        ) { try CronExpression("* * * 13 *") }
        #expect(throws: CronExpressionError.tooLong) { try CronExpression(String(repeating: "1,", count: 60_000)) }
    }

    @Test func `recurrences are stored as JSON, and in words mean the same`() throws {
        let zone = try TimeZoneData.named("Europe/Berlin")
        let now = try zone.time("2026-11-25 12:00")
        for phrase in [
            "every weekday at 9:30", "every 2 weeks on monday and friday at 8:00 and 17:00", "every first monday",
            "every last weekday of the month", "every 3 months on the 31st", "every last day of the month",
            "every year on 3 march", "every 90 minutes", "every 3 days", "every 2 years on 29 february",
            "cron */5 9-17 * * mon-fri"
        ] {
            let meaning = try DateParser(zone: zone).parse(phrase, now: now).meaning
            guard case .repeatedly(let recurrence, _) = meaning else {
                Issue.record("\(phrase)")
                continue
            }
            let stored = try JSONEncoder().encode(recurrence)
            #expect(try JSONDecoder().decode(Recurrence.self, from: stored) == recurrence)
            let again = try DateParser(zone: zone).parse(recurrence.description, now: now)
            #expect(again.meaning == meaning, "\(recurrence)")
        }
    }

    @Test func `whatever was stored breaks nothing`() throws {
        let zone = try TimeZoneData.named("Europe/Berlin")
        let odd = [Int.min, 0, 13, Int.max]
        for number in odd {
            for other in odd {
                let rules: [DayRule] = [
                    .days(every: number, from: other), .weekdays([.monday], every: number, from: other),
                    .monthDays([number], every: other, from: number),
                    .weekdaysOfMonth([number], [.friday], every: other, from: number),
                    .yearDay(month: number, day: other, every: number, from: other)
                ]
                for rule in rules {
                    let recurrence = Recurrence.calendar(rule, minutes: [number, other])
                    _ = recurrence.next(after: 1_795_600_000, in: zone)
                    _ = recurrence.description
                }
                let interval = Recurrence.elapsed(seconds: number, from: other)
                _ = interval.next(after: number, in: zone)
                _ = interval.description
            }
        }
        #expect(Recurrence.calendar(.days(every: 1, from: 0), minutes: []).next(after: 0, in: zone) == nil)
    }
}
