import HeybotDates
import Testing

/// Phrases in the forms that the documentation of other date parsers names.
///
/// Each form was written down from chrono, dateparser or Duckling before this parser was tried, with an example of our own. A
/// form that this parser leaves out is in ``PhraseTable/none``. Now is Wednesday, 25 November 2026, 12:00 in Berlin.
@Suite struct DocumentedPhraseTests {
    // Days, times of day and relative dates, as chrono has them.
    private static let chrono = """
        now | 2026-11-25 12:00
        today | ambiguous
        tonight | 2026-11-25 20:00
        Tomorrow | 2026-11-26 09:00
        yesterday | past
        last friday | past
        5 days ago | past
        2 weeks from now | 2026-12-09 12:00
        today 5PM | 2026-11-25 17:00
        tonight 8pm | 2026-11-25 20:00
        tonight at 8 | 2026-11-25 20:00
        11 tonight | 2026-11-25 23:00
        10 at night | 2026-11-25 22:00
        this morning | past
        this afternoon | 2026-11-25 15:00
        this afternoon at 3 | 2026-11-25 15:00
        this evening | 2026-11-25 20:00
        tomorrow morning | 2026-11-26 09:00
        tomorrow afternoon | 2026-11-26 15:00
        yesterday afternoon | past
        tomorrow noon | 2026-11-26 12:00
        thurs | 2026-11-26 09:00
        this friday at 13.00 | 2026-11-27 13:00
        next friday | 2026-11-27 09:00
        Monday | 2026-11-30 09:00
        on Saturday | 2026-11-28 09:00
        Sunday 12:30 | 2026-11-29 12:30
        tuesday at 8:15am | 2026-12-01 08:15
        17 August 2027 | 2027-08-17 09:00
        17 Aug | 2027-08-17 09:00
        Sat Aug 17 2028 | ambiguous
        Thu Aug 17 2028 18:40 | 2028-08-17 18:40
        17 August 2013 | past
        2027-11-30T08:15:30 | 2027-11-30 08:15:30
        2027-11-30T08:15:30Z | 2027-11-30 09:15:30
        2027-11-30T08:15:30-05:30 | 2027-11-30 14:45:30
        2027-11-30 08:15 | 2027-11-30 08:15
        2027-11-30 | 2027-11-30 09:00
        August 10, 2027 | 2027-08-10 09:00
        Dec 10 | 2026-12-10 09:00
        December 10th at 6.13 AM | 2026-12-10 06:13
        10th of December | 2026-12-10 09:00
        at 6.13 PM | 2026-11-25 18:13
        at 1 | 2026-11-25 13:00
        12 December 2026 at noon | 2026-12-12 12:00
        12/25/2026 | 2026-12-25 09:00
        25/12/2026 | 2026-12-25 09:00
        12/25 | 2026-12-25 09:00
        25.12.2026 | 2026-12-25 09:00
        5/6/2027 | ambiguous
        7/7/2027 | 2027-07-07 09:00
        in 5 minutes | 2026-11-25 12:05
        within 1 hour | 2026-11-25 13:00
        in an hour | 2026-11-25 13:00
        in half an hour | 2026-11-25 12:30
        in 1h | 2026-11-25 13:00
        in 2 hours and 5 minutes | 2026-11-25 14:05
        5 minutes from now | 2026-11-25 12:05
        15 minutes later | 2026-11-25 12:15
        a day from now | 2026-11-26 12:00
        in 3 weeks | 2026-12-16 12:00
        in 2 months | 2027-01-25 12:00
        in a year | 2027-11-25 12:00
        in 2 days at 9am | 2026-11-27 09:00
        the day after tomorrow | 2026-11-27 09:00
        next week | ambiguous
        next month | ambiguous
        next year | ambiguous
        at midnight | 2026-11-26 00:00
        at noon | 2026-11-26 12:00
        2 weeks ago | past
        """

    // Relative and absolute dates, as dateparser has them.
    private static let dateparser = """
        in 2 days | 2026-11-27 12:00
        1 min ago | past
        3 months, 1 week and 1 day ago | past
        in 3 months, 1 week and 1 day | 2027-03-05 12:00
        1 hour ago | past
        Fri, 12 Mar 2027 10:55:50 | 2027-03-12 10:55:50
        Thursday 3 December 2026 | 2026-12-03 09:00
        August 14, 2027 | 2027-08-14 09:00
        July 4, 2027 10:15 pm | 2027-07-04 22:15
        21 July 2027 10:15 pm | 2027-07-21 22:15
        January 12, 2027 10:00 PM UTC | 2027-01-12 23:00
        10:00 am | 2026-11-26 10:00
        10:40 pm utc | 2026-11-25 23:40
        2027-04-01 | 2027-04-01 09:00
        12/12/26 | misread
        12.12.2026 | 2026-12-12 09:00
        December 2026 | ambiguous
        in March | ambiguous
        2027 | none
        30 February | no such day
        29 February 2027 | no such day
        in 1 year 2 months | 2028-01-25 12:00
        in a week | 2026-12-02 12:00
        in 2 hours | 2026-11-25 14:00
        in 45 mins | 2026-11-25 12:45
        in 90 secs | 2026-11-25 12:01:30
        """

    // Dates, times of day and durations, as Duckling has them.
    private static let duckling = """
        right now | 2026-11-25 12:00
        mon. | 2026-11-30 09:00
        this monday | 2026-11-30 09:00
        Monday, Nov 30 | 2026-11-30 09:00
        Thursday the 26th | 2026-11-26 09:00
        Tue 15th | 2026-12-15 09:00
        the 1st of march | 2027-03-01 09:00
        first of march | 2027-03-01 09:00
        march first | 2027-03-01 09:00
        march 3 | 2027-03-03 09:00
        march third 2028 | 2028-03-03 09:00
        2027-3-3 | 2027-03-03 09:00
        on the 15th | 2026-12-15 09:00
        the 27th | 2026-11-27 09:00
        15 of february | 2027-02-15 09:00
        february the 15th | 2027-02-15 09:00
        15th february | 2027-02-15 09:00
        14april 2027 | 2027-04-14 09:00
        friday after next | 2026-12-04 09:00
        wednesday of next week | 2026-12-02 09:00
        wednesday next week | 2026-12-02 09:00
        next week on monday | 2026-11-30 09:00
        friday of this week | 2026-11-27 09:00
        day after tomorrow 5pm | 2026-11-27 17:00
        the day before yesterday | past
        last Monday of March | 2027-03-29 09:00
        last Sunday of March 2028 | 2028-03-26 09:00
        third day of october | 2027-10-03 09:00
        last day of october 2027 | 2027-10-31 09:00
        last day in february | 2027-02-28 09:00
        first tuesday in october | 2027-10-05 09:00
        third tuesday of september 2027 | 2027-09-21 09:00
        at 3am | 2026-11-26 03:00
        3 oclock pm | 2026-11-25 15:00
        at three am | 2026-11-26 03:00
        3:18am | 2026-11-26 03:18
        @ 3pm | 2026-11-25 15:00
        3PM | 2026-11-25 15:00
        3 o'clock in the afternoon | 2026-11-25 15:00
        at about 3pm | 2026-11-25 15:00
        at 15 past 3pm | 2026-11-25 15:15
        a quarter past 3pm | 2026-11-25 15:15
        3:15 in the afternoon | 2026-11-25 15:15
        15:15 | 2026-11-25 15:15
        twenty after 3pm | 2026-11-25 15:20
        at three twenty | 2026-11-25 15:20
        half past 3 pm | 2026-11-25 15:30
        330 p.m. | 2026-11-25 15:30
        3:30 p.m. | 2026-11-25 15:30
        nine fifty nine am | 2026-11-26 09:59
        at 15:23:24 | 2026-11-25 15:23:24
        a quarter to noon | 2026-11-26 11:45
        8 this evening | 2026-11-25 20:00
        at 8 in the evening | 2026-11-25 20:00
        in the evening at eight | 2026-11-25 20:00
        at 7:30 PM on Fri, Dec 4 | 2026-12-04 19:30
        at 9am on Saturday | 2026-11-28 09:00
        on Saturday for 9am | 2026-11-28 09:00
        in a sec | 2026-11-25 12:00:01
        in one minute | 2026-11-25 12:01
        in 2 more minutes | 2026-11-25 12:02
        in a couple of minutes | 2026-11-25 12:02
        in a few hours | 2026-11-25 15:00
        in a quarter of an hour | 2026-11-25 12:15
        in three-quarters of an hour | 2026-11-25 12:45
        in 2.5 hours | 2026-11-25 14:30
        in 2 and a half hours | 2026-11-25 14:30
        3 years from today | 2029-11-25 09:00
        a week from friday | 2026-12-04 09:00
        a fortnight hence | 2026-12-09 12:00
        in about half an hour | 2026-11-25 12:30
        after 5 days | 2026-11-30 12:00
        tomorrow evening | 2026-11-26 20:00
        tomorrow at lunch | 2026-11-26 12:00
        monday mOrnIng | 2026-11-30 09:00
        february the 15th in the morning | 2027-02-15 09:00
        tomorrow afternoon at 5 | 2026-11-26 17:00
        at 5 tomorrow afternoon | 2026-11-26 17:00
        at 5pm tomorrow | 2026-11-26 17:00
        Thursday 8:00 GMT | 2026-11-26 09:00
        at 730 in the evening | 2026-11-25 19:30
        at 1730 | 2026-11-25 17:30
        ten thirty am | 2026-11-26 10:30
        at 12pm | 2026-11-26 12:00
        at 12am | 2026-11-26 00:00
        end of the month | 2026-11-30 09:00
        the end of next month | 2026-12-31 09:00
        by 2:00pm | 2026-11-25 14:00
        on the first | 2026-12-01 09:00
        laughing out loud | none
        1 adult | none
        this is the one | none
        in 61 | none
        dozens o'clock | none
        3 30 | none
        at 650-650-6500 | none
        xmas | none
        this summer | none
        13 to 15 July | none
        """

    @Test(arguments: PhraseTable(chrono).rows)
    func `forms that chrono documents`(_ row: PhraseTable.Row) {
        #expect(PhraseTable.meaning(of: row.phrase) == row.meaning, "\(row.phrase)")
    }

    @Test(arguments: PhraseTable(dateparser).rows)
    func `forms that dateparser documents`(_ row: PhraseTable.Row) {
        #expect(PhraseTable.meaning(of: row.phrase) == row.meaning, "\(row.phrase)")
    }

    @Test(arguments: PhraseTable(duckling).rows)
    func `forms that Duckling documents`(_ row: PhraseTable.Row) {
        #expect(PhraseTable.meaning(of: row.phrase) == row.meaning, "\(row.phrase)")
    }
}
