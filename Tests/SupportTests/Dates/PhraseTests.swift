import HeybotDates
import Testing

/// Phrases as people say them in chat.
///
/// Now is Wednesday, 25 November 2026, 12:00 in Berlin.
@Suite struct PhraseTests {
    private static let lengths = """
        in 20 minutes | 2026-11-25 12:20
        in twenty minutes | 2026-11-25 12:20
        in twenty-five minutes | 2026-11-25 12:25
        20 minutes | 2026-11-25 12:20
        20min | 2026-11-25 12:20
        in 1h30m | 2026-11-25 13:30
        in 1 hour 30 minutes | 2026-11-25 13:30
        an hour and a half from now | 2026-11-25 13:30
        in an hour and a half | 2026-11-25 13:30
        one and a half hours from now | 2026-11-25 13:30
        in 1.25 hours | 2026-11-25 13:15
        a half hour | 2026-11-25 12:30
        in two weeks | 2026-12-09 12:00
        in two weeks' time | 2026-12-09 12:00
        in two weeks at 9:00 | 2026-12-09 09:00
        in 3 days at noon | 2026-11-28 12:00
        in 3 days in the evening | 2026-11-28 20:00
        in 10 years | 2036-11-25 12:00
        in 101 years | too far
        in 999999999 years | too far
        in 99999999999 minutes | misread
        in 1.5 months | misread
        in 0 minutes | misread
        in -5 minutes | misread
        in 6 months | 2027-05-25 12:00
        two days from tomorrow | 2026-11-28 09:00
        a month from monday at 10:00 | 2026-12-30 10:00
        in 30 | none
        minutes | none
        """

    private static let days = """
        tomorrow | 2026-11-26 09:00
        tomorrow at 9 | 2026-11-26 09:00
        tomorrow at noon | 2026-11-26 12:00
        tomorrow 9 | 2026-11-26 09:00
        tmrw 17:30 | 2026-11-26 17:30
        tomorrow at 5 | ambiguous
        tomorrow at 5 pm | 2026-11-26 17:00
        tomorrow at 05:00 | 2026-11-26 05:00
        tomorrow at 5:30 | ambiguous
        tomorrow at 8 in the evening | 2026-11-26 20:00
        tomorrow night | 2026-11-26 20:00
        tomorrow at midnight | ambiguous
        friday at 0:00 | 2026-11-27 00:00
        tonight at midnight | 2026-11-26 00:00
        tonight at 1 | 2026-11-26 01:00
        tonight at 12 | 2026-11-26 00:00
        wednesday night at 1 | 2026-11-26 01:00
        midnight | 2026-11-26 00:00
        noon | 2026-11-26 12:00
        today at 18:00 | 2026-11-25 18:00
        today at 11:00 | past
        today at 6 | 2026-11-25 18:00
        25 november at 9 | past
        25 nov 11:59 | past
        on november 25th at 9:00 | past
        25.11. at 9:00 | past
        wednesday, 25 november at 9 | past
        9:00 on 25 november | past
        25 november in the morning | past
        24 november at 9 | 2027-11-24 09:00
        today | ambiguous
        this morning | past
        in the morning | 2026-11-26 09:00
        friday | 2026-11-27 09:00
        fri 17:30 | 2026-11-27 17:30
        next friday 17:30 | 2026-11-27 17:30
        friday, 5pm | 2026-11-27 17:00
        17:30 on friday | 2026-11-27 17:30
        wednesday | 2026-12-02 09:00
        wednesday at 13:00 | 2026-11-25 13:00
        wednesday at 12:00 | 2026-12-02 12:00
        next wednesday at 13:00 | 2026-12-02 13:00
        this wednesday at 13:00 | 2026-11-25 13:00
        coming monday | 2026-11-30 09:00
        monday next week at 10:00 | 2026-11-30 10:00
        tuesday this week | past
        monday last week | past
        on 3 March | 2027-03-03 09:00
        March 3rd at 5pm | 2027-03-03 17:00
        3rd of march, 17:00 | 2027-03-03 17:00
        at 17:00 on the 3rd of March | 2027-03-03 17:00
        24 december | 2026-12-24 09:00
        25 november | 2027-11-25 09:00
        25 nov 13:00 | 2026-11-25 13:00
        december 24th, 2027 at 8.15 | 2027-12-24 08:15
        24.12. | 2026-12-24 09:00
        24.12. at 18:00 | 2026-12-24 18:00
        24.12.2027 18:00 | 2027-12-24 18:00
        2026-12-24 9:30 | 2026-12-24 09:30
        2026-12-24T09:30 | 2026-12-24 09:30
        2026-02-30 | no such day
        2026-13-01 | no such day
        2025-12-24 | past
        29 february | 2028-02-29 09:00
        31 april | no such day
        32 march | misread
        march 32 | misread
        on the 32nd | misread
        32.12.2026 | misread
        friday at 25:00 | misread
        friday at 9:75 | misread
        on the 31st | 2026-12-31 09:00
        on the 30th at 10:00 | 2026-11-30 10:00
        the 15th of next month | 2026-12-15 09:00
        the last day of the month | 2026-11-30 09:00
        last friday of the month | 2026-11-27 09:00
        first monday of next month at 10:00 | 2026-12-07 10:00
        5th friday of february | 2036-02-29 09:00
        5th monday of february | 2044-02-29 09:00
        Friday the 13th | 2027-08-13 09:00
        friday the 13th in march | 2037-03-13 09:00
        friday the 31st in april | no such day
        thursday 27 november | ambiguous
        3/4 | ambiguous
        3/4 at 9:00 | ambiguous
        13/4 | 2027-04-13 09:00
        next month at 9:00 | ambiguous
        at 9:00 next week | ambiguous
        in may | ambiguous
        """

    private static let times = """
        at 18:00 | 2026-11-25 18:00
        18:00 | 2026-11-25 18:00
        11:59 | 2026-11-26 11:59
        at 9 | 2026-11-25 21:00
        at 11 in the morning | 2026-11-26 11:00
        at 5 | 2026-11-25 17:00
        at five | 2026-11-25 17:00
        at 3:30 | 2026-11-25 15:30
        12:30 at night | 2026-11-26 00:30
        at 12 | 2026-11-26 12:00
        at 0 | 2026-11-26 00:00
        half past three | 2026-11-25 15:30
        half past twelve | 2026-11-25 12:30
        quarter to six | 2026-11-25 17:45
        ten past two | 2026-11-25 14:10
        20 minutes to 9 | 2026-11-25 20:40
        at five to one | 2026-11-25 12:55
        8 o'clock in the morning | 2026-11-26 08:00
        17:00 sharp | 2026-11-25 17:00
        at 24:00 | misread
        at 25:00 | misread
        25:61 | misread
        at 25.00 | misread
        at 25 | misread
        at 9:60 | misread
        at 13pm | misread
        13 p.m. | misread
        at 9:300 | misread
        10:30ish | misread
        1:1 | none
        9:00 utc | 2026-11-26 10:00
        tomorrow at 9am UTC | 2026-11-26 10:00
        """

    private static let recurrences = """
        every weekday at 9:30 | every weekday at 09:30, 2026-11-26 09:30
        every day at 9 | every day at 09:00, 2026-11-26 09:00
        daily at 18:00 | every day at 18:00, 2026-11-25 18:00
        every day at 9 and 17:30 | every day at 09:00 and 17:30, 2026-11-25 17:30
        every day at 5 | ambiguous
        every day at 8 in the evening | every day at 20:00, 2026-11-25 20:00
        every day at midnight | every day at 00:00, 2026-11-26 00:00
        every morning | every day at 09:00, 2026-11-26 09:00
        every night at 11 | every day at 23:00, 2026-11-25 23:00
        every monday | every Monday at 09:00, 2026-11-30 09:00
        each tuesday at 14:00 | every Tuesday at 14:00, 2026-12-01 14:00
        every monday and thursday at noon | every Monday and Thursday at 12:00, 2026-11-26 12:00
        every friday at midnight | ambiguous
        every friday night at 1 | ambiguous
        every night at 12 | every day at 00:00, 2026-11-26 00:00
        every thu, mon and wed 10:00 | every Monday, Wednesday and Thursday at 10:00, 2026-11-26 10:00
        every monday morning | every Monday at 09:00, 2026-11-30 09:00
        on mondays at 10:00 | every Monday at 10:00, 2026-11-30 10:00
        weekdays at 9:30 | every weekday at 09:30, 2026-11-26 09:30
        at 9:30 every weekday | every weekday at 09:30, 2026-11-26 09:30
        every working day | every weekday at 09:00, 2026-11-26 09:00
        every weekend at 11:00 | every Saturday and Sunday at 11:00, 2026-11-28 11:00
        every other day | every 2 days at 09:00, 2026-11-26 09:00
        every 3 days at 13:00 | every 3 days at 13:00, 2026-11-25 13:00
        every third day | every 3 days at 09:00, 2026-11-26 09:00
        every 2 weeks | every 2 weeks on Wednesday at 09:00, 2026-12-02 09:00
        every two weeks on monday at 10 | every 2 weeks on Monday at 10:00, 2026-11-30 10:00
        every other tuesday | every 2 weeks on Tuesday at 09:00, 2026-12-01 09:00
        every other weekday | ambiguous
        every 2 weeks on mondays | every 2 weeks on Monday at 09:00, 2026-11-30 09:00
        every 2 weeks on weekdays | every 2 weeks on weekday at 09:00, 2026-11-26 09:00
        fortnightly on friday | every 2 weeks on Friday at 09:00, 2026-11-27 09:00
        weekly | every Wednesday at 09:00, 2026-12-02 09:00
        weekly on friday at 16:00 | every Friday at 16:00, 2026-11-27 16:00
        biweekly | ambiguous
        monthly | every month on the 25th at 09:00, 2026-12-25 09:00
        every month on the 15th | every month on the 15th at 09:00, 2026-12-15 09:00
        every 15th at 8:00 | every month on the 15th at 08:00, 2026-12-15 08:00
        every 1st and 15th | every month on the 1st and 15th at 09:00, 2026-12-01 09:00
        on the 15th of every month | every month on the 15th at 09:00, 2026-12-15 09:00
        every last day of the month | every month on the last day at 09:00, 2026-11-30 09:00
        every first monday | every month on the 1st Monday at 09:00, 2026-12-07 09:00
        every first monday at 10 | every month on the 1st Monday at 10:00, 2026-12-07 10:00
        the first monday of every month | every month on the 1st Monday at 09:00, 2026-12-07 09:00
        every 1st and 3rd tuesday | every month on the 1st and 3rd Tuesday at 09:00, 2026-12-01 09:00
        every last friday of the month at 16:00 | every month on the last Friday at 16:00, 2026-11-27 16:00
        every first weekday | every month on the 1st weekday at 09:00, 2026-12-01 09:00
        every second monday | ambiguous
        every second monday of the month | every month on the 2nd Monday at 09:00, 2026-12-14 09:00
        every 3 months on the first monday | every 3 months on the 1st Monday at 09:00, 2026-12-07 09:00
        quarterly | every 3 months on the 25th at 09:00, 2026-12-25 09:00
        every year on 3 March | every year on 3 March at 09:00, 2027-03-03 09:00
        every march 3rd at 8:00 | every year on 3 March at 08:00, 2027-03-03 08:00
        yearly | every year on 25 November at 09:00, 2027-11-25 09:00
        every 31 april | no such day
        every hour | every hour, 2026-11-25 13:00
        hourly | every hour, 2026-11-25 13:00
        every 2 hours | every 2 hours, 2026-11-25 14:00
        every half hour | every 30 minutes, 2026-11-25 12:30
        every 90 minutes | every 90 minutes, 2026-11-25 13:30
        every hour and a half | every 90 minutes, 2026-11-25 13:30
        every 15 min | every 15 minutes, 2026-11-25 12:15
        every 5 seconds | too often
        every 2 hours at 9:00 | ambiguous
        every day at 9:00 utc | ambiguous
        cron 30 9 * * 1-5 | by cron 30 9 * * 1-5, 2026-11-26 09:30
        0 9 * * mon | by cron 0 9 * * mon, 2026-11-30 09:00
        cron "*/15 * * * *" | by cron */15 * * * *, 2026-11-25 12:15
        @daily | by cron 0 0 * * *, 2026-11-26 00:00
        cron 99 9 * * * | wrong cron
        61 * * * * | wrong cron
        by cron 0 9 * * 1-5 | by cron 0 9 * * 1-5, 2026-11-26 09:00
        By cron 0 9 1 1 1 | by cron 0 9 1 1 1, 2027-01-01 09:00
        by cron @daily | by cron 0 0 * * *, 2026-11-26 00:00
        by cron a 9 * * * | wrong cron
        by cron 0 9 * * | wrong cron
        by cron | none
        every | none
        every monday tuesday | none
        every friday at 25:00 | misread
        every day at 9 and 25:00 | misread
        someday | none
        friday friday | none
        friday 9:00 perhaps | none
        """

    @Test(arguments: PhraseTable(lengths).rows)
    func `a length of time`(_ row: PhraseTable.Row) {
        #expect(PhraseTable.meaning(of: row.phrase) == row.meaning, "\(row.phrase)")
    }

    @Test(arguments: PhraseTable(days).rows)
    func `a day, with or without a time`(_ row: PhraseTable.Row) {
        #expect(PhraseTable.meaning(of: row.phrase) == row.meaning, "\(row.phrase)")
    }

    @Test(arguments: PhraseTable(times).rows)
    func `a time of day`(_ row: PhraseTable.Row) {
        #expect(PhraseTable.meaning(of: row.phrase) == row.meaning, "\(row.phrase)")
    }

    @Test(arguments: PhraseTable(recurrences).rows)
    func `a recurrence, with its first time`(_ row: PhraseTable.Row) {
        #expect(PhraseTable.meaning(of: row.phrase) == row.meaning, "\(row.phrase)")
    }

    @Test func `at night, an hour without am or pm is asked back`() {
        #expect(PhraseTable.meaning(of: "at 5", now: "2026-11-25 22:00") == "ambiguous")
        #expect(PhraseTable.meaning(of: "at 9", now: "2026-11-25 22:00") == "2026-11-26 09:00")
        #expect(PhraseTable.meaning(of: "at 9", now: "2026-11-25 08:00") == "2026-11-25 09:00")
        #expect(PhraseTable.meaning(of: "at 5:00", now: "2026-11-25 22:00") == "ambiguous")
        #expect(PhraseTable.meaning(of: "at 05:00", now: "2026-11-25 22:00") == "2026-11-26 05:00")
    }

    @Test func `today doesn't mean tomorrow, not even late in the evening`() {
        for phrase in ["today at 9", "today at 5", "at 9 today", "today 5:30", "today at 21:00", "25 november at 9"] {
            #expect(PhraseTable.meaning(of: phrase, now: "2026-11-25 22:00") == "past", "\(phrase)")
        }
    }

    @Test func `a day or an evening that has begun needs a time of day`() {
        #expect(PhraseTable.meaning(of: "today", now: "2026-11-25 08:00") == "2026-11-25 09:00")
        #expect(PhraseTable.meaning(of: "tonight", now: "2026-11-25 21:00") == "ambiguous")
        #expect(PhraseTable.meaning(of: "this afternoon", now: "2026-11-25 16:00") == "ambiguous")
        #expect(PhraseTable.meaning(of: "this afternoon", now: "2026-11-25 19:00") == "past")
    }

    @Test func `tomorrow is the author's, also at a time of day in UTC`() {
        #expect(PhraseTable.meaning(of: "tomorrow at 9am UTC", now: "2026-11-26 00:30") == "2026-11-27 10:00")
        #expect(PhraseTable.meaning(of: "23:40 UTC", now: "2026-11-26 00:30") == "2026-11-26 00:40")
    }

    @Test func `a month is as long as the calendar has it`() {
        #expect(PhraseTable.meaning(of: "in a month", now: "2027-01-31 12:00") == "2027-02-28 12:00")
        #expect(PhraseTable.meaning(of: "monthly", now: "2027-01-31 12:00").hasSuffix("2027-03-31 09:00"))
    }

    @Test func `days end at the same time of day, and hours last an hour`() {
        // Daylight saving time begins on 28 March 2027, and ends on 25 October 2026.
        #expect(PhraseTable.meaning(of: "in 1 day", now: "2027-03-27 12:00") == "2027-03-28 12:00")
        #expect(PhraseTable.meaning(of: "in 24 hours", now: "2027-03-27 12:00") == "2027-03-28 13:00")
        #expect(PhraseTable.meaning(of: "in 24 hours", now: "2026-10-24 12:00") == "2026-10-25 11:00")
        #expect(PhraseTable.meaning(of: "tomorrow at 02:30", now: "2027-03-27 12:00") == "2027-03-28 03:30")
    }
}
